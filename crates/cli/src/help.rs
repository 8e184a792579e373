//! `dumbbell help`: prints what `--help` after a command prints.

use clap::Parser as _;

use crate::Cli;
use crate::exit::{Code, Exit};

/// Prints the help of a command.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  dumbbell help
  dumbbell help reproduce
  dumbbell help kernel load")]
pub struct Args {
    /// The command, with its subcommands. Without one, the help of `dumbbell` itself.
    command: Vec<String>,
}

/// Prints the help. `above` has the commands before `help`; it is empty for `dumbbell help`.
pub fn run(above: &[&str], args: &Args) -> Result<Code, Exit> {
    let words = above.iter().copied();
    let words = words.chain(args.command.iter().map(String::as_str));
    let line = ["dumbbell"].into_iter().chain(words).chain(["--help"]);
    match Cli::try_parse_from(line) {
        // The error is the help, or the list of commands that exist.
        Err(answer) => answer.exit(),
        Ok(_) => Ok(Code::SUCCESS),
    }
}
