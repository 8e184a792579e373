//! `dumbbell convert lens`.

use std::path::PathBuf;

use clap::ValueEnum;
use dumbbell_lab::recording::lens::{self, Options};
use dumbbell_lab::recording::{Format, Take};
use dumbbell_scenario::{Duration, quantity};

use super::output::{self, Output};
use super::{Part, shown};
use crate::exit::{Code, Exit};

/// Converts round-trip times: the CSV of LENS, the output of `ping -D`, or the JSON of IRTT.
///
/// Half the round-trip time becomes the delay of each direction, in steps; losses become a loss model.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The recorded file.
    file: PathBuf,
    #[command(flatten)]
    part: Part,
    /// The length of a step.
    #[arg(long, value_name = "T", value_parser = quantity::time, default_value = "1 s")]
    step: Duration,
    /// Which of the round-trip times of a step stands for it.
    #[arg(long, value_enum, default_value = "median")]
    take: Taken,
    /// Use the delay of each direction, which IRTT records, instead of half the round-trip time.
    #[arg(long)]
    one_way: bool,
    #[command(flatten)]
    output: Output,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell convert lens ping.csv -o starlink.toml
  dumbbell convert lens irtt.csv --step 100ms --one-way --to 5min -o starlink.toml
  ping -D -i 0.1 example.org > ping.txt; dumbbell convert lens ping.txt --take min -o home.toml";

#[derive(Clone, Copy, ValueEnum)]
enum Taken {
    /// The smallest
    Min,
    /// The one in the middle
    Median,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    args.output.check(&[&args.file])?;
    let source = output::read(&args.file, "forward")?;
    let (take, name) = match args.take {
        Taken::Min => (Take::Min, "min"),
        Taken::Median => (Take::Median, "median"),
    };
    let options = Options {
        cut: args.part.cut(),
        step: args.step,
        take,
        one_way: args.one_way,
    };
    let recording = lens::convert(&source.bytes, &options).map_err(output::faulty(&args.file))?;
    let mut given = args.part.given().to_vec();
    given.push(("step", Some(shown(args.step))));
    given.push(("take", Some(name.to_owned())));
    given.push(("one_way", args.one_way.then(|| "true".to_owned())));
    args.output
        .write(Format::Lens, &recording, &[source], given)
}
