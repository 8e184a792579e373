//! A TUN device as an end of the network. The kernel hands on several segments of a connection as one, with checksums that
//! are not complete, as to any interface that cuts and sums by itself. It does less so, and is read less often.

use std::io::{self, IoSlice, IoSliceMut};
use std::os::fd::{AsFd, BorrowedFd};

use tun_rs::SyncDevice;

use super::frames::Frames;
use super::offload::Offload;
use crate::system::packet::OFFLOAD;

/// A device with the header of `IFF_VNET_HDR` before each packet.
pub(super) struct Tun {
    device: SyncDevice,
    frames: Frames,
    /// Packets that could not be read.
    unreadable: u64,
}

impl Tun {
    pub(super) fn new(device: SyncDevice) -> Self {
        Self {
            device,
            frames: Frames::new(),
            unreadable: 0,
        }
    }

    /// Receives the next packet, as it would be on the wire.
    ///
    /// # Errors
    /// `WouldBlock` if there is none.
    pub(super) fn receive(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.frames.is_empty() {
            let mut described = [0; OFFLOAD];
            let mut parts = [IoSliceMut::new(&mut described), IoSliceMut::new(buffer)];
            let length = self.device.recv_vectored(&mut parts)?;
            let offload = Offload::read(&described, 0);
            let packet = buffer.get_mut(..length.saturating_sub(OFFLOAD));
            let (Some(offload), Some(packet)) = (offload, packet) else {
                self.unreadable += 1;
                return Ok(0);
            };
            if offload.is_one() {
                if !offload.complete(packet) {
                    self.unreadable += 1;
                    return Ok(0);
                }
                return Ok(packet.len());
            }
            self.unreadable += u64::from(!self.frames.fill(offload, packet, 0));
        }
        let packet = self.frames.take().unwrap_or_default();
        // It is no larger than that which has been in the buffer.
        let place = buffer.get_mut(..packet.len());
        place.map_or(Ok(0), |place| {
            place.copy_from_slice(packet);
            Ok(place.len())
        })
    }

    /// Returns whether the rest of what came together has not been taken.
    pub(super) fn holds_more(&self) -> bool {
        !self.frames.is_empty()
    }

    /// Sends a packet, whose checksums are complete.
    ///
    /// # Errors
    /// If the device does not take it.
    pub(super) fn send(&self, packet: &[u8]) -> io::Result<()> {
        let parts = [IoSlice::new(&[0; OFFLOAD]), IoSlice::new(packet)];
        self.device.send_vectored(&parts).map(drop)
    }

    /// Returns the number of packets that came, and could not be read.
    pub(super) fn unreadable(&self) -> u64 {
        self.unreadable
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}
