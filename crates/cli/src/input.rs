//! Scenario files on the command line, and the values that `--set` puts on top of them.

use std::path::{Path, PathBuf};

use dumbbell_scenario::{LoadError, Scenario, ScenarioFile};

use crate::controls;
use crate::exit::Exit;
use crate::file::{Named, is_standard};

/// The option `--set`, the same for every command that takes a scenario.
#[derive(clap::Args)]
pub struct Set {
    /// Set a value of the scenario, on top of the file: `bottleneck.delay=20ms`, `flow.main.control=veno`
    /// (docs/scenario.md, "Paths"). May be given several times.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
}

impl Set {
    /// Loads a file with these values; `-` is standard input.
    pub fn file(&self, path: &Path) -> Result<ScenarioFile, Exit> {
        let mut file = ScenarioFile::load(path).map_err(Exit::Scenario)?;
        for set in &self.set {
            file.set(set);
        }
        Ok(file)
    }

    /// Loads a scenario with these values; `-` is standard input.
    pub fn scenario(&self, path: &Path) -> Result<Scenario, Exit> {
        scenario(&self.file(path)?)
    }
}

/// Reads the scenario of a file.
pub fn scenario(file: &ScenarioFile) -> Result<Scenario, Exit> {
    let scenario = file.scenario(controls::known());
    scenario.map_err(|report| Exit::Scenario(LoadError::Invalid(report)))
}

/// The files of packet-delivery traces that scenarios name.
pub fn traces(files: &[ScenarioFile]) -> Vec<PathBuf> {
    let files = files.iter();
    files
        .flat_map(|file| file.trace_files(controls::known()))
        .collect()
}

/// The scenario files as files that a command reads.
pub fn named(files: &[PathBuf]) -> Vec<Named<'_>> {
    files.iter().map(|file| ("scenario", &**file)).collect()
}

/// Checks that standard input is not given twice: it can be read once.
pub fn once(files: &[PathBuf]) -> Result<(), Exit> {
    match files.iter().filter(|file| is_standard(file)).count() {
        0 | 1 => Ok(()),
        _ => Err(Exit::BadInput(
            "standard input, `-`, is given more than once, but it can be read only once".to_owned(),
        )),
    }
}

/// Parses a span of real time with its unit, as in scenario files.
#[cfg(target_os = "linux")]
pub fn time(text: &str) -> Result<std::time::Duration, String> {
    let time = dumbbell_scenario::quantity::time(text).map_err(|wrong| wrong.to_string())?;
    if time.as_nanos() == 0 {
        return Err("it must be above 0".to_owned());
    }
    Ok(std::time::Duration::from_nanos(time.as_nanos()))
}
