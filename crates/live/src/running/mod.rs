//! Running emulations: how other commands find them, look at them, and enter their hosts.
//!
//! An emulation listens at an abstract Unix socket (unix(7)), whose name has the number of its process. There is no file
//! that could be left behind, and only its own user and root are let in. A client gets one line of JSON about the
//! emulation, sends one line with what it wants, and gets lines of JSON or a descriptor until either side ends.

mod connections;
mod figures;
mod serve;

use std::fs;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::time::Duration;

use dumbbell_run::End;
use serde::{Deserialize, Serialize};

pub use figures::{ConnectionFigures, Figures, LinkFigures};
pub use serve::announce;

use crate::error::Error;
use crate::namespace::Namespace;
use crate::system;

/// What an emulation says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// The number of its process.
    pub id: u32,
    /// The program's version, which must be that of the client.
    pub version: String,
    /// The scenario's file.
    pub scenario: String,
    /// Whether it has hosts that can be entered, and if not, why.
    pub closed: Option<String>,
    /// Whether its hosts have IPv6 addresses.
    pub has_ipv6: bool,
}

/// A connection to a running emulation.
#[derive(Debug)]
pub struct Running {
    /// What it is.
    pub about: About,
    stream: BufReader<UnixStream>,
}

const NAME: &str = "dumbbell-emulate-";
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// How long an emulation may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(5);

fn address(id: u32) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(format!("{NAME}{id}"))
}

/// Returns the emulations that run in the calling thread's network namespace and let this user in, by their numbers.
///
/// # Errors
/// If the kernel does not list its sockets.
pub fn list() -> Result<Vec<Running>, Error> {
    let table = fs::read_to_string("/proc/thread-self/net/unix")
        .map_err(|reason| Error::system("list the Unix sockets", reason))?;
    let running = listening(&table).into_iter();
    Ok(running.filter_map(|id| connect(id).ok()).collect())
}

/// The numbers of the emulations in the kernel's table of Unix sockets.
fn listening(table: &str) -> Vec<u32> {
    let names = table.lines().filter_map(|line| {
        // A connection has the name of its listener.
        let is_listener = line.split_whitespace().nth(3) == Some("00010000");
        let name = line.split_whitespace().nth(7)?.strip_prefix('@')?;
        is_listener.then(|| name.strip_prefix(NAME)?.parse().ok())?
    });
    let mut ids: Vec<u32> = names.collect();
    ids.sort_unstable();
    ids
}

/// Returns the emulation with this number, or without a number the only one.
///
/// # Errors
/// If there is none, or without a number more than one.
pub fn find(id: Option<u32>) -> Result<Running, Error> {
    if let Some(id) = id {
        return connect(id);
    }
    let mut all = list()?;
    match (all.pop(), all.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Error::Refused(
            "no emulation is running; `dumbbell emulate FILE` starts one".to_owned(),
        )),
        (Some(last), false) => {
            all.push(last);
            let all: Vec<String> = all
                .iter()
                .map(|one| format!("{} ({})", one.about.id, one.about.scenario))
                .collect();
            Err(Error::Refused(format!(
                "several emulations are running; give the number of one: {}",
                all.join(", ")
            )))
        }
    }
}

fn connect(id: u32) -> Result<Running, Error> {
    let nobody = || {
        Error::Refused(format!(
            "there is no emulation {id}, or it is another user's; `dumbbell emulate --attach` lists those that run"
        ))
    };
    let open = || {
        let stream = UnixStream::connect_addr(&address(id)?)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        stream.read_line(&mut line)?;
        Ok::<_, io::Error>((stream, line))
    };
    let (stream, line) = open().map_err(|_| nobody())?;
    if line.is_empty() {
        return Err(nobody());
    }
    let about: About = serde_json::from_str(&line)
        .map_err(|_| Error::Refused(format!("emulation {id} is of another version of dumbbell")))?;
    if about.version != VERSION {
        return Err(Error::Refused(format!(
            "emulation {id} is of dumbbell {}, and this is {VERSION}",
            about.version
        )));
    }
    Ok(Running { about, stream })
}

