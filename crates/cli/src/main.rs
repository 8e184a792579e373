//! The command `dumbbell`.
#![forbid(unsafe_code)]

mod chart;
#[cfg(target_os = "linux")]
mod compare;
mod completions;
#[cfg(target_os = "linux")]
mod emulate;
mod equation;
mod exit;
mod explain;
mod file;
mod help;
mod interrupt;
mod kernel;
mod list;
mod new;
mod progress;
mod reproduce;
mod run;
mod schema;
mod table;
mod timed;
mod trace;

use clap::{Parser, Subcommand};

use exit::Exit;

/// A congestion-control laboratory for lossy paths.
#[derive(Parser)]
#[command(name = "dumbbell", version, arg_required_else_help = true, disable_help_subcommand = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell reproduce                    reproduce the papers' figures
  dumbbell new my.toml                  write a scenario to start from
  dumbbell run my.toml                  simulate a scenario, and draw its windows
  dumbbell run my.toml --repeat 10      ten seeds, means with 95 % intervals
  dumbbell explain my.toml              why each window was reduced
  dumbbell equation reno --rtt 50ms --loss 0.01   how fast TCP sends, by the equations
  dumbbell emulate my.toml -- COMMAND   any program over the scenario's network (Linux, as root)
  dumbbell compare my.toml              the kernel's TCP over it, one control after another (Linux, as root)
  dumbbell kernel load veno             a control for the Linux kernel (as root)
  dumbbell list                         every control, recovery, queue, loss and source

Exit codes: 0 success, 1 a verdict differs from the record, 2 bad input, 130 interrupted,
3 other failures.";

#[derive(Subcommand)]
enum Command {
    New(new::Args),
    Run(run::Args),
    Explain(explain::Args),
    Reproduce(reproduce::Args),
    Equation(Box<equation::Args>),
    #[cfg(target_os = "linux")]
    Emulate(emulate::Args),
    #[cfg(target_os = "linux")]
    Compare(compare::Args),
    Kernel(kernel::Args),
    List(list::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Help(help::Args),
}

fn main() -> std::process::ExitCode {
    let cli = Cli::parse();
    let done = match cli.command {
        Command::New(args) => new::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Equation(args) => equation::run(&args),
        #[cfg(target_os = "linux")]
        Command::Emulate(args) => emulate::run(&args),
        #[cfg(target_os = "linux")]
        Command::Compare(args) => compare::run(&args),
        Command::Kernel(args) => kernel::run(&args),
        Command::List(args) => list::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Help(args) => help::run(&[], &args),
    };
    done.unwrap_or_else(Exit::report).into()
}
