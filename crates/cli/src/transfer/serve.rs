//! `dumbbell transfer serve`.

use std::io::Write as _;
use std::net::SocketAddr;
use std::path::PathBuf;

use dumbbell_transfer::{Control, Event, Identity, Limits, Serve, Server, Token};

use super::{interrupted, runtime, show};
use crate::exit::{Code, Exit};
use crate::greeting::Greeting;
use crate::secret::token;

/// Serves the files of a folder, or one file, until Ctrl-C.
///
/// It prints its fingerprint and its token, and the commands for clients. It makes a new key each time it starts.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The folder, or the file.
    #[arg(value_name = "FOLDER|FILE")]
    root: PathBuf,
    /// The address to listen at. Port 0 is any free one.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:4433")]
    listen: SocketAddr,
    /// The congestion control of what the server sends: one of Dumbbell's that quinn can run (docs/quic.md), or
    /// quinn's own: quinn:newreno, quinn:cubic, quinn:bbr.
    #[arg(long, value_name = "NAME", default_value = "veno")]
    control: String,
    /// What clients must know: 12 to 128 characters. Without it, the value of the variable DUMBBELL_TOKEN, or a random
    /// one.
    #[arg(long)]
    token: Option<String>,
    /// Let clients put new files into the folder. They replace none.
    #[arg(long)]
    allow_put: bool,
    /// The largest file that a client may put, in bytes.
    #[arg(long, value_name = "BYTES", requires = "allow_put")]
    put_size: Option<u64>,
    /// What clients may put altogether while the server runs, in bytes (2^42). Each file counts 4096 more than it has.
    #[arg(long, value_name = "BYTES", requires = "allow_put")]
    put_total: Option<u64>,
    /// The largest number of connections at a time.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    connections: Option<u16>,
    /// Print one JSON object per line: the server's address, fingerprint and token, each transfer, and what happened
    /// altogether.
    #[arg(long)]
    json: bool,
    /// Write a qlog file for each connection into this folder.
    #[arg(long, value_name = "FOLDER")]
    qlog: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell transfer serve results/
  dumbbell transfer serve runs.sqlite --listen 0.0.0.0:4433 --control westwood+
  dumbbell transfer serve inbox/ --allow-put --put-size 1000000000 --put-total 20000000000
  DUMBBELL_TOKEN=a-word-of-our-own dumbbell transfer serve results/ --json";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let control: Control = args.control.parse()?;
    let token = match token(args.token.as_deref())? {
        Some(token) => token,
        None => Token::random()?,
    };
    if let Some(folder) = &args.qlog
        && !folder.is_dir()
    {
        let why = match folder.exists() {
            true => "is no folder",
            false => "is not there: make it first",
        };
        let folder = folder.display();
        return Err(Exit::BadInput(format!("--qlog: the folder {folder} {why}")));
    }
    let mut limits = Limits::default();
    if let Some(size) = args.put_size {
        limits.put_size = size;
    }
    if let Some(total) = args.put_total {
        limits.put_total = total;
    }
    if let Some(most) = args.connections {
        limits.connections = most.into();
    }
    let runtime = runtime()?;
    let inside = runtime.enter();
    let server = Server::bind(Serve {
        root: args.root.clone(),
        listen: args.listen,
        control,
        token,
        identity: Identity::generate()?,
        allow_put: args.allow_put,
        limits,
        qlog: args.qlog.clone(),
    })?;
    drop(inside);
    greet(args, &server)?;
    let json = args.json;
    runtime.block_on(async {
        tokio::select! {
            () = server.run(move |event| tell(&event, json)) => {}
            () = interrupted() => {}
        }
        server.close().await;
    });
    show::tally(&server.tally(), json)?;
    Ok(Code::SUCCESS)
}

/// Prints what clients need.
fn greet(args: &Args, server: &Server) -> Result<(), Exit> {
    let greeting = Greeting {
        address: server.address(),
        pin: server.pin(),
        token: server.token(),
    };
    greeting.print(args.json, "clients", |place, options| {
        let name = match args.root.file_name().and_then(|name| name.to_str()) {
            Some(name) if args.root.is_file() => name,
            _ => "NAME",
        };
        let get = format!("dumbbell transfer get {place}/{name} {options}");
        let put = format!("dumbbell transfer put FILE {place}/ {options}");
        [get]
            .into_iter()
            .chain(args.allow_put.then_some(put))
            .collect()
    })
}

fn tell(event: &Event, json: bool) {
    match event {
        // If nobody reads it, the server serves on.
        Event::Transfer { peer, report } => {
            let _ = show::served(*peer, report, json);
        }
        Event::Trouble { peer, why } => {
            let _ = writeln!(anstream::stderr(), "{peer}: {why}");
        }
        _ => {}
    }
}
