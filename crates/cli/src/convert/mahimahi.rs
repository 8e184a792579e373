//! `dumbbell convert mahimahi`.

use std::path::{Path, PathBuf};

use dumbbell_lab::recording::Format;
use dumbbell_lab::recording::mahimahi::{self, Options, Scale};
use dumbbell_scenario::{Duration, Opportunities, quantity};

use super::output::{self, Output};
use super::{Part, Recorded, shown};
use crate::exit::{Code, Exit};

/// Converts packet-delivery traces of Mahimahi, whole or in part, joined, shifted, scaled.
///
/// A part is cut out first, then it is shifted, then it is scaled.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Traces of the way of the data, one after another.
    #[arg(required = true, value_name = "TRACE")]
    files: Vec<PathBuf>,
    /// A trace of the other direction. May be given several times, one after another.
    #[arg(long, value_name = "TRACE")]
    reverse: Vec<PathBuf>,
    #[command(flatten)]
    part: Part,
    /// Start at the first opportunity from this time on; what came before it comes last.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    shift: Option<Duration>,
    /// Multiply the rate: 2 repeats each opportunity, 0.5 leaves out every second one.
    #[arg(long, value_name = "FACTOR", value_parser = Scale::read)]
    scale: Option<Scale>,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell convert mahimahi cell.down --reverse cell.up -o cell.toml
  dumbbell convert mahimahi monday.down tuesday.down -o days.toml     one after the other
  dumbbell convert mahimahi cell.down --from 10s --to 70s --shift 5s --scale 0.5 -o slow.toml";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let paths = args.files.iter().chain(&args.reverse);
    args.output
        .check(&paths.map(|path| &**path).collect::<Vec<&Path>>())?;
    let mut sources = Vec::new();
    let forward = joined(&args.files, "forward", &mut sources)?;
    let reverse = match args.reverse.is_empty() {
        true => None,
        false => Some(joined(&args.reverse, "reverse", &mut sources)?),
    };
    let options = Options {
        cut: args.part.cut(),
        shift: args.shift.unwrap_or(Duration::ZERO),
        scale: args.scale.unwrap_or(Scale::ONE),
    };
    let recording = mahimahi::convert(&forward, reverse.as_ref(), &options)
        .map_err(output::faulty(&args.files[0]))?;
    let mut given = args.part.given().to_vec();
    given.push(("shift", args.shift.map(shown)));
    given.push(("scale", args.scale.map(|it| it.factor().to_string())));
    args.output
        .write(Format::Mahimahi, &recording, &sources, given)
}

/// Reads the traces of a direction.
fn joined(
    paths: &[PathBuf],
    role: &'static str,
    sources: &mut Vec<Recorded>,
) -> Result<Opportunities, Exit> {
    let mut traces = Vec::new();
    for path in paths {
        let source = output::read(path, role)?;
        traces.push(mahimahi::parse(&source.bytes).map_err(output::faulty(path))?);
        sources.push(source);
    }
    mahimahi::join(&traces).map_err(output::faulty(&paths[0]))
}
