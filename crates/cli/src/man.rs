//! `dumbbell man`: manual pages.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Command, CommandFactory as _};
use clap_mangen::Man;

use crate::Cli;
use crate::exit::{Code, Exit};
use crate::file;

/// Writes manual pages to a folder: one for the command, and one for each of its subcommands.
///
/// The pages have the text of --help. `man -l FILE` shows one; in a folder such as
/// /usr/local/share/man/man1, `man dumbbell-run` finds it.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  dumbbell man /usr/local/share/man/man1")]
pub struct Args {
    /// The folder, which exists.
    folder: PathBuf,
}

pub fn run(args: &Args) -> Result<Code, Exit> {
    if !fs::metadata(&args.folder).is_ok_and(|it| it.is_dir()) {
        return Err(Exit::BadInput(format!(
            "there is no folder {}",
            args.folder.display()
        )));
    }
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    pages(&command, "dumbbell", &args.folder)?;
    Ok(Code::SUCCESS)
}

/// Writes the page of a command, and those of its subcommands.
fn pages(command: &Command, name: &str, folder: &Path) -> Result<(), Exit> {
    for below in command.get_subcommands() {
        // Its page would say nothing that the others do not.
        if below.get_name() != "help" && !below.is_hide_set() {
            pages(below, &format!("{name}-{}", below.get_name()), folder)?;
        }
    }
    let page = command.clone().name(name.to_owned());
    let mut text = Vec::new();
    Man::new(page).section("1").render(&mut text)?;
    let text = String::from_utf8_lossy(&text);
    file::write(&folder.join(format!("{name}.1")), &text)?;
    Ok(())
}
