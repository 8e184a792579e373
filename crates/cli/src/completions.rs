//! `dumbbell completions`: completion scripts for shells.

use std::io::{self, Write as _};

use clap::builder::PossibleValuesParser;
use clap::{Command, CommandFactory as _};
use clap_complete::Shell;

use crate::Cli;
use crate::controls;
use crate::exit::{Code, Exit};

/// Writes a script that lets a shell complete commands, options and names.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The shell.
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell completions bash

To install them, once:
  bash        echo 'source <(dumbbell completions bash)' >> ~/.bashrc
  zsh         echo 'source <(dumbbell completions zsh)' >> ~/.zshrc      (below compinit)
  fish        echo 'dumbbell completions fish | source' >> ~/.config/fish/config.fish
  elvish      echo 'eval (dumbbell completions elvish | slurp)' >> ~/.config/elvish/rc.elv
  powershell  dumbbell completions powershell >> $PROFILE";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let mut command = with_commands(with_figures(Cli::command())?);
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "dumbbell", &mut script);
    if args.shell == Shell::Fish {
        script.extend(values_for_fish(&command).into_bytes());
    }
    io::stdout().write_all(&script)?;
    Ok(Code::SUCCESS)
}

/// Returns the command with the names of papers and figures as possible values.
fn with_figures(command: Command) -> Result<Command, Exit> {
    let library =
        dumbbell_papers::library(controls::known()).map_err(|e| Exit::Failed(e.to_string()))?;
    let names: Vec<String> = library.names().collect();
    Ok(command.mut_subcommand("reproduce", |reproduce| {
        reproduce.mut_arg("names", |argument| {
            argument.value_parser(PossibleValuesParser::new(names))
        })
    }))
}

/// Returns the command with the names of its subcommands as possible values of each `help`.
fn with_commands(command: Command) -> Command {
    let behind_help = |command: Command| {
        let all = command.get_subcommands();
        let names: Vec<String> = all.map(|one| one.get_name().to_owned()).collect();
        command.mut_subcommand("help", |help| {
            help.mut_arg("command", |argument| {
                argument.value_parser(PossibleValuesParser::new(names))
            })
        })
    };
    let command = behind_help(command);
    #[cfg(feature = "quic")]
    let command = command.mut_subcommand("transfer", behind_help);
    #[cfg(all(target_os = "linux", feature = "stream"))]
    let command = command.mut_subcommand("stream", behind_help);
    command
        .mut_subcommand("convert", behind_help)
        .mut_subcommand("kernel", behind_help)
        .mut_subcommand("store", behind_help)
}

/// Returns Fish completions for positional arguments, which the generator leaves out.
fn values_for_fish(command: &Command) -> String {
    let line = |subcommand: &Command| {
        let values: Vec<String> = subcommand
            .get_positionals()
            .flat_map(|argument| argument.get_possible_values())
            .map(|value| value.get_name().to_owned())
            .collect();
        let (name, values) = (subcommand.get_name(), values.join(" "));
        let line = format!(
            "complete -c dumbbell -n '__fish_seen_subcommand_from {name}' -f -a '{values}'\n"
        );
        (!values.is_empty()).then_some(line)
    };
    command.get_subcommands().filter_map(line).collect()
}
