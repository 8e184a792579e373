//! `dumbbell equation`: the sending rate of TCP or TFRC, by the throughput equations.

mod answer;
mod errata;
mod json;
mod picture;
mod question;
mod words;

use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::ValueEnum;
use dumbbell_lab::throughput::Model;
use dumbbell_scenario::quantity::{self, BitRate};
use dumbbell_scenario::{Bytes, Duration};

use crate::exit::{Code, Exit};
use question::{Losses, Question};

/// Computes throughput from losses and delays, or the loss rate that gives a throughput.
#[derive(clap::Args)]
#[command(after_help = AFTER)]
pub struct Args {
    /// Which equation.
    equation: Which,
    /// R: the mean round-trip time, such as "100 ms".
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    rtt: Duration,
    /// The smallest round-trip time; together with --wmax, it determines Veno's mean cut.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    base_rtt: Option<Duration>,
    /// The largest window, in packets: TCP's limit; Veno's mean cut depends on it.
    #[arg(long, value_name = "PACKETS", value_parser = question::at_least_one)]
    wmax: Option<f64>,
    /// The loss rate, such as 0.01, or a range, such as 1e-4..1e-1.
    #[arg(long, value_name = "P|P..P", value_parser = question::losses)]
    loss: Option<Losses>,
    /// Instead of --loss: find the loss rate that gives this throughput, such as "1 Mb/s".
    #[arg(long, value_name = "RATE", value_parser = quantity::rate)]
    rate: Option<BitRate>,
    /// T0, the timeout; without it, four round-trip times.
    #[arg(long, value_name = "T", value_parser = quantity::time)]
    rto: Option<Duration>,
    /// Packets that one ACK acknowledges.
    #[arg(long, value_name = "PACKETS", default_value = "1", value_parser = question::at_least_one)]
    b: f64,
    /// Veno's mean cut, the part of the window that a loss leaves, instead of --base-rtt.
    #[arg(long, value_name = "PART", value_parser = question::part)]
    gamma: Option<f64>,
    /// The part of Veno's window that a random loss leaves; without it, 0.8 (TCP) or 0.95 (TFRC).
    #[arg(long, value_name = "PART", value_parser = question::part)]
    theta1: Option<f64>,
    /// The part that any other loss leaves; without it, 0.5.
    #[arg(long, value_name = "PART", value_parser = question::part)]
    theta2: Option<f64>,
    /// The backlog from which on a loss is not considered random, in packets; without it, 3.
    #[arg(long, value_name = "PACKETS", value_parser = question::positive)]
    beta: Option<f64>,
    /// The packet size.
    #[arg(long, value_name = "SIZE", default_value = "1000 B", value_parser = quantity::size)]
    segment: Bytes,
    /// TFRC: count at most every loss as a timeout, as ns-2 does and RFC 5348 does not.
    #[arg(long)]
    min1: bool,
    /// Number of loss rates in a range.
    #[arg(long, value_name = "N", default_value_t = 13, value_parser = clap::value_parser!(u16).range(2..=1000))]
    points: u16,
    /// Show the values of TFRC Veno's equations as printed beside the corrected ones.
    #[arg(long)]
    errata: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Draw the throughput over a range of loss rates to this file (SVG).
    #[arg(long, value_name = "OUT.svg")]
    plot: Option<PathBuf>,
}

/// Which equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Which {
    /// TCP Reno: Padhye et al. 1998.
    Reno,
    /// TCP Veno: the same with Veno's mean cut.
    Veno,
    /// TFRC: RFC 5348, section 3.1.
    Tfrc,
    /// TFRC Veno: TFRC with Veno's mean cut.
    TfrcVeno,
}

impl Which {
    fn model(self) -> Model {
        match self {
            Self::Reno => Model::Reno,
            Self::Veno => Model::Veno,
            Self::Tfrc => Model::Tfrc,
            Self::TfrcVeno => Model::TfrcVeno,
        }
    }
}

const AFTER: &str = "\
Loss rates are loss events for each packet sent. docs/equation.md has the equations.

Examples:
  dumbbell equation reno --rtt \"100 ms\" --loss 0.01
  dumbbell equation veno --rtt \"100 ms\" --base-rtt \"80 ms\" --wmax 20 --loss 1e-4..1e-1
  dumbbell equation veno --rtt \"100 ms\" --gamma 0.8 --loss 0.01 --errata
  dumbbell equation tfrc --rtt \"100 ms\" --rate \"800 kb/s\"
  dumbbell equation tfrc-veno --rtt \"100 ms\" --gamma 0.95 --loss 1e-4..1e-1 --plot rate.svg";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let question = Question::of(args)?;
    if let Some(path) = &args.plot {
        picture::draw(&question, path)?;
    }
    let text = match (args.json, args.errata) {
        (true, errata) => json::of(&question, errata)?,
        (false, true) => errata::table(&question),
        (false, false) => answer::table(&question)?,
    };
    writeln!(io::stdout().lock(), "{}", text.trim_end())?;
    Ok(Code::SUCCESS)
}
