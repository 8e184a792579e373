//! Sweeps: their points, their runs, and the mistakes in their files.

mod mistakes;
#[cfg(unix)]
mod page;
mod points;
mod runs;

use dumbbell_lab::sweep::Sweep;
use dumbbell_scenario::ScenarioFile;
use dumbbell_scenario::controls::Controls;

/// A short run over a lossy link, without a sweep.
const SCENARIO: &str = r#"
duration = "2 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 }, loss = { bernoulli = 0.01 } }
[[flow]]
name = "main"
control = "veno"
"#;

/// Reads the scenario with this text after it.
fn read(sweep: &str) -> Result<Sweep, String> {
    let file = ScenarioFile::of_text("my.toml", &format!("{SCENARIO}{sweep}"));
    Sweep::read(&file, &Controls::builtin()).map_err(|report| report.to_string())
}
