//! What a conversion reads and writes: the recorded files; a scenario, its traces and its manifest.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use dumbbell_lab::recording::manifest::{Entry, Manifest, Source};
use dumbbell_lab::recording::scenario::{self, Origin};
use dumbbell_lab::recording::{Fault, Format, Recording};
use dumbbell_scenario::Scenario;
use serde_json::json;

use super::Recorded;
use crate::exit::{Code, Exit};
use crate::new::quoted;
use crate::{controls, file};

/// What is written, the same for every format.
#[derive(clap::Args)]
pub(super) struct Output {
    /// The scenario to write. A manifest is written beside it (OUT.manifest.toml), and delivery
    /// opportunities (OUT.forward.trace, OUT.reverse.trace). Without it, one scenario goes to standard output.
    #[arg(short, long, value_name = "OUT.toml")]
    out: Option<PathBuf>,
    /// What is known about the licence of the data, for the manifest.
    #[arg(long, value_name = "TEXT")]
    licence: Option<String>,
    /// Overwrite existing files.
    #[arg(long, requires = "out")]
    force: bool,
    /// Print one JSON object about the files written.
    #[arg(long, requires = "out")]
    json: bool,
}

/// Reads a recorded file.
pub(super) fn read(path: &Path, role: &'static str) -> Result<Recorded, Exit> {
    let refuse = |why: &str| Exit::BadInput(format!("cannot read {}: {why}", path.display()));
    match fs::metadata(path) {
        // Opening a pipe could block for ever.
        Ok(found) if !found.is_file() => Err(refuse("it is not a file")),
        _ => match fs::read(path) {
            Ok(bytes) => Ok(Recorded {
                path: path.to_owned(),
                role,
                bytes,
            }),
            Err(error) => Err(refuse(&error.to_string())),
        },
    }
}

/// The error for a mistake in a recorded file.
pub(super) fn faulty(path: &Path) -> impl Fn(Fault) -> Exit {
    move |wrong| Exit::BadInput(wrong.in_file(path.display()))
}

impl Output {
    /// Checks, before any work, that what is written replaces nothing that it should not.
    pub(super) fn check(&self, sources: &[&Path]) -> Result<(), Exit> {
        let Some(out) = &self.out else {
            return Ok(());
        };
        let sources: Vec<file::Named<'_>> = sources.iter().map(|it| ("recording", *it)).collect();
        let names = Names::of(out)?;
        for path in names.all() {
            file::apart(&sources, &[("--out", &path)])?;
            if !self.force && file::holds_something(&path) {
                return Err(Exit::BadInput(format!(
                    "{} already exists: choose another name, or replace it with --force",
                    path.display()
                )));
            }
        }
        file::check(out)
    }

    /// Writes what a recording became.
    pub(super) fn write(
        &self,
        format: Format,
        recording: &Recording,
        sources: &[Recorded],
        options: Vec<(&'static str, Option<String>)>,
    ) -> Result<Code, Exit> {
        let licence = self.licence.as_deref().unwrap_or(format.licence());
        let name = |path: &Path| {
            path.file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned()
        };
        let mut origin = Origin {
            format,
            files: sources.iter().map(|source| name(&source.path)).collect(),
            licence: licence.to_owned(),
            manifest: None,
        };
        let whole = scenario::write(recording, &origin, None).scenario;
        checked(&whole)?;
        let Some(out) = &self.out else {
            io::stdout().write_all(whole.as_bytes())?;
            return Ok(Code::SUCCESS);
        };
        let names = Names::of(out)?;
        origin.manifest = Some(name(&names.manifest));
        let files = scenario::write(recording, &origin, Some(&names.stem));
        let traces = files.traces.into_iter();
        let mut written: Vec<(PathBuf, String)> = traces
            .map(|(name, text)| (out.with_file_name(name), text))
            .collect();
        // The traces come first, so that a scenario is never without them.
        written.push((out.clone(), files.scenario));
        let entry = |(path, text): &(PathBuf, String)| Entry::of(&name(path), text.as_bytes());
        let source = |it: &Recorded| Source::new(it.role, Entry::of(&name(&it.path), &it.bytes));
        let given = options.into_iter();
        let manifest = Manifest::new(
            format,
            licence,
            given
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
            sources.iter().map(source).collect(),
            written.iter().map(entry).collect(),
        );
        let text = manifest.text().map_err(|e| Exit::Failed(e.to_string()))?;
        written.push((names.manifest, text));
        file::write_all(&written)?;
        let paths = written.iter().map(|(path, _)| path.as_path());
        self.tell(out, recording, &manifest, &paths.collect::<Vec<_>>())
    }

    fn tell(
        &self,
        out: &Path,
        recording: &Recording,
        manifest: &Manifest,
        written: &[&Path],
    ) -> Result<Code, Exit> {
        let mut to = io::stdout().lock();
        if !self.json {
            for path in written {
                writeln!(to, "written: {}", path.display())?;
            }
            writeln!(to, "try:     dumbbell run {}", quoted(out))?;
            return Ok(Code::SUCCESS);
        }
        let ways = [Some(&recording.forward), recording.reverse.as_ref()];
        let [forward, reverse] = ways.map(|way| {
            let way = way?;
            Some(json!({
                "mean_rate_bps": way.rate.as_ref().map(|rate| rate.mean()),
                "mean_delay_s": way.delay.as_ref().map(|delay| delay.mean() as f64 / 1e9),
                "loss": way.losses.map(|losses| losses.share()),
            }))
        });
        let about = json!({
            "written": written,
            "manifest": manifest,
            "length_s": recording.length.as_nanos() as f64 / 1e9,
            "forward": forward,
            "reverse": reverse,
            "remarks": recording.remarks,
        });
        let text = serde_json::to_string_pretty(&about).map_err(|e| Exit::Failed(e.to_string()))?;
        writeln!(to, "{text}")?;
        Ok(Code::SUCCESS)
    }
}

/// The files that belong to a scenario.
struct Names {
    scenario: PathBuf,
    manifest: PathBuf,
    /// Of the traces.
    stem: String,
}

impl Names {
    fn of(out: &Path) -> Result<Self, Exit> {
        let refuse = |why: &str| Exit::BadInput(format!("--out {}: {why}", out.display()));
        if out.extension().is_none_or(|it| it != "toml") {
            return Err(refuse("a scenario's name ends with .toml"));
        }
        let stem = out.file_stem().and_then(|stem| stem.to_str());
        let stem = stem.ok_or_else(|| refuse("the name must be of Unicode"))?;
        Ok(Self {
            scenario: out.to_owned(),
            manifest: out.with_extension("manifest.toml"),
            stem: stem.to_owned(),
        })
    }

    /// All files that may be written.
    fn all(&self) -> [PathBuf; 4] {
        let trace = |direction: &str| {
            self.scenario
                .with_file_name(format!("{}.{direction}.trace", self.stem))
        };
        [
            self.scenario.clone(),
            self.manifest.clone(),
            trace("forward"),
            trace("reverse"),
        ]
    }
}

/// Checks that a scenario can be read: what a recording says may be beyond what can be simulated.
fn checked(text: &str) -> Result<(), Exit> {
    match Scenario::parse("the scenario of the recording", text, controls::known()) {
        Ok(_) => Ok(()),
        Err(report) => Err(Exit::BadInput(format!(
            "the recording cannot be simulated: {report}\n  = help: use a part of it, with --from and --to"
        ))),
    }
}
