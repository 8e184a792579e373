//! A pacer, for stacks that leave pacing to the control.

use dumbbell_control::units::{Duration, Instant, Rate};

/// Packets that may leave at once after a pause (RFC 9002, section 7.7: at most an initial window).
const BURST: u64 = 10;

/// Below this round-trip time a window is not paced: a timer wakes later than its last packet would have left.
const LEAST_RTT: Duration = Duration::from_millis(2);

/// When the next packet may leave: at the rate of the control or, if it sets none, at 5/4 of a window per smoothed
/// round-trip time (twice a window in slow start), as RFC 9002, section 7.7, recommends.
#[derive(Clone, Copy, Debug, Default)]
pub struct Pacer {
    /// When all that has been sent would have left at the rate.
    until: Instant,
    due: Option<Instant>,
}

/// What a pacer must know of the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Speed {
    /// The rate of the control, if it sets one.
    pub rate: Option<Rate>,
    /// Packets that the control lets leave at once.
    pub quantum: u64,
    /// The window, in bytes, and whether it is in slow start.
    pub window: u64,
    pub slow_start: bool,
    pub srtt: Option<Duration>,
    /// The size of a full packet.
    pub mtu: u64,
}

impl Speed {
    /// The time that so many bytes take; `None` if nothing sets a rate.
    fn span(&self, bytes: u64) -> Option<Duration> {
        let ns = match self.rate {
            // Rates are bytes/s << 16.
            Some(rate) => {
                ((u128::from(bytes) * 1_000_000_000) << 16) / u128::from(rate.raw().max(1))
            }
            None => {
                let srtt = self.srtt.filter(|srtt| *srtt >= LEAST_RTT)?;
                let (over, under) = if self.slow_start { (1, 2) } else { (4, 5) };
                u128::from(bytes) * u128::from(srtt.as_nanos()) * over
                    / (u128::from(self.window.max(1)) * under)
            }
        };
        Some(Duration::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX)))
    }
}

impl Pacer {
    pub(crate) fn on_sent(&mut self, now: Instant, bytes: u64, speed: &Speed) {
        let Some(span) = speed.span(bytes) else {
            self.due = None;
            return;
        };
        let burst = match speed.rate {
            Some(_) => speed.quantum.max(1),
            None => BURST,
        };
        self.until = self.until.max(now) + span;
        // The last packet of a burst may leave while the others would still be leaving.
        let ahead = speed.span((burst - 1) * speed.mtu).unwrap_or_default();
        let due = self.until - ahead;
        self.due = (due > now).then_some(due);
    }

    /// When the next packet may leave; `None` if it may leave now.
    pub fn due(&self) -> Option<Instant> {
        self.due
    }
}
