//! Frames that the kernel has handed on as one, until they are taken one by one.

use super::offload::Offload;

/// The frames that a large one was on the wire, or would have been.
#[derive(Debug)]
pub(super) struct Frames {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// The number of frames that have been taken.
    taken: usize,
}

/// The largest packet that the kernel puts together, with its headers.
pub(super) const LARGEST: usize = (1 << 16) + 256;

impl Frames {
    pub(super) fn new() -> Self {
        Self {
            bytes: Vec::with_capacity(2 * LARGEST),
            ends: Vec::with_capacity(64),
            taken: 0,
        }
    }

    /// Returns whether all have been taken.
    pub(super) fn is_empty(&self) -> bool {
        self.taken == self.ends.len()
    }

    /// Cuts a large frame into those that it was, in place of all others. The network header begins at `network`.
    /// Returns `false`, without frames, if it is not what it is said to be.
    pub(super) fn fill(&mut self, offload: Offload, frame: &mut [u8], network: usize) -> bool {
        self.bytes.clear();
        self.ends.clear();
        self.taken = 0;
        let cut = offload.cut(frame, network, &mut self.bytes, &mut self.ends);
        if !cut {
            self.ends.clear();
        }
        cut
    }

    /// Takes the next one, if there is one.
    pub(super) fn take(&mut self) -> Option<&[u8]> {
        let end = *self.ends.get(self.taken)?;
        let begin = match self.taken {
            0 => 0,
            next => self.ends[next - 1],
        };
        self.taken += 1;
        Some(&self.bytes[begin..end])
    }
}
