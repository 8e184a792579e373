//! The FIFO whose limit is in bytes or in time: a modem counts bytes.

use super::fifo::Fifo;
use super::{Hold, Limit};
use crate::random::Random;

/// First in, first out; an arrival for which there is no room is dropped. For a limit in packets,
/// [`Queue::DropTail`](crate::Queue) does the same and costs less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// How much the queue holds at most.
    pub limit: Limit,
}

impl Hold for Bounded {
    type Discipline = Fifo;

    fn limit(&self) -> u32 {
        self.limit.packets()
    }

    fn is_labelled(&self) -> bool {
        false
    }

    fn fault(&self) -> Option<&'static str> {
        self.limit.fault()
    }

    fn discipline(&self, _: Random) -> Fifo {
        Fifo::new(self.limit, None)
    }
}
