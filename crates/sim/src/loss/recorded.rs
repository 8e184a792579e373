//! Losses as they were recorded, packet by packet.

use std::fmt;
use std::sync::Arc;

use super::{Model, Process, Streams};

/// Packets are lost as in a recorded sequence, which starts over at its end. Clones share the sequence.
#[derive(Clone, PartialEq, Eq)]
pub struct Recorded {
    /// For each packet, whether it is lost.
    pub lost: Arc<[bool]>,
}

impl fmt::Debug for Recorded {
    /// Leaves out the sequence, which may be long.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorded")
            .field("packets", &self.lost.len())
            .finish_non_exhaustive()
    }
}

impl Model for Recorded {
    type Process = State;

    fn mean(&self) -> f64 {
        let lost = self.lost.iter().filter(|lost| **lost).count();
        lost as f64 / self.lost.len() as f64
    }

    fn fault(&self) -> Option<&'static str> {
        let empty = self.lost.is_empty();
        empty.then_some("a recorded sequence of losses must have at least one packet")
    }

    fn start(&self, _: Streams) -> State {
        State {
            lost: self.lost.clone(),
            next: 0,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    lost: Arc<[bool]>,
    next: usize,
}

impl Process for State {
    fn loses(&mut self, _: u64) -> bool {
        let lost = self.lost[self.next];
        self.next = (self.next + 1) % self.lost.len();
        lost
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sequence_starts_over() {
        let model = Recorded {
            lost: Arc::new([false, true, false]),
        };
        let mut process = model.start(Streams { seed: 1, link: 0 });
        let lost: Vec<u32> = (0..7).filter(|_| process.loses(0)).collect();
        assert_eq!(lost, [1, 4]);
        assert!((model.mean() - 1.0 / 3.0).abs() < 1e-15);
        let empty = Recorded { lost: Arc::new([]) };
        assert!(empty.fault().is_some());
    }
}
