//! Python's values as TOML's, and the other way round.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use toml::{Table, Value};

use crate::control::{self, Classes};

/// How deep values may be nested.
const DEEPEST: usize = 64;

/// The TOML value of a Python value: a number, a string, a flag, a list, a tuple, a mapping, or anything
/// that numpy has for a number. The class of a control is its name, and is added to `classes`. `path` is
/// where it stands, for messages.
///
/// # Errors
/// `TypeError` if TOML has no such value, `ValueError` if a number is out of range or the nesting is too
/// deep, whatever is wrong in the class of a control.
pub fn toml(value: &Bound<'_, PyAny>, path: &str, classes: &mut Classes) -> PyResult<Value> {
    nested(value, path, 0, classes)
}

/// The TOML table of a mapping.
///
/// # Errors
/// As for [`toml`].
pub fn table(mapping: &Bound<'_, PyAny>, path: &str, classes: &mut Classes) -> PyResult<Table> {
    match nested(mapping, path, 0, classes)? {
        Value::Table(table) => Ok(table),
        _ => Err(PyTypeError::new_err(format!("{path} must be a mapping"))),
    }
}

fn nested(
    value: &Bound<'_, PyAny>,
    path: &str,
    depth: usize,
    classes: &mut Classes,
) -> PyResult<Value> {
    if depth > DEEPEST {
        let wrong = format!("{path} is nested more than {DEEPEST} deep");
        return Err(PyValueError::new_err(wrong));
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(Value::Boolean(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::String(text.to_str()?.to_owned()));
    }
    if value.is_instance_of::<PyInt>() {
        let wrong = |_| PyValueError::new_err(format!("{path} is out of TOML's range of numbers"));
        return value.extract().map(Value::Integer).map_err(wrong);
    }
    if value.is_instance_of::<PyFloat>() {
        return Ok(Value::Float(value.extract()?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        return array(value, path, depth, classes);
    }
    if let Ok(mapping) = value.cast::<PyDict>() {
        let mut table = Table::new();
        for (key, value) in mapping {
            let Ok(key) = key.extract::<String>() else {
                let wrong = format!("{path} has the key {}, which is no string", shown(&key));
                return Err(PyTypeError::new_err(wrong));
            };
            let inside = format!("{path}.{key}");
            table.insert(key, nested(&value, &inside, depth + 1, classes)?);
        }
        return Ok(Value::Table(table));
    }
    if control::is_control(value)? {
        return classes.add(value).map(Value::String);
    }
    // Numbers and arrays of numpy, and of whatever behaves like them.
    if value.hasattr("tolist")? {
        let plain = value.call_method0("tolist")?;
        if !plain.hasattr("tolist")? {
            return nested(&plain, path, depth + 1, classes);
        }
    }
    if value.hasattr("__index__")? {
        return value.extract().map(Value::Integer);
    }
    if value.hasattr("__float__")? {
        return value.extract().map(Value::Float);
    }
    if value.hasattr("__iter__")? {
        return array(value, path, depth, classes);
    }
    Err(PyTypeError::new_err(format!(
        "{path} is {}, for which a scenario has no value: give a number, a string, a flag, a list or a \
         mapping",
        shown(value)
    )))
}

fn array(
    value: &Bound<'_, PyAny>,
    path: &str,
    depth: usize,
    classes: &mut Classes,
) -> PyResult<Value> {
    let each = value.try_iter()?.enumerate();
    let each =
        each.map(|(place, it)| nested(&it?, &format!("{path}[{place}]"), depth + 1, classes));
    each.collect::<PyResult<_>>().map(Value::Array)
}

/// A value as a message shows it: short.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = value.repr().map(|it| it.to_string());
    let text = text.unwrap_or_else(|_| "a value without a `repr`".to_owned());
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// The Python value of a TOML value. A date is its text.
pub fn python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any(),
        Value::Float(number) => number.into_pyobject(py)?.into_any(),
        Value::Boolean(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Datetime(date) => date.to_string().into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(python(py, value)?)?;
            }
            list.into_any()
        }
        Value::Table(table) => python_dict(py, table)?.into_any(),
    })
}

/// The dictionary of a TOML table.
pub fn python_dict<'py>(py: Python<'py>, table: &Table) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (key, value) in table {
        dict.set_item(key, python(py, value)?)?;
    }
    Ok(dict)
}
