//! The axes of an experiment: the settings that are varied.

use crate::description::{Keys, Node};

/// An axis: its values, and the settings of the scenario for each of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The axis' quantity and unit.
    pub label: String,
    /// Whether the axis is logarithmic.
    pub log: bool,
    /// The values on the axis, at least one, ascending.
    values: Vec<f64>,
    /// The settings of the scenario for these values.
    varied: Varied,
}

/// The settings that an axis varies. Lists have one entry per value.
#[derive(Clone, Debug, PartialEq)]
enum Varied {
    /// A key of the scenario, which takes the values of the axis.
    Key { key: String, form: Form },
    /// Separate settings for each value.
    Settings(Vec<toml::Table>),
    /// Separate settings for each value, with a name for each because the numbers have no meaning.
    Named(Vec<(String, toml::Table)>),
}

/// How a value of an axis is written in a scenario.
#[derive(Clone, Debug, PartialEq)]
enum Form {
    /// As a number.
    Number,
    /// As a whole number.
    Whole,
    /// With this unit.
    Unit(String),
}

impl Sweep {
    /// Reads the axis with this name, `x` or `y`.
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

    /// The values on the axis.
    pub(super) fn values(&self) -> &[f64] {
        &self.values
    }

    /// The name of the value at a position, if it has one.
    pub(super) fn name(&self, at: usize) -> Option<&str> {
        match &self.varied {
            Varied::Named(places) => places.get(at).map(|(name, _)| name.as_str()),
            Varied::Key { .. } | Varied::Settings(_) => None,
        }
    }

    /// The value at a position as text: its name, or its number.
    pub(super) fn place(&self, at: usize) -> String {
        let name = self.name(at).map(str::to_owned);
        name.unwrap_or_else(|| self.values[at].to_string())
    }

    /// Whether the values have names and are not numbers on an axis.
    pub(super) fn has_names(&self) -> bool {
        matches!(self.varied, Varied::Named(_))
    }

    /// The settings of the scenario for the value at a position: keys and values.
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

    /// The varied key, if the axis varies a single key.
    pub(super) fn key(&self) -> Option<&str> {
        match &self.varied {
            Varied::Key { key, .. } => Some(key),
            Varied::Settings(_) | Varied::Named(_) => None,
        }
    }

    /// Whether the axis changes a key of the scenario.
    pub(super) fn varies(&self, key: &str) -> bool {
        match &self.varied {
            Varied::Key { key: varied, .. } => varied == key,
            Varied::Settings(places) => places.iter().any(|place| place.contains_key(key)),
            Varied::Named(places) => places.iter().any(|(_, place)| place.contains_key(key)),
        }
    }

    /// Keeps only these values; all if `those` is empty.
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
    /// A value in the form that the scenario requires.
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

/// Reads the values, in order.
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

/// Reads the settings that vary with these values.
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
                    format!("there are {wanted} values, and as many `places` are required"),
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
                    format!("there are {wanted} places, and as many `names` are required"),
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
            // These are valid keys and must not be reported as unknown.
            keys.present(&["names", "unit", "whole"]);
            None
        }
    }
}

/// Determines the form that the scenario requires for the values of a key.
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
