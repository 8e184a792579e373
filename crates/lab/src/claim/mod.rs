//! Claims: what a paper states about a figure, and how the results of the runs compare with it.
//!
//! A claim is data: its text, and a [`Test`] that turns it into a statement about numbers. The test
//! judges the means, and also reports whether the 95 % intervals allow another verdict
//! ([`Judgement::firm`]). A claim may fail without being an error.
//!
//! Each sort of test is a file that defines its keys, how it is read and judged, and its wording,
//! and has one line in the [registry](registry::SORTS).

mod bound;
mod difference;
mod extreme;
mod gain;
mod grows;
mod keeps;
mod kind;
mod order;
mod places;
mod printed;
mod reader;
pub mod registry;
mod spread;
mod standing;
mod statement;
mod table;
mod trend;
mod untestable;
mod up_to;
mod value;
mod verdict;
mod verdicts;
mod words;

use std::sync::Arc;

use crate::cube::MeasureId;
use crate::description::{Node, is_word};

pub use kind::{Kind, Null};
pub use reader::Names;
pub use standing::Standing;
use statement::Statement;
pub use table::Table;
pub use verdict::{Judgement, Verdict};
pub use verdicts::{Change, Settings, Verdicts};

/// A statement of a paper.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Its name within the experiment.
    pub id: String,
    /// The paper's statement, in our words and with its numbers.
    pub text: String,
    /// The section or figure of the paper that states it.
    pub source: String,
    /// Whose claim it is, and whether it counts.
    pub kind: Kind,
    /// The claim whose sentence it judges again under another reading: its id, or `FIGURE.ID` if it
    /// belongs to another figure. The sentence counts once.
    pub again: Option<String>,
    /// Whether it judges only a part or a weaker form of that sentence, which then holds in part.
    pub in_part: bool,
    /// Why it holds even if all curves are the baseline's, if it is known to.
    pub null: Option<Null>,
    /// Whether a verdict within the noise is no verdict, because the statement is of a difference
    /// that may be small.
    pub firm: bool,
    /// Whether it is judged under a reading that is only tried. So many readings are tried that some
    /// claims would hold by chance, so a verdict within the noise is no verdict.
    pub(crate) tried: bool,
    /// The measure to which it refers.
    pub measure: MeasureId,
    /// The statement about numbers.
    pub test: Test,
}

/// How a claim is judged: a statement of one of the [registry's](registry::SORTS) sorts.
#[derive(Clone, Debug)]
pub struct Test(Arc<dyn Statement>);

impl Claim {
    /// Reads a claim of an experiment that has these names. If the claim names no measure, it
    /// refers to the first one; if it names no kind, it has the `usual` one.
    pub(crate) fn read(node: &Node<'_>, names: Names<'_>, usual: Kind) -> Option<Self> {
        let keys = node.keys("a claim")?;
        let id = keys.text("id", "\"c-veno\"");
        let keys = keys.called(id.as_ref().map(|id| format!("claim `{id}`")));
        let wrong = id.as_ref().filter(|id| !is_word(id));
        if let Some((id, node)) = wrong.zip(keys.find("id")) {
            let help = "an id has the letters a to z, digits and hyphens";
            node.wrong(format!("`{id}` is no id of a claim"), help);
        }
        let text = keys.text(
            "text",
            "\"At 2 % loss VenoDB's throughput exceeds Veno's by 35.7 %.\"",
        );
        let source = keys.text("source", "\"section 4.1\"");
        let kind = keys.word_or("kind", &Kind::WORDS, usual);
        let null = keys.find("null").and_then(|node| node.word(&Null::WORDS));
        let part_of = keys.find("part_of");
        let again = keys.find("again");
        if let (Some(node), Some(_)) = (&part_of, &again) {
            let help = "`again` is another reading of the sentence, `part_of` a weaker form of it";
            node.wrong("a claim has either `again` or `part_of`", help);
        }
        let in_part = part_of.is_some();
        let again = again.or(part_of).and_then(|node| node.text());
        let again = again.map(str::to_owned);
        let firm = keys.flag("firm");
        let measure = match keys.find("measure") {
            None => Some(MeasureId(0)),
            Some(node) => node
                .known("measure", names.measures.iter().map(String::as_str))
                .and_then(|name| names.measures.iter().position(|known| known == name))
                .map(MeasureId),
        };
        let test = keys.need("test", registry::EXAMPLE);
        let test = test
            .zip(measure)
            .and_then(|(node, measure)| registry::read(&node, names, names.ranges[measure.0]));
        keys.done();
        Some(Self {
            id: id?,
            text: text?,
            source: source?,
            kind,
            again,
            in_part,
            null,
            firm,
            tried: false,
            measure: measure?,
            test: Test(test?),
        })
    }
}

impl Claim {
    /// Judges measured values. If it has to be firm, a verdict within the noise is withdrawn.
    pub fn judge(&self, table: &Table<'_>) -> Judgement {
        let judgement = self.test.judge(table);
        // What is tried is decided by what is random in it alone.
        let decided = judgement.firm || self.tried && self.test.judge(&table.exact()).firm;
        if (self.firm || self.tried) && !decided {
            judgement.undecided()
        } else {
            judgement
        }
    }

    /// The sentence that it judges: a figure, and the id of the claim that judges it under the
    /// reading taken. `figure` is the claim's own.
    pub fn sentence<'a>(&'a self, figure: &'a str) -> (&'a str, &'a str) {
        match self.again.as_deref() {
            None => (figure, &self.id),
            Some(again) => again.split_once('.').unwrap_or((figure, again)),
        }
    }
}

impl Test {
    /// Judges measured values.
    fn judge(&self, table: &Table<'_>) -> Judgement {
        let judged = self.0.judge(table).map(|judged| Judgement {
            one_run: self.rests_on_one_run(table),
            ..judged
        });
        judged.unwrap_or_else(|| {
            Judgement::untestable(if table.places(self.0.places()).is_empty() {
                "none of its places is among those of this run"
            } else {
                "a curve has no number in one of its places, or 0 where a ratio is required"
            })
        })
    }

    /// Whether one of the points to which it refers is a single run.
    fn rests_on_one_run(&self, table: &Table<'_>) -> bool {
        let (named, places) = self.names();
        let all: Vec<&str> = table.curves().collect();
        let curves = if named.is_empty() || self.is_about_all() {
            all
        } else {
            named
        };
        let places = table.places(places);
        let one_run = |curve: &&str| places.iter().any(|x| table.is_of_one_run(curve, *x));
        curves.iter().any(one_run)
    }

    /// Whether it compares with all curves, and not only with those that it names.
    pub fn is_about_all(&self) -> bool {
        self.0.is_about_all()
    }

    /// The number that the paper prints for the first of its curves at its only x value, if it states
    /// one; if it names a second curve, the gain over that one in percent.
    pub fn printed(&self) -> Option<f64> {
        self.0.printed()
    }

    /// The curves and the x values that it names; the latter are empty if it refers to all.
    pub fn names(&self) -> (Vec<&str>, &[f64]) {
        (self.0.curves(), self.0.places())
    }
}
