//! AQT on real hosts: the tc programs that carry RoVegas' option, and their places.
//!
//! The programs are in `bpf/aqt.bpf.c`, which says what each does. They stay attached while the
//! [`Aqt`] that attached them lives, or the process: nothing is left behind.

use std::fmt;
use std::io;
use std::os::fd::{AsFd as _, AsRawFd as _, BorrowedFd, OwnedFd};
use std::path::Path;
use std::str::FromStr;

use libbpf_rs::{Map, MapCore as _, MapFlags, Object, ObjectBuilder, OpenMapMut, OpenObject};

use super::{Error, log, machine};
use crate::device::Device;
use crate::system::{self, Hook};

static OBJECT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/aqt.bpf.o"));

/// Bytes of a control's name in the kernel, with the zero at its end.
const NAME: usize = 16;

/// What a host does for AQT, on one of its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sends data: puts the option into it, and reads what ACKs tell.
    Sender,
    /// It gets data: tells in its ACKs how long the data waited.
    Receiver,
    /// It queues packets on this device, and adds how long they waited.
    Router,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sender, Self::Receiver, Self::Router];

    /// Its name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Receiver => "receiver",
            Self::Router => "router",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        let role = Self::ALL.into_iter().find(|role| role.name() == name);
        role.ok_or_else(|| {
            refused(
                "choose a role of AQT",
                format!("{name:?} is none of sender, receiver, router"),
            )
        })
    }
}

/// What the programs of one [`Aqt`] did so far, in packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Data that got the option.
    pub marked: u64,
    /// Data that had no room for it: the socket's control was chosen after the connection was made.
    pub no_room: u64,
    /// Packets that waited here and say so.
    pub stamped: u64,
    /// Data whose wait was heard by a receiver.
    pub heard: u64,
    /// ACKs that tell it.
    pub echoed: u64,
    /// ACKs whose report a sender kept.
    pub reported: u64,
    /// SYNs whose MSS was lowered to leave room.
    pub clamped: u64,
}

/// What ACKs told a sender's socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// How long the newest ACK waited in routers, in microseconds.
    pub backward_us: u32,
    /// How long the data that it answers waited, in microseconds.
    pub forward_us: u32,
    /// How many ACKs told it so far.
    pub count: u32,
}

/// The programs, loaded, and where they are attached.
pub struct Aqt {
    object: Object,
    links: Vec<(String, OwnedFd)>,
}

impl Aqt {
    /// Loads the programs for the connections of one control, by its name in the kernel; an empty name
    /// means all connections. Reports go to the map of a control that is loaded already, if that is given.
    ///
    /// # Errors
    /// Without privileges, or if the kernel refuses them.
    pub fn load(control: &str, reports: Option<BorrowedFd<'_>>) -> Result<Self, Error> {
        let missing = machine::missing_capabilities();
        if !missing.is_empty() {
            return Err(Error::NoPrivileges(missing));
        }
        let (object, detail) = log::kept(|| {
            let builder = ObjectBuilder::default()
                .name("dumbbell_aqt")?
                .open_memory(OBJECT);
            let mut open = builder?;
            name_control(&mut open, control)?;
            if let Some(reports) = reports {
                let mut map = open.maps_mut().find(|map| map.name() == "aqt_sk");
                let map = map.as_mut().expect("the object declares it");
                map.reuse_fd(reports)?;
            }
            open.load()
        });
        let object = object.map_err(|reason| Error::Refused {
            action: "load the programs of AQT".to_owned(),
            answer: format!("{reason:#}"),
            detail,
        })?;
        let links = Vec::new();
        Ok(Self { object, links })
    }

    /// Attaches what a role needs to a device of the calling thread's network namespace: all of it or
    /// nothing.
    ///
    /// For a router it is the device that has the queue. What is behind that device tells how long a
    /// packet waited, so it must be one end of a veth or stand on another device, and both must be in the
    /// same namespace.
    ///
    /// # Errors
    /// If there is no such device, if it does not suit a router, without privileges, before Linux 6.6.
    pub fn attach(&mut self, device: &str, role: Role) -> Result<(), Error> {
        let at = Device::named(device).map_err(|reason| at_device(device, reason.to_string()))?;
        let places = match role {
            Role::Sender => [
                ("aqt_sender_in", at.index, Hook::Ingress),
                // A receiver's program behind it then finds the option, and writes its echo there.
                ("aqt_sender_out", at.index, Hook::EgressFirst),
            ],
            Role::Receiver => [
                ("aqt_receiver_in", at.index, Hook::Ingress),
                ("aqt_receiver_out", at.index, Hook::Egress),
            ],
            Role::Router => {
                let (program, behind, hook) = behind_the_queue(&at)?;
                [
                    (program, behind, hook),
                    ("aqt_arrive", at.index, Hook::Egress),
                ]
            }
        };
        let attached: Result<Vec<_>, Error> = places
            .into_iter()
            .map(|(program, index, hook)| {
                let link = self
                    .attach_one(program, index, hook)
                    .map_err(|reason| at_device(device, answer(&reason)))?;
                Ok((format!("{program}-{index}"), link))
            })
            .collect();
        self.links.extend(attached?);
        Ok(())
    }

