//! ACK congestion control at the receiver (Balakrishnan, Padmanabhan and Katz 1997, section 4.3): if a
//! router marks ACKs, the receiver sends fewer of them.
//!
//! | event | delayed-ACK factor d |
//! |---|---|
//! | a segment echoes a mark, and no echo has doubled d within the last round | `min(2 d, max)` |
//! | a round ends without that | `max(d - 1, 1)` |
//!
//! An ACK is sent when `min(d, max, sendable / 2)` segments wait for it, when the oldest has waited for
//! the timer, and at once for a segment out of order.
//!
//! Readings: segments carry the newest time of the receiver's clock that the sender has received in an
//! ACK. A round at the receiver ends with the first segment whose time is not before the beginning of
//! the round. `sendable` is the number of segments that the sender may have outstanding: its window, or
//! what is left of its data if that is less. Half of it means at least two ACKs per window. (The unused
//! part of the window would be no alternative: it is zero most of the time.)

use dumbbell_control::units::{Duration, Instant};

/// The parameters of ACK congestion control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckControl {
    /// The largest delayed-ACK factor, at least 1.
    pub max: u32,
    /// The longest time that a segment waits for an ACK.
    pub timer: Duration,
}

/// The feedback for ACK congestion control that segments carry to the receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// Whether a marked ACK has arrived at the sender since its last segment.
    pub marked: bool,
    /// Segments that the sender may have outstanding.
    pub sendable: u32,
    /// The newest time of the receiver's clock that the sender has received in an ACK; zero before the
    /// first.
    pub heard: Instant,
}

/// The delayed-ACK factor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Factor {
    value: u32,
    max: u32,
    /// When the current round began.
    since: Instant,
    /// Whether the round began with an echo that doubled the factor.
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

    /// A segment arrives. Returns how many segments, this one included, may wait for an ACK.
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

    /// The factor after each round of 100 ms, with a segment every 10 ms. `marked` is whether the first
    /// segments of a round echo a mark.
    fn rounds(marked: &[bool], sendable: u32) -> Vec<u32> {
        let ms = |n| Instant::ZERO + Duration::from_millis(n);
        let mut factor = Factor::new(16);
        let mut now = 1000;
        let mut after = Vec::new();
        for &marked in marked {
            for place in 0..10 {
                let feedback = Feedback {
                    // The first segments of a round carry the echo.
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
    fn the_factor_doubles_with_marks_and_falls_by_one_per_round_without() {
        let marked = [true, true, true, false, false, false];
        assert_eq!(rounds(&marked, 100), [2, 4, 8, 7, 6, 5]);
    }

    #[test]
    fn the_factor_stays_between_1_and_its_bound() {
        assert_eq!(rounds(&[true; 6], 100), [2, 4, 8, 16, 16, 16]);
        assert_eq!(rounds(&[false; 3], 100), [1, 1, 1]);
    }

    #[test]
    fn at_most_half_of_the_sendable_segments_wait() {
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
