//! Route attributes for TCP.

use std::net::Ipv4Addr;

use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_sys::protocols::NETLINK_ROUTE;

use crate::device::Device;
use crate::error::Error;
use crate::netlink::{self, Message};

/// From linux/rtnetlink.h; the crate libc lacks it.
const RTAX_QUICKACK: u16 = 15;

/// Makes the hosts of the calling thread's network namespace acknowledge at once everything that comes from
/// a peer on a device, as `ip route change PEER dev DEVICE quickack 1` does. The waiting times that RoVegas
/// receives must not include the receiver's delay.
///
/// # Errors
/// If there is no such device, or without CAP_NET_ADMIN.
pub fn acknowledge_at_once(peer: Ipv4Addr, device: &str) -> Result<(), Error> {
    let device = Device::named(device)?;
    // The struct `rtmsg`, with the values that the kernel uses for the address of a peer, so that this
    // route is replaced.
    let header = [
        libc::AF_INET as u8,
        32,
        0,
        0,
        libc::RT_TABLE_MAIN,
        libc::RTPROT_KERNEL,
        libc::RT_SCOPE_LINK,
        libc::RTN_UNICAST,
        0,
        0,
        0,
        0,
    ];
    let at_once = netlink::attribute(RTAX_QUICKACK, &1u32.to_ne_bytes());
    let route = Message::new(libc::RTM_NEWROUTE, &header)
        .with(libc::RTA_DST, &peer.octets())
        .with(libc::RTA_OIF, &device.index.to_ne_bytes())
        .with(libc::RTA_METRICS, &at_once);
    let flags = NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
    netlink::request(NETLINK_ROUTE, route, flags)
        .map(drop)
        .map_err(|reason| Error::system(format!("change the route to {peer}"), reason))
}
