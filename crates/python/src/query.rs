//! Questions in SQL about the runs of a store.

use std::path::PathBuf;

use dumbbell_lab::query::{NoAnswer, Query};
use dumbbell_lab::table::Table;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use pyo3::prelude::*;

use crate::error;
use crate::supervise::supervised;
use crate::table::PyTable;

/// See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (store, sql=None, all_builds=false))]
pub fn query(
    py: Python<'_>,
    store: PathBuf,
    sql: Option<String>,
    all_builds: bool,
) -> PyResult<(PyTable, u64)> {
    if !store.exists() {
        let wrong = format!("there is no store {}", store.display());
        return Err(PyFileNotFoundError::new_err(wrong));
    }
    let answer = supervised(py, None, move |_| -> Result<(Table, u64), NoAnswer> {
        let query = Query::open(&store, all_builds)?;
        match sql {
            None => Ok((query.columns(), 0)),
            Some(sql) => query.answer(&sql).map(|it| (it.table, it.unreadable)),
        }
    })?;
    match answer {
        Ok((table, unreadable)) => Ok((table.into(), unreadable)),
        Err(NoAnswer::Store(wrong)) => Err(error::of_store(&wrong)),
        Err(NoAnswer::Question(what)) => {
            Err(PyValueError::new_err(format!("the question: {what}")))
        }
        Err(NoAnswer::Other(wrong)) => Err(PyOSError::new_err(wrong.to_string())),
    }
}
