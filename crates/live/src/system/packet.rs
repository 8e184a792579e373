//! Packet sockets (packet(7)): all frames of a network interface, as they come, and frames as they are to leave.
//!
//! Everything that such a socket changes about its interface, promiscuous mode included, ends with the socket.

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, FromRawFd as _, OwnedFd};

use super::checked;

/// A socket that gets every frame that comes in at one interface, and sends frames out of it.
#[derive(Debug)]
pub struct PacketSocket {
    socket: OwnedFd,
}

/// The length of `struct virtio_net_hdr`, which precedes each frame.
pub const OFFLOAD: usize = 10;

/// A frame that has come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its length. It is longer than the buffer if it did not fit.
    pub length: usize,
    /// Whether it is for this machine itself, by the address of the interface.
    pub is_ours: bool,
    /// What the kernel has left to the device, or has put together (`struct virtio_net_hdr`).
    pub offload: [u8; OFFLOAD],
    /// The VLAN tag that the kernel has taken out: protocol and tag.
    pub vlan: Option<[u16; 2]>,
}

// From linux/if_packet.h and linux/if_ether.h, where the crate libc lacks them.
const PACKET_QDISC_BYPASS: libc::c_int = 20;
const PACKET_IGNORE_OUTGOING: libc::c_int = 23;
const PACKET_HOST: u8 = 0;
const TP_STATUS_VLAN_VALID: u32 = 1 << 4;
const TP_STATUS_VLAN_TPID_VALID: u32 = 1 << 6;
const VLAN: u16 = 0x8100;
/// The memory for frames that wait, in each direction.
const MEMORY: libc::c_int = 64 << 20;

impl PacketSocket {
    /// Opens one for the interface of this index, in the calling thread's network namespace. The interface
    /// becomes promiscuous as long as the socket exists.
    ///
    /// # Errors
    /// Without CAP_NET_RAW, or if there is no such interface.
    pub fn open(interface: u32) -> io::Result<Self> {
        let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK;
        // SAFETY: no arguments are pointers. Protocol 0: no frame comes before the socket is bound.
        let socket = unsafe { libc::socket(libc::AF_PACKET, kind, 0) };
        checked(socket)?;
        // SAFETY: the descriptor was just created, and has no other owner.
        let socket = Self {
            socket: unsafe { OwnedFd::from_raw_fd(socket) },
        };
        let index = i32::try_from(interface).map_err(|_| io::ErrorKind::InvalidInput)?;
        let (on, packet) = (&1, libc::SOL_PACKET);
        socket.set(packet, libc::PACKET_VNET_HDR, on)?;
        socket.set(packet, libc::PACKET_AUXDATA, on)?;
        socket.set(packet, PACKET_IGNORE_OUTGOING, on)?;
        // What the emulator sends has waited in the scenario's queues already.
        socket.set(packet, PACKET_QDISC_BYPASS, on)?;
        for (forced, usual) in [
            (libc::SO_RCVBUFFORCE, libc::SO_RCVBUF),
            (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF),
        ] {
            // Within a user namespace only the machine's limits are permitted.
            socket
                .set(libc::SOL_SOCKET, forced, &MEMORY)
                .or_else(|_| socket.set(libc::SOL_SOCKET, usual, &MEMORY))?;
        }
        // SAFETY: all zeros is a valid packet_mreq, and a valid sockaddr_ll.
        let (mut member, mut address): (libc::packet_mreq, libc::sockaddr_ll) =
            unsafe { (mem::zeroed(), mem::zeroed()) };
        member.mr_ifindex = index;
        member.mr_type = libc::PACKET_MR_PROMISC as libc::c_ushort;
        socket.set(packet, libc::PACKET_ADD_MEMBERSHIP, &member)?;
        address.sll_family = libc::AF_PACKET as libc::c_ushort;
        address.sll_protocol = (libc::ETH_P_ALL as u16).to_be();
        address.sll_ifindex = index;
        // SAFETY: the address lives until the call returns, and has this length.
        checked(unsafe {
            libc::bind(
                socket.socket.as_raw_fd(),
                (&raw const address).cast(),
                mem::size_of_val(&address) as libc::socklen_t,
            )
        })?;
        Ok(socket)
    }

