//! How long processors may take to wake up while a path is emulated.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};

use crate::machine;

/// Takes the longest time in microseconds that a processor may need to wake up, and keeps it as long as the file is open
/// (Linux, "PM Quality of Service Interface"). The least of all requests counts.
pub(crate) const DEVICE: &str = "/dev/cpu_dma_latency";

/// The loop wakes 50 us before a packet is due.
const TOLERABLE_US: i32 = 20;

/// A virtual machine's processors must not sleep at all: one that does wakes up when the machine's host has a processor to
/// spare, whatever the guest takes its state for. Beside busy neighbours, that was 5 ms for one wake-up in a hundred.
const VIRTUAL_US: i32 = 0;

/// A request to the system, until it is dropped; however the process ends, the system forgets it then.
#[derive(Debug)]
pub(crate) struct Request {
    _open: File,
}

impl Request {
    /// Asks for processors that wake up at once.
    ///
    /// # Errors
    /// Without permission (only root has it), and if the system does not take such requests.
    pub fn make() -> io::Result<Self> {
        let tolerable = match machine::is_virtual() {
            true => VIRTUAL_US,
            false => TOLERABLE_US,
        };
        let mut file = OpenOptions::new().write(true).open(DEVICE)?;
        file.write_all(&tolerable.to_ne_bytes())?;
        Ok(Self { _open: file })
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::*;

    /// Reading the file gives the least of all requests, which others may make, too.
    #[test]
    fn the_system_keeps_the_request() {
        let Ok(request) = Request::make() else {
            return;
        };
        let mut least = [0; 4];
        let mut file = File::open(DEVICE).unwrap();
        file.read_exact(&mut least).unwrap();
        assert!(i32::from_ne_bytes(least) <= TOLERABLE_US);
        drop(request);
    }
}
