//! `dumbbell transfer put`.

use std::path::PathBuf;

use dumbbell_transfer::{Name, put};

use super::Client;
use super::place::Place;
use crate::exit::{Code, Exit};
use crate::file;

/// Puts a file into a server's folder (its option --allow-put).
///
/// Until it is whole, the server calls it NAME.part. If the transfer breaks off, the same command goes on where it
/// ended, if the file still begins with these bytes; otherwise it begins again. A server's files are not replaced.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The file.
    file: PathBuf,
    /// The server and the file's name there: HOST:PORT/NAME. Without a name, it keeps its own.
    #[arg(value_name = "HOST:PORT/[NAME]")]
    place: Place,
    #[command(flatten)]
    client: Client,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell transfer put runs.sqlite 192.0.2.1:4433/ --pin 5f3a... --token 90c1... --control veno
  dumbbell transfer put big 192.0.2.1:4433/big --pin 5f3a... --token 90c1... --for 20s --json
  dumbbell transfer put big 192.0.2.1:4433/big --pin 5f3a... --token 90c1... --qlog veno.qlog";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let name = match args.place.name() {
        Some(name) => name.clone(),
        None => own(args)?,
    };
    let written = [
        args.client
            .samples
            .as_deref()
            .map(|path| ("--samples", path)),
        args.client.qlog.as_deref().map(|path| ("--qlog", path)),
    ];
    let written: Vec<_> = written.into_iter().flatten().collect();
    file::apart(&[("transfer", &args.file)], &written)?;
    let options = args.client.options()?;
    let peer = args.client.peer(&args.place)?;
    args.client.run(true, async |tell| {
        put(&peer, &args.file, &name, &options, tell).await
    })
}

/// The file's own name.
fn own(args: &Args) -> Result<Name, Exit> {
    let file = args.file.display();
    let name = args.file.file_name().and_then(|name| name.to_str());
    let name = name.ok_or_else(|| Exit::BadInput(format!("{file}: it has no name to keep")))?;
    name.parse()
        .map_err(|why| Exit::BadInput(format!("{file}: {why}")))
}
