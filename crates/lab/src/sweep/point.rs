//! The points of a sweep: one scenario for each combination of values.

use std::collections::BTreeMap;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::quantity::Measure;
use dumbbell_scenario::{Draft, Mistake, Report, Scenario};
use dumbbell_store::Key;
use toml::Spanned;
use toml::de::DeValue;

use super::axis::{Axis, Swept, Written};
use super::filter::Filter;
use crate::table::{Cell, Type};

/// A swept path.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The path as it is written in the file.
    pub name: String,
    /// The unit of its values: `s`, `bit/s`, `B`, or none.
    pub unit: Option<&'static str>,
    /// The type of its values.
    pub sort: Type,
    /// The values, in the order of the axis.
    pub values: Vec<Setting>,
}

/// A value of a swept path.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// The value as it is written, for people.
    pub text: String,
    /// The value as a number in the unit of its path, if it is one.
    pub number: Option<f64>,
    /// The value as true or false, if it is that.
    pub flag: Option<bool>,
}

/// A point of a sweep.
#[derive(Clone, Debug)]
pub struct Point {
    /// For each swept path, the index of its value.
    pub values: Vec<usize>,
    /// The scenario.
    pub scenario: Scenario,
    /// A number that follows from the scenario; 0 if it has a control whose code is not known.
    pub(super) number: u64,
}

impl Path {
    /// One of its values as a value of a table.
    pub fn cell(&self, at: usize) -> Option<Cell<'_>> {
        let setting = &self.values[at];
        match self.sort {
            Type::Number | Type::Whole => setting.number.map(Cell::Number),
            Type::Flag => setting.flag.map(Cell::Flag),
            Type::Text => Some(Cell::Text(&setting.text)),
        }
    }

    /// The path of some values in TOML.
    fn of(swept: &Swept<'_>, values: &[Spanned<DeValue<'_>>]) -> Self {
        let settings = values.iter().map(|value| Setting::of(value.get_ref()));
        let mut path = Self {
            name: swept.path.clone(),
            unit: None,
            sort: Type::Text,
            values: settings.collect(),
        };
        let texts: Option<Vec<&str>> = values.iter().map(|it| it.get_ref().as_str()).collect();
        if path.values.iter().all(|setting| setting.number.is_some()) {
            path.sort = Type::Number;
        } else if path.values.iter().all(|setting| setting.flag.is_some()) {
            path.sort = Type::Flag;
        } else if let Some((unit, numbers)) = texts.and_then(|texts| quantities(&texts)) {
            path.sort = Type::Number;
            path.unit = Some(unit);
            for (setting, number) in path.values.iter_mut().zip(numbers) {
                setting.number = Some(number);
            }
        }
        path
    }
}

impl Setting {
    fn of(value: &DeValue<'_>) -> Self {
        let number = match value {
            DeValue::Integer(number) => number.as_str().parse().ok(),
            DeValue::Float(number) => number.as_str().parse().ok(),
            _ => None,
        };
        Self {
            text: text(value),
            number,
            flag: value.as_bool(),
        }
    }
}

/// Values that are all quantities of one kind, in SI units.
fn quantities(texts: &[&str]) -> Option<(&'static str, Vec<f64>)> {
    let kinds = [
        (Measure::Time, "s", 1e9),
        (Measure::Rate, "bit/s", 1.0),
        (Measure::Size, "B", 1.0),
    ];
    kinds.into_iter().find_map(|(measure, unit, per)| {
        let read = |text: &&str| Some(measure.read(text).ok()? as f64 / per);
        Some((unit, texts.iter().map(read).collect::<Option<_>>()?))
    })
}

/// A value for people: a string without quotes.
fn text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) => number.as_str().to_owned(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(date) => date.to_string(),
        DeValue::Array(items) => {
            let items: Vec<String> = items.iter().map(|item| text(item.get_ref())).collect();
            format!("[{}]", items.join(", "))
        }
        DeValue::Table(entries) => {
            let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| {
                let key: &std::borrow::Cow<'_, str> = key.get_ref();
                match (key.as_ref(), value.get_ref()) {
                    ("name", DeValue::String(name)) => name.to_string(),
                    (key, value) => format!("{key} = {}", text(value)),
                }
            };
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| key.span().start);
            let entries: Vec<String> = entries.into_iter().map(entry).collect();
            entries.join(", ")
        }
    }
}

