//! Finds the place of a document that a path names.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::sorts::sorts;
use super::{Path, Word};
use crate::log::Log;
use crate::quantity::clip;
use crate::{flow, link, scenario, suggest, tcp, topology};

/// A place in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) steps: Vec<Step>,
    /// The position of the path that names it.
    pub(crate) span: Range<usize>,
}

/// A step from the document to a place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// To the value of a key.
    Key(String, Range<usize>),
    /// To an element of an array, counted from 0.
    Index(usize),
    /// To all elements of an array.
    All,
}

/// How two places have to do with each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// They are the same, or one of them is among those of the other.
    Same,
    /// The first is a part of the second.
    Inside,
    /// The second is a part of the first.
    Around,
    /// They are two sorts of one queue, loss or source, of which only one can be there.
    Rivals,
}

impl Place {
    /// How this place has to do with another one; `None` if nothing.
    pub(crate) fn overlap(&self, other: &Self) -> Option<Overlap> {
        let alike = |(one, other): (&Step, &Step)| match (one, other) {
            (Step::Key(one, _), Step::Key(other, _)) => one == other,
            (Step::All, Step::Index(_)) | (Step::Index(_), Step::All) => true,
            (one, other) => one == other,
        };
        let (here, there) = (&self.steps, &other.steps);
        let common = here
            .iter()
            .zip(there)
            .take_while(|pair| alike(*pair))
            .count();
        match (here.get(common), there.get(common)) {
            (None, None) => Some(Overlap::Same),
            (Some(_), None) => Some(Overlap::Inside),
            (None, Some(_)) => Some(Overlap::Around),
            (Some(Step::Key(one, _)), Some(Step::Key(other, _))) => {
                let of = match common.checked_sub(1).map(|at| &here[at]) {
                    Some(Step::Key(of, _)) => sorts(of)?,
                    _ => return None,
                };
                let both = of.contains(&one.as_str()) && of.contains(&other.as_str());
                both.then_some(Overlap::Rivals)
            }
            _ => None,
        }
    }
}

/// The names of the entries of a document, in order, where they are known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub(crate) flows: Vec<Option<String>>,
    /// The links of a graph.
    pub(crate) links: Vec<Option<String>>,
}

/// The word for all flows.
const ALL: &str = "*";

/// Finds the place that a path names. The last word may be a key that does not exist yet: whether it may is known to
/// those who read the scenario.
pub(crate) fn locate(
    path: &Path,
    document: &DeTable<'_>,
    names: &Names,
    log: &Log,
) -> Option<Place> {
    let search = Search {
        document,
        flows: &names.flows,
        links: &names.links,
        log,
    };
    let (mut steps, rest) = search.beginning(path)?;
    search.follow(&mut steps, rest)?;
    Some(Place {
        steps,
        span: path.span(),
    })
}

struct Search<'s, 'd> {
    document: &'s DeTable<'d>,
    flows: &'s [Option<String>],
    links: &'s [Option<String>],
    log: &'s Log,
}

