//! The TCP connections of a network namespace and their windows, as the kernel reports them
//! (inet_diag).

use std::io;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use netlink_packet_core::{NLM_F_ACK, NLM_F_DUMP};
use netlink_sys::protocols::NETLINK_SOCK_DIAG;

use crate::error::Error;
use crate::netlink::{self, Message};
use crate::system::TcpInfo;

// As in linux/sock_diag.h, linux/inet_diag.h and net/tcp_states.h.
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const SOCK_DESTROY: u16 = 21;
const INET_DIAG_INFO: u16 = 2;
const INET_DIAG_CONG: u16 = 4;
const ESTABLISHED: u32 = 1;
const FIN_WAIT1: u32 = 4;
const CLOSE_WAIT: u32 = 8;
const LAST_ACK: u32 = 9;
const LISTEN: u32 = 10;
const CLOSING: u32 = 11;
const ALL: u32 = 0xfff;
/// The lengths of `inet_diag_req_v2` and of `inet_diag_msg`.
const REQUEST: usize = 56;
const ANSWER: usize = 72;

/// One end of a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// The kernel's number of the socket, which is never reused.
    pub cookie: u64,
    /// Its congestion control, by its name in the kernel.
    pub control: String,
    /// Its window, and what else the kernel reports.
    pub info: TcpInfo,
}

/// Returns the connections of the calling thread's network namespace that can carry data.
///
/// # Errors
/// If the kernel does not return them.
pub fn connections() -> Result<Vec<Connection>, Error> {
    let all = dump(libc::AF_INET).and_then(|mut all| {
        all.extend(dump(libc::AF_INET6)?);
        Ok(all)
    });
    all.map_err(|reason| Error::system("ask for the TCP connections", reason))
}

fn dump(family: libc::c_int) -> io::Result<Vec<Connection>> {
    let states = [ESTABLISHED, FIN_WAIT1, CLOSE_WAIT, LAST_ACK, CLOSING];
    let states = states.iter().map(|state| 1 << state).sum();
    Ok(ask(family, states)?.iter().filter_map(read).collect())
}

/// Returns the kernel's messages about the sockets in these states.
fn ask(family: libc::c_int, states: u32) -> io::Result<Vec<Message>> {
    let mut header = [0; REQUEST];
    header[0] = family as u8;
    header[1] = libc::IPPROTO_TCP as u8;
    header[2] = 1 << (INET_DIAG_INFO - 1) | 1 << (INET_DIAG_CONG - 1);
    header[4..8].copy_from_slice(&states.to_ne_bytes());
    let request = Message::new(SOCK_DIAG_BY_FAMILY, &header);
    netlink::request(NETLINK_SOCK_DIAG, request, NLM_F_DUMP)
}

/// Ends the TCP connections of the calling thread's network namespace that are wanted by their own addresses, with a reset;
/// also those without a process, which otherwise keep it for minutes.
///
/// # Errors
/// Without CAP_NET_ADMIN, or if the kernel cannot do this (CONFIG_INET_DIAG_DESTROY).
pub fn end(is_wanted: impl Fn(IpAddr) -> bool) -> Result<(), Error> {
    let end_those = |family| {
        for one in ask(family, ALL & !(1 << LISTEN))? {
            let (answer, _) = one.read::<ANSWER>()?;
            if !address(answer, 8).is_some_and(&is_wanted) {
                continue;
            }
            let mut header = [0; REQUEST];
            header[0] = family as u8;
            header[1] = libc::IPPROTO_TCP as u8;
            // The socket's ports, addresses, device and cookie.
            header[8..].copy_from_slice(&answer[4..52]);
            let request = Message::new(SOCK_DESTROY, &header);
            match netlink::request(NETLINK_SOCK_DIAG, request, NLM_F_ACK) {
                // It has just ended.
                Err(reason) if reason.kind() == io::ErrorKind::NotFound => {}
                answer => drop(answer?),
            }
        }
        Ok(())
    };
    let ended: io::Result<()> = end_those(libc::AF_INET).and_then(|()| end_those(libc::AF_INET6));
    ended.map_err(|reason| Error::system("end the TCP connections of a host", reason))
}

/// Returns `None` for a socket about which the kernel reports too little, because it is being closed.
fn read(message: &Message) -> Option<Connection> {
    let (header, attributes) = message.read::<ANSWER>().ok()?;
    let (mut control, mut info) = (None, None);
    for (attribute, value) in netlink::attributes(attributes) {
        match attribute {
            INET_DIAG_CONG => control = value.split(|byte| *byte == 0).next(),
            INET_DIAG_INFO => info = Some(TcpInfo::read(value)),
            _ => {}
        }
    }
    Some(Connection {
        local: place(header, 4, 8)?,
        remote: place(header, 6, 24)?,
        cookie: header[44..]
            .first_chunk()
            .copied()
            .map(u64::from_ne_bytes)?,
        control: String::from_utf8_lossy(control?).into_owned(),
        info: info?,
    })
}

/// One end of a connection, whose port and address are at these places.
fn place(header: &[u8; ANSWER], port: usize, at: usize) -> Option<SocketAddr> {
    let port = header.get(port..)?.first_chunk().copied();
    Some(SocketAddr::new(
        address(header, at)?,
        port.map(u16::from_be_bytes)?,
    ))
}

/// The address at this place.
fn address(header: &[u8; ANSWER], at: usize) -> Option<IpAddr> {
    let address = header.get(at..)?;
    Some(match libc::c_int::from(header[0]) {
        libc::AF_INET => IpAddr::from(*address.first_chunk::<4>()?),
        _ => IpAddr::from(Ipv6Addr::from(*address.first_chunk::<16>()?)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::{TcpListener, TcpStream};

    #[test]
    fn both_ends_of_a_connection_are_listed() {
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
