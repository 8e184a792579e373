//! A curve: the settings that it changes in the scenario, and the quantity that it reads from its
//! runs.

use std::collections::BTreeMap;

use crate::description::{Keys, Node};

/// A curve: settings of the scenario that all its points share.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Keys and values; settings of protocols that the description names come before the curve's
    /// own.
    pub set: toml::Table,
    /// The quantity of a run that this curve shows, if several curves show different quantities of
    /// the same run.
    pub reads: Option<Reads>,
    /// Whether the varied setting does not apply to it. A fixed curve is the same at all x values
    /// and serves as a reference for others.
    pub fixed: bool,
    /// For each name in the `over` of a measure: the curve by which this curve is divided.
    pub over: BTreeMap<String, String>,
    /// If a second axis created the curve: its name in the description, and the value on that axis.
    pub row: Option<(String, f64)>,
}

/// A quantity that is recorded during a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reads {
    /// A sampled series, such as `estimate.sarbe`.
    Series(String),
    /// A classifier of losses, such as `veno`.
    Classifier(String),
}

/// The prefix of a classifier's name among the names that can be read.
pub(super) const CLASSIFIER: &str = "classify.";

impl Reads {
    /// Parses the name in a description.
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

    /// The name in a description.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Series(name) => name.clone(),
            Self::Classifier(name) => format!("{CLASSIFIER}{name}"),
        }
    }
}

impl Variant {
    /// Creates a curve that only has settings.
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

    /// Reads a curve: a table, or the name of a protocol.
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

/// The entries of a curve's `over`: the name in a measure, and the curve that replaces it.
pub(super) fn stand_ins<'d>(curve: &Keys<'d>) -> Vec<(Node<'d>, Node<'d>)> {
    let over = curve.find("over").and_then(|node| node.keys("`over`"));
    over.map(|over| over.entries()).unwrap_or_default()
}

/// The settings of a protocol.
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