impl Search<'_, '_> {
    /// Resolves the short forms at the beginning of a path. Returns the steps so far, and the words
    /// that follow them.
    fn beginning<'p>(&self, path: &'p Path) -> Option<(Vec<Step>, &'p [Word])> {
        let (first, rest) = path.words.split_first()?;
        let key = |name: &str| Step::Key(name.to_owned(), first.span.clone());
        let name = first.text.as_str();
        if name == flow::KEY {
            return self.flow(first, rest);
        }
        if scenario::KEYS.contains(&name) {
            return Some((vec![key(name)], rest));
        }
        let network = topology::KINDS
            .into_iter()
            .find(|kind| self.document.contains_key(*kind));
        if let Some(network) = network {
            if topology::keys(network).contains(&name) {
                return Some((vec![key(network), key(name)], rest));
            }
            if let Some(hop) = self.hop(name) {
                return Some((vec![key(network), key("hops"), Step::Index(hop)], rest));
            }
        }
        let (message, help) = self.unknown(first, network);
        self.log.note(first.span.clone(), message, help);
        None
    }

    /// What to say of a path that begins with an unknown word.
    fn unknown(&self, first: &Word, network: Option<&str>) -> (String, String) {
        let name = first.text.as_str();
        let message = format!("a scenario has no value `{}`", clip(name));
        let named = self.flows.iter().flatten().any(|known| known == name);
        let link = match network {
            Some("parking_lot") => "hop1",
            Some("graph") => "link.NAME",
            _ => "bottleneck",
        };
        let help = if named {
            format!("did you mean `{}.{name}`?", flow::KEY)
        } else if link::KEYS.contains(&name) {
            format!("did you mean `{link}.{name}`?")
        } else if flow::is_key(name) {
            format!("did you mean `{}`?", self.key_of_flow(name))
        } else {
            let hops: Vec<String> = (1..=self.hops()).map(|hop| format!("hop{hop}")).collect();
            let mut known: Vec<&str> = hops.iter().map(String::as_str).take(MOST).collect();
            known.extend(scenario::KEYS);
            known.extend(network.iter().flat_map(|network| topology::keys(network)));
            suggest::help(name, "a path begins with one of", &known)
        };
        (message, help)
    }

    /// The path of a key of a flow, as an example.
    fn key_of_flow(&self, key: &str) -> String {
        match self.flows {
            [] | [_] => format!("{}.{key}", flow::KEY),
            [first, ..] => match first {
                Some(name) => format!("{}.{name}.{key}", flow::KEY),
                None => format!("{}.0.{key}", flow::KEY),
            },
        }
    }

    /// The position of the hop with this name among the links of a parking lot.
    fn hop(&self, name: &str) -> Option<usize> {
        (0..self.hops()).find(|hop| name == format!("hop{}", hop + 1))
    }

    /// The number of hops of a parking lot, if they are a list.
    fn hops(&self) -> usize {
        let network = self.document.get("parking_lot").map(Spanned::get_ref);
        let hops = network.and_then(|network| network.get("hops")?.get_ref().as_array());
        hops.map_or(0, |hops| hops.len())
    }

    /// Resolves `flow.NAME`, `flow.NUMBER`, `flow.*`, and `flow` where there is one entry.
    fn flow<'p>(&self, first: &Word, rest: &'p [Word]) -> Option<(Vec<Step>, &'p [Word])> {
        let flow = Step::Key(flow::KEY.to_owned(), first.span.clone());
        let Some((second, after)) = rest.split_first() else {
            let help = format!(
                "name one of its values, such as {}",
                self.key_of_flow("control")
            );
            let message = "`flow` is a list of flows and no value";
            self.log.note(first.span.clone(), message, help);
            return None;
        };
        let count = self.flows.len();
        let step = match self.place_of(second) {
            Some(step) => step,
            None if flow::is_key(&second.text) && count == 1 => {
                return Some((vec![flow, Step::Index(0)], rest));
            }
            None => {
                let (message, help) = self.unknown_flow(second);
                self.log.note(second.span.clone(), message, help);
                return None;
            }
        };
        if after.is_empty() {
            let message = format!("`flow.{}` is a flow and no value", second.text);
            let help = format!(
                "name one of its values, such as flow.{}.control",
                second.text
            );
            self.log.note(second.span.clone(), message, help);
            return None;
        }
        Some((vec![flow, step], after))
    }

    fn place_of(&self, word: &Word) -> Option<Step> {
        if word.text == ALL {
            return Some(Step::All);
        }
        let named = |name: &Option<String>| name.as_deref() == Some(word.text.as_str());
        let place = self.flows.iter().position(named);
        let number = word.text.parse().ok();
        place
            .or(number.filter(|number| *number < self.flows.len()))
            .map(Step::Index)
    }

    fn unknown_flow(&self, word: &Word) -> (String, String) {
        let known: Vec<&str> = self.flows.iter().flatten().map(String::as_str).collect();
        let count = self.flows.len();
        if count == 0 {
            let help = "write [[flow]] with control = \"reno\" into the file";
            return ("the scenario has no flow".to_owned(), help.to_owned());
        }
        if flow::is_key(&word.text) {
            let message = format!("there are {count} flows, so `{}` needs a name", word.text);
            let help = format!(
                "write {}, or flow.*.{} for all of them",
                self.key_of_flow(&word.text),
                word.text
            );
            return (message, help);
        }
        let message = format!("there is no flow `{}`", clip(&word.text));
        let near = suggest::nearest(&word.text, known.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `flow.{near}`?"),
            None if count == 1 => {
                let keys = tcp::KEYS.iter().copied();
                match suggest::nearest(&word.text, keys) {
                    Some(near) => format!("did you mean `flow.{near}`?"),
                    None => format!("the only flow is {}", suggest::list(&known)),
                }
            }
            None if word.text.parse::<usize>().is_ok() => {
                format!("they are numbered from 0 to {}", count - 1)
            }
            None => {
                let shown = &known[..known.len().min(MOST)];
                format!("the flows are {}", suggest::list(shown))
            }
        };
        (message, help)
    }

    /// Follows the words of a path through the document. Where the document has no value, the words
    /// are keys.
    fn follow(&self, steps: &mut Vec<Step>, words: &[Word]) -> Option<()> {
        let mut at = value(self.document, steps);
        for word in words {
            let step = match at {
                Some(DeValue::Array(elements)) => {
                    let is_link = matches!(
                        &steps[..],
                        [Step::Key(graph, _), Step::Key(link, _)] if graph == "graph" && link == "link"
                    );
                    let names = if is_link { self.links } else { &[] };
                    self.element(elements, names, word)?
                }
                _ => Step::Key(word.text.clone(), word.span.clone()),
            };
            at = match (&step, at) {
                (Step::Key(name, _), Some(DeValue::Table(table))) => {
                    table.get(name.as_str()).map(Spanned::get_ref)
                }
                (Step::Index(index), Some(DeValue::Array(elements))) => {
                    elements.get(*index).map(Spanned::get_ref)
                }
                _ => None,
            };
            steps.push(step);
        }
        Some(())
    }

    /// The element of an array of tables with this name or number.
    /// `known` are the names that some have by default.
    fn element(
        &self,
        elements: &[Spanned<DeValue<'_>>],
        known: &[Option<String>],
        word: &Word,
    ) -> Option<Step> {
        let name = |element: &Spanned<DeValue<'_>>| {
            let name = element.get_ref().get("name")?.get_ref().as_str();
            name.map(str::to_owned)
        };
        let names: Vec<Option<String>> = match known.len() == elements.len() {
            true => known.to_vec(),
            false => elements.iter().map(name).collect(),
        };
        let place = names
            .iter()
            .position(|name| name.as_deref() == Some(word.text.as_str()));
        let number = word.text.parse().ok();
        let found = place.or(number.filter(|number| *number < elements.len()));
        if found.is_none() {
            let known: Vec<&str> = names.iter().flatten().map(String::as_str).collect();
            let help = if known.is_empty() {
                let last = elements.len().saturating_sub(1);
                format!("its elements are numbered from 0 to {last}")
            } else {
                let near = suggest::nearest(&word.text, known.iter().copied());
                let shown = &known[..known.len().min(MOST)];
                near.map_or_else(
                    || format!("there are {}", suggest::list(shown)),
                    |near| format!("did you mean `{near}`?"),
                )
            };
            let message = format!("there is no element `{}`", clip(&word.text));
            self.log.note(word.span.clone(), message, help);
        }
        found.map(Step::Index)
    }
}

/// The value at a place; `None` if there is none.
pub(crate) fn value<'s, 'd>(document: &'s DeTable<'d>, steps: &[Step]) -> Option<&'s DeValue<'d>> {
    let (first, rest) = steps.split_first()?;
    let Step::Key(name, _) = first else {
        return None;
    };
    let mut at = document.get(name.as_str())?.get_ref();
    for step in rest {
        at = match step {
            Step::Key(name, _) => at.as_table()?.get(name.as_str()),
            Step::Index(index) => at.as_array()?.get(*index),
            Step::All => at.as_array()?.first(),
        }?
        .get_ref();
    }
    Some(at)
}

/// The most names that a message lists.
const MOST: usize = 12;
