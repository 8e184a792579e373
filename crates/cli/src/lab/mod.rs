//! `dumbbell lab`: the lab in the browser, as one file.

mod browser;
mod page;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use dumbbell_scenario::{Scenario, ScenarioFile};
use serde_json::json;

use crate::controls;
use crate::exit::{Code, Exit};
use crate::file::{self, holds_something};
use crate::input;

/// Opens the lab in the browser: a path and its controls under your fingers, simulated while you drag.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The scenario file to begin with; `-` is standard input. Without it, two flows on a path that loses packets.
    #[arg(conflicts_with = "preset")]
    file: Option<PathBuf>,
    /// Begin with a paper's figure, such as venodb/fig2; a wrong name lists them.
    #[arg(long, value_name = "NAME")]
    preset: Option<String>,
    /// The file to write. An older page of the lab is replaced, other files are not.
    #[arg(long, value_name = "FILE", default_value = "dumbbell-lab.html")]
    out: PathBuf,
    /// Write the file, and open nothing.
    #[arg(long)]
    no_open: bool,
    /// Print one JSON object: the file, what it begins with, and whether a browser was asked to open it.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
The page is one file without a network: it can be sent, and opened from a disk. docs/lab.md describes it.

Examples:
  dumbbell lab
  dumbbell lab my.toml
  dumbbell lab --preset venodb/fig2
  dumbbell lab my.toml --out my.html --no-open";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let start = match (&args.file, &args.preset) {
        (Some(path), _) => json!({ "toml": scenario(path)? }),
        (None, Some(name)) => json!({ "preset": page::preset(name).map_err(Exit::BadInput)? }),
        (None, None) => json!({}),
    };
    let out = &args.out;
    if let Some(path) = &args.file {
        file::apart(&[("scenario", path)], &[("--out", out)])?;
    }
    file::check(out)?;
    if holds_something(out) && !fs::read_to_string(out).is_ok_and(|text| page::is_page(&text)) {
        return Err(Exit::BadInput(format!(
            "{} already exists, and is no page of the lab\n  = help: give --out the name of another file",
            out.display()
        )));
    }
    file::write(out, &page::beginning_with(&start))?;
    let whole = fs::canonicalize(out).unwrap_or_else(|_| out.clone());
    let opened = !args.no_open && browser::open(&whole);
    let mut stdout = io::stdout().lock();
    if args.json {
        let told = json!({
            "file": whole.display().to_string(),
            "scenario": args.file.as_deref().map(|path| path.display().to_string()),
            "preset": start["preset"],
            "opened": opened,
        });
        writeln!(stdout, "{told}")?;
    } else if opened || args.no_open {
        writeln!(stdout, "{}", whole.display())?;
    } else {
        writeln!(
            stdout,
            "{}\nNo program here opens pages: open this file in a browser.",
            whole.display()
        )?;
    }
    Ok(Code::SUCCESS)
}

/// Returns the text of a scenario. The page has no other files: a scenario that names recorded traces is written
/// with what they hold.
fn scenario(path: &Path) -> Result<String, Exit> {
    let file = ScenarioFile::load(path).map_err(Exit::Scenario)?;
    let scenario = input::scenario(&file)?;
    if !input::traces(std::slice::from_ref(&file)).is_empty() {
        let whole = scenario.canonical();
        return match Scenario::parse("", &whole, controls::known()) {
            Ok(_) => Ok(whole),
            Err(_) => Err(Exit::BadInput(format!(
                "{}: it names recorded traces, and a page has no other files\n  = help: replace them by a rate, or by `steps`",
                path.display()
            ))),
        };
    }
    Ok(file.text().to_owned())
}
