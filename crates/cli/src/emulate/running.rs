//! Commands for an emulation that runs: which there are, one more command on its hosts, its figures.

use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::program::Program;
use dumbbell_live::running::{self, Running, Seen};
use dumbbell_run::End;

use super::show;
use crate::exit::{Code, Exit};
use crate::interrupt;
use crate::tidy::grid::{self, WIDTH};

/// The interval at which a command is checked.
const GLANCE: Duration = Duration::from_millis(10);

/// `--attach`: without words, lists; otherwise runs a command on a host.
pub fn attach(words: &[String], command: &[String]) -> Result<Code, Exit> {
    let (id, host) = match words {
        [] if command.is_empty() => return list(),
        [host] => (None, host),
        [id, host] => (Some(number(id)?), host),
        _ => {
            return Err(Exit::BadInput(
                "on which host? `--attach sender` or `--attach receiver`".to_owned(),
            ));
        }
    };
    let end = match host.as_str() {
        "sender" => End::Sender,
        "receiver" => End::Receiver,
        other => {
            return Err(Exit::BadInput(format!(
                "there is no host {other}: an emulation has a `sender` and a `receiver`"
            )));
        }
    };
    let command = super::command(command)?;
    let running = running::find(id)?;
    let has_ipv6 = running.about.has_ipv6;
    let (host, presence) = running.enter(end)?;
    let interrupted = interrupt::flag();
    let program = Program::start(&host, super::addressed(command, end, has_ipv6))?;
    while !program.has_ended() && !interrupted.load(Ordering::Relaxed) {
        if presence.is_over() {
            program.stop()?;
            return Err(Exit::Failed(
                "the emulation has ended, and with it the command".to_owned(),
            ));
        }
        thread::sleep(GLANCE);
    }
    let status = program.wait(&interrupted)?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(Exit::Interrupted);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Code::of_command(code.unwrap_or(1)))
}

fn list() -> Result<Code, Exit> {
    let all = running::list()?;
    let mut out = anstream::stdout().lock();
    if all.is_empty() {
        writeln!(out, "no emulation is running")?;
    }
    for Running { about, .. } in all {
        let hosts = match about.closed {
            Some(_) => "between two interfaces",
            None => "hosts: sender, receiver",
        };
        writeln!(out, "{}  {}  ({hosts})", about.id, about.scenario)?;
    }
    Ok(Code::SUCCESS)
}

/// `--watch`: figures until the emulation ends, or for a time.
pub fn watch(
    id: Option<&str>,
    every: Duration,
    lasts: Option<Duration>,
    json: bool,
) -> Result<Code, Exit> {
    let running = running::find(id.map(number).transpose()?)?;
    let about = running.about.clone();
    let mut watch = running.watch(every)?;
    let interrupted = interrupt::flag();
    let mut out = anstream::stdout().lock();
    let redraws = std::io::stdout().is_terminal();
    let begun = Instant::now();
    while !interrupted.load(Ordering::Relaxed) && lasts.is_none_or(|it| begun.elapsed() < it) {
        match watch.look()? {
            Seen::End => break,
            Seen::Nothing => {}
            Seen::Figures(figures) if json => {
                serde_json::to_writer(&mut out, &figures)
                    .map_err(|error| Exit::from(std::io::Error::from(error)))?;
                writeln!(out)?;
                out.flush()?;
            }
            Seen::Figures(figures) => {
                if redraws {
                    // To the corner, and nothing below.
                    write!(out, "\x1b[H\x1b[J")?;
                }
                let width = if redraws { grid::terminal() } else { WIDTH };
                writeln!(out, "{}", show::of(&about, &figures, width))?;
                out.flush()?;
            }
        }
    }
    Ok(Code::SUCCESS)
}

fn number(id: &str) -> Result<u32, Exit> {
    id.parse().map_err(|_| {
        Exit::BadInput(format!(
            "{id} is not the number of an emulation; `dumbbell emulate --attach` lists those that run"
        ))
    })
}
