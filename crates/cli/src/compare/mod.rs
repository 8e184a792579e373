//! `dumbbell compare`: one path, several congestion controls of the kernel.

mod page;
mod tabular;
mod together;

use dumbbell_live::compare::{Plan, contenders};
use dumbbell_live::mixture::Entry;
use dumbbell_live::real_flow::Pick;

use crate::exit::{Code, Exit};
use crate::trials::{Options, tell};
use crate::{interrupt, progress};

/// Measures the kernel's TCP under several controls on one emulated path, beside the simulator's prediction
/// (Linux, as root).
///
/// The first TCP flow of the scenario becomes a real connection of the kernel between two separate hosts, or
/// several with --together and --beside; all other flows are simulated beside it. It starts at once and always has data to send. Of its keys in the
/// file, only its place in the network, its packet sizes and `ecn` are used; everything else is as in Linux,
/// in the simulator too. Dumbbell's controls are loaded while the comparison runs, if the command was built
/// with them.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// The controls; the first is the reference for differences. A name is one of Dumbbell's controls (veno,
    /// venodb ...), `all` of them, one of the kernel's (reno, cubic, bbr ...), or one that is already loaded
    /// (db_veno). `kernel:NAME` is the kernel's control if Dumbbell has one of the same name.
    #[arg(long, value_delimiter = ',', value_name = "A,B,C", default_value = contenders::USUAL)]
    controls: Vec<String>,
    /// Several real connections beside each other instead of one control after the other: controls, each with
    /// its number (veno*2), and streams of datagrams (udp:1Mb/s). They all take the place of the real flow; the
    /// word `file` makes every TCP flow of the scenario without `size` real where it is, with its own control.
    #[arg(long, value_delimiter = ',', value_name = "A,B*N,udp:RATE", value_parser = Entry::read, conflicts_with = "controls")]
    together: Vec<Entry>,
    /// Run each control as one connection beside these others, after a run in which one more of the first of
    /// them is in its place: what it leaves to them shows how friendly it is.
    #[arg(long, value_delimiter = ',', value_name = "A*N,udp:RATE", value_parser = Entry::read, conflicts_with = "together")]
    beside: Vec<Entry>,
    /// Number of runs of each control, with consecutive seeds.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=1000))]
    repeat: u32,
    /// Predict each control that differs from the kernel by more than both intervals again, with one switch of the
    /// simulated Linux at a time the other way, and show which of them moves the prediction towards the kernel.
    #[arg(long)]
    explain_difference: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell compare my.toml
  dumbbell compare my.toml --controls reno,cubic,veno --repeat 6 --for 20s
  dumbbell compare my.toml --controls cubic,all --out report     a page with windows over time
  dumbbell compare my.toml --controls kernel:vegas,vegas
  dumbbell compare my.toml --controls reno --repeat 6 --explain-difference
  dumbbell compare my.toml --together veno,cubic*2     who gets how much
  dumbbell compare my.toml --controls veno,bbr --beside reno*3     what they leave to others

Needs root. Dumbbell's controls need a build with `--features kernel` (docs/kernel.md).";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let options = &args.options;
    let (scenario, duration) = options.read(None)?;
    let schedule = options.schedule(&scenario, args.repeat, duration);
    if !args.together.is_empty() || !args.beside.is_empty() {
        return together::run(args, &scenario, schedule);
    }
    let picked = Pick::Tcp.of(&scenario, options.flow.as_deref())?;
    let folder = options.folder(page::NAME)?;
    let interrupted = interrupt::flag();
    let entered = contenders::enter(&args.controls, &scenario)?;
    tell(&entered.notes);
    let plan = Plan {
        scenario: &scenario,
        flow: picked,
        contenders: entered.contenders,
        schedule,
        explains: args.explain_difference,
    };
    let bar = progress::of_real_time(plan.runs(), schedule.jobs, duration);
    let found = plan.run(&interrupted, || bar.over());
    bar.finish();
    let found = page::found(&scenario, &found?);
    let report = (folder.as_deref(), page::NAME);
    options.hand_over(&scenario, found, report, &interrupted)
}
