//! `dumbbell help`: what `--help` behind a command prints.

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
    /// The command, with the words that follow it. Without one, the help of `dumbbell` itself.
    command: Vec<String>,
}

/// `above` has the words of the command that this `help` stands under; none for `dumbbell help`.
pub fn run(above: &[&str], args: &Args) -> Result<Code, Exit> {
    let words = above.iter().copied();
    let words = words.chain(args.command.iter().map(String::as_str));
    let line = ["dumbbell"].into_iter().chain(words).chain(["--help"]);
    match Cli::try_parse_from(line) {
        // The help, or which commands there are instead.
        Err(answer) => answer.exit(),
        Ok(_) => Ok(Code::SUCCESS),
    }
}
