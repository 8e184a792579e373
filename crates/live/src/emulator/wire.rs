//! A real interface as an end of the network: frames as they are on its wire.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};

use super::frame::HEADER;
use super::frames::{Frames, LARGEST};
use super::offload::Offload;
use crate::device::Device;
use crate::error::Error;
use crate::system::packet::PacketSocket;

/// An interface, whose frames are taken and sent as long as the value exists. The machine is left as it was.
#[derive(Debug)]
pub(super) struct Wire {
    socket: PacketSocket,
    /// A frame as the kernel hands it on, behind space for a VLAN tag.
    large: Vec<u8>,
    /// The frames that it was on the wire.
    frames: Frames,
    /// Frames that could not be read.
    unreadable: u64,
}

/// The bytes of a VLAN tag.
const TAG: usize = 4;
/// The addresses before it.
const ADDRESSES: usize = 12;

impl Wire {
    /// Takes an interface of the calling thread's network namespace.
    ///
    /// # Errors
    /// Without CAP_NET_RAW.
    pub(super) fn open(device: &Device) -> Result<Self, Error> {
        let socket = PacketSocket::open(device.index).map_err(|reason| {
            Error::system(format!("take the frames of {}", device.name), reason)
        })?;
        Ok(Self {
            socket,
            large: vec![0; LARGEST],
            frames: Frames::new(),
            unreadable: 0,
        })
    }

    /// Receives the next frame that is not for this machine.
    ///
    /// # Errors
    /// `WouldBlock` if there is none, and as [`PacketSocket::receive`].
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.frames.is_empty() {
            self.fetch()?;
        }
        let frame = self.frames.take().unwrap_or_default();
        let Some(place) = buffer.get_mut(..frame.len()) else {
            self.unreadable += 1;
            return Ok(0);
        };
        place.copy_from_slice(frame);
        Ok(frame.len())
    }

    /// Reads what the kernel has next, and cuts it into the frames that it was. There may be none.
    fn fetch(&mut self) -> io::Result<()> {
        let arrived = match self.socket.receive(&mut self.large[TAG..]) {
            Ok(arrived) => arrived,
            // It is of a kind that the kernel cannot describe.
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                self.unreadable += 1;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        if arrived.is_ours {
            return Ok(());
        }
        let begin = match arrived.vlan {
            Some([protocol, tag]) => {
                self.large.copy_within(TAG..TAG + ADDRESSES, 0);
                self.large[ADDRESSES..ADDRESSES + 2].copy_from_slice(&protocol.to_be_bytes());
                self.large[ADDRESSES + 2..ADDRESSES + TAG].copy_from_slice(&tag.to_be_bytes());
                0
            }
            None => TAG,
        };
        let end = TAG + arrived.length;
        let offload = Offload::read(&arrived.offload, TAG - begin);
        let whole = self.large.get_mut(begin..end);
        let (Some(offload), Some(frame)) = (offload, whole) else {
            self.unreadable += 1;
            return Ok(());
        };
        let network = HEADER + TAG - begin;
        self.unreadable += u64::from(!self.frames.fill(offload, frame, network));
        Ok(())
    }

    /// Returns whether the rest of what came together has not been taken.
    pub(super) fn holds_more(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Sends a frame.
    ///
    /// # Errors
    /// If the interface does not take it.
    pub(super) fn send(&self, frame: &[u8]) -> io::Result<()> {
        self.socket.send(frame)
    }

    /// Returns the number of frames that came, and were not read.
    ///
    /// # Errors
    /// If the kernel does not tell.
    pub(super) fn missed(&self) -> io::Result<u64> {
        Ok(self.unreadable + self.socket.dropped()?)
    }
}

impl AsFd for Wire {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}
