//! What is varied along an axis.

use crate::description::{Keys, Node};

/// An axis: its places, and what the scenario has in each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The axis' quantity and unit.
    pub label: String,
    /// The axis is logarithmic.
    pub log: bool,
    /// The places along the axis, at least one, each larger than the one before.
    values: Vec<f64>,
    /// What the scenario has there.
    varied: Varied,
}

/// What an axis varies. Lists have an entry a place.
#[derive(Clone, Debug, PartialEq)]
enum Varied {
    /// A key of the scenario, whose values are the axis'.
    Key { key: String, form: Form },
    /// Settings of its own for each place.
    Settings(Vec<toml::Table>),
    /// The same, where a number says nothing of the places: they have names.
    Named(Vec<(String, toml::Table)>),
}

/// How a scenario wants a value of an axis.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// As a number.
    Number,
    /// As a whole number.
    Whole,
    /// With this unit behind it.
    Unit(String),
}

impl Sweep {
    /// Reads the axis of a name, `x` or `y`.
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let axis = node.name();
        let keys = node.keys(format!("`{axis}`"))?;
        let label = keys.text("label", "\"packet loss rate\"");
        let log = keys.flag("log");
        let values = values(&keys, axis);
        let varied = varied(&keys, values.as_deref());
        keys.done();
        Some(Self {
            label: label?,
            log,
            values: values?,
            varied: varied?,
        })
    }

    /// The places along the axis.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The name of a place, where it has one.
    pub(super) fn name(&self, at: usize) -> Option<&str> {
        match &self.varied {
            Varied::Named(places) => places.get(at).map(|(name, _)| name.as_str()),
            Varied::Key { .. } | Varied::Settings(_) => None,
        }
    }

    /// A place in words: its name, or its number.
    pub(super) fn place(&self, at: usize) -> String {
        let name = self.name(at).map(str::to_owned);
        name.unwrap_or_else(|| self.values[at].to_string())
    }

    /// The places have names: they are no numbers along an axis.
    pub(super) fn has_names(&self) -> bool {
        matches!(self.varied, Varied::Named(_))
    }

    /// What the scenario has in a place: keys and values.
    pub(super) fn settings(&self, at: usize) -> toml::Table {
        match &self.varied {
            Varied::Key { key, form } => {
                let value = form.value(self.values[at]);
                std::iter::once((key.clone(), value)).collect()
            }
            Varied::Settings(places) => places[at].clone(),
            Varied::Named(places) => places[at].1.clone(),
        }
    }

    /// The key that is varied, where it is one.
    pub(super) fn key(&self) -> Option<&str> {
        match &self.varied {
            Varied::Key { key, .. } => Some(key),
            Varied::Settings(_) | Varied::Named(_) => None,
        }
    }

    /// Whether a key of the scenario is not the same in all places.
    pub(super) fn varies(&self, key: &str) -> bool {
        match &self.varied {
            Varied::Key { key: varied, .. } => varied == key,
            Varied::Settings(places) => places.iter().any(|place| place.contains_key(key)),
            Varied::Named(places) => places.iter().any(|(_, place)| place.contains_key(key)),
        }
    }

    /// Leaves these places; all, where none is named.
    pub(super) fn keep(&mut self, those: &[f64]) {
        if those.is_empty() {
            return;
        }
        let stays: Vec<bool> = self.values.iter().map(|v| those.contains(v)).collect();
        self.values = kept(&self.values, &stays);
        match &mut self.varied {
            Varied::Key { .. } => {}
            Varied::Settings(places) => *places = kept(places, &stays),
            Varied::Named(places) => *places = kept(places, &stays),
        }
    }
}

impl Form {
    /// A value as the scenario has it.
    fn value(&self, value: f64) -> toml::Value {
        match self {
            Self::Unit(unit) => toml::Value::String(format!("{value} {unit}")),
            Self::Whole => toml::Value::Integer(value as i64),
            Self::Number => toml::Value::Float(value),
        }
    }
}

fn kept<T: Clone>(all: &[T], stays: &[bool]) -> Vec<T> {
    let both = all.iter().zip(stays).filter(|(_, stays)| **stays);
    both.map(|(one, _)| one.clone()).collect()
}

/// The places, in order.
fn values(keys: &Keys<'_>, axis: &str) -> Option<Vec<f64>> {
    let node = keys.need("values", "[0.01, 0.02]")?;
    let items = node.items()?;
    let values: Vec<f64> = items.iter().map(Node::number).collect::<Option<_>>()?;
    if values.is_empty() {
        node.wrong(
            format!("`{axis}` has no values"),
            "write for example values = [0.01, 0.02]",
        );
        return None;
    }
    for (pair, second) in values.windows(2).zip(items.iter().skip(1)) {
        if pair[0] >= pair[1] {
            second.wrong(
                format!("the values of {axis} are not in order"),
                format!(
                    "each is larger than the one before; here {} follows {}",
                    pair[1], pair[0]
                ),
            );
            return None;
        }
    }
    Some(values)
}

/// What is varied at these places.
fn varied(keys: &Keys<'_>, values: Option<&[f64]>) -> Option<Varied> {
    match keys.present(&["key", "places"])[..] {
        ["key"] => {
            let key = keys.text("key", "\"tcp.min_rto\"")?;
            let form = form(keys, values?)?;
            if let Some(names) = keys.find("names") {
                names.wrong(
                    "`names` are those of `places`",
                    "the values of a `key` are their own names",
                );
                return None;
            }
            Some(Varied::Key { key, form })
        }
        ["places"] => {
            let node = keys.find("places")?;
            let places = node.items()?;
            let places: Vec<toml::Table> = places.iter().map(Node::table).collect::<Option<_>>()?;
            let wanted = values?.len();
            if places.len() != wanted {
                node.wrong(
                    format!("there are {wanted} values, and as many `places` are wanted"),
                    format!("here are {}", places.len()),
                );
                return None;
            }
            let Some(names) = keys.find("names") else {
                return Some(Varied::Settings(places));
            };
            let named: Vec<String> = (names.items()?.iter().map(|name| name.text()))
                .map(|name| name.map(str::to_owned))
                .collect::<Option<_>>()?;
            if named.len() != wanted {
                names.wrong(
                    format!("there are {wanted} places, and as many `names` are wanted"),
                    format!("here are {}", named.len()),
                );
                return None;
            }
            Some(Varied::Named(named.into_iter().zip(places).collect()))
        }
        _ => {
            keys.wrong(
                "it has either a `key` or `places`",
                "a key of the scenario whose values these are, or a table of settings for each of them",
            );
            // They are no unknown keys.
            keys.present(&["names", "unit", "whole"]);
            None
        }
    }
}

/// How the scenario wants the values of a key.
fn form(keys: &Keys<'_>, values: &[f64]) -> Option<Form> {
    let unit = keys.find("unit");
    let whole = keys.flag("whole");
    match (unit, whole) {
        (None, false) => Some(Form::Number),
        (Some(unit), false) => Some(Form::Unit(unit.text()?.to_owned())),
        (Some(unit), true) => {
            unit.wrong("a `whole` number has no `unit`", "leave one of them out");
            None
        }
        (None, true) => {
            let Some(part) = values.iter().position(|value| value.fract() != 0.0) else {
                return Some(Form::Whole);
            };
            let node = keys.items("values").into_iter().nth(part)?;
            node.wrong(
                format!("{} is no whole number", values[part]),
                "`whole = true` says that the scenario wants them",
            );
            None
        }
    }
}
