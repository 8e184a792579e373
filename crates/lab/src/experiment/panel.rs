//! Panels: the drawings and tables of an experiment.

use super::choice::Choice;
use super::curve::Variant;
use super::samples::{Samples, Sampling};
use super::stage::Stage;
use crate::cube::MeasureId;
use crate::description::Keys;

/// A drawing or a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// The part of its file names that distinguishes it from the experiment's other panels; empty
    /// if there is only one.
    pub name: String,
    /// Its title; empty if the experiment's title is enough.
    pub title: String,
    /// Its contents.
    pub shows: Shows,
}

/// The contents of a panel.
#[derive(Clone, Debug, PartialEq)]
pub enum Shows {
    /// A measure along the x axis, with one line per curve.
    Curves(MeasureId, Curves),
    /// A measure, with one row per curve and one bar per x value in it.
    Bars(MeasureId, Curves),
    /// A measure of a curve that is combined with the second axis. It has one column per value of
    /// the first axis and one row per value of the second.
    Map(MeasureId, String),
    /// The effects of a factorial's parts on a measure, as bars or along the x axis.
    Effects {
        /// The measure.
        measure: MeasureId,
        /// Whether they are drawn as bars.
        bars: bool,
    },
    /// Samples over time.
    OverTime(Samples, Curves),
    /// A table of measures, with one row per curve and x value.
    Table(Vec<MeasureId>, Curves),
    /// A table of all combinations of values of two axes, the best ones first.
    Choice(Choice),
}

/// Curves by their names, or by their names in the description before they were combined with the
/// second axis. If empty, all curves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Curves(Vec<String>);

impl Curves {
    /// Whether it includes a curve.
    pub(super) fn have(&self, variant: &Variant) -> bool {
        let declared = variant.row.as_ref().map(|(name, _)| name);
        let of = |name: &String| *name == variant.name || Some(name) == declared;
        self.0.is_empty() || self.0.iter().any(of)
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Curves,
    Bars,
    Map,
}

const KINDS: [(&str, Kind); 3] = [
    ("curves", Kind::Curves),
    ("bars", Kind::Bars),
    ("map", Kind::Map),
];
const SORTS: [&str; 5] = ["measure", "effects", "samples", "table", "choice"];
const WANTED: &str = "one of `measure`, `effects`, `samples`, `table` and `choice` is required";

impl Panel {
    pub(super) fn read(keys: Keys<'_>, stage: Stage<'_>) -> Option<Self> {
        let name = keys.text_if_any("name");
        let title = keys.text_if_any("title");
        let keys = keys.called(Some(format!("panel `{name}`")));
        let kind = keys.word_or("kind", &KINDS, Kind::Curves);
        let shows = match keys.present(&SORTS)[..] {
            ["measure"] => of_measure(&keys, kind, stage),
            ["effects"] => effects(&keys, kind, stage),
            ["samples"] if plain(&keys) => keys.find("samples").and_then(|node| {
                let curves = curves(&keys, stage)?;
                let shown: Vec<&Variant> = stage.curves.iter().filter(|c| curves.have(c)).collect();
                let samples = Samples::read(
                    &node,
                    Sampling {
                        curves: &shown,
                        places: stage.places,
                        reference: stage.reference,
                        probe: stage.probe,
                    },
                );
                Some(Shows::OverTime(samples?, curves))
            }),
            ["table"] if plain(&keys) => keys.find("table").and_then(|node| {
                let curves = curves(&keys, stage)?;
                let items = node.items()?;
                if items.is_empty() {
                    node.wrong("a table without columns", "name the measures that it shows");
                }
                let measures = items.iter().map(|item| stage.measure(item));
                Some(Shows::Table(measures.collect::<Option<_>>()?, curves))
            }),
            ["choice"] if plain(&keys) => {
                let node = keys.find("choice");
                node.and_then(|node| Choice::read(&node, stage))
                    .map(Shows::Choice)
            }
            [_] => None,
            [] => {
                keys.lacks("measure", WANTED);
                None
            }
            _ => {
                keys.wrong("it is of several sorts", WANTED);
                return None;
            }
        };
        // `series` was not read if the panel could not be read; it is not an unknown key.
        keys.present(&["series"]);
        keys.done();
        Some(Self {
            name,
            title,
            shows: shows?,
        })
    }

