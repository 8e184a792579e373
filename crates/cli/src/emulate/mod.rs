//! `dumbbell emulate`: a scenario's network as a real path for any program.

mod capture;
mod receiver;
mod summary;

use std::io::{IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::Command;

use dumbbell_live::default_control;
use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::program::Program;
use dumbbell_live::real_flow::Pick;
use dumbbell_live::watch;
use dumbbell_run::End;

use crate::exit::{Code, Exit};
use crate::input::Set;
use crate::{file, interrupt};
use capture::Capture;
use receiver::Receiver;

/// Runs a command at one end of a scenario's network, in real time (Linux, as root).
///
/// The network connects two hosts in separate namespaces. Everything that they send to each other is the
/// real flow; all other flows of the scenario are simulated beside it. Nothing is left behind, however the
/// command ends.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The scenario file (TOML; docs/scenario.md describes the format); `-` is standard input. Its duration
    /// is ignored.
    file: PathBuf,
    #[command(flatten)]
    set: Set,
    /// The command to run on the sender's host; without it, a shell. DUMBBELL_HERE and DUMBBELL_PEER hold
    /// the addresses of its host and of the other host, DUMBBELL_HERE6 and DUMBBELL_PEER6 those of IPv6.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// A shell command for the receiver's host, which is started before the other command and ended after
    /// it.
    #[arg(long, value_name = "COMMAND")]
    receiver: Option<String>,
    /// Start the other command once the receiver's listens at this TCP or UDP port. Without it, after 0.3 s.
    #[arg(long, value_name = "PORT", requires = "receiver", value_parser = clap::value_parser!(u16).range(1..))]
    ready: Option<u16>,
    /// The flow that is real, by its name or its number from 1 on. Without it, the first TCP flow without
    /// `size`, as for `compare`; if there is none, the first flow with a control.
    #[arg(long, value_name = "N|NAME")]
    flow: Option<String>,
    /// The congestion control of new connections on both hosts: any of the kernel's, or a Dumbbell control that
    /// is loaded (`dumbbell kernel load`).
    #[arg(long, value_name = "NAME")]
    control: Option<String>,
    /// The seed of losses and of the simulated flows. Without it, the file's, or 1.
    #[arg(long)]
    seed: Option<u64>,
    /// The largest packet that the hosts send, in bytes. Without it, a full segment of the real flow.
    #[arg(long, value_parser = clap::value_parser!(u16).range(68..))]
    mtu: Option<u16>,
    /// Write a report about the network to this file (JSON).
    #[arg(long, value_name = "OUT.json")]
    report: Option<PathBuf>,
    /// Capture what the hosts send and receive. A name that ends in .pcap gets the packets at the sender's host;
    /// one that ends in .pcapng gets those at both hosts, and those that the network drops or loses, with the
    /// reason as a comment.
    #[arg(long, value_name = "OUT.pcap[ng]")]
    pcap: Option<PathBuf>,
    /// Exit with code 3 if the machine was too slow for the results to be trusted.
    #[arg(long)]
    strict: bool,
    /// Print nothing about the network at the end.
    #[arg(long)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  dumbbell emulate my.toml -- ping -c 3 10.11.12.2
  dumbbell emulate my.toml --receiver 'iperf3 -s -1' --ready 5201 -- iperf3 -c 10.11.12.2 -C cubic -t 20
  dumbbell emulate my.toml --receiver ./server --report out.json -- ./client
  dumbbell emulate my.toml --pcap out.pcapng -- ./client
  dumbbell emulate my.toml                     a shell on the sender's host

The sender's host is 10.11.12.1, the receiver's 10.11.12.2. The exit code is the command's; 2 for bad input,
3 if the network cannot be created, was too slow (--strict), or the receiver's command failed by itself.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    let scenario = args.set.scenario(&args.file)?;
    let picked = Pick::Controlled.of(&scenario, args.flow.as_deref())?;
    let written: Vec<file::Named<'_>> = [("--report", &args.report), ("--pcap", &args.pcap)]
        .into_iter()
        .filter_map(|(option, path)| Some((option, path.as_deref()?)))
        .collect();
    file::apart(&[("scenario", &args.file)], &written)?;
    if let Some(path) = &args.pcap {
        capture::format(path)?;
    }
    for (_, path) in written {
        file::check(path)?;
    }
    let command = command(args)?;
    let interrupted = interrupt::flag();
    let options = Options {
        flow: picked,
        seed: args.seed.unwrap_or(scenario.seed),
        mtu: args.mtu,
    };
    let mut path = Emulator::prepare(&scenario, options)?;
    if let Some(control) = &args.control {
        // The first is the name itself, if the kernel has it.
        for name in watch::names(control)?.iter().take(1) {
            default_control::choose(&path, name)?;
        }
    }
    let capture = args.pcap.as_deref();
    let capture = capture
        .map(|file| Capture::begin(file, &mut path))
        .transpose()?;
    let mut receiver = args
        .receiver
        .as_deref()
        .map(|command| Receiver::start(&path, addressed(shell(command), End::Receiver), command))
        .transpose()?;
    if let Some(receiver) = &mut receiver {
        receiver.wait_until_ready(&path, args.ready, &interrupted)?;
    }
    // Simulated flows begin with the command.
    path.begin()?;
    let sender = Program::start(path.host(End::Sender), addressed(command, End::Sender))?;
    let status = sender.wait(&interrupted);
    let failed = receiver.map(Receiver::stop).transpose()?.flatten();
    let mtu = path.mtu();
    let report = path.stop()?;
    let status = status?;
    let lacking = match (capture, &report.capture) {
        (Some(capture), Some(captured)) => capture.end(captured)?,
        _ => None,
    };
    if let Some(path) = &args.report {
        let mut text = serde_json::to_string_pretty(&report)
            .map_err(|error| Exit::Failed(error.to_string()))?;
        text.push('\n');
        file::write(path, &text)?;
    }
    if !args.quiet {
        let text = summary::of(&scenario, &report, mtu);
        // Standard output belongs to the command.
        write!(anstream::stderr(), "{text}")?;
    }
    if let Some(lacking) = &lacking {
        writeln!(anstream::stderr(), "warning: {lacking}")?;
    }
    if args.strict && !(report.faults.is_empty() && lacking.is_none()) {
        let faults = report.faults.iter().map(ToString::to_string);
        let faults: Vec<_> = faults.chain(lacking).collect();
        return Err(Exit::Failed(faults.join("; ")));
    }
    if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        return Err(Exit::Interrupted);
    }
    if status.success()
        && let Some(failed) = failed
    {
        return Err(failed);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Code::of_command(code.unwrap_or(1)))
}

/// Returns the command to run on the sender's host.
fn command(args: &Args) -> Result<Command, Exit> {
    if let [program, rest @ ..] = &args.command[..] {
        let mut command = Command::new(program);
        command.args(rest);
        return Ok(command);
    }
    if !std::io::stdin().is_terminal() {
        return Err(Exit::BadInput(
            "no command: write it after `--`, for example -- ping -c 3 10.11.12.2".to_owned(),
        ));
    }
    Ok(Command::new(
        std::env::var_os("SHELL").unwrap_or_else(|| "sh".into()),
    ))
}

fn shell(command: &str) -> Command {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]);
    shell
}

fn addressed(mut command: Command, end: End) -> Command {
    let other = match end {
        End::Sender => End::Receiver,
        End::Receiver => End::Sender,
    };
    command
        .env("DUMBBELL_HERE", Emulator::address(end).to_string())
        .env("DUMBBELL_PEER", Emulator::address(other).to_string())
        .env("DUMBBELL_HERE6", Emulator::address6(end).to_string())
        .env("DUMBBELL_PEER6", Emulator::address6(other).to_string());
    command
}
