//! An end of the network on this machine: a TUN device, which carries packets, or a real interface, which carries
//! frames with packets in them.

use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};

use super::frame::{self, Way};
use super::packet;
use super::tun::Tun;
use super::wire::Wire;

/// An end.
pub(super) enum Port {
    /// A TUN device.
    Tun(Tun),
    /// A real interface.
    Wire(Box<Wire>),
}

impl Port {
    /// Reads what has come in: the length in the buffer.
    ///
    /// # Errors
    /// `WouldBlock` if there is nothing.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tun(tun) => tun.receive(buffer),
            Self::Wire(wire) => wire.receive(buffer),
        }
    }

    /// Returns whether more has been received than was taken: the rest of what came together.
    pub(super) fn holds_more(&self) -> bool {
        match self {
            Self::Tun(tun) => tun.holds_more(),
            Self::Wire(wire) => wire.holds_more(),
        }
    }

    /// Returns what becomes of what has come in here.
    pub(super) fn way(&self, bytes: &[u8]) -> Way {
        match self {
            Self::Tun(_) if packet::is_carried(bytes) => Way::Network(0..bytes.len()),
            Self::Tun(_) => Way::Nowhere,
            Self::Wire(_) => frame::way(bytes),
        }
    }

    /// Returns where in the bytes that are to leave here the packet is.
    pub(super) fn packet(&self, bytes: &[u8]) -> Range<usize> {
        match self {
            Self::Tun(_) => 0..bytes.len(),
            Self::Wire(_) => frame::packet(bytes),
        }
    }

    /// Sends.
    ///
    /// # Errors
    /// If the device does not take it.
    pub(super) fn send(&self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Tun(tun) => tun.send(bytes),
            Self::Wire(wire) => wire.send(bytes),
        }
    }
}

impl AsFd for Port {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tun(tun) => tun.as_fd(),
            Self::Wire(wire) => wire.as_fd(),
        }
    }
}
