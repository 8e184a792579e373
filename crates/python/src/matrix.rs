//! The matrix of controls and paths.

use std::path::{Path, PathBuf};

use dumbbell_lab::claim::Settings;
use dumbbell_lab::matrix::Matrix;
use dumbbell_lab::reproduction::{Chosen, Plan, USUAL_SEED};
use dumbbell_scenario::controls::Controls;
use pyo3::prelude::*;

use crate::reproduce::{Means, PyReproduced, execute};
use crate::{controls, error};

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
#[pyo3(signature = (controls, paths, means, quick=false, seed=USUAL_SEED, repeat=None, progress=None))]
#[allow(
    clippy::too_many_arguments,
    reason = "they are those of a Python function"
)]
pub fn matrix(
    py: Python<'_>,
    controls: Option<Vec<String>>,
    paths: Option<Vec<PathBuf>>,
    means: Means,
    quick: bool,
    seed: u64,
    repeat: Option<u32>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<PyReproduced> {
    let asked = Asked {
        controls,
        paths,
        quick,
        seed,
        repeat,
    };
    let plan = py.detach(|| planned(asked, &controls::known()))?;
    execute(py, plan, means, progress)
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
