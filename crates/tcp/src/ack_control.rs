//! ACK congestion control at the receiver (Balakrishnan, Padmanabhan and Katz 1997, section 4.3): where
//! a router marks ACKs, fewer of them are sent.
//!
//! | event | delayed-ACK factor d |
//! |---|---|
//! | a segment echoes a mark, and no echo has acted within the last round | `min(2 d, max)` |
//! | a round ends without that | `max(d - 1, 1)` |
//!
//! An ACK goes out when `min(d, max, sendable / 2)` segments wait for one, when the oldest has waited
//! for the timer, and at once for what is out of order.
//!
//! Readings: a round at the receiver ends with a segment that was sent after something had been heard
//! of its beginning: segments carry the newest of the receiver's times that their sender has heard.
//! `sendable` counts the segments that the sender may have outstanding, its window or what is left of
//! its data: half of it makes two ACKs a window at least. (What a window leaves to be sent at any
//! moment is nothing most of the time.)

use dumbbell_control::units::{Duration, Instant};

/// The parameters of ACK congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckControl {
    /// The largest delayed-ACK factor, at least 1.
    pub max: u32,
    /// How long a segment waits for an ACK at most.
    pub timer: Duration,
}

/// What segments tell the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// An ACK has arrived with a mark since the last segment.
    pub marked: bool,
    /// Segments that the sender may have outstanding.
    pub sendable: u32,
    /// The newest of the receiver's times that has reached the sender; zero before the first.
    pub heard: Instant,
}

/// The delayed-ACK factor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    value: u32,
    max: u32,
    /// When the round at hand began.
    since: Instant,
    /// It began with an echo that acted.
    doubled: bool,
}

impl Factor {
    pub(crate) fn new(max: u32) -> Self {
        Self {
            value: 1,
            max: max.max(1),
            since: Instant::ZERO,
            doubled: false,
        }
    }

    pub(crate) fn value(&self) -> u32 {
        self.value
    }

    /// A segment arrives; answers how many may wait for an ACK, it included.
    pub(crate) fn on_segment(&mut self, now: Instant, feedback: &Feedback) -> u32 {
        let over = feedback.heard >= self.since;
        if feedback.marked && (over || !self.doubled) {
            self.value = self.value.saturating_mul(2).min(self.max);
            self.since = now;
            self.doubled = true;
        } else if over {
            self.value = (self.value - 1).max(1);
            self.since = now;
            self.doubled = false;
        }
        self.value.min(feedback.sendable / 2).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Segments of rounds of 100 ms, one every 10 ms, that are heard of 50 ms later.
    fn rounds(marked: &[bool], sendable: u32) -> Vec<u32> {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let mut factor = Factor::new(16);
        let mut now = 1000;
        let mut after = Vec::new();
        for &marked in marked {
            for place in 0..10 {
                let feedback = Feedback {
                    // The echo comes with the first segments of a round.
                    marked: marked && place < 3,
                    sendable,
                    heard: ms(now - 100),
                };
                let _ = factor.on_segment(ms(now), &feedback);
                now += 10;
            }
            after.push(factor.value());
        }
        after
    }

    #[test]
    fn v13_3() {
        let marked = [true, true, true, false, false, false];
        assert_eq!(rounds(&marked, 100), [2, 4, 8, 7, 6, 5]);
    }

    #[test]
    fn it_stays_between_1_and_its_bound() {
        assert_eq!(rounds(&[true; 6], 100), [2, 4, 8, 16, 16, 16]);
        assert_eq!(rounds(&[false; 3], 100), [1, 1, 1]);
    }

    #[test]
    fn half_of_what_is_sendable_is_enough() {
        let feedback = |sendable| Feedback {
            marked: false,
            sendable,
            heard: Instant::ZERO,
        };
        let mut factor = Factor::new(16);
        factor.value = 8;
        factor.since = Instant::from_nanos(1);
        let limits = [100, 16, 9, 3, 1, 0].map(|n| factor.on_segment(Instant::ZERO, &feedback(n)));
        assert_eq!(limits, [8, 8, 4, 1, 1, 1]);
    }
}
