//! The compiled module of the Python package `dumbbell`: glue between Python and the crates below. Its
//! interface is described in `python/dumbbell/_native.pyi`.

#[cfg(not(panic = "unwind"))]
compile_error!("a panic must become an exception: build with `--profile python`, as maturin does");

mod arrow;
mod cluster;
mod control;
mod equation;
mod error;
mod explain;
mod gym;
mod list;
mod matrix;
mod query;
mod reproduce;
mod run;
mod scenario;
mod supervise;
mod sweep;
mod table;
mod trace;
mod value;
mod words;

use pyo3::pymodule;

#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::cluster::work;
    #[pymodule_export]
    use crate::control::event::{PyAck, PyExpiry, PyFeedback, PyLoss, PySample, PySent, PyTimeout};
    #[pymodule_export]
    use crate::control::{PySignals, register, registered, unregister};
    #[pymodule_export]
    use crate::equation::equation;
    #[pymodule_export]
    use crate::explain::explain;
    #[pymodule_export]
    use crate::gym::PyRunning;
    #[pymodule_export]
    use crate::list::{catalogue, measures, parameters};
    #[pymodule_export]
    use crate::matrix::matrix;
    #[pymodule_export]
    use crate::query::query;
    #[pymodule_export]
    use crate::reproduce::{PyReproduced, reproduce};
    #[pymodule_export]
    use crate::run::{PyOutcomes, run};
    #[pymodule_export]
    use crate::scenario::PyScenario;
    #[pymodule_export]
    use crate::supervise::_panic;
    #[pymodule_export]
    use crate::sweep::{PyPlan, PySwept};
    #[pymodule_export]
    use crate::table::{PyColumn, PyTable};
    #[pymodule_export]
    use crate::trace::trace;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
