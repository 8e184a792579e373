//! The command on the receiver's host: when it is ready, and how it ended.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::emulator::Emulator;
use dumbbell_live::program::Program;
use dumbbell_live::ready;
use dumbbell_run::End;

use crate::exit::Exit;

/// A running command.
pub struct Receiver {
    program: Program,
    command: String,
}

/// The time that it has to get ready, if no port tells.
const HEAD_START: Duration = Duration::from_millis(300);
/// The longest time until it listens.
const PATIENCE: Duration = Duration::from_secs(30);
/// The interval at which it is checked.
const GLANCE: Duration = Duration::from_millis(10);

impl Receiver {
    /// Starts a command, whose text is for messages.
    pub fn start(path: &Emulator, command: Command, text: &str) -> Result<Self, Exit> {
        Ok(Self {
            program: Program::start(path.host(End::Receiver), command)?,
            command: text.to_owned(),
        })
    }

    /// Waits until it listens at a port, or without a port for a moment. Returns at once if it is interrupted.
    pub fn wait_until_ready(
        &mut self,
        path: &Emulator,
        port: Option<u16>,
        interrupted: &AtomicBool,
    ) -> Result<(), Exit> {
        let begun = Instant::now();
        while !interrupted.load(Ordering::Relaxed) && !self.program.has_ended() {
            match port {
                Some(port) if ready::listens(path.host(End::Receiver), port)? => return Ok(()),
                Some(port) if begun.elapsed() > PATIENCE => {
                    return Err(Exit::Failed(format!(
                        "the receiver's command, `{}`, does not listen at port {port} after {} s",
                        self.command,
                        PATIENCE.as_secs()
                    )));
                }
                None if begun.elapsed() > HEAD_START => return Ok(()),
                _ => thread::sleep(GLANCE),
            }
        }
        match port {
            Some(port) if self.program.has_ended() => Err(Exit::Failed(format!(
                "the receiver's command, `{}`, ended before it listened at port {port}",
                self.command
            ))),
            _ => Ok(()),
        }
    }

    /// Ends it, and returns an error if it had failed by itself.
    pub fn stop(self) -> Result<Option<Exit>, Exit> {
        let by_itself = self.program.has_ended();
        let status = self.program.stop()?;
        let failed = by_itself && !status.success();
        Ok(failed.then(|| {
            let code = status.code().unwrap_or(1);
            Exit::Failed(format!(
                "the receiver's command, `{}`, ended with code {code}",
                self.command
            ))
        }))
    }
}
