//! Network devices, as the kernel tells them over netlink.

use std::io;

use netlink_packet_core::NLM_F_ACK;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{LinkAttribute, LinkInfo, LinkMessage};

use crate::error::Error;
use crate::netlink;

/// A device of the network namespace of the thread that asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device {
    /// Its number.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// What it is: "veth", "macvlan", "ifb"; none for hardware and loopback.
    pub kind: Option<String>,
    /// The device behind it: the other end of a veth, the lower device of a stacked one.
    pub behind: Option<u32>,
    /// That one is in another network namespace.
    pub elsewhere: bool,
}

impl Device {
    /// The device of this name.
    ///
    /// # Errors
    /// If there is none.
    pub fn named(name: &str) -> Result<Self, Error> {
        let mut request = LinkMessage::default();
        request
            .attributes
            .push(LinkAttribute::IfName(name.to_owned()));
        Self::ask(request).map_err(|reason| match reason.raw_os_error() {
            Some(libc::ENODEV) => Error::Refused(format!(
                "there is no network device {name:?}; `ip link` lists them"
            )),
            _ => Error::system(format!("ask for the network device {name:?}"), reason),
        })
    }

    /// The device of this number.
    ///
    /// # Errors
    /// If there is none.
    pub fn numbered(index: u32) -> Result<Self, Error> {
        let mut request = LinkMessage::default();
        request.header.index = index;
        Self::ask(request)
            .map_err(|reason| Error::system(format!("ask for network device {index}"), reason))
    }

    /// Lets so many packets wait in its queue (`txqueuelen`).
    ///
    /// # Errors
    /// Without CAP_NET_ADMIN over its network namespace.
    pub fn set_queue_length(&self, packets: u32) -> Result<(), Error> {
        let mut request = LinkMessage::default();
        request.header.index = self.index;
        request.attributes.push(LinkAttribute::TxQueueLen(packets));
        netlink::request(RouteNetlinkMessage::SetLink(request), NLM_F_ACK)
            .map(drop)
            .map_err(|reason| Error::system(format!("lengthen the queue of {}", self.name), reason))
    }

    fn ask(request: LinkMessage) -> io::Result<Self> {
        match netlink::request(RouteNetlinkMessage::GetLink(request), 0)? {
            Some(RouteNetlinkMessage::NewLink(link)) => Ok(read(&link)),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }
}

fn read(link: &LinkMessage) -> Device {
    let mut device = Device {
        index: link.header.index,
        name: String::new(),
        kind: None,
        behind: None,
        elsewhere: false,
    };
    for attribute in &link.attributes {
        match attribute {
            LinkAttribute::IfName(name) => device.name.clone_from(name),
            LinkAttribute::Link(index) if *index != 0 => device.behind = Some(*index),
            LinkAttribute::LinkNetNsId(_) => device.elsewhere = true,
            LinkAttribute::LinkInfo(infos) => {
                device.kind = infos.iter().find_map(|info| match info {
                    LinkInfo::Kind(kind) => Some(kind.to_string()),
                    _ => None,
                });
            }
            _ => {}
        }
    }
    device
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every namespace has it, and the kernel makes it first.
    #[test]
    fn loopback_is_the_first_device() {
        let loopback = Device::named("lo").expect("it is everywhere");
        let expected = Device {
            index: 1,
            name: "lo".to_owned(),
            kind: None,
            behind: None,
            elsewhere: false,
        };
        assert_eq!(loopback, expected);
        assert_eq!(Device::numbered(1).expect("the same"), expected);
    }

    #[test]
    fn a_device_that_is_not_there_is_named() {
        let said = Device::named("nowhere0").expect_err("none").to_string();
        assert!(said.contains("no network device \"nowhere0\""), "{said}");
    }
}
