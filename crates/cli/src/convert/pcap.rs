//! `dumbbell convert pcap`.

use std::net::IpAddr;
use std::path::PathBuf;

use dumbbell_lab::recording::Format;
use dumbbell_lab::recording::pcap::{self, Options};
use dumbbell_scenario::{Duration, quantity};

use super::output::{self, Output};
use super::{Part, shown};
use crate::exit::{Code, Exit};

/// Converts a capture of packets: what arrived when in one direction, and TCP's round-trip times.
///
/// Without --source and --destination, the direction is that of the two hosts with the most bytes.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The capture: .pcap or .pcapng.
    file: PathBuf,
    /// The host that sends.
    #[arg(long, value_name = "ADDRESS")]
    source: Option<IpAddr>,
    /// The host that receives.
    #[arg(long, value_name = "ADDRESS")]
    destination: Option<IpAddr>,
    #[command(flatten)]
    part: Part,
    /// Let the delay change in steps of this length. Without it, the delay is the least of all.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    step: Option<Duration>,
    /// Convert losses, too. Those of a full queue happen again in the simulated one.
    #[arg(long)]
    losses: bool,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell convert pcap download.pcap -o home.toml
  dumbbell convert pcap download.pcap --source 192.0.2.1 --from 2s --step 1s -o home.toml

`dumbbell run my.toml --trace run.pcap` writes a capture to try it on.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    args.output.check(&[&args.file])?;
    let source = output::read(&args.file, "forward")?;
    let options = Options {
        cut: args.part.cut(),
        source: args.source,
        destination: args.destination,
        step: args.step,
        losses: args.losses,
    };
    let recording = pcap::convert(&source.bytes, &options).map_err(output::faulty(&args.file))?;
    let mut given = args.part.given().to_vec();
    given.push(("source", args.source.map(|it| it.to_string())));
    given.push(("destination", args.destination.map(|it| it.to_string())));
    given.push(("step", args.step.map(shown)));
    given.push(("losses", args.losses.then(|| "true".to_owned())));
    args.output
        .write(Format::Pcap, &recording, &[source], given)
}
