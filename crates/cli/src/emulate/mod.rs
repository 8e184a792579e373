//! `dumbbell emulate`: a scenario's network as a real path for any program.

mod capture;
mod place;
mod receiver;
mod running;
mod show;
mod summary;

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::default_control;
use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::program::Program;
use dumbbell_live::real_flow::Pick;
use dumbbell_live::{running as others, watch};
use dumbbell_run::End;

use crate::exit::{Code, Exit};
use crate::input::{self, Set};
use crate::{file, interrupt};
use capture::Capture;
use receiver::Receiver;

/// Runs a command at one end of a scenario's network, in real time (Linux, as root).
///
/// The network connects two hosts in separate namespaces, or what --join and --between name. Everything that
/// they send to each other is the real flow; all other flows of the scenario are simulated beside it. Nothing is
/// left behind, however the command ends.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The scenario file (TOML; docs/scenario.md describes the format); `-` is standard input. Its duration
    /// is ignored.
    #[arg(required_unless_present_any = ["attach", "watch"])]
    file: Option<PathBuf>,
    #[command(flatten)]
    set: Set,
    /// The command to run on the sender's host; without it, a shell. DUMBBELL_HERE and DUMBBELL_PEER hold
    /// the addresses of its host and of the other host, DUMBBELL_HERE6 and DUMBBELL_PEER6 those of IPv6,
    /// which the hosts have if packets may have 1280 bytes (--mtu).
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<String>,
    /// A shell command for the receiver's host, which is started before the other command and ended after
    /// it.
    #[arg(long, value_name = "COMMAND")]
    receiver: Option<String>,
    /// Start the other command once the receiver's listens at this TCP or UDP port. Without it, after 0.3 s.
    #[arg(long, value_name = "PORT", requires = "receiver", value_parser = clap::value_parser!(u16).range(1..))]
    ready: Option<u16>,
    /// Connect two network namespaces that exist, the sender's and the receiver's, instead of new hosts: by their
    /// names (`ip netns`) or by the numbers of processes in them, such as containers'. Each gets an interface,
    /// dumbbell0, which goes with the emulation.
    #[arg(long, num_args = 2, value_names = ["NETNS", "NETNS"])]
    join: Vec<String>,
    /// Be a box in the middle between two Ethernet interfaces of this machine, towards the sender and towards the
    /// receiver: their frames cross the network in both directions. Until Ctrl-C, for --for, or as long as COMMAND
    /// runs, on this machine.
    #[arg(long, num_args = 2, value_names = ["IF", "IF"], conflicts_with_all = ["join", "receiver", "control", "mtu"])]
    between: Vec<String>,
    /// End a box in the middle, or a watch, after this time, such as "20 s".
    #[arg(long = "for", value_name = "TIME", value_parser = input::time)]
    lasts: Option<Duration>,
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
    /// Run COMMAND, or a shell, on a host of an emulation that runs: `sender` or `receiver`, after its number if there
    /// are several. Without a host, list those that run.
    #[arg(long, num_args = 0..=2, value_names = ["ID", "HOST"], conflicts_with_all = STARTING)]
    attach: Option<Vec<String>>,
    /// Print live figures of an emulation that runs: rates, queues, drops, lateness, windows of connections.
    #[arg(long, num_args = 0..=1, value_name = "ID", conflicts_with_all = STARTING, conflicts_with_all = ["attach", "command"])]
    watch: Option<Option<String>>,
    /// The interval of figures.
    #[arg(long, value_name = "TIME", requires = "watch", default_value = "1 s", value_parser = input::time)]
    every: Duration,
    /// Print figures as lines of JSON.
    #[arg(long, requires = "watch")]
    json: bool,
}

/// What only concerns an emulation that is to be started.
const STARTING: [&str; 12] = [
    "file", "set", "receiver", "join", "between", "flow", "control", "seed", "mtu", "report",
    "pcap", "strict",
];

const EXAMPLES: &str = "\
Examples:
  dumbbell emulate my.toml -- ping -c 3 10.11.12.2
  dumbbell emulate my.toml --receiver 'iperf3 -s -1' --ready 5201 -- iperf3 -c 10.11.12.2 -C cubic -t 20
  dumbbell emulate my.toml --receiver ./server --report out.json -- ./client
  dumbbell emulate my.toml --pcap out.pcapng -- ./client
  dumbbell emulate my.toml                     a shell on the sender's host
  dumbbell emulate my.toml --join red blue -- sleep 1h         between two namespaces of `ip netns`
  dumbbell emulate my.toml --between eth1 eth2                 a box in the middle, until Ctrl-C
  dumbbell emulate --attach                    which emulations run
  dumbbell emulate --attach receiver -- ss -ti
  dumbbell emulate --watch                     live figures, on another terminal

The sender's host is 10.11.12.1, the receiver's 10.11.12.2. The exit code is the command's; 2 for bad input,
3 if the network cannot be created, was too slow (--strict), or the receiver's command failed by itself.";

