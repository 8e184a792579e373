//! A curve: what it sets in the scenario, and what it reads of its runs.

use std::collections::BTreeMap;

use crate::description::{Keys, Node};

/// A curve: settings of the scenario that all its points share.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Keys and values; those of the protocols that the description names come before its own.
    pub set: toml::Table,
    /// What of a run this curve shows, where several curves are readings of the same run.
    pub reads: Option<Reads>,
    /// What is varied does not concern it: it is the same in all places, and what others are held against.
    pub fixed: bool,
    /// For each name that measures are `over`: the curve that this one is divided by.
    pub over: BTreeMap<String, String>,
    /// Of a curve that a second axis made: the name that the description has, and the value.
    pub row: Option<(String, f64)>,
}

/// One of the things that are watched in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// A sampled series, such as `estimate.sarbe`.
    Series(String),
    /// A classifier of losses, such as `veno`.
    Classifier(String),
}

/// Before the name of a classifier among what can be read.
pub(super) const CLASSIFIER: &str = "classify.";

impl Reads {
    /// Of the name that a description has.
    pub(super) fn named(name: &str) -> Self {
        match name.strip_prefix(CLASSIFIER) {
            Some(classifier) => Self::Classifier(classifier.to_owned()),
            None => Self::Series(name.to_owned()),
        }
    }

    /// The name of the sampled series, if it is one.
    pub(super) fn series(&self) -> Option<&str> {
        match self {
            Self::Series(name) => Some(name),
            Self::Classifier(_) => None,
        }
    }

    /// The name of the classifier, if it is one.
    pub(super) fn classifier(&self) -> Option<&str> {
        match self {
            Self::Series(_) => None,
            Self::Classifier(name) => Some(name),
        }
    }

    /// As a description names it.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Series(name) => name.clone(),
            Self::Classifier(name) => format!("{CLASSIFIER}{name}"),
        }
    }
}

impl Variant {
    /// A curve that sets something and is nothing else.
    pub(super) fn setting(name: String, set: toml::Table) -> Self {
        Self {
            name,
            set,
            reads: None,
            fixed: false,
            over: BTreeMap::new(),
            row: None,
        }
    }

    /// Reads a curve: a table, or the name of one of the protocols.
    pub(super) fn read(node: &Node<'_>, protocols: &toml::Table) -> Option<Self> {
        if node.is_text() {
            let set = protocol(node, protocols)?;
            return Some(Self::setting(node.text()?.to_owned(), set));
        }
        let keys = node.keys("a curve")?;
        let name = keys.text("name", "\"Veno\"");
        let keys = keys.called(name.as_ref().map(|name| format!("curve `{name}`")));
        let mut set = toml::Table::new();
        for named in keys.items("protocols") {
            set.extend(protocol(&named, protocols)?);
        }
        set.extend(
            keys.find("set")
                .and_then(|node| node.table())
                .unwrap_or_default(),
        );
        let reads = keys.find("reads").and_then(|node| node.text());
        let fixed = keys.flag("fixed");
        let mut over = BTreeMap::new();
        for (of, stands) in stand_ins(&keys) {
            over.insert(of.name().to_owned(), stands.text()?.to_owned());
        }
        keys.done();
        Some(Self {
            name: name?,
            set,
            reads: reads.map(Reads::named),
            fixed,
            over,
            row: None,
        })
    }
}

/// The entries of a curve's `over`: the name that a measure has, and the curve that stands for it.
pub(super) fn stand_ins<'d>(curve: &Keys<'d>) -> Vec<(Node<'d>, Node<'d>)> {
    let over = curve.find("over").and_then(|node| node.keys("`over`"));
    over.map(|over| over.entries()).unwrap_or_default()
}

/// What a protocol sets.
fn protocol(node: &Node<'_>, protocols: &toml::Table) -> Option<toml::Table> {
    let name = node.known("protocol", protocols.keys().map(String::as_str))?;
    let set = protocols[name].as_table();
    if set.is_none() {
        node.wrong(
            format!("the protocol `{name}` is no table of settings"),
            "see the paper's paper.toml",
        );
    }
    set.cloned()
}