    /// What the programs did so far.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub fn counts(&self) -> Result<Counts, Error> {
        let map = self.map("aqt_counts");
        let sum = |what: u32| -> Result<u64, Error> {
            let cores = map
                .lookup_percpu(&what.to_ne_bytes(), MapFlags::ANY)
                .map_err(|reason| Error::refused("read AQT's counts", &reason))?;
            let words = cores.iter().flatten();
            let words = words.filter_map(|core| core.first_chunk().copied());
            Ok(words.map(u64::from_ne_bytes).sum())
        };
        Ok(Counts {
            marked: sum(0)?,
            no_room: sum(1)?,
            stamped: sum(2)?,
            heard: sum(3)?,
            echoed: sum(4)?,
            reported: sum(5)?,
            clamped: sum(6)?,
        })
    }

    /// What ACKs told a socket of this process, if any did.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub fn report(&self, socket: BorrowedFd<'_>) -> Result<Option<Report>, Error> {
        let bytes = self
            .map("aqt_sk")
            .lookup(&socket.as_raw_fd().to_ne_bytes(), MapFlags::ANY)
            .map_err(|reason| Error::refused("read AQT's reports", &reason))?;
        let word = |bytes: &[u8], at: usize| {
            let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
            word.copied().map(u32::from_ne_bytes)
        };
        Ok(bytes.and_then(|bytes| {
            Some(Report {
                backward_us: word(&bytes, 0)?,
                forward_us: word(&bytes, 4)?,
                count: word(&bytes, 8)?,
            })
        }))
    }

    /// Keeps the programs attached when this ends: pins their links in a directory of a file system of
    /// BPF. Removing the pins detaches them.
    ///
    /// # Errors
    /// If the directory is not in such a file system, or has such pins already. What was pinned by then
    /// stays, and can be removed.
    pub(super) fn pin(&self, directory: &Path) -> Result<(), Error> {
        for (name, link) in &self.links {
            let path = directory.join(name);
            system::pin(link.as_fd(), &path).map_err(|source| Error::Pins {
                action: "pin",
                path,
                source,
            })?;
        }
        Ok(())
    }

    fn attach_one(&self, program: &str, device: u32, hook: Hook) -> io::Result<OwnedFd> {
        let mut programs = self.object.progs();
        let program = programs.find(|candidate| candidate.name() == program);
        let program = program.expect("the object has them all");
        system::attach_tcx(program.as_fd(), device, hook)
    }

    fn map(&self, name: &str) -> Map<'_> {
        let map = self.object.maps().find(|map| map.name() == name);
        map.expect("the object declares it")
    }
}

impl fmt::Debug for Aqt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aqt")
            .field("links", &self.links)
            .finish_non_exhaustive()
    }
}

/// Where packets come out of a device's queue.
fn behind_the_queue(device: &Device) -> Result<(&'static str, u32, Hook), Error> {
    let unsuitable = |why: &str| {
        let answer = format!(
            "{why}; put the queue on one end of a veth pair whose both ends are here, and route on from the \
             other end (docs/kernel.md)"
        );
        at_device(&device.name, answer)
    };
    let Some(behind) = device.behind else {
        return Err(unsuitable(
            "a tc program runs before the queue of its device, and no device stands behind this one",
        ));
    };
    if device.elsewhere {
        return Err(unsuitable(
            "the device behind it is in another network namespace, where a packet's time of arrival is lost",
        ));
    }
    Ok(match device.kind.as_deref() {
        Some("veth") => ("aqt_depart", behind, Hook::Ingress),
        _ => ("aqt_depart_below", behind, Hook::Egress),
    })
}

/// Tells the programs which control's connections carry the option.
fn name_control(open: &mut OpenObject, control: &str) -> libbpf_rs::Result<()> {
    let known = |map: &OpenMapMut<'_>| map.name().to_string_lossy().ends_with(".rodata");
    let mut constants = open.maps_mut().find(known);
    let value = constants.as_mut().and_then(|map| map.initial_value_mut());
    // The name is the first of them, and the only one that is not made by the compiler.
    match value.and_then(|value| value.first_chunk_mut::<NAME>()) {
        Some(place) if control.len() < NAME => {
            place.fill(0);
            place[..control.len()].copy_from_slice(control.as_bytes());
            Ok(())
        }
        _ => Err(libbpf_rs::Error::from(io::Error::other(format!(
            "{control:?} is no name of a control: at most 15 bytes"
        )))),
    }
}

fn refused(action: impl Into<String>, answer: impl Into<String>) -> Error {
    Error::Refused {
        action: action.into(),
        answer: answer.into(),
        detail: Vec::new(),
    }
}

fn at_device(device: &str, answer: String) -> Error {
    refused(format!("attach the programs of AQT to {device}"), answer)
}

/// What the kernel says to a program at a device.
fn answer(reason: &io::Error) -> String {
    match reason.raw_os_error() {
        Some(libc::EINVAL) if !machine::at_least(&machine::release(), (6, 6)) => {
            format!("{reason}; it needs Linux 6.6 or later")
        }
        _ => reason.to_string(),
    }
}

#[cfg(test)]
mod tests;
