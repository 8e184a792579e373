//! `dumbbell transfer get`.

use std::path::PathBuf;

use dumbbell_transfer::get;

use super::Client;
use super::place::Place;
use crate::exit::{Code, Exit};
use crate::file;

/// Gets a file from a server.
///
/// Until it is whole, it is called FILE.part. If the transfer breaks off, the same command goes on where it ended, if
/// the server's file still begins with these bytes; otherwise it begins again.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The server and the file: HOST:PORT/NAME.
    #[arg(value_name = "HOST:PORT/NAME")]
    place: Place,
    /// The file to write. Without it, one in this folder with the same name.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file if it is there.
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    client: Client,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell transfer get 192.0.2.1:4433/runs.sqlite --pin 5f3a... --token 90c1...
  dumbbell transfer get 192.0.2.1:4433/a/b.csv --out b.csv --pin 5f3a... --token 90c1... --json
  dumbbell transfer get 192.0.2.1:4433/big --pin 5f3a... --token 90c1... --samples windows.csv";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let Some(name) = args.place.name() else {
        return Err(Exit::BadInput(
            "the name of the file is missing: HOST:PORT/NAME".to_owned(),
        ));
    };
    let out = args.out.clone().unwrap_or_else(|| name.file().into());
    if !args.force && file::holds_something(&out) {
        return Err(Exit::BadInput(format!(
            "{} is there already\n  = help: give another name with --out, or replace it with --force",
            out.display()
        )));
    }
    // It arrives under another name, and what is at this one is replaced.
    if file::is_special(&out) {
        return Err(Exit::BadInput(format!(
            "{} is a pipe or a device, which would be replaced by the file\n  = help: give the name of a file with --out",
            out.display()
        )));
    }
    file::check(&out)?;
    let written = [
        Some(("--out", &*out)),
        args.client
            .samples
            .as_deref()
            .map(|path| ("--samples", path)),
        args.client.qlog.as_deref().map(|path| ("--qlog", path)),
    ];
    file::apart(&[], &written.into_iter().flatten().collect::<Vec<_>>())?;
    let options = args.client.options()?;
    let peer = args.client.peer(&args.place)?;
    args.client.run(false, async |tell| {
        get(&peer, name, &out, &options, tell).await
    })
}
