//! Route attributes for TCP.

use std::net::IpAddr;

use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_sys::protocols::NETLINK_ROUTE;

use crate::device::Device;
use crate::error::Error;
use crate::netlink::{self, Message};

// From linux/rtnetlink.h; the crate libc lacks them.
const RTAX_QUICKACK: u16 = 15;
const RTAX_CC_ALGO: u16 = 16;

/// Makes the hosts of the calling thread's network namespace acknowledge at once everything that comes from
/// a peer on a device, as `ip route change PEER dev DEVICE quickack 1` does. The waiting times that RoVegas
/// receives must not include the receiver's delay.
///
/// # Errors
/// If there is no such device, or without CAP_NET_ADMIN.
pub fn acknowledge_at_once(peer: IpAddr, device: &str) -> Result<(), Error> {
    let at_once = netlink::attribute(RTAX_QUICKACK, &1u32.to_ne_bytes());
    change(peer, device, &at_once)
}

/// Makes new connections of the calling thread's network namespace to a peer on a device use a congestion
/// control, as `ip route change PEER dev DEVICE congctl NAME` does. Unlike the default of a namespace, a route
/// may have any control of the kernel.
///
/// # Errors
/// If there is no such device or control, or without CAP_NET_ADMIN.
pub fn choose_control(peer: IpAddr, device: &str, control: &str) -> Result<(), Error> {
    let name = [control.as_bytes(), &[0]].concat();
    change(peer, device, &netlink::attribute(RTAX_CC_ALGO, &name))
}

/// Does both for new connections: [`choose_control`], and [`acknowledge_at_once`], which would replace each other.
///
/// # Errors
/// As these.
pub fn choose_control_and_acknowledge_at_once(
    peer: IpAddr,
    device: &str,
    control: &str,
) -> Result<(), Error> {
    let name = [control.as_bytes(), &[0]].concat();
    let mut both = netlink::attribute(RTAX_CC_ALGO, &name);
    both.extend(netlink::attribute(RTAX_QUICKACK, &1u32.to_ne_bytes()));
    change(peer, device, &both)
}

/// Replaces the route to a peer by one with these metrics.
fn change(peer: IpAddr, device: &str, metrics: &[u8]) -> Result<(), Error> {
    let device = Device::named(device)?;
    let (family, bits, scope, address) = match peer {
        IpAddr::V4(peer) => (
            libc::AF_INET,
            32,
            libc::RT_SCOPE_LINK,
            peer.octets().to_vec(),
        ),
        IpAddr::V6(peer) => (
            libc::AF_INET6,
            128,
            libc::RT_SCOPE_UNIVERSE,
            peer.octets().to_vec(),
        ),
    };
    // The struct `rtmsg`, with the values that the kernel uses for the address of a peer, so that this
    // route is replaced.
    let header = [
        family as u8,
        bits,
        0,
        0,
        libc::RT_TABLE_MAIN,
        libc::RTPROT_KERNEL,
        scope,
        libc::RTN_UNICAST,
        0,
        0,
        0,
        0,
    ];
    let route = Message::new(libc::RTM_NEWROUTE, &header)
        .with(libc::RTA_DST, &address)
        .with(libc::RTA_OIF, &device.index.to_ne_bytes())
        .with(libc::RTA_METRICS, metrics);
    let flags = NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
    netlink::request(NETLINK_ROUTE, route, flags)
        .map(drop)
        .map_err(|reason| Error::system(format!("change the route to {peer}"), reason))
}
