//! `dumbbell convert`: recorded paths as scenarios.

mod lens;
mod mahimahi;
mod output;
mod pcap;
mod wetlinks;

use std::path::PathBuf;

use dumbbell_lab::recording::Cut;
use dumbbell_scenario::{Duration, quantity};

use crate::exit::{Code, Exit};
use crate::help;

/// Converts recorded paths to scenarios, with a manifest that names the data by their hashes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell convert mahimahi cell.down --reverse cell.up -o cell.toml
  dumbbell convert mahimahi cell.down --from 10s --to 70s --scale 0.5 -o slow.toml
  dumbbell convert lens irtt.csv --step 100ms -o starlink.toml
  dumbbell convert wetlinks net_iperf.csv --ping net_ping.csv --to 10min -o rain.toml
  dumbbell convert pcap download.pcap -o home.toml

docs/recorded-paths.md describes what becomes of each.";

#[derive(clap::Subcommand)]
enum Command {
    Mahimahi(mahimahi::Args),
    Lens(lens::Args),
    Wetlinks(wetlinks::Args),
    Pcap(pcap::Args),
    Help(help::Args),
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    match &args.command {
        Command::Mahimahi(args) => mahimahi::run(args),
        Command::Lens(args) => lens::run(args),
        Command::Wetlinks(args) => wetlinks::run(args),
        Command::Pcap(args) => pcap::run(args),
        Command::Help(args) => help::run(&["convert"], args),
    }
}

/// The part of a recording that is used, the same for every format.
#[derive(clap::Args)]
struct Part {
    /// Leave out what comes before this time from the start of the recording.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    from: Option<Duration>,
    /// Leave out what comes after this time from the start of the recording.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    to: Option<Duration>,
}

impl Part {
    fn cut(&self) -> Cut {
        Cut {
            from: self.from.unwrap_or(Duration::ZERO),
            to: self.to,
        }
    }

    /// The options that were given, for the manifest.
    fn given(&self) -> [(&'static str, Option<String>); 2] {
        let show = |time: Duration| shown(time);
        [("from", self.from.map(show)), ("to", self.to.map(show))]
    }
}

/// A time as it is written in a scenario.
fn shown(time: Duration) -> String {
    quantity::Measure::Time.show(time.as_nanos())
}

/// A recorded file: its name, and its bytes.
struct Recorded {
    path: PathBuf,
    /// What it was recorded of, for the manifest.
    role: &'static str,
    bytes: Vec<u8>,
}
