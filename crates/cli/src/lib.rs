//! The command `dumbbell` as a library, for programs that add a congestion control of their own: the
//! whole command, with that control in it.
//!
//! A program that calls [`main_with`] has every subcommand of `dumbbell`, and all of them know its
//! controls: `list` and `schema` show them, scenarios can name them, and `matrix` has a row for
//! each. `dumbbell new --kind control NAME` writes such a program.
#![forbid(unsafe_code)]

mod chart;
#[cfg(target_os = "linux")]
mod compare;
mod completions;
mod controls;
mod convert;
#[cfg(target_os = "linux")]
mod emulate;
mod equation;
mod exit;
mod explain;
mod file;
#[cfg(feature = "quic")]
mod greeting;
mod help;
mod input;
mod interrupt;
mod kernel;
mod lab;
mod list;
mod man;
mod matrix;
mod new;
#[cfg(all(target_os = "linux", feature = "quic"))]
mod parity;
mod progress;
mod query;
mod reproduce;
mod run;
mod schema;
#[cfg(feature = "quic")]
mod secret;
mod store;
#[cfg(all(target_os = "linux", feature = "stream"))]
mod stream;
mod sweep;
mod table;
mod tidy;
mod timed;
mod trace;
#[cfg(feature = "quic")]
mod transfer;
#[cfg(target_os = "linux")]
mod trials;

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use dumbbell_scenario::controls::Controls;

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
  dumbbell matrix --paths my.toml       every control on a path of your own
  dumbbell new my.toml                  write a scenario to start from
  dumbbell convert mahimahi cell.down -o my.toml   a recorded path as a scenario
  dumbbell run my.toml                  simulate a scenario, and draw its windows
  dumbbell lab my.toml                  the same in the browser, while you drag its sliders
  dumbbell run my.toml --repeat 10      ten seeds, means with 95 % intervals
  dumbbell sweep my.toml                many values of its own, as its table [sweep] says
  dumbbell explain my.toml              why each window was reduced
  dumbbell equation reno --rtt 50ms --loss 0.01   how fast TCP sends, by the equations
  dumbbell emulate my.toml -- COMMAND   any program over the scenario's network (Linux, as root)
  dumbbell compare my.toml              the kernel's TCP over it, one control after another (Linux, as root)
  dumbbell kernel load veno             a control for the Linux kernel (as root)
  dumbbell store list runs.sqlite       the builds and scenarios of a file of finished runs
  dumbbell query runs.sqlite            ask about its results in SQL
  dumbbell list                         every control, recovery, queue, loss and source

Exit codes: 0 success, 1 a verdict differs from the record or a stored run is damaged, 2 bad input,
130 interrupted, 3 other failures.";

#[derive(Subcommand)]
enum Command {
    New(new::Args),
    Convert(convert::Args),
    Run(run::Args),
    Sweep(sweep::Args),
    Explain(explain::Args),
    Reproduce(reproduce::Args),
    Matrix(matrix::Args),
    Equation(Box<equation::Args>),
    #[cfg(target_os = "linux")]
    Emulate(emulate::Args),
    #[cfg(target_os = "linux")]
    Compare(compare::Args),
    #[cfg(all(target_os = "linux", feature = "quic"))]
    Parity(Box<parity::Args>),
    Kernel(kernel::Args),
    #[cfg(feature = "quic")]
    Transfer(transfer::Args),
    #[cfg(all(target_os = "linux", feature = "stream"))]
    Stream(stream::Args),
    Lab(lab::Args),
    List(list::Args),
    Store(store::Args),
    Query(query::Args),
    Schema(schema::Args),
    Completions(completions::Args),
    Man(man::Args),
    Help(help::Args),
}

/// Runs the command with the program's arguments, and returns its exit code.
///
/// The process ends within this function where it only prints help, or refuses its arguments.
pub fn main() -> ExitCode {
    main_with(Controls::builtin())
}

/// Runs the command with the program's arguments, and returns its exit code. Scenarios can name these
/// controls, and every subcommand includes them.
///
/// A process calls it once: the controls of the first call remain.
///
/// ```no_run
/// use dumbbell_control::algorithm::reno::Reno;
/// use dumbbell_control::controller::Algorithm as _;
/// use dumbbell_scenario::controls::Controls;
/// use dumbbell_tcp::recovery::Kind;
///
/// fn main() -> std::process::ExitCode {
///     let mut controls = Controls::builtin();
///     let added = controls.register("mine", "Reno under another name", &[Kind::Sack], |path| {
///         Box::new(Reno::new(&Default::default(), path))
///     });
///     added.expect("no other control has this name");
///     dumbbell::main_with(controls)
/// }
/// ```
pub fn main_with(controls: Controls) -> ExitCode {
    controls::set(controls);
    let cli = Cli::parse();
    let done = match cli.command {
        Command::New(args) => new::run(&args),
        Command::Convert(args) => convert::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Sweep(args) => sweep::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Reproduce(args) => reproduce::run(&args),
        Command::Matrix(args) => matrix::run(&args),
        Command::Equation(args) => equation::run(&args),
        #[cfg(target_os = "linux")]
        Command::Emulate(args) => emulate::run(&args),
        #[cfg(target_os = "linux")]
        Command::Compare(args) => compare::run(&args),
        #[cfg(all(target_os = "linux", feature = "quic"))]
        Command::Parity(args) => parity::run(&args),
        Command::Kernel(args) => kernel::run(&args),
        #[cfg(feature = "quic")]
        Command::Transfer(args) => transfer::run(&args),
        #[cfg(all(target_os = "linux", feature = "stream"))]
        Command::Stream(args) => stream::run(&args),
        Command::Lab(args) => lab::run(&args),
        Command::List(args) => list::run(&args),
        Command::Query(args) => query::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Schema(args) => schema::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        Command::Help(args) => help::run(&[], &args),
    };
    done.unwrap_or_else(Exit::report).into()
}
