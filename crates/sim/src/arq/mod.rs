//! Link-layer retransmission (ARQ; RFC 3366): a link that sends again what its loss model has lost.
//!
//! The loss model decides about every attempt. The sender learns of a failure `rtt` after the end of the attempt;
//! the packet then takes the transmitter again, before packets that have not been sent yet. A packet whose last
//! attempt fails is lost. With independent losses of probability p and n retransmissions, p^(n + 1) of the packets
//! are lost, and the k-th attempt is the first to succeed with probability p^(k - 1) (1 - p).
//!
//! The far end delivers packets in order if asked to: a packet waits there for those before it, until they
//! have arrived or are given up (head-of-line blocking). The far end knows at once when the sender gives up.

mod resequencer;

use std::collections::VecDeque;

use crate::queue::Waiting;
use crate::time::Time;

pub(crate) use self::resequencer::{Fate, Resequencer};

/// Retransmission by the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arq {
    /// How often a packet is sent again at most.
    pub retries: u32,
    /// The time from the end of an attempt to the moment when the sender knows that it has failed.
    pub rtt: Time,
    /// Whether packets leave the link in the order in which they were first sent.
    pub in_order: bool,
}

/// Which attempt to transmit which packet this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Attempt {
    /// The number of the packet, in the order of first attempts.
    pub number: u64,
    /// How many attempts there were before.
    pub before: u32,
}

/// The state of a link that retransmits.
#[derive(Clone, Debug)]
pub(crate) struct Retransmission {
    arq: Arq,
    /// The number of packets that have been sent at least once.
    sent: u64,
    /// Packets to be sent again, with the times from which they can be.
    failed: VecDeque<(Waiting, Attempt, u64)>,
    /// The far end, if it keeps the order.
    pub resequencer: Option<Resequencer>,
}

impl Retransmission {
    pub fn new(arq: Arq) -> Self {
        Self {
            arq,
            sent: 0,
            failed: VecDeque::new(),
            resequencer: arq.in_order.then(Resequencer::default),
        }
    }

    /// Returns the attempt of a packet that has not been sent before.
    pub fn first(&mut self) -> Attempt {
        self.sent += 1;
        if let Some(resequencer) = &mut self.resequencer {
            resequencer.expect();
        }
        Attempt {
            number: self.sent - 1,
            before: 0,
        }
    }

    /// Returns from when on the next packet can be sent again, if there is one.
    pub fn ready(&self) -> Option<u64> {
        self.failed.front().map(|&(_, _, ready)| ready)
    }

    /// Takes out the next packet if it can be sent again at this moment.
    pub fn next(&mut self, moment: u64) -> Option<(Waiting, Attempt)> {
        self.ready().filter(|&ready| ready <= moment)?;
        let (packet, attempt, _) = self.failed.pop_front()?;
        Some((packet, attempt))
    }

    /// Handles a failed attempt that ended at this moment, not before the last such moment. Returns whether
    /// there will be another one.
    pub fn fail(&mut self, packet: Waiting, attempt: Attempt, ended: u64) -> bool {
        if attempt.before >= self.arq.retries {
            return false;
        }
        let next = Attempt {
            before: attempt.before + 1,
            ..attempt
        };
        let ready = ended.saturating_add(self.arq.rtt.as_nanos());
        self.failed.push_back((packet, next, ready));
        true
    }

    /// Returns the packets that will be sent again.
    pub fn failed(&self) -> impl ExactSizeIterator<Item = &Waiting> {
        self.failed.iter().map(|(packet, ..)| packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Class, Kind};

    #[test]
    fn a_packet_is_given_up_after_the_last_retry() {
        let mut link = Retransmission::new(Arq {
            retries: 2,
            rtt: Time::from_nanos(80),
            in_order: false,
        });
        let packet = Waiting::new(7, Class::new(100, Kind::new(0)), 0);
        let mut attempt = link.first();
        for (ended, ready) in [(10, 90), (100, 180)] {
            assert!(link.fail(packet, attempt, ended));
            assert_eq!(link.ready(), Some(ready));
            assert_eq!(link.next(ready - 1), None);
            let (again, next) = link.next(ready).unwrap();
            assert_eq!((again, next.before), (packet, attempt.before + 1));
            attempt = next;
        }
        assert!(!link.fail(packet, attempt, 200));
        assert_eq!(link.ready(), None);
    }
}
