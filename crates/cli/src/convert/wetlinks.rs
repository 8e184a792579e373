//! `dumbbell convert wetlinks`.

use std::path::{Path, PathBuf};

use dumbbell_lab::recording::Format;
use dumbbell_lab::recording::wetlinks::{self, Pings, Rates};

use super::Part;
use super::output::{self, Output};
use crate::exit::{Code, Exit};

/// Converts the rates of WetLinks, second by second, and the round-trip times beside them.
///
/// Measurements are put end to end: --from and --to count the measured time.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The rates: net_iperf.csv, or iperf_cleaned_seconds_*.csv.
    file: PathBuf,
    /// The round-trip times: net_ping.csv. The nearest to each measurement is used.
    #[arg(long, value_name = "FILE")]
    ping: Option<PathBuf>,
    #[command(flatten)]
    part: Part,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell convert wetlinks net_iperf.csv --to 10min -o osnabrueck.toml
  dumbbell convert wetlinks net_iperf.csv --ping net_ping.csv --from 1h --to 70min -o rain.toml";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let paths = [Some(&*args.file), args.ping.as_deref()];
    args.output
        .check(&paths.into_iter().flatten().collect::<Vec<&Path>>())?;
    let mut sources = vec![output::read(&args.file, "forward")?];
    let rates = Rates::read(&sources[0].bytes).map_err(output::faulty(&args.file))?;
    let pings = match &args.ping {
        Some(path) => {
            let source = output::read(path, "ping")?;
            let pings = Pings::read(&source.bytes).map_err(output::faulty(path))?;
            sources.push(source);
            Some(pings)
        }
        None => None,
    };
    let recording = wetlinks::convert(&rates, pings.as_ref(), args.part.cut())
        .map_err(output::faulty(&args.file))?;
    let given = args.part.given().to_vec();
    args.output
        .write(Format::Wetlinks, &recording, &sources, given)
}
