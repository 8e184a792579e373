//! `dumbbell transfer`: files over QUIC, with a congestion control of choice.

mod place;
mod receive;
mod send;
mod serve;
mod show;

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::Duration;

use clap::Subcommand;
use dumbbell_transfer::{Control, Error, Options, Peer, Pin, Progress, Report};

use crate::exit::{Code, Exit};
use crate::{file, help, input, interrupt, secret};
use place::Place;

/// Sends files over QUIC, with a congestion control of choice.
///
/// A server has a folder, or one file. Its clients need its address, the fingerprint of its certificate and its token,
/// which it prints. All is encrypted. A transfer that broke off goes on where it ended when it is started again.
#[derive(clap::Args)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = EXAMPLES
)]
pub struct Args {
    #[command(subcommand)]
    command: Task,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell transfer serve results/ --control veno
  dumbbell transfer get 192.0.2.1:4433/runs.sqlite --pin 5f3a... --token 90c1...
  dumbbell transfer put runs.sqlite 192.0.2.1:4433/ --pin 5f3a... --token 90c1... --control veno";

#[derive(Subcommand)]
enum Task {
    Serve(serve::Args),
    Get(receive::Args),
    Put(send::Args),
    Help(help::Args),
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    match &args.command {
        Task::Serve(args) => serve::run(args),
        Task::Get(args) => receive::run(args),
        Task::Put(args) => send::run(args),
        Task::Help(args) => help::run(&["transfer"], args),
    }
}

/// The options of both clients.
#[derive(clap::Args)]
struct Client {
    /// The fingerprint of the server's certificate (SHA-256), which the server prints.
    #[arg(long, value_name = "FINGERPRINT")]
    pin: Pin,
    /// The server's token. Without it, the value of the variable DUMBBELL_TOKEN, which other users of the machine
    /// cannot see.
    #[arg(long)]
    token: Option<String>,
    /// The congestion control of what this end sends: one of Dumbbell's that quinn can run (docs/quic.md), or quinn's
    /// own: quinn:newreno, quinn:cubic, quinn:bbr.
    #[arg(long, value_name = "NAME", default_value = "veno")]
    control: String,
    /// Stop after this time, such as "20 s". What has arrived is kept, and another transfer can go on there.
    #[arg(long = "for", value_name = "TIME", value_parser = input::time)]
    lasts: Option<Duration>,
    /// Print the statistics at the end as one JSON object.
    #[arg(long)]
    json: bool,
    /// Write samples of the sender's window, round-trip times and losses to this file: one line per sample (.csv), or
    /// one array (.json).
    #[arg(long, value_name = "OUT.csv|OUT.json", value_parser = show::samples_file)]
    samples: Option<PathBuf>,
    /// The time between two samples. After 8,192 samples, it doubles.
    #[arg(long, value_name = "TIME", default_value = "100 ms", value_parser = input::time)]
    sample_every: Duration,
    /// Write this end's packets and its control's state to this file, for qvis (qlog).
    #[arg(long, value_name = "OUT.qlog")]
    qlog: Option<PathBuf>,
    /// Show no progress.
    #[arg(long)]
    quiet: bool,
}

impl Client {
    /// The server at a place.
    fn peer(&self, place: &Place) -> Result<Peer, Exit> {
        let address = place.resolve()?;
        Ok(Peer {
            address,
            pin: self.pin,
            token: secret::required(self.token.as_deref())?.text().to_owned(),
        })
    }

    fn options(&self) -> Result<Options, Exit> {
        let control: Control = self.control.parse()?;
        for path in [&self.samples, &self.qlog].into_iter().flatten() {
            file::check(path)?;
        }
        let mut options = Options::new(control);
        options.sample_every = self.samples.is_some().then_some(self.sample_every);
        options.qlog.clone_from(&self.qlog);
        options.stop_after = self.lasts;
        Ok(options)
    }

    /// Runs a transfer until it is over or Ctrl-C comes, and prints its statistics. `sends`: this end sends the file.
    fn run(
        &self,
        sends: bool,
        transfer: impl AsyncFnOnce(&mut (dyn FnMut(Progress) + Send)) -> Result<Report, Error>,
    ) -> Result<Code, Exit> {
        let mut meter = show::Meter::new(self.quiet, sends);
        let report = runtime()?.block_on(async {
            let mut tell = |progress| meter.tell(progress);
            let report = tokio::select! {
                biased;
                report = transfer(&mut tell) => return Ok(report?),
                () = interrupted() => Err(Exit::Interrupted),
            };
            // The connection's end is sent, so that the server need not wait for more.
            tokio::time::sleep(Duration::from_millis(50)).await;
            report
        });
        meter.finish();
        let mut report = report?;
        let taken = report
            .sender
            .as_mut()
            .map(|sender| std::mem::take(&mut sender.samples));
        if let Some(path) = &self.samples {
            show::write_samples(path, &taken.unwrap_or_default())?;
        }
        show::report(&report, self.json)?;
        Ok(Code::SUCCESS)
    }
}

fn runtime() -> Result<tokio::runtime::Runtime, Exit> {
    Ok(tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?)
}

/// Waits for Ctrl-C.
async fn interrupted() {
    let flag = interrupt::flag();
    while !flag.load(Ordering::Relaxed) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

impl From<Error> for Exit {
    fn from(error: Error) -> Self {
        match error {
            Error::Input(what) => Self::BadInput(what),
            other => Self::Failed(other.to_string()),
        }
    }
}
