//! The timers of many connections behind the one timer of their endpoint.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_sim::Time;

/// When connections of an endpoint want to be called. A connection that wants to be called later than it said
/// before leaves its entry, and is asked again then; one that wants to be called earlier adds an entry.
#[derive(Debug, Default)]
pub(super) struct Deadlines {
    heap: BinaryHeap<Reverse<(Time, u32)>>,
    /// What the endpoint's timer is set to.
    pub(super) set: Option<Time>,
}

impl Deadlines {
    /// Calls the connection with this number at `at`.
    pub(super) fn add(&mut self, at: Time, connection: u32) {
        self.heap.push(Reverse((at, connection)));
    }

    /// Removes and returns the next call that is due.
    pub(super) fn due(&mut self, now: Time) -> Option<(Time, u32)> {
        let &Reverse(first) = self.heap.peek()?;
        if first.0 > now {
            return None;
        }
        self.heap.pop();
        Some(first)
    }

    /// The time of the next call.
    pub(super) fn next(&self) -> Option<Time> {
        self.heap.peek().map(|Reverse((at, _))| *at)
    }
}
