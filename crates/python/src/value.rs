//! Python's values as TOML's, and the other way round.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyMapping, PyString, PyTuple};
use toml::{Table, Value};

use crate::control::{self, Classes};
use crate::words::shown;

/// How deep values may be nested.
const DEEPEST: usize = 64;

/// How many values there may be. A few lists that contain each other can be read for ever.
const MOST: usize = 4_000_000;

/// The TOML value of a Python value: a number, a string, a flag, a list, a tuple, a mapping, or anything
/// that numpy has for a number. The class of a control is its name, and is added to `classes`. `path` is
/// where it stands, for messages.
///
/// # Errors
/// `TypeError` if TOML has no such value, `ValueError` if a number is out of range, the nesting is too
/// deep, or there are too many values; whatever is wrong in the class of a control.
pub fn toml(value: &Bound<'_, PyAny>, path: &str, classes: &mut Classes) -> PyResult<Value> {
    let mut reader = Reader {
        classes,
        left: MOST,
    };
    reader.value(value, path, 0)
}

/// The TOML table of a mapping.
///
/// # Errors
/// As for [`toml`].
pub fn table(mapping: &Bound<'_, PyAny>, path: &str, classes: &mut Classes) -> PyResult<Table> {
    match toml(mapping, path, classes)? {
        Value::Table(table) => Ok(table),
        _ => Err(PyTypeError::new_err(format!("{path} must be a mapping"))),
    }
}

struct Reader<'c> {
    classes: &'c mut Classes,
    /// How many more values there may be.
    left: usize,
}

impl Reader<'_> {
    fn value(&mut self, value: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
        if depth > DEEPEST {
            let wrong = format!("{path} is nested more than {DEEPEST} deep");
            return Err(PyValueError::new_err(wrong));
        }
        let Some(left) = self.left.checked_sub(1) else {
            let wrong = format!("a scenario has no more than {MOST} values");
            return Err(PyValueError::new_err(wrong));
        };
        self.left = left;
        if let Ok(flag) = value.cast::<PyBool>() {
            return Ok(Value::Boolean(flag.is_true()));
        }
        if let Ok(text) = value.cast::<PyString>() {
            return Ok(Value::String(text.to_str()?.to_owned()));
        }
        if value.is_instance_of::<PyInt>() {
            return integer(value, path);
        }
        if value.is_instance_of::<PyFloat>() {
            return Ok(Value::Float(value.extract()?));
        }
        if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            return self.array(value, path, depth);
        }
        if let Ok(mapping) = value.cast::<PyMapping>() {
            return self.table(mapping, path, depth);
        }
        if control::is_control(value)? {
            return self.classes.add(value).map(Value::String);
        }
        // Numbers and arrays of numpy, and of whatever behaves like them.
        if value.hasattr("tolist")? {
            let plain = value.call_method0("tolist")?;
            if !plain.hasattr("tolist")? {
                return self.value(&plain, path, depth + 1);
            }
        }
        if value.hasattr("__index__")? {
            return integer(value, path);
        }
        if value.hasattr("__float__")? {
            return value.extract().map(Value::Float);
        }
        if value.hasattr("__iter__")? {
            return self.array(value, path, depth);
        }
        Err(PyTypeError::new_err(format!(
            "{path} is {}, for which a scenario has no value: give a number, a string, a flag, a list \
             or a mapping",
            shown(value)
        )))
    }

    fn table(
        &mut self,
        mapping: &Bound<'_, PyMapping>,
        path: &str,
        depth: usize,
    ) -> PyResult<Value> {
        let mut table = Table::new();
        // A copy, because reading a value may run code that changes the mapping.
        for item in mapping.items()? {
            let (key, value): (Bound<'_, PyAny>, Bound<'_, PyAny>) = item.extract()?;
            let Ok(key) = key.extract::<String>() else {
                let wrong = format!("{path} has the key {}, which is no string", shown(&key));
                return Err(PyTypeError::new_err(wrong));
            };
            let inside = format!("{path}.{key}");
            table.insert(key, self.value(&value, &inside, depth + 1)?);
        }
        Ok(Value::Table(table))
    }

    fn array(&mut self, value: &Bound<'_, PyAny>, path: &str, depth: usize) -> PyResult<Value> {
        let mut values = Vec::new();
        for (place, it) in value.try_iter()?.enumerate() {
            values.push(self.value(&it?, &format!("{path}[{place}]"), depth + 1)?);
        }
        Ok(Value::Array(values))
    }
}

fn integer(value: &Bound<'_, PyAny>, path: &str) -> PyResult<Value> {
    let number = value.extract().map(Value::Integer);
    number.map_err(
        |wrong| match wrong.is_instance_of::<PyOverflowError>(value.py()) {
            true => PyValueError::new_err(format!("{path} is out of TOML's range of numbers")),
            false => wrong,
        },
    )
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
