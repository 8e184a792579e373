//! The TCP connections of a network namespace and their windows, as the kernel tells them (inet_diag).

use std::io;
use std::net::SocketAddr;

use netlink_packet_core::{
    NLM_F_DUMP, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage, NetlinkPayload,
};
use netlink_packet_sock_diag::SockDiagMessage;
use netlink_packet_sock_diag::constants::{AF_INET, AF_INET6, IPPROTO_TCP};
use netlink_packet_sock_diag::inet::nlas::Nla;
use netlink_packet_sock_diag::inet::{
    ExtensionFlags, InetRequest, InetResponse, SocketId, StateFlags,
};
use netlink_sys::Socket;
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use crate::error::Error;
use crate::system::TcpInfo;

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// The kernel's number of the socket: no other one ever has it.
    pub cookie: u64,
    /// Its congestion control, by its name in the kernel.
    pub control: String,
    /// Its window and what else the kernel tells.
    pub info: TcpInfo,
}

/// The connections of the calling thread's network namespace that can carry data.
///
/// # Errors
/// If the kernel does not tell.
pub fn connections() -> Result<Vec<Connection>, Error> {
    let all = dump(AF_INET, SocketId::new_v4()).and_then(|mut all| {
        all.extend(dump(AF_INET6, SocketId::new_v6())?);
        Ok(all)
    });
    all.map_err(|reason| Error::system("ask for the TCP connections", reason))
}

fn dump(family: u8, socket_id: SocketId) -> io::Result<Vec<Connection>> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let request = InetRequest {
        family,
        protocol: IPPROTO_TCP,
        extensions: ExtensionFlags::INFO | ExtensionFlags::CONG,
        states: StateFlags::ESTABLISHED
            | StateFlags::FIN_WAIT1
            | StateFlags::CLOSE_WAIT
            | StateFlags::LAST_ACK
            | StateFlags::CLOSING,
        socket_id,
    };
    let mut message = NetlinkMessage::new(header, SockDiagMessage::InetRequest(request).into());
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
    socket.bind_auto()?;
    socket.send(&bytes, 0)?;
    let mut all = Vec::new();
    loop {
        let (datagram, _) = socket.recv_from_full()?;
        let mut rest = datagram.as_slice();
        while !rest.is_empty() {
            let message = NetlinkMessage::<SockDiagMessage>::deserialize(rest)
                .map_err(|reason| io::Error::new(io::ErrorKind::InvalidData, reason.to_string()))?;
            // Messages begin at multiples of four bytes.
            let length = (message.header.length as usize).next_multiple_of(4);
            rest = rest.get(length.max(1)..).unwrap_or_default();
            match message.payload {
                NetlinkPayload::InnerMessage(SockDiagMessage::InetResponse(one)) => {
                    all.extend(read(&one));
                }
                NetlinkPayload::Done(_) => return Ok(all),
                NetlinkPayload::Error(error) => return Err(error.to_io()),
                _ => {}
            }
        }
    }
}

/// `None` for a socket that the kernel tells too little of: it is being closed.
fn read(response: &InetResponse) -> Option<Connection> {
    let id = &response.header.socket_id;
    let control = response.nlas.iter().find_map(|nla| match nla {
        Nla::Congestion(name) => Some(name.clone()),
        _ => None,
    });
    let info = response.nlas.iter().find_map(|nla| match nla {
        Nla::TcpInfo(bytes) => Some(TcpInfo::read(bytes)),
        _ => None,
    });
    Some(Connection {
        local: SocketAddr::new(id.source_address, id.source_port),
        remote: SocketAddr::new(id.destination_address, id.destination_port),
        cookie: u64::from_ne_bytes(id.cookie),
        control: control?,
        info: info?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn both_ends_of_a_connection_are_told() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
        let place = listener.local_addr().expect("bound");
        let client = TcpStream::connect(place).expect("it listens");
        let (server, _) = listener.accept().expect("it came");
        let all = connections().expect("anybody may ask");
        let from = client.local_addr().expect("connected");
        let find = |local, remote| {
            let mut all = all.iter();
            all.find(|c| c.local == local && c.remote == remote)
                .expect("it is there")
        };
        let (near, far) = (find(from, place), find(place, from));
        assert_ne!(near.cookie, far.cookie);
        let control = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control");
        assert_eq!(near.control, control.expect("Linux has it").trim());
        // Linux begins with ten segments (RFC 6928).
        assert_eq!(near.info.cwnd, 10);
        let asked = crate::system::tcp_info(&client).expect("it is TCP");
        assert_eq!((asked.mss, asked.rto_us), (near.info.mss, near.info.rto_us));
        drop(server);
    }
}
