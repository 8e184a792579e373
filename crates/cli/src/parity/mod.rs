//! `dumbbell parity`: the same controls simulated, over QUIC and in the kernel.

mod page;
mod tabular;

use std::time::Duration;

use dumbbell_live::parity::{self, Entered, MTU, Plan};
use dumbbell_live::quic::LEAST_MTU;
use dumbbell_live::real_flow::Pick;

use crate::exit::{Code, Exit};
use crate::trials::{Options, tell};
use crate::{interrupt, progress};

/// Measures controls on one emulated path behind real stacks, QUIC's and the kernel's, beside simulated flows that are
/// like them (Linux, as root).
///
/// The first TCP flow of the scenario becomes a real connection between two separate hosts: over QUIC, by quinn or its
/// fork noq, and in the kernel. It is simulated twice, with `stack = "quic"` as in quinn and with `stack = "linux"`.
/// All have packets of the same size, the same seeds and the same length. All other flows are simulated beside it. Of
/// the flow's keys in the file, only its place in the network is used.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    #[command(flatten)]
    options: Options,
    /// The controls: Dumbbell's (veno, venodb ...), which run behind quinn or, where they need what quinn lacks, behind
    /// noq, and in the kernel; or the QUIC stacks' own (quinn:newreno, quinn:cubic, quinn:bbr, noq:newreno, noq:cubic,
    /// noq:bbr3).
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "A,B,C",
        default_value = "reno,veno,cubic"
    )]
    controls: Vec<String>,
    /// Number of runs of each control behind each stack, with consecutive seeds. Without it 6, with --quick 2.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    seeds: Option<u32>,
    /// The largest packet in bytes, with its IPv4 header.
    #[arg(long, default_value_t = MTU, value_parser = clap::value_parser!(u16).range(i64::from(LEAST_MTU)..))]
    mtu: u16,
    /// Two runs of 5 s, unless told otherwise, and no explanations.
    #[arg(long)]
    quick: bool,
    /// Only predict what is simulated beside the real stacks. It needs no root.
    #[arg(long, conflicts_with_all = ["out", "strict"])]
    predict: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell parity my.toml
  dumbbell parity my.toml --controls reno,veno,venodb,westwood+ --seeds 10 --for 30s
  dumbbell parity my.toml --controls reno,quinn:newreno,noq:newreno --out report
  dumbbell parity my.toml --quick
  dumbbell parity my.toml --controls reno,veno,noq:bbr3 --predict

Needs root, but for --predict. Without `--features kernel`, the kernel's side has only the controls that the kernel has itself.";

/// Runs of each control behind each stack.
const SEEDS: u32 = 6;
const QUICK_SEEDS: u32 = 2;
const QUICK_TIME: Duration = Duration::from_secs(5);

pub fn run(args: &Args) -> Result<Code, Exit> {
    let options = &args.options;
    let (scenario, duration) = options.read(args.quick.then_some(QUICK_TIME))?;
    let usual = if args.quick { QUICK_SEEDS } else { SEEDS };
    let schedule = options.schedule(&scenario, args.seeds.unwrap_or(usual), duration);
    let picked = Pick::Tcp.of(&scenario, options.flow.as_deref())?;
    let folder = options.folder(page::NAME)?;
    let interrupted = interrupt::flag();
    // The controls stay in the kernel until this is dropped.
    let mut entered: Option<Entered> = None;
    let entries = if args.predict {
        parity::simulated(&args.controls)?
    } else {
        let entered = entered.insert(parity::enter(&args.controls, &scenario)?);
        tell(&entered.notes);
        std::mem::take(&mut entered.entries)
    };
    let plan = Plan {
        scenario: &scenario,
        flow: picked,
        entries,
        schedule,
        mtu: args.mtu,
        explains: !args.quick && !args.predict,
        predicts: args.predict,
    };
    let bar = progress::of_real_time(plan.runs(), schedule.jobs, duration);
    let found = plan.run(&interrupted, || bar.over());
    bar.finish();
    let found = page::found(&scenario, &found?);
    let report = (folder.as_deref(), page::NAME);
    options.hand_over(&scenario, found, report, &interrupted)
}
