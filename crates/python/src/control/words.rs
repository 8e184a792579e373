//! What a control in Python explains: numbers, words and rules.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use dumbbell_control::controller::Value;
use dumbbell_control::rule::Rule;
use dumbbell_scenario::intern;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use super::window::number;

/// A rule by its branch, condition, action and source.
type Texts = [&'static str; 4];

static RULES: Mutex<BTreeMap<Texts, &'static Rule>> = Mutex::new(BTreeMap::new());

/// A word or a name that is kept.
///
/// # Errors
/// `ValueError` if there are too many different ones.
pub fn kept(word: &str) -> PyResult<&'static str> {
    intern::word(word).ok_or_else(|| {
        PyValueError::new_err(format!(
            "there are more than {} different words and rules in `explain`: keep the words few, and \
             give numbers as numbers",
            intern::MOST
        ))
    })
}

/// The values that `explain` returned.
///
/// # Errors
/// If it is no mapping from names to numbers, words and rules.
pub fn values(found: &Bound<'_, PyAny>) -> PyResult<Vec<(&'static str, Value)>> {
    let Ok(dict) = found.cast::<PyDict>() else {
        let shown = crate::words::shown(found);
        return Err(PyTypeError::new_err(format!(
            "`explain` returned {shown}, but it must be a dict"
        )));
    };
    let mut values = Vec::with_capacity(dict.len());
    for (name, value) in dict {
        let name = kept(&name.extract::<String>()?)?;
        // What is not known yet, with or without a unit.
        let parts = value.cast::<PyTuple>().ok();
        let is_unknown = parts.and_then(|it| it.get_item(0).ok()?.is_none().then_some(()));
        if !value.is_none() && is_unknown.is_none() {
            values.push((name, one(name, &value)?));
        }
    }
    Ok(values)
}

fn one(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Value> {
    if let Ok(word) = value.cast::<PyString>() {
        return Ok(Value::State(kept(word.to_str()?)?));
    }
    if let Ok(parts) = value.cast::<PyTuple>() {
        return match name {
            "rule" | "growth" | "round" => rule(parts).map(Value::Rule),
            _ => measured(name, parts),
        };
    }
    Ok(match name {
        "rtt" | "srtt" | "base_rtt" => Value::Seconds(number(value, name)?),
        "backlog" => Value::Segments(number(value, name)?),
        _ => Value::Number(number(value, name)?),
    })
}

/// A number with its unit.
fn measured(name: &str, parts: &Bound<'_, PyTuple>) -> PyResult<Value> {
    let (value, unit): (Bound<'_, PyAny>, String) = parts.extract().map_err(|_| {
        PyTypeError::new_err(format!(
            "`{name}` must be a number, or a number and its unit"
        ))
    })?;
    let value = number(&value, name)?;
    match unit.as_str() {
        "s" => Ok(Value::Seconds(value)),
        "segments" => Ok(Value::Segments(value)),
        "bit/s" => Ok(Value::BitRate(value)),
        "" => Ok(Value::Number(value)),
        _ => Err(PyValueError::new_err(format!(
            "`{name}` has the unit `{unit}`; there are `s`, `segments` and `bit/s`"
        ))),
    }
}

/// A rule of two to four texts.
fn rule(parts: &Bound<'_, PyTuple>) -> PyResult<&'static Rule> {
    let mut texts: Texts = [""; 4];
    if !(2..=4).contains(&parts.len()) {
        return Err(PyTypeError::new_err(
            "a rule is a text, or a tuple: its branch, its condition, its action, its source",
        ));
    }
    for (text, part) in texts.iter_mut().zip(parts) {
        *text = kept(&part.extract::<String>()?)?;
    }
    let mut rules = RULES.lock().unwrap_or_else(PoisonError::into_inner);
    // The words are limited, but their combinations are many more.
    if rules.len() >= intern::MOST && !rules.contains_key(&texts) {
        return Err(PyValueError::new_err(
            "there are too many different rules in `explain`",
        ));
    }
    let rule = rules.entry(texts).or_insert_with(|| {
        let [branch, condition, action, source] = texts;
        Box::leak(Box::new(Rule {
            branch,
            condition,
            action,
            source,
        }))
    });
    Ok(rule)
}