/// What is made of the axes.
pub(super) struct Made {
    pub(super) paths: Vec<Path>,
    pub(super) points: Vec<Point>,
    pub(super) excluded: usize,
}

/// Makes the points of these axes.
pub(super) fn points(
    draft: &Draft<'_>,
    axes: &[Axis<'_>],
    filter: Option<&Filter>,
    controls: &Controls,
) -> Result<Made, Report> {
    let swept: Vec<&Swept<'_>> = axes.iter().flat_map(|axis| &axis.swept).collect();
    let values: Vec<Vec<Spanned<DeValue<'_>>>> = swept.iter().map(|one| parsed(one)).collect();
    let paths = swept.iter().zip(&values);
    let mut made = Made {
        paths: paths
            .map(|(swept, values)| Path::of(swept, values))
            .collect(),
        points: Vec::new(),
        excluded: 0,
    };
    let mut numbers = BTreeMap::new();
    let mut place = vec![0; axes.len()];
    loop {
        let of_axis = axes.iter().zip(&place);
        let indices: Vec<usize> = of_axis
            .flat_map(|(axis, at)| std::iter::repeat_n(*at, axis.swept.len()))
            .collect();
        let mut draft = draft.clone();
        for ((swept, values), at) in swept.iter().zip(&values).zip(&indices) {
            draft
                .put(&swept.spot, &values[*at])
                .map_err(|wrong| draft.report(wrong))?;
        }
        let scenario = draft.scenario(controls)?;
        let run = match filter {
            Some(filter) => filter.holds(&draft, &scenario)?,
            None => true,
        };
        if run {
            let number = number(&scenario);
            if let Some(number) = number
                && let Some(other) = numbers.insert(number, made.points.len())
            {
                let other = &made.points[other].values;
                return Err(draft.report(vec![alike(&swept, &made.paths, &indices, other)]));
            }
            made.points.push(Point {
                values: indices,
                number: number.unwrap_or(0),
                scenario,
            });
        } else {
            made.excluded += 1;
        }
        // The next combination: the last axis is the fastest.
        let Some(axis) = (0..axes.len())
            .rev()
            .find(|at| place[*at] + 1 < axes[*at].len())
        else {
            return Ok(made);
        };
        place[axis] += 1;
        place[axis + 1..].fill(0);
    }
}

/// The values of a path, of which those of a range are read here.
fn parsed<'v>(swept: &'v Swept<'_>) -> Vec<Spanned<DeValue<'v>>> {
    let one = |written: &'v Written<'_>| match written {
        Written::There(value) => value.clone(),
        Written::Made(text, span) => {
            let value = DeValue::parse(text).expect("a range makes numbers and quantities");
            Spanned::new(span.clone(), value.into_inner())
        }
    };
    swept.values.iter().map(one).collect()
}

/// A number that follows from a scenario.
fn number(scenario: &Scenario) -> Option<u64> {
    Key::of(scenario, 0, None).map(|key| key.number())
}

/// The mistake of two points that are the same scenario.
fn alike(swept: &[&Swept<'_>], paths: &[Path], one: &[usize], other: &[usize]) -> Mistake {
    let differs = (0..swept.len()).filter(|at| one[*at] != other[*at]);
    let differs: Vec<usize> = differs.collect();
    let first = differs.first().copied().unwrap_or(0);
    let values = |indices: &[usize]| -> String {
        let value = |at: &usize| paths[*at].values[indices[*at]].text.clone();
        differs.iter().map(value).collect::<Vec<_>>().join(", ")
    };
    let names: Vec<String> = differs
        .iter()
        .map(|at| format!("`{}`", swept[*at].path))
        .collect();
    let message = format!(
        "{} makes no difference: with {} and with {} the scenario is the same",
        names.join(" and "),
        values(other),
        values(one)
    );
    let help = "leave out a value that is written in two ways; a key of [tcp] counts only for flows that \
                do not set it themselves";
    (swept[first].span.clone(), message, Some(help.to_owned()))
}
