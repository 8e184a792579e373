//! AQT on real hosts: the tc programs that carry RoVegas' option, and where they are attached.
//!
//! The programs are in `bpf/aqt.bpf.c`, which describes each of them. They stay attached as long as the
//! [`Aqt`] that attached them, or the process, lives: nothing is left behind.

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

/// Size of a control's name in the kernel, with the terminating zero.
const NAME: usize = 16;

/// The role of a host for AQT, on one of its devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It sends data: it adds the option to the data, and reads the reports in ACKs.
    Sender,
    /// It receives data: it reports in its ACKs how long the data waited.
    Receiver,
    /// It queues packets on this device, and adds how long they waited.
    Router,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 3] = [Self::Sender, Self::Receiver, Self::Router];

    /// Returns its name on a command line.
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
                format!("{name:?} is not one of sender, receiver, router"),
            )
        })
    }
}

/// Counters of the programs of one [`Aqt`], in packets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Data that got the option.
    pub marked: u64,
    /// Data without space for the option: the socket's control was chosen after the connection was
    /// opened.
    pub no_room: u64,
    /// Packets that a router stamped with their waiting time.
    pub stamped: u64,
    /// Data whose waiting time a receiver has read.
    pub heard: u64,
    /// ACKs that carry the waiting time of data.
    pub echoed: u64,
    /// ACKs whose report a sender has stored.
    pub reported: u64,
    /// SYNs whose MSS was lowered to make space for the option.
    pub clamped: u64,
}

/// The reports that ACKs have brought to a sender's socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// How long the newest ACK waited in routers, in microseconds.
    pub backward_us: u32,
    /// How long the data that it acknowledges waited, in microseconds.
    pub forward_us: u32,
    /// The number of reports so far.
    pub count: u32,
}

/// The loaded programs, and where they are attached.
pub struct Aqt {
    object: Object,
    links: Vec<(String, OwnedFd)>,
}

impl Aqt {
    /// Loads the programs for the connections of one control, by its name in the kernel; an empty name
    /// means all connections. If `reports` is given, reports go to that map of an already loaded control.
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

    /// Attaches everything that a role needs to a device of the calling thread's network namespace, or
    /// nothing.
    ///
    /// For a router, the device is the one with the queue. The device behind it measures how long a
    /// packet waited, so the device must be one end of a veth or be stacked on another device, and both
    /// must be in the same namespace.
    ///
    /// # Errors
    /// If there is no such device, if it does not suit a router, without privileges, or before Linux 6.6.
    pub fn attach(&mut self, device: &str, role: Role) -> Result<(), Error> {
        let at = Device::named(device).map_err(|reason| at_device(device, reason.to_string()))?;
        let places = match role {
            Role::Sender => [
                ("aqt_sender_in", at.index, Hook::Ingress),
                // A receiver's program that runs later then finds the option, and writes its echo into
                // it.
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

    /// Returns the counters of the programs.
    ///
    /// # Errors
    /// If the kernel does not return them.
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

    /// Returns the reports for a socket of this process, if there are any.
    ///
    /// # Errors
    /// If the kernel does not return them.
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

    /// Keeps the programs attached after this value is dropped: pins their links in a directory of a BPF
    /// file system. Removing the pins detaches them.
    ///
    /// # Errors
    /// If the directory is not in such a file system, or already has such pins. Links that were pinned
    /// before the error stay, and can be removed.
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

/// Returns the program, the device and the hook where packets leave a device's queue.
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

/// Tells the programs the control whose connections carry the option.
fn name_control(open: &mut OpenObject, control: &str) -> libbpf_rs::Result<()> {
    let known = |map: &OpenMapMut<'_>| map.name().to_string_lossy().ends_with(".rodata");
    let mut constants = open.maps_mut().find(known);
    let value = constants.as_mut().and_then(|map| map.initial_value_mut());
    // The name is the first of these variables, and the only one that the compiler does not create.
    match value.and_then(|value| value.first_chunk_mut::<NAME>()) {
        Some(place) if control.len() < NAME => {
            place.fill(0);
            place[..control.len()].copy_from_slice(control.as_bytes());
            Ok(())
        }
        _ => Err(libbpf_rs::Error::from(io::Error::other(format!(
            "{control:?} is not a name of a control, which has at most 15 bytes"
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

/// Translates the kernel's error for attaching a program to a device.
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
