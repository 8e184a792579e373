//! When a packet arrived at a socket: a thread that reads it may come later. Linux tells the time (`SO_TIMESTAMPNS`); elsewhere it
//! is that of reading.

#[cfg(not(target_os = "linux"))]
use std::io;
use std::net::SocketAddr;
#[cfg(not(target_os = "linux"))]
use std::net::UdpSocket;
use std::time::Duration;

/// A socket, and room for what it tells beside a packet.
pub(crate) struct Inlet {
    room: Vec<u8>,
}

/// A packet's length, who sent it, and how long ago it arrived.
pub(crate) type Read = (usize, SocketAddr, Duration);

#[cfg(target_os = "linux")]
mod linux {
    use std::io::{self, IoSliceMut};
    use std::net::{SocketAddr, UdpSocket};
    use std::os::fd::AsRawFd as _;
    use std::time::Duration;

    use nix::cmsg_space;
    use nix::sys::socket::sockopt::ReceiveTimestampns;
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, SockaddrStorage, recvmsg, setsockopt};
    use nix::sys::time::TimeSpec;
    use nix::time::{ClockId, clock_gettime};

    use super::{Inlet, Read};

    /// A longer age is not one: the clock of the system was set.
    const MOST: Duration = Duration::from_secs(1);

    impl Inlet {
        /// Asks the system for times. Without them, a packet's age is zero.
        pub(crate) fn of(socket: &UdpSocket) -> Self {
            let _ = setsockopt(socket, ReceiveTimestampns, &true);
            Self {
                room: cmsg_space!(TimeSpec),
            }
        }

        /// Reads a packet.
        ///
        /// # Errors
        /// As those of the socket.
        pub(crate) fn read(&mut self, socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Read> {
            let mut parts = [IoSliceMut::new(buffer)];
            let flags = MsgFlags::empty();
            let got = recvmsg::<SockaddrStorage>(
                socket.as_raw_fd(),
                &mut parts,
                Some(&mut self.room),
                flags,
            )?;
            let from = got.address.as_ref().and_then(address);
            let from = from.ok_or(io::ErrorKind::InvalidData)?;
            let at = got.cmsgs()?.find_map(|message| match message {
                ControlMessageOwned::ScmTimestampns(at) => Some(Duration::from(at)),
                _ => None,
            });
            let now = clock_gettime(ClockId::CLOCK_REALTIME).map_or(Duration::ZERO, Duration::from);
            let age = at.and_then(|at| now.checked_sub(at));
            let age = age.filter(|age| *age < MOST).unwrap_or_default();
            Ok((got.bytes, from, age))
        }
    }

    fn address(storage: &SockaddrStorage) -> Option<SocketAddr> {
        let v4 = storage.as_sockaddr_in();
        let v6 = storage.as_sockaddr_in6();
        v4.map(|it| (*it).into())
            .or_else(|| v6.map(|it| (*it).into()))
    }
}

#[cfg(not(target_os = "linux"))]
impl Inlet {
    /// This system tells no times.
    pub(crate) fn of(_: &UdpSocket) -> Self {
        Self { room: Vec::new() }
    }

    /// Reads a packet.
    ///
    /// # Errors
    /// As those of the socket.
    pub(crate) fn read(&mut self, socket: &UdpSocket, buffer: &mut [u8]) -> io::Result<Read> {
        self.room.clear();
        let (length, from) = socket.recv_from(buffer)?;
        Ok((length, from, Duration::ZERO))
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::net::UdpSocket;

    use super::*;

    #[test]
    fn a_packet_that_is_read_late_has_its_age() {
        for any in ["127.0.0.1:0", "[::1]:0"] {
            let Ok(socket) = UdpSocket::bind(any) else {
                // No IPv6 here.
                continue;
            };
            let own = socket.local_addr().expect("bound");
            let mut inlet = Inlet::of(&socket);
            // The kernel begins to stamp packets in the background: what arrives before that is as old as its reading.
            let mut ages = (0..20).map(|_| {
                socket.send_to(b"packet", own).expect("sent");
                std::thread::sleep(Duration::from_millis(30));
                let mut buffer = [0; 100];
                let (length, from, age) = inlet.read(&socket, &mut buffer).expect("there is one");
                assert_eq!((&buffer[..length], from), (&b"packet"[..], own));
                age
            });
            let age = ages.find(|&age| age >= Duration::from_millis(29));
            let age = age.expect("none has its age");
            assert!(age < Duration::from_millis(900), "{age:?}");
        }
    }
}
