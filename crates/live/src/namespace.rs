//! Network namespaces: unnamed ones of our own, and those that exist.
//!
//! One of our own lives as long as something holds it: a value of this type, or a thread or a process in
//! it. Nothing is left behind when the process ends for whatever reason.

use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;
use std::thread::{self, JoinHandle};

use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::stat::fstat;

use crate::error::Error;
use crate::system;

/// Where `ip netns` keeps the named ones.
const NAMED: &str = "/run/netns";

/// A separate network with its own interfaces, addresses, routes and sockets. Its loopback is up.
#[derive(Debug)]
pub struct Namespace {
    net: OwnedFd,
}

impl Namespace {
    /// Creates a namespace. TCP connections in it do not learn from earlier ones
    /// (`tcp_no_metrics_save`).
    ///
    /// # Errors
    /// Without CAP_SYS_ADMIN, or if the kernel has no namespaces.
    pub fn new() -> Result<Self, Error> {
        in_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)
                .map_err(|reason| Error::system("make a network namespace", reason))?;
            system::set_up("lo").map_err(|reason| Error::system("set up loopback", reason))?;
            // If it cannot be written, connections do learn from earlier ones.
            set_if_writable("ipv4/tcp_no_metrics_save", "1")?;
            Self::current()
        })
    }

    /// Returns the namespace of the calling thread.
    ///
    /// # Errors
    /// If the kernel has no namespaces.
    pub fn current() -> Result<Self, Error> {
        let net = File::open("/proc/thread-self/ns/net")
            .map_err(|reason| Error::system("open the network namespace", reason))?;
        Ok(Self { net: net.into() })
    }

    /// Returns an existing namespace: that of a process, by its number, or a named one (`ip netns`).
    ///
    /// # Errors
    /// If there is none, or without the permission to open it.
    pub fn existing(name: &str) -> Result<Self, Error> {
        let is_number = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit());
        // A name without a slash: it stays in the directory.
        let is_name = !name.contains('/') && !matches!(name, "" | "." | "..");
        let named = Path::new(NAMED).join(name);
        let path = match is_number && !named.exists() {
            true => format!("/proc/{name}/ns/net").into(),
            false => named,
        };
        let opened = is_name.then(|| File::open(path));
        match opened {
            Some(Ok(net)) => Ok(Self { net: net.into() }),
            Some(Err(reason)) if reason.kind() != io::ErrorKind::NotFound => Err(Error::system(
                format!("open the network namespace {name}"),
                reason,
            )),
            _ if is_number => Err(Error::Refused(format!(
                "there is no process {name}, whose network namespace could be joined"
            ))),
            _ => Err(Error::Refused(format!(
                "there is no network namespace {name}; `ip netns list` shows those with names, \
                 `ip netns add {name}` makes one, and a process stands for its own by its number"
            ))),
        }
    }

    /// Returns whether two values are the same namespace.
    ///
    /// # Errors
    /// If the system does not tell.
    pub fn is(&self, other: &Self) -> Result<bool, Error> {
        let number = |one: &Self| {
            fstat(&one.net)
                .map(|stat| (stat.st_dev, stat.st_ino))
                .map_err(|reason| Error::system("look at a network namespace", reason))
        };
        Ok(number(self)? == number(other)?)
    }

    /// Returns the same namespace a second time.
    ///
    /// # Errors
    /// If the process has no more descriptors.
    pub fn try_clone(&self) -> Result<Self, Error> {
        let net = self.net.try_clone();
        net.map(|net| Self { net })
            .map_err(|reason| Error::system("share a network namespace", reason))
    }

    /// Moves the calling thread, and the processes that it starts, permanently into this namespace.
    ///
    /// # Errors
    /// Without CAP_SYS_ADMIN.
    pub fn enter(&self) -> Result<(), Error> {
        setns(&self.net, CloneFlags::CLONE_NEWNET)
            .map_err(|reason| Error::system("enter a network namespace", reason))
    }

    /// Runs `work` on a thread in this namespace, and waits for it.
    ///
    /// # Errors
    /// As [`enter`](Self::enter), and those of `work`.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
        in_a_thread(|| {
            self.enter()?;
            work()
        })
    }

    /// Runs `work` on a thread in this namespace.
    ///
    /// # Errors
    /// As [`enter`](Self::enter), when the thread is joined.
    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Error> + Send + 'static,
    ) -> Result<JoinHandle<Result<T, Error>>, Error> {
        let copy = self.try_clone()?;
        Ok(thread::spawn(move || {
            copy.enter()?;
            work()
        }))
    }
}

/// Of a descriptor that another process has passed on.
impl From<OwnedFd> for Namespace {
    fn from(net: OwnedFd) -> Self {
        Self { net }
    }
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.net.as_fd()
    }
}

/// Sets a parameter below `/proc/sys/net` in the namespace of the calling thread.
///
/// # Errors
/// If there is no such parameter, or it may not be set.
pub fn set(parameter: &str, value: &str) -> Result<(), Error> {
    fs::write(format!("/proc/sys/net/{parameter}"), value)
        .map_err(|reason| Error::system(format!("set net/{parameter} to {value}"), reason))
}

/// As [`set`], but leaves the parameter as it is if `/proc/sys` is read-only, as in containers.
///
/// # Errors
/// If there is no such parameter.
pub fn set_if_writable(parameter: &str, value: &str) -> Result<(), Error> {
    match set(parameter, value) {
        Err(Error::System { reason, .. }) if reason.kind() == io::ErrorKind::ReadOnlyFilesystem => {
            Ok(())
        }
        other => other,
    }
}

/// Runs work on a separate thread, because a namespace belongs to a thread.
fn in_a_thread<T: Send>(work: impl FnOnce() -> Result<T, Error> + Send) -> Result<T, Error> {
    thread::scope(|scope| match scope.spawn(work).join() {
        Ok(done) => done,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}
