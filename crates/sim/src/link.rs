//! A link at work: a queue, a transmitter and a FIFO of packets on their way.

use crate::loss::{Loss, LossProcess};
use crate::packet::{Kind, Kinds};
use crate::pool::NIL;
use crate::queue::{Admitted, Backlog, DropTail, Queue};

/// What every packet touches: two cache lines.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct LinkState {
    pub queue: DropTail,
    /// In nanoseconds.
    pub delay: u64,
    /// The first of the packets on their way that are stored here, or `NIL`. Only this one is
    /// scheduled.
    pub head: u32,
    /// The last of them; meaningless if there is none.
    pub tail: u32,
    /// The kinds that the loss model acts on.
    pub lossy: Kinds,
    pub delivered: u64,
    pub departed: [u64; Kind::COUNT],
    pub departed_bytes: u64,
    pub busy: u64,
    pub queue_integral: u128,
}

/// The rest of a link: touched by few packets, or by those of few links.
#[derive(Debug)]
pub(crate) struct LinkDetail {
    pub backlog: Backlog,
    pub loss: Option<Box<LossProcess>>,
    pub watched: bool,
    pub dropped: u64,
    pub lost: u64,
    /// Packets that have not departed at the end of the run.
    pub waiting: u64,
    /// Packets that are not stored here but will be in flight when the run ends.
    pub unstored: u64,
}

impl LinkState {
    pub fn new(delay: u64, loss: Option<&Loss>) -> Self {
        Self {
            queue: DropTail::new(),
            delay,
            head: NIL,
            tail: NIL,
            lossy: loss.map_or(Kinds::none(), |loss| loss.kinds),
            delivered: 0,
            departed: [0; Kind::COUNT],
            departed_bytes: 0,
            busy: 0,
            queue_integral: 0,
        }
    }

    /// Counts a packet that arrived at `now` and departs within the run.
    #[inline]
    pub fn count_passage(&mut self, bytes: u16, kind: Kind, now: u64, admitted: Admitted) {
        self.departed[kind.index()] += 1;
        self.departed_bytes += u64::from(bytes);
        self.busy += admitted.tx;
        self.queue_integral += u128::from(admitted.departure - now);
    }

    /// Counts a packet that arrived at `now` and has not departed at the end of the run.
    pub fn count_tail(&mut self, detail: &mut LinkDetail, now: u64, admitted: Admitted, end: u64) {
        detail.waiting += 1;
        let start = admitted.departure - admitted.tx;
        self.busy += end.saturating_sub(start);
        self.queue_integral += u128::from(end - now);
    }

    /// Packets that have arrived: dropped ones, those that depart within the run and those that
    /// do not.
    pub fn sent(&self, detail: &LinkDetail) -> u64 {
        detail.dropped + self.departed.iter().sum::<u64>() + detail.waiting
    }
}

impl LinkDetail {
    pub fn new(rate: u64, queue: Queue, watched: bool, loss: Option<LossProcess>) -> Self {
        Self {
            backlog: Backlog::new(rate, queue, watched),
            loss: loss.map(Box::new),
            watched,
            dropped: 0,
            lost: 0,
            waiting: 0,
            unstored: 0,
        }
    }

    /// Whether the loss model takes the packet that departs at this moment.
    #[inline(never)]
    pub fn loses(&mut self, departure: u64) -> bool {
        match &mut self.loss {
            Some(process) => process.loses(departure),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_takes_two_cache_lines() {
        assert_eq!(size_of::<LinkState>(), 128);
        assert_eq!(align_of::<LinkState>(), 64);
    }
}
