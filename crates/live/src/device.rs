//! Network devices, as the kernel reports them over netlink.

use std::io;

use netlink_packet_core::NLM_F_ACK;
use netlink_sys::protocols::NETLINK_ROUTE;

use crate::error::Error;
use crate::netlink::{self, Message};

/// A device of the calling thread's network namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its interface index.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Its kind: "veth", "macvlan", "ifb"; `None` for hardware and loopback.
    pub kind: Option<String>,
    /// The device behind it: the other end of a veth, or the lower device of a stacked one.
    pub behind: Option<u32>,
    /// The device behind it is in another network namespace.
    pub elsewhere: bool,
    /// It carries Ethernet frames.
    pub ethernet: bool,
    /// It is up.
    pub up: bool,
    /// The largest packet that it carries, in bytes.
    pub mtu: u32,
    /// The bridge or bond of which it is a part.
    pub master: Option<u32>,
}

impl Device {
    /// Returns the device of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let name_and_end = [name.as_bytes(), &[0]].concat();
        let request = about(libc::RTM_GETLINK, 0).with(libc::IFLA_IFNAME, &name_and_end);
        Self::ask(request).map_err(|reason| match reason.raw_os_error() {
            Some(libc::ENODEV) => Error::Refused(format!(
                "there is no network device {name:?}; `ip link` lists them"
            )),
            _ => Error::system(format!("ask for the network device {name:?}"), reason),
        })
    }

    /// Returns the device of this index.
    ///
    /// # Errors
    /// If there is none.
    pub fn numbered(index: u32) -> Result<Self, Error> {
        Self::ask(about(libc::RTM_GETLINK, index))
            .map_err(|reason| Error::system(format!("ask for network device {index}"), reason))
    }

    /// Sets the number of packets that may wait in its queue (`txqueuelen`).
    ///
    /// # Errors
    /// Without CAP_NET_ADMIN over its network namespace.
    pub fn set_queue_length(&self, packets: u32) -> Result<(), Error> {
        let request =
            about(libc::RTM_SETLINK, self.index).with(libc::IFLA_TXQLEN, &packets.to_ne_bytes());
        netlink::request(NETLINK_ROUTE, request, NLM_F_ACK)
            .map(drop)
            .map_err(|reason| Error::system(format!("lengthen the queue of {}", self.name), reason))
    }

    fn ask(request: Message) -> io::Result<Self> {
        let told = netlink::request(NETLINK_ROUTE, request, 0)?;
        read(told.first().ok_or(io::ErrorKind::InvalidData)?)
    }
}

/// The length of the kernel's `ifinfomsg`.
const HEADER: usize = 16;
/// Where in it the device's type is, its number, and its flags.
const TYPE: usize = 2;
const INDEX: usize = 4;
const FLAGS: usize = 8;

fn about(kind: u16, index: u32) -> Message {
    let mut header = [0; HEADER];
    header[INDEX..INDEX + 4].copy_from_slice(&index.to_ne_bytes());
    Message::new(kind, &header)
}

fn read(link: &Message) -> io::Result<Device> {
    let (header, attributes) = link.read::<HEADER>()?;
    let mut device = Device {
        index: number(&header[INDEX..]),
        name: String::new(),
        kind: None,
        behind: None,
        elsewhere: false,
        ethernet: u16::from_ne_bytes([header[TYPE], header[TYPE + 1]]) == libc::ARPHRD_ETHER,
        up: number(&header[FLAGS..]) & libc::IFF_UP as u32 != 0,
        mtu: 0,
        master: None,
    };
    for (attribute, value) in netlink::attributes(attributes) {
        match attribute {
            libc::IFLA_IFNAME => device.name = text(value),
            libc::IFLA_LINK => device.behind = Some(number(value)).filter(|index| *index != 0),
            libc::IFLA_MTU => device.mtu = number(value),
            libc::IFLA_MASTER => device.master = Some(number(value)),
            libc::IFLA_LINK_NETNSID => device.elsewhere = true,
            libc::IFLA_LINKINFO => {
                let mut infos = netlink::attributes(value);
                let kind = infos.find(|(info, _)| *info == libc::IFLA_INFO_KIND);
                device.kind = kind.map(|(_, kind)| text(kind));
            }
            _ => {}
        }
    }
    Ok(device)
}

fn number(bytes: &[u8]) -> u32 {
    let number = bytes.first_chunk().copied();
    number.map_or(0, u32::from_ne_bytes)
}

/// Up to the zero that ends it.
fn text(bytes: &[u8]) -> String {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every namespace has a loopback device, which the kernel creates first.
    #[test]
    fn loopback_is_the_first_device() {
        let loopback = Device::named("lo").expect("it is everywhere");
        let expected = Device {
            index: 1,
            name: "lo".to_owned(),
            kind: None,
            behind: None,
            elsewhere: false,
            ethernet: false,
            // These may be set otherwise.
            up: loopback.up,
            mtu: loopback.mtu,
            master: None,
        };
        assert_eq!(loopback, expected);
        assert!(loopback.mtu >= 1500);
        assert_eq!(Device::numbered(1).expect("the same"), expected);
    }

    #[test]
    fn a_missing_device_is_named() {
        let said = Device::named("nowhere0").expect_err("none").to_string();
        assert!(said.contains("no network device \"nowhere0\""), "{said}");
    }
}
