//! The matrix of controls and paths.

use std::path::{Path, PathBuf};

use dumbbell_lab::claim::Settings;
use dumbbell_lab::matrix::Matrix;
use dumbbell_lab::reproduction::{Chosen, Plan};
use dumbbell_scenario::controls::Controls;
use pyo3::prelude::*;

use crate::control::{self, Classes};
use crate::error;
use crate::reproduce::{Means, PyReproduced, execute};

/// What is compared, and how often.
struct Asked {
    controls: Option<Vec<String>>,
    paths: Option<Vec<PathBuf>>,
    quick: bool,
    seed: u64,
    repeat: Option<u32>,
}

/// See `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (controls, paths, means, quick, seed, repeat=None, progress=None))]
#[expect(
    clippy::too_many_arguments,
    reason = "they are those of a Python function"
)]
pub fn matrix(
    py: Python<'_>,
    controls: Option<Vec<Bound<'_, PyAny>>>,
    paths: Option<Vec<PathBuf>>,
    means: Means,
    quick: bool,
    seed: u64,
    repeat: Option<u32>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReproduced> {
    let mut classes = Classes::default();
    let registered = control::registered_now(py)?;
    let controls = match controls {
        Some(controls) => Some(names(&controls, &mut classes, &registered)?),
        None => {
            classes.join(&registered);
            None
        }
    };
    let asked = Asked {
        controls,
        paths,
        quick,
        seed,
        repeat,
    };
    let mut all = classes.clone();
    all.join(&registered);
    let known = all.controls()?;
    let plan = py.detach(|| planned(asked, &known))?;
    if means.store.is_some() {
        classes.warn(py)?;
    }
    let threads = classes.threads(means.jobs);
    execute(py, plan, means, threads, progress)
}

/// The names of contenders, of which some may be classes.
fn names(
    controls: &[Bound<'_, PyAny>],
    classes: &mut Classes,
    registered: &Classes,
) -> PyResult<Vec<String>> {
    let one = |control: &Bound<'_, PyAny>| {
        if control::is_control(control)? {
            return classes.add(control);
        }
        let name = control.extract::<String>()?;
        // A parameter may follow the name.
        classes.join(&registered.named(name.split(':').next().unwrap_or_default()));
        Ok(name)
    };
    controls.iter().map(one).collect()
}

fn planned(asked: Asked, known: &Controls) -> PyResult<Plan> {
    let mut words = vec!["matrix".to_owned()];
    let matrix = match &asked.paths {
        None => dumbbell_papers::matrix(known),
        Some(paths) => {
            let shown: Vec<String> = paths.iter().map(|it| it.display().to_string()).collect();
            words.push(format!("--paths {}", shown.join(",")));
            let files: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
            Matrix::of_files(&files, known)
        }
    };
    let mut matrix = matrix.map_err(error::malformed)?;
    if let Some(controls) = &asked.controls {
        words.push(format!("--controls {}", controls.join(",")));
        let wanted: Vec<&str> = controls.iter().map(String::as_str).collect();
        matrix = matrix.among(&wanted).map_err(error::malformed)?;
    }
    if asked.quick {
        matrix = matrix.quick();
    }
    if let Some(repeat) = asked.repeat {
        words.push(format!("--repeat {repeat}"));
        matrix.repeat = repeat.into();
    }
    let settings = Settings {
        seed: asked.seed,
        quick: asked.quick,
    };
    Plan::new(Chosen::of_matrix(matrix, words, settings)).map_err(error::malformed)
}
