//! `dumbbell new`: a scenario file to start from.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use crate::exit::{Code, Exit};
use crate::file;

/// Writes a scenario file to start from, with a comment on every line.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file to write. Without it, the scenario goes to the standard output.
    file: Option<PathBuf>,
    /// What the scenario is about.
    #[arg(long, value_enum, default_value_t = Kind::Lossy)]
    kind: Kind,
    /// Replace the file if there is one.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell new my.toml
  dumbbell new my.toml --kind satellite
  dumbbell new --kind fairness | less";

/// What a scenario is about.
#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// One flow over a link that loses packets at random
    Lossy,
    /// A wireless last hop, where losses come in bursts
    Wireless,
    /// A geostationary satellite: long delays, a slow way back
    Satellite,
    /// A cellular link, whose rate comes and goes
    Cellular,
    /// The power line of a home, disturbed every 10 ms
    PowerLine,
    /// A download and an upload on an asymmetric line
    TwoWay,
    /// Several controls compete for one link
    Fairness,
    /// Many short transfers beside a long one
    ShortTransfers,
    /// A flow beside UDP traffic that comes and goes
    CrossTraffic,
    /// Media at a rate that adapts, beside a download
    Media,
    /// One flow over several bottlenecks, others over one each
    ParkingLot,
    /// Any network, of links with names of your own
    Network,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    let text = args.kind.text();
    let Some(path) = &args.file else {
        io::stdout().write_all(text.as_bytes())?;
        return Ok(Code::SUCCESS);
    };
    file::check(path)?;
    if !args.force && holds_something(path) {
        return Err(Exit::BadInput(format!(
            "{} is there already: choose another name, or replace it with --force",
            path.display()
        )));
    }
    file::write(path, text)?;
    let mut out = io::stdout().lock();
    writeln!(out, "written: {}", path.display())?;
    writeln!(out, "try:     dumbbell run {}", quoted(path))?;
    Ok(Code::SUCCESS)
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::Lossy => include_str!("new/lossy.toml"),
            Self::Wireless => include_str!("new/wireless.toml"),
            Self::Satellite => include_str!("new/satellite.toml"),
            Self::Cellular => include_str!("new/cellular.toml"),
            Self::PowerLine => include_str!("new/power-line.toml"),
            Self::TwoWay => include_str!("new/two-way.toml"),
            Self::Fairness => include_str!("new/fairness.toml"),
            Self::ShortTransfers => include_str!("new/short-transfers.toml"),
            Self::CrossTraffic => include_str!("new/cross-traffic.toml"),
            Self::Media => include_str!("new/media.toml"),
            Self::ParkingLot => include_str!("new/parking-lot.toml"),
            Self::Network => include_str!("new/network.toml"),
        }
    }
}

/// Whether writing there would destroy something: a pipe or a device takes whatever comes.
fn holds_something(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(found) => found.is_file(),
        // A link that leads nowhere would be replaced.
        Err(_) => fs::symlink_metadata(path).is_ok(),
    }
}

/// A path as a shell takes it.
fn quoted(path: &Path) -> String {
    let path = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/\\:._-+".contains(c);
    if path.chars().all(plain) {
        path
    } else {
        format!("'{}'", path.replace('\'', r"'\''"))
    }
}