pub fn run(args: &Args) -> Result<Code, Exit> {
    if let Some(words) = &args.attach {
        return running::attach(words, &args.command);
    }
    if let Some(id) = &args.watch {
        return running::watch(id.as_deref(), args.every, args.lasts, args.json);
    }
    let Some(file) = &args.file else {
        return Err(Exit::BadInput("which scenario? give its file".to_owned()));
    };
    if args.lasts.is_some() && args.between.is_empty() {
        return Err(Exit::BadInput(
            "--for ends a box in the middle (--between) or a watch; other emulations last as long as their command"
                .to_owned(),
        ));
    }
    emulate(args, file)
}

fn emulate(args: &Args, file: &Path) -> Result<Code, Exit> {
    let scenario = args.set.scenario(file)?;
    let picked = Pick::Controlled.of(&scenario, args.flow.as_deref())?;
    let written: Vec<file::Named<'_>> = [("--report", &args.report), ("--pcap", &args.pcap)]
        .into_iter()
        .filter_map(|(option, path)| Some((option, path.as_deref()?)))
        .collect();
    file::apart(&[("scenario", file)], &written)?;
    if let Some(path) = &args.pcap {
        capture::format(path)?;
    }
    for (_, path) in written {
        file::check(path)?;
    }
    let is_box = !args.between.is_empty();
    let command = match is_box && args.command.is_empty() {
        true => None,
        false => Some(command(&args.command)?),
    };
    let interrupted = interrupt::flag();
    let options = Options {
        flow: picked,
        seed: args.seed.unwrap_or(scenario.seed),
        mtu: args.mtu,
    };
    let mut path = Emulator::at(place::of(args)?, &scenario, options)?;
    // The first is the name itself, if the kernel has it.
    let names = args.control.as_deref().map(watch::names).transpose()?;
    let name = names.as_ref().and_then(|names| names.first());
    let chosen = name
        .map(|name| default_control::choose(&path, name, &scenario))
        .transpose()?;
    let capture = args.pcap.as_deref();
    let capture = capture
        .map(|file| Capture::begin(file, &mut path))
        .transpose()?;
    let has_ipv6 = path.has_ipv6();
    let mut receiver = args
        .receiver
        .as_deref()
        .map(|command| {
            Receiver::start(
                &path,
                addressed(shell(command), End::Receiver, has_ipv6),
                command,
            )
        })
        .transpose()?;
    if let Some(receiver) = &mut receiver {
        receiver.wait_until_ready(&path, args.ready, &interrupted)?;
    }
    let announced = others::announce(&mut path, &file.display().to_string());
    if let Err(why) = &announced {
        anstream::eprintln!("note: {why}");
    }
    if let [one, other] = &args.between[..]
        && !args.quiet
    {
        let file = file.display();
        anstream::eprintln!("{one} <-> {other} through {file}; Ctrl-C ends it");
    }
    // Simulated flows begin with the command.
    path.begin()?;
    let command = command.map(|command| match is_box {
        true => command,
        false => addressed(command, End::Sender, has_ipv6),
    });
    let status = carry(&path, command, args.lasts, &interrupted);
    // Attached commands end.
    drop(announced);
    let failed = receiver.map(Receiver::stop).transpose()?.flatten();
    drop(chosen);
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
    if interrupted.load(Ordering::Relaxed) {
        return Err(Exit::Interrupted);
    }
    if status.is_none_or(|status| status.success())
        && let Some(failed) = failed
    {
        return Err(failed);
    }
    let Some(status) = status else {
        return Ok(Code::SUCCESS);
    };
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Code::of_command(code.unwrap_or(1)))
}

/// Waits for the end: that of the command, of the time, of the network, or Ctrl-C.
fn carry(
    path: &Emulator,
    command: Option<Command>,
    lasts: Option<Duration>,
    interrupted: &AtomicBool,
) -> Result<Option<ExitStatus>, Exit> {
    let host = path.host(End::Sender);
    let program = command.map(|it| Program::start(host, it)).transpose()?;
    let begun = Instant::now();
    let lasts = || {
        !interrupted.load(Ordering::Relaxed)
            && path.is_running()
            && lasts.is_none_or(|it| begun.elapsed() < it)
            && program.as_ref().is_none_or(|program| !program.has_ended())
    };
    while lasts() {
        thread::sleep(GLANCE);
    }
    Ok(match program {
        Some(program) if interrupted.load(Ordering::Relaxed) => Some(program.wait(interrupted)?),
        Some(program) => Some(program.stop()?),
        None => None,
    })
}

/// The interval at which the command is checked.
const GLANCE: Duration = Duration::from_millis(10);

/// Returns the command to run on a host; without words, a shell.
fn command(words: &[String]) -> Result<Command, Exit> {
    if let [program, rest @ ..] = words {
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

/// Tells a command the addresses of the hosts at this and the other end.
fn addressed(mut command: Command, end: End, has_ipv6: bool) -> Command {
    let other = match end {
        End::Sender => End::Receiver,
        End::Receiver => End::Sender,
    };
    command
        .env("DUMBBELL_HERE", Emulator::address(end).to_string())
        .env("DUMBBELL_PEER", Emulator::address(other).to_string());
    if has_ipv6 {
        command
            .env("DUMBBELL_HERE6", Emulator::address6(end).to_string())
            .env("DUMBBELL_PEER6", Emulator::address6(other).to_string());
    }
    command
}
