//! What a route says to TCP.

use std::net::Ipv4Addr;

use netlink_packet_core::{NLM_F_ACK, NLM_F_CREATE, NLM_F_REPLACE};
use netlink_packet_route::AddressFamily;
use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteMetric, RouteProtocol,
    RouteScope, RouteType,
};

use crate::device::Device;
use crate::error::Error;
use crate::netlink;

/// Has the hosts of the calling thread's network namespace acknowledge at once whatever comes from a peer
/// on a device, as `ip route change PEER dev DEVICE quickack 1` does: the waits that RoVegas is told of must
/// not have the receiver's own in them.
///
/// # Errors
/// If there is no such device, or without CAP_NET_ADMIN.
pub fn acknowledge_at_once(peer: Ipv4Addr, device: &str) -> Result<(), Error> {
    let device = Device::named(device)?;
    let mut route = RouteMessage::default();
    route.header.address_family = AddressFamily::Inet;
    route.header.destination_prefix_length = 32;
    route.header.table = RouteHeader::RT_TABLE_MAIN;
    // As the kernel makes it for the address of a peer, so that it is this one that is replaced.
    route.header.protocol = RouteProtocol::Kernel;
    route.header.scope = RouteScope::Link;
    route.header.kind = RouteType::Unicast;
    route.attributes = vec![
        RouteAttribute::Destination(RouteAddress::Inet(peer)),
        RouteAttribute::Oif(device.index),
        RouteAttribute::Metrics(vec![RouteMetric::QuickAck(1)]),
    ];
    let flags = NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE;
    netlink::request(RouteNetlinkMessage::NewRoute(route), flags)
        .map(drop)
        .map_err(|reason| Error::system(format!("change the route to {peer}"), reason))
}