    /// Whether it is a table and not a drawing.
    pub fn is_table(&self) -> bool {
        matches!(self.shows, Shows::Table(..) | Shows::Choice(_))
    }

    /// Whether it is a drawing of samples over time.
    pub fn is_over_time(&self) -> bool {
        self.samples().is_some()
    }

    /// Whether its numbers are means over the seeds, and not those of one run.
    pub fn is_averaged(&self) -> bool {
        self.samples()
            .is_none_or(|samples| !samples.is_of_one_run())
    }

    /// The samples that it draws over time, if any.
    pub(super) fn samples(&self) -> Option<&Samples> {
        match &self.shows {
            Shows::OverTime(samples, _) => Some(samples),
            _ => None,
        }
    }

    /// Whether it shows a curve.
    pub(super) fn has(&self, variant: &Variant) -> bool {
        match &self.shows {
            Shows::Curves(_, curves)
            | Shows::Bars(_, curves)
            | Shows::OverTime(_, curves)
            | Shows::Table(_, curves) => curves.have(variant),
            Shows::Map(_, name) => variant.row.as_ref().is_some_and(|(of, _)| of == name),
            Shows::Effects { .. } | Shows::Choice(_) => true,
        }
    }
}

fn of_measure(keys: &Keys<'_>, kind: Kind, stage: Stage<'_>) -> Option<Shows> {
    let node = keys.find("measure")?;
    match kind {
        Kind::Map => {
            let measure = stage.measure(&node)?;
            if !stage.crossed {
                no_map(keys);
                return None;
            }
            Some(Shows::Map(measure, mapped(keys, stage)?))
        }
        Kind::Bars => Some(Shows::Bars(stage.measure(&node)?, curves(keys, stage)?)),
        Kind::Curves if stage.named => {
            node.wrong("places with names are no axis", "write kind = \"bars\"");
            None
        }
        Kind::Curves => Some(Shows::Curves(stage.measure(&node)?, curves(keys, stage)?)),
    }
}

fn effects(keys: &Keys<'_>, kind: Kind, stage: Stage<'_>) -> Option<Shows> {
    let node = keys.find("effects")?;
    if !stage.factorial {
        node.wrong(
            "effects are those of a factorial's parts",
            "write [factorial] with its parts",
        );
        return None;
    }
    if kind == Kind::Map {
        no_map(keys);
        return None;
    }
    Some(Shows::Effects {
        measure: stage.measure(&node)?,
        bars: kind == Kind::Bars,
    })
}

/// The single curve that a map shows.
fn mapped(keys: &Keys<'_>, stage: Stage<'_>) -> Option<String> {
    let items = keys.items("series");
    let declared = stage.declared();
    match &items[..] {
        [one] => one
            .known("curve that `y` is crossed with", declared)
            .map(str::to_owned),
        _ => {
            let wrong = "a map shows one of the curves that `y` is crossed with";
            let help = format!(
                "write for example series = [\"{}\"]",
                declared.first().unwrap_or(&"A")
            );
            match keys.find("series") {
                Some(node) => node.wrong(wrong, help),
                None => keys.wrong(wrong, help),
            }
            None
        }
    }
}

fn no_map(keys: &Keys<'_>) {
    if let Some(kind) = keys.find("kind") {
        kind.wrong(
            "a map is of a `measure`, along `x` and `y`",
            "write [y], or leave `kind` out",
        );
    }
}

/// Rejects a `kind` in panels other than those of a measure or of effects.
fn plain(keys: &Keys<'_>) -> bool {
    let Some(kind) = keys.find("kind") else {
        return true;
    };
    let what = match kind.text() {
        Some("map") => "a map is of a `measure`, along `x` and `y`",
        Some("bars") => "bars are of a `measure` or of `effects`",
        _ => "only a `measure` and `effects` have a `kind`",
    };
    kind.wrong(what, "leave `kind` out");
    false
}

/// Reads the curves that a panel names.
fn curves(keys: &Keys<'_>, stage: Stage<'_>) -> Option<Curves> {
    let all = || {
        let made = stage.curves.iter().map(|curve| curve.name.as_str());
        made.chain(stage.declared())
    };
    let items = keys.items("series");
    let names = items
        .iter()
        .map(|item| item.known("curve", all()).map(str::to_owned));
    Some(Curves(names.collect::<Option<_>>()?))
}
