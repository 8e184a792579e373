//! One request to the kernel's networking, and its answer.

use std::io;

use netlink_packet_core::{NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload};
use netlink_packet_route::RouteNetlinkMessage;
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_ROUTE;

/// Asks in the network namespace of the calling thread. `flags` are those beside NLM_F_REQUEST. Answers
/// nothing where the kernel only says that it is done.
pub(crate) fn request(
    wanted: RouteNetlinkMessage,
    flags: u16,
) -> io::Result<Option<RouteNetlinkMessage>> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(wanted));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.send(&bytes, 0)?;
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer)
        .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason.to_string()))?;
    match answer.payload {
        NetlinkPayload::InnerMessage(told) => Ok(Some(told)),
        NetlinkPayload::Error(error) if error.code.is_none() => Ok(None),
        NetlinkPayload::Error(error) => Err(error.to_io()),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
