//! `dumbbell kernel`: Dumbbell's controls in the Linux kernel.

#[cfg(target_os = "linux")]
mod doctor;
mod list;
mod load;
mod trace;
mod unload;

use crate::exit::{Code, Exit};
use crate::help;

/// Loads Dumbbell's controls into the Linux kernel, so that any program's TCP can use them, and
/// watches them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES, disable_help_subcommand = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell kernel doctor                     what this machine lacks, and how to fix it
  dumbbell kernel load veno                  until Ctrl-C
  dumbbell kernel load venodb --pin          until it is unloaded, or the machine reboots
  dumbbell kernel trace venodb               the windows of its connections
  dumbbell kernel unload venodb

docs/kernel.md explains how to select a control for a program or a route, how to make it permanent, RoVegas with
AQT, and how the controls in the kernel differ from the papers'.";

#[derive(clap::Subcommand)]
enum Command {
    Load(load::Args),
    Unload(unload::Args),
    List(list::Args),
    Trace(trace::Args),
    Doctor(DoctorArgs),
    Help(help::Args),
}

/// Lists what this machine lacks for `kernel`, `emulate` and `compare`, and how to fix it.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  dumbbell kernel doctor
  sudo dumbbell kernel doctor
  dumbbell kernel doctor --json
  sudo dumbbell kernel doctor --timing

The exit code is 1 if something necessary is missing.")]
struct DoctorArgs {
    /// Print one JSON array.
    #[arg(long)]
    json: bool,
    /// Measure for some eight seconds how late this machine wakes up, and which rates and round-trip times `emulate` and
    /// `compare` can be trusted with here. Rates need root.
    #[arg(long)]
    timing: bool,
}

#[cfg(not(target_os = "linux"))]
pub fn run(args: &Args) -> Result<Code, Exit> {
    let wanted = match &args.command {
        Command::Load(_) => "load",
        Command::Unload(_) => "unload",
        Command::List(_) => "list",
        Command::Trace(_) => "trace",
        Command::Doctor(_) => "doctor",
        Command::Help(args) => return help::run(&["kernel"], args),
    };
    Err(Exit::Failed(format!(
        "`dumbbell kernel {wanted}` is about the Linux kernel, and this is {}",
        std::env::consts::OS
    )))
}

#[cfg(target_os = "linux")]
pub fn run(args: &Args) -> Result<Code, Exit> {
    match &args.command {
        Command::Load(args) => load::run(args),
        Command::Unload(args) => unload::run(args),
        Command::List(args) => list::run(args),
        Command::Trace(args) => trace::run(args),
        Command::Doctor(args) => doctor::run(args.json, args.timing),
        Command::Help(args) => help::run(&["kernel"], args),
    }
}

/// The error of a program that was built without the feature.
#[cfg(all(target_os = "linux", not(feature = "kernel")))]
fn not_built() -> Exit {
    Exit::Failed(
        "this dumbbell was built without the kernel's controls; to build it with them (Debian, Ubuntu):\n  \
         apt-get install clang gcc make pkg-config libelf-dev zlib1g-dev linux-libc-dev\n  \
         cargo build --release --features kernel\n\
         `dumbbell kernel doctor` says what else this machine lacks"
            .to_owned(),
    )
}

#[cfg(all(target_os = "linux", feature = "kernel"))]
impl From<dumbbell_live::kernel::Error> for Exit {
    fn from(error: dumbbell_live::kernel::Error) -> Self {
        use dumbbell_live::kernel::Error;

        let mut message = error.to_string();
        for line in error.detail() {
            message.push_str("\n  ");
            message.push_str(line);
        }
        match error {
            Error::UnknownControl { .. }
            | Error::BadName(_)
            | Error::Parameter { .. }
            | Error::NotPinned { .. } => Self::BadInput(message),
            _ => Self::Failed(message),
        }
    }
}