    /// Receives a frame.
    ///
    /// # Errors
    /// `WouldBlock` if there is none; `InvalidInput` if the next cannot be described, and is lost; `NetworkDown`
    /// if the interface went down.
    pub fn receive(&self, buffer: &mut [u8]) -> io::Result<Frame> {
        let mut offload = [0u8; OFFLOAD];
        let mut control = [0u64; 8];
        let mut parts = [
            libc::iovec {
                iov_base: offload.as_mut_ptr().cast(),
                iov_len: OFFLOAD,
            },
            libc::iovec {
                iov_base: buffer.as_mut_ptr().cast(),
                iov_len: buffer.len(),
            },
        ];
        // SAFETY: all zeros is a valid sockaddr_ll, and a valid msghdr.
        let (mut from, mut message): (libc::sockaddr_ll, libc::msghdr) =
            unsafe { (mem::zeroed(), mem::zeroed()) };
        message.msg_name = (&raw mut from).cast();
        message.msg_namelen = mem::size_of_val(&from) as libc::socklen_t;
        message.msg_iov = parts.as_mut_ptr();
        message.msg_iovlen = parts.len() as _;
        message.msg_control = control.as_mut_ptr().cast();
        message.msg_controllen = mem::size_of_val(&control) as _;
        // SAFETY: everything that the message points to lives until the call returns, with the stated lengths.
        let length =
            unsafe { libc::recvmsg(self.socket.as_raw_fd(), &raw mut message, libc::MSG_TRUNC) };
        let Ok(length) = usize::try_from(length) else {
            return Err(io::Error::last_os_error());
        };
        Ok(Frame {
            length: length.saturating_sub(OFFLOAD),
            is_ours: from.sll_pkttype == PACKET_HOST,
            offload,
            vlan: vlan(&message),
        })
    }

    /// Sends a frame, whose checksums are complete.
    ///
    /// # Errors
    /// If the interface does not take it.
    pub fn send(&self, frame: &[u8]) -> io::Result<()> {
        let plain = [0u8; OFFLOAD];
        let parts = [io::IoSlice::new(&plain), io::IoSlice::new(frame)];
        nix::sys::uio::writev(&self.socket, &parts)?;
        Ok(())
    }

    /// Returns the number of frames that the kernel has dropped since the last call, because they were not received in
    /// time.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub fn dropped(&self) -> io::Result<u64> {
        // Packets, and drops (`struct tpacket_stats`).
        let mut counts = [0u32; 2];
        let mut length = mem::size_of_val(&counts) as libc::socklen_t;
        // SAFETY: at most `length` bytes are written, which `counts` has.
        checked(unsafe {
            libc::getsockopt(
                self.socket.as_raw_fd(),
                libc::SOL_PACKET,
                libc::PACKET_STATISTICS,
                counts.as_mut_ptr().cast(),
                &raw mut length,
            )
        })?;
        Ok(counts[1].into())
    }

    fn set<T>(&self, level: libc::c_int, option: libc::c_int, value: &T) -> io::Result<()> {
        // SAFETY: the value lives until the call returns, and has this length.
        checked(unsafe {
            libc::setsockopt(
                self.socket.as_raw_fd(),
                level,
                option,
                (&raw const *value).cast(),
                mem::size_of::<T>() as libc::socklen_t,
            )
        })
    }
}

impl AsFd for PacketSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Returns the VLAN tag among a message's control data.
fn vlan(message: &libc::msghdr) -> Option<[u16; 2]> {
    // SAFETY: the kernel has filled the message, whose control data lives as long as it.
    let data = unsafe {
        let header = libc::CMSG_FIRSTHDR(message).as_ref()?;
        let is_it =
            header.cmsg_level == libc::SOL_PACKET && header.cmsg_type == libc::PACKET_AUXDATA;
        let data = libc::CMSG_DATA(header).cast::<libc::tpacket_auxdata>();
        is_it.then(|| data.read_unaligned())?
    };
    let has = |flag| data.tp_status & flag != 0;
    let protocol = match has(TP_STATUS_VLAN_TPID_VALID) {
        true => data.tp_vlan_tpid,
        false => VLAN,
    };
    has(TP_STATUS_VLAN_VALID).then_some([protocol, data.tp_vlan_tci])
}