impl Running {
    /// Asks for figures at this interval.
    ///
    /// # Errors
    /// If it has ended.
    pub fn watch(mut self, every: Duration) -> Result<Watch, Error> {
        self.ask(&format!("watch {}", every.as_millis()))?;
        // It ends with the emulation.
        let stream = self.stream.get_ref();
        stream
            .set_read_timeout(Some(GLANCE))
            .map_err(|reason| Error::system("watch an emulation", reason))?;
        Ok(Watch {
            stream: self.stream,
            line: Vec::new(),
        })
    }

    /// Asks for the network namespace of a host. It stays as long as the returned connection or a process in it does; the
    /// connection ends with the emulation.
    ///
    /// # Errors
    /// If it has ended, has no hosts, or they may not be entered from here.
    pub fn enter(mut self, end: End) -> Result<(Namespace, Presence), Error> {
        if let Some(why) = &self.about.closed {
            return Err(Error::Refused(why.clone()));
        }
        let (id, name) = (self.about.id, name(end));
        self.ask(&format!("enter {name}"))?;
        let stream = self.stream.into_inner();
        let host: Namespace = system::receive_descriptor(&stream)
            .map_err(|reason| Error::system("enter a host of an emulation", reason))?
            .into();
        match host.run(|| Ok(())) {
            // Only those with privileges over its user namespace may.
            Err(Error::Privileges { .. }) => Err(Error::Refused(format!(
                "the hosts of emulation {id} may not be entered from here; if `unshare -Ur` has started it, enter its user \
                 namespace first: nsenter --user --preserve-credentials --target {id} dumbbell emulate --attach {id} {name}"
            ))),
            Err(error) => Err(error),
            Ok(()) => Ok((host, Presence { stream })),
        }
    }

    fn ask(&mut self, what: &str) -> Result<(), Error> {
        let stream = self.stream.get_mut();
        writeln!(stream, "{what}").map_err(|reason| Error::system("ask an emulation", reason))
    }
}

/// The name of the host at an end.
fn name(end: End) -> &'static str {
    match end {
        End::Sender => "sender",
        End::Receiver => "receiver",
    }
}

/// The figures of an emulation, one after another.
#[derive(Debug)]
pub struct Watch {
    stream: BufReader<UnixStream>,
    line: Vec<u8>,
}

/// The interval at which a caller gets to look after other things.
const GLANCE: Duration = Duration::from_millis(100);

/// What a look at a running emulation brought.
#[derive(Debug)]
pub enum Seen {
    /// Its figures.
    Figures(Box<Figures>),
    /// Nothing yet.
    Nothing,
    /// It has ended.
    End,
}

impl Watch {
    /// Waits for the next figures, a tenth of a second at most.
    ///
    /// # Errors
    /// If it does not send figures.
    pub fn look(&mut self) -> Result<Seen, Error> {
        match self.stream.read_until(b'\n', &mut self.line) {
            Ok(0) => Ok(Seen::End),
            Ok(_) if self.line.ends_with(b"\n") => {
                let figures = serde_json::from_slice(&self.line)
                    .map_err(|wrong| Error::Refused(format!("figures that are none: {wrong}")))?;
                self.line.clear();
                Ok(Seen::Figures(figures))
            }
            Ok(_) => Ok(Seen::End),
            Err(error) => match error.kind() {
                io::ErrorKind::WouldBlock
                | io::ErrorKind::TimedOut
                | io::ErrorKind::Interrupted => Ok(Seen::Nothing),
                io::ErrorKind::ConnectionReset => Ok(Seen::End),
                _ => Err(Error::system("watch an emulation", error)),
            },
        }
    }
}

/// Tells whether an emulation still runs.
#[derive(Debug)]
pub struct Presence {
    stream: UnixStream,
}

impl Presence {
    /// Returns whether it has ended.
    pub fn is_over(&self) -> bool {
        let mut byte = [0];
        self.stream.set_nonblocking(true).is_err()
            || !matches!(io::Read::read(&mut &self.stream, &mut byte), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emulations_are_found_among_the_sockets() {
        let table = "Num       RefCount Protocol Flags    Type St Inode Path\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 7001 @dumbbell-emulate-71\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 7002 @dumbbell-emulate-71\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 7003 /run/dumbbell-emulate-9\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 7004 @dumbbell-emulate-nine\n\
            0000000000000000: 00000002 00000000 00010000 0001 01 7005 @dumbbell-emulate-8\n\
            0000000000000000: 00000003 00000000 00000000 0001 03 7006\n";
        assert_eq!(listening(table), [8, 71]);
    }
}
