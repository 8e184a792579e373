//! Where the two ends of a network are on this machine.

use tun_rs::{DeviceBuilder, SyncDevice};

use dumbbell_run::End;

use super::buffers;
use super::port::Port;
use super::tun::Tun;
use super::wire::Wire;
use super::{DEVICE_QUEUE, Emulator, INTERFACE, LEAST_MTU, ORPHAN_RETRIES, has_ipv6};
use crate::device::Device;
use crate::error::Error;
use crate::namespace::{self, Namespace};

/// Where the ends are.
#[derive(Debug)]
pub enum Place {
    /// In two new namespaces: hosts of our own.
    Own,
    /// In two namespaces that exist, the sender's and the receiver's.
    Join([Namespace; 2]),
    /// At two interfaces of the calling thread's namespace, towards the sender and towards the receiver: the machine is a
    /// box in the middle.
    Between([String; 2]),
}

/// What a place has become.
pub(super) struct Ends {
    pub(super) hosts: [Namespace; 2],
    pub(super) ports: [Port; 2],
    /// The largest packet that comes in, in bytes.
    pub(super) mtu: u16,
}

impl Place {
    /// Makes the ends. `mtu` is that of hosts; real interfaces have one of their own. The receive buffers of new hosts have
    /// this `room`.
    ///
    /// # Errors
    /// Without the privileges, or if the place cannot be used.
    pub(super) fn ends(self, mtu: u16, room: u64) -> Result<Ends, Error> {
        if let Self::Between(names) = &self {
            return between(names);
        }
        if mtu < LEAST_MTU {
            return Err(Error::Refused(format!(
                "packets of at most {mtu} bytes are too small for IP; give an MTU of {LEAST_MTU} or more"
            )));
        }
        let hosts = match self {
            Self::Join(hosts) => joined(hosts)?,
            _ => own(room)?,
        };
        let ports = [
            Port::Tun(Tun::new(hosts[0].run(|| device(End::Sender, mtu))?)),
            Port::Tun(Tun::new(hosts[1].run(|| device(End::Receiver, mtu))?)),
        ];
        Ok(Ends { hosts, ports, mtu })
    }
}

fn own(room: u64) -> Result<[Namespace; 2], Error> {
    let hosts = [Namespace::new()?, Namespace::new()?];
    for host in &hosts {
        host.run(|| {
            namespace::set_if_writable("ipv4/tcp_orphan_retries", ORPHAN_RETRIES)?;
            buffers::set(room)
        })?;
    }
    Ok(hosts)
}

fn joined(hosts: [Namespace; 2]) -> Result<[Namespace; 2], Error> {
    if hosts[0].is(&hosts[1])? {
        return Err(Error::Refused(
            "the two network namespaces are the same; the network connects two different ones"
                .to_owned(),
        ));
    }
    for (host, end) in hosts.iter().zip(["first", "second"]) {
        if host.run(|| Ok(Device::named(INTERFACE).is_ok()))? {
            return Err(Error::Refused(format!(
                "the {end} network namespace has an interface {INTERFACE} already: another emulation has joined it"
            )));
        }
    }
    Ok(hosts)
}

/// Takes two interfaces, whose settings stay as they are.
fn between(names: &[String; 2]) -> Result<Ends, Error> {
    let [first, second] = [Device::named(&names[0])?, Device::named(&names[1])?];
    for device in [&first, &second] {
        let name = &device.name;
        let wrong = if !device.ethernet {
            format!(
                "{name} does not carry Ethernet frames, as the interfaces of a box in the middle do"
            )
        } else if device.master.is_some() {
            format!(
                "{name} is part of a bridge or a bond, which would forward its frames, too; take it out: ip link set {name} nomaster"
            )
        } else if !device.up {
            format!("{name} is down; set it up: ip link set {name} up")
        } else {
            continue;
        };
        return Err(Error::Refused(wrong));
    }
    if first.index == second.index {
        return Err(Error::Refused(format!(
            "{} is given twice; a box in the middle has two interfaces",
            first.name
        )));
    }
    if first.mtu != second.mtu {
        return Err(Error::Refused(format!(
            "{} has an MTU of {} bytes and {} one of {}: the larger packets of one would not fit the other; make them \
             equal: ip link set {} mtu {}",
            first.name, first.mtu, second.name, second.mtu, second.name, first.mtu
        )));
    }
    let open = |device| Ok(Port::Wire(Box::new(Wire::open(device)?)));
    Ok(Ends {
        hosts: [Namespace::current()?, Namespace::current()?],
        ports: [open(&first)?, open(&second)?],
        mtu: u16::try_from(first.mtu).unwrap_or(u16::MAX),
    })
}

/// Creates a TUN device in the calling thread's namespace, which cuts packets to the MTU and completes checksums by itself.
fn device(end: End, mtu: u16) -> Result<SyncDevice, Error> {
    let other = match end {
        End::Sender => End::Receiver,
        End::Receiver => End::Sender,
    };
    let mut device = DeviceBuilder::new()
        .name(INTERFACE)
        .ipv4(Emulator::address(end), 32u8, Some(Emulator::address(other)))
        .mtu(mtu)
        .offload(true);
    if has_ipv6(mtu) {
        device = device.ipv6(Emulator::address6(end), 64u8);
    }
    let device = device
        .build_sync()
        .map_err(|reason| match reason.raw_os_error() {
            // The device node may exist without the driver.
            Some(libc::ENOENT | libc::ENODEV | libc::ENXIO) => Error::NoTun(reason),
            _ => Error::system("make a TUN device", reason),
        })?;
    // Uses netlink, because the older call needs privileges over the machine, not only over the namespace.
    Device::named(INTERFACE)?.set_queue_length(DEVICE_QUEUE)?;
    device
        .set_nonblocking(true)
        .map_err(|reason| Error::system("set up a TUN device", reason))?;
    Ok(device)
}
