//! Programs on a host: in its network namespace, and in a separate process namespace, so that none of
//! their processes outlives their owner.

use std::fs;
use std::io;
use std::path::Path;
use std::process::{Child, Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::error::Error;
use crate::namespace::Namespace;
use crate::system;

/// A program that runs on a host. Dropping this value ends it.
#[derive(Debug)]
pub struct Program {
    stop: Arc<AtomicBool>,
    /// The thread that starts the program, and that lives as long as it: the program ends with the
    /// thread.
    owner: Option<JoinHandle<Result<ExitStatus, Error>>>,
}

/// The interval at which the owner checks the program.
const GLANCE: Duration = Duration::from_millis(10);
/// The time that a program has to end after a request.
const GRACE: Duration = Duration::from_secs(1);

impl Program {
    /// Starts a program on a host.
    ///
    /// # Errors
    /// If there is no such program, or without the privileges for namespaces.
    pub fn start(host: &Namespace, mut command: Command) -> Result<Self, Error> {
        let name = command.get_program().to_string_lossy().into_owned();
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let (started, starts) = mpsc::channel();
        let owner = host.spawn(move || {
            let child = system::contain(&mut command).spawn();
            match child {
                Ok(child) => {
                    // This fails only if the starting thread is gone.
                    let _ = started.send(Ok(()));
                    watch(child, &stopped)
                }
                Err(reason) => {
                    let _ = started.send(Err(reason));
                    Err(Error::Refused("the program did not start".to_owned()))
                }
            }
        })?;
        match starts.recv() {
            Ok(Ok(())) => Ok(Self {
                stop,
                owner: Some(owner),
            }),
            Ok(Err(reason)) => Err(not_started(&name, reason)),
            Err(_) => match owner.join() {
                Ok(Err(error)) => Err(error),
                Ok(Ok(_)) => Err(Error::Refused(format!("{name} did not start"))),
                Err(panic) => std::panic::resume_unwind(panic),
            },
        }
    }

    /// Returns whether it has ended.
    pub fn has_ended(&self) -> bool {
        self.owner.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until it has ended, or until `interrupted` is set. In the latter case, it has a second to
    /// end by itself, another second after SIGTERM, and is then killed.
    ///
    /// # Errors
    /// If the system does not return its exit status.
    pub fn wait(mut self, interrupted: &AtomicBool) -> Result<ExitStatus, Error> {
        while !self.has_ended() && !interrupted.load(Ordering::Relaxed) {
            thread::sleep(GLANCE);
        }
        let since = Instant::now();
        while !self.has_ended() && since.elapsed() < GRACE {
            thread::sleep(GLANCE);
        }
        self.end()
    }

    /// Sends SIGTERM, and kills it if it does not end within a second.
    ///
    /// # Errors
    /// If the system does not return its exit status.
    pub fn stop(mut self) -> Result<ExitStatus, Error> {
        self.end()
    }

    fn end(&mut self) -> Result<ExitStatus, Error> {
        self.stop.store(true, Ordering::Relaxed);
        match self.owner.take().map(JoinHandle::join) {
            Some(Ok(ended)) => ended,
            Some(Err(panic)) => std::panic::resume_unwind(panic),
            None => Err(Error::Refused("the program has ended before".to_owned())),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if self.owner.is_some() {
            // A caller that drops the value does not need the result.
            let _ = self.end();
        }
    }
}

/// The error of a program that the system does not start. A file that may not be executed is no matter of
/// privileges.
fn not_started(name: &str, reason: io::Error) -> Error {
    let what = format!("start {name}");
    let why = match reason.raw_os_error() {
        Some(libc::EACCES) if Path::new(name).is_dir() => "it is a folder",
        Some(libc::EACCES) => "it is not executable",
        _ => return Error::system(what, reason),
    };
    let reason = io::Error::other(why);
    Error::System { what, reason }
}

/// Waits for a program, or ends it when `stop` is set.
fn watch(mut child: Child, stop: &AtomicBool) -> Result<ExitStatus, Error> {
    let mut asked: Option<Instant> = None;
    loop {
        let ended = child
            .try_wait()
            .map_err(|reason| Error::system("wait for a program", reason))?;
        if let Some(status) = ended {
            return Ok(status);
        }
        match asked {
            None if stop.load(Ordering::Relaxed) => {
                asked = Some(Instant::now());
                if let Some(program) = contained(child.id()) {
                    // If the program has just ended, the goal is reached.
                    let _ = kill(program, Signal::SIGTERM);
                }
            }
            Some(since) if since.elapsed() > GRACE => {
                let _ = child.kill();
            }
            _ => {}
        }
        thread::sleep(GLANCE);
    }
}

/// Returns the program itself, which is two generations below the started process.
fn contained(keeper: u32) -> Option<Pid> {
    let first = only_child(keeper)?;
    Some(Pid::from_raw(only_child(first)? as i32))
}

fn only_child(process: u32) -> Option<u32> {
    let children = fs::read_to_string(format!("/proc/{process}/task/{process}/children")).ok()?;
    children.split_whitespace().next()?.parse().ok()
}
