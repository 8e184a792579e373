//! The emulation's side: a thread that listens, and one for each that has come.

use std::io::{self, BufRead as _, BufReader, IoSlice, Read as _, Write as _};
use std::os::fd::{AsFd as _, AsRawFd as _};
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::{ControlMessage, MsgFlags, getsockopt, sendmsg, sockopt::PeerCredentials};
use nix::unistd::geteuid;

use super::connections::Connections;
use super::figures::Figures;
use super::{About, GLANCE, VERSION, address};
use crate::emulator::{Emulator, Window};
use crate::error::Error;
use crate::namespace::Namespace;

/// Listens until it is dropped.
#[derive(Debug)]
pub struct Announced {
    stop: Arc<AtomicBool>,
}

impl Drop for Announced {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

/// What those who come may see.
struct Shown {
    about: About,
    window: Arc<Window>,
    links: Vec<String>,
    /// None of a box in the middle.
    hosts: Option<[Namespace; 2]>,
    stop: Arc<AtomicBool>,
}

/// Why nobody can enter a box in the middle.
const NO_HOSTS: &str =
    "this emulation is a box between two interfaces: its hosts are other machines";
/// The shortest interval of figures.
const LEAST: Duration = Duration::from_millis(50);

/// Lets others find an emulation, whose scenario is from this file, until the returned value is dropped. Its time must
/// not have begun.
///
/// # Errors
/// If the system starts no thread, or another listens in its name.
pub fn announce(path: &mut Emulator, scenario: &str) -> Result<Announced, Error> {
    let (window, links) = path.window();
    let hosts = path.hosts()?;
    let id = std::process::id();
    let about = About {
        id,
        version: VERSION.to_owned(),
        scenario: scenario.to_owned(),
        closed: hosts.is_none().then(|| NO_HOSTS.to_owned()),
        has_ipv6: path.has_ipv6(),
    };
    let failed = |reason: io::Error| Error::system("let other commands find the emulation", reason);
    let listener = address(id).and_then(|address| UnixListener::bind_addr(&address));
    let listener = listener.map_err(failed)?;
    listener.set_nonblocking(true).map_err(failed)?;
    let stop = Arc::new(AtomicBool::new(false));
    let shown = Arc::new(Shown {
        about,
        window,
        links,
        hosts,
        stop: Arc::clone(&stop),
    });
    thread::Builder::new()
        .name("announcer".to_owned())
        .spawn(move || listen(&listener, &shown))
        .map_err(failed)?;
    Ok(Announced { stop })
}

fn listen(listener: &UnixListener, shown: &Arc<Shown>) {
    while !shown.stop.load(Ordering::Relaxed) {
        let Ok((stream, _)) = listener.accept() else {
            thread::sleep(GLANCE / 2);
            continue;
        };
        let shown = Arc::clone(shown);
        // Without a thread, the client sees that the connection ends.
        let _ = thread::Builder::new()
            .name("guest".to_owned())
            .spawn(move || serve(stream, &shown));
    }
}

/// Serves one client. Its errors end the connection, and concern nobody else.
fn serve(stream: UnixStream, shown: &Shown) -> Option<()> {
    let who = getsockopt(&stream, PeerCredentials).ok()?;
    if who.uid() != 0 && who.uid() != geteuid().as_raw() {
        return None;
    }
    stream.set_nonblocking(false).ok()?;
    stream.set_read_timeout(Some(GLANCE)).ok()?;
    let mut stream = BufReader::new(stream);
    let about = serde_json::to_string(&shown.about).ok()?;
    writeln!(stream.get_mut(), "{about}").ok()?;
    let mut request = String::new();
    while !request.ends_with('\n') {
        match stream.read_line(&mut request) {
            Ok(0) => return None,
            Ok(_) => {}
            Err(error) if is_patient(&error) && !shown.stop.load(Ordering::Relaxed) => {}
            Err(_) => return None,
        }
    }
    let stream = stream.into_inner();
    match request.trim_end().split_once(' ') {
        Some(("watch", every)) => {
            let every = Duration::from_millis(every.parse().ok()?);
            tell(stream, shown, every.max(LEAST))
        }
        Some(("enter", host)) => {
            let [sender, receiver] = shown.hosts.as_ref()?;
            let host = match host {
                "sender" => sender,
                "receiver" => receiver,
                _ => return None,
            };
            let descriptor = [host.as_fd().as_raw_fd()];
            let rights = [ControlMessage::ScmRights(&descriptor)];
            let byte = [IoSlice::new(b"1")];
            let flags = MsgFlags::MSG_NOSIGNAL;
            sendmsg::<()>(stream.as_raw_fd(), &byte, &rights, flags, None).ok()?;
            while stays(&stream, shown, GLANCE) {}
            Some(())
        }
        _ => None,
    }
}

/// Sends figures until the client or the emulation ends.
fn tell(mut stream: UnixStream, shown: &Shown, every: Duration) -> Option<()> {
    let (begun, mut connections, mut before) = (Instant::now(), Connections::default(), None);
    loop {
        let next = Instant::now() + every;
        // Before the network's time has begun, there is nothing to tell.
        if let Some(now) = shown.window.look() {
            let mut figures = Figures::between(before.as_ref(), &now, &shown.links);
            if let Some(hosts) = &shown.hosts {
                // A kernel that does not list them is no reason to tell nothing.
                let found = connections.look(hosts, begun.elapsed());
                figures.connections = found.unwrap_or_default();
            }
            before = Some(now);
            let mut line = serde_json::to_vec(&figures).ok()?;
            line.push(b'\n');
            stream.write_all(&line).ok()?;
        }
        loop {
            let left = next.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            if !stays(&stream, shown, left.min(GLANCE)) {
                return Some(());
            }
        }
    }
}

/// Waits for a moment. Returns whether both sides still run.
fn stays(mut stream: &UnixStream, shown: &Shown, wait: Duration) -> bool {
    let waits = stream.set_read_timeout(Some(wait));
    if shown.stop.load(Ordering::Relaxed) || waits.is_err() {
        return false;
    }
    let mut byte = [0];
    match stream.read(&mut byte) {
        Ok(0) => false,
        Ok(_) => true,
        Err(error) => is_patient(&error),
    }
}

fn is_patient(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}
