//! Where a sender's packets come from.

use dumbbell_control::units::{Duration, Instant};

/// The packets that wait at a sender, and what makes them.
pub trait Supply {
    /// What a packet is.
    type Packet;

    /// Makes what is to be made by now. The encoder's target rate in bit/s has been the last one until now, and is
    /// `target_rate` from now on.
    fn fill(&mut self, now: Instant, target_rate: f64);

    /// Returns the bytes of payload that wait.
    fn waiting(&self) -> u64;

    /// Returns the payload in bytes of the next packet, if one waits.
    fn next(&self) -> Option<u32>;

    /// Takes the next packet, with its payload in bytes.
    fn take(&mut self) -> Option<(Self::Packet, u32)>;

    /// Returns a packet without content: the path carries it, but it is no media.
    fn pad(&mut self) -> Self::Packet;

    /// Returns when [`fill`](Self::fill) makes the next packets if the target rate stays at this.
    fn due(&self, target_rate: f64) -> Option<Instant>;
}

/// An encoder without frames: packets of one size, evenly at exactly the target rate. What has waited for half a second
/// is discarded.
#[derive(Clone, Copy, Debug)]
pub struct Backlog {
    segment: u32,
    /// The bytes that have been made and have not left; the last one is made at `at`.
    made: f64,
    at: Option<Instant>,
    rate: f64,
}

/// The longest time that packets wait, in seconds at the target rate.
const PATIENCE: f64 = 0.5;

impl Backlog {
    /// Makes a supply of packets of this payload in bytes; zero counts as one. The first packet is there at the start.
    pub fn new(segment: u32) -> Self {
        Self {
            segment: segment.max(1),
            made: f64::from(segment.max(1)),
            at: None,
            rate: 0.0,
        }
    }
}

impl Supply for Backlog {
    type Packet = ();

    fn fill(&mut self, now: Instant, target_rate: f64) {
        let span = self.at.map_or(0.0, |at| now.since(at).as_secs_f64());
        // A timer is set to whole nanoseconds, so a packet may lack a millionth of its size.
        self.made += span * self.rate / 8.0 + if span > 0.0 { 1e-6 } else { 0.0 };
        let most = (target_rate / 8.0 * PATIENCE).max(2.0 * f64::from(self.segment));
        self.made = self.made.min(most);
        self.at = Some(now);
        self.rate = target_rate;
    }

    fn waiting(&self) -> u64 {
        let segment = u64::from(self.segment);
        self.made as u64 / segment * segment
    }

    fn next(&self) -> Option<u32> {
        (self.waiting() > 0).then_some(self.segment)
    }

    fn take(&mut self) -> Option<((), u32)> {
        self.next()?;
        self.made -= f64::from(self.segment);
        Some(((), self.segment))
    }

    fn pad(&mut self) {}

    fn due(&self, target_rate: f64) -> Option<Instant> {
        let at = self.at?;
        let rest = f64::from(self.segment) - self.made % f64::from(self.segment);
        let nanos = rest * 8e9 / target_rate;
        Some(at + Duration::from_nanos(libm::ceil(nanos) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_come_at_the_target_rate() {
        let mut supply = Backlog::new(1000);
        let (mut now, mut taken) = (Instant::ZERO, 0);
        let mut rate = 1e6;
        while now < Instant::from_nanos(20_000_000_000) {
            rate = if now < Instant::from_nanos(10_000_000_000) {
                rate
            } else {
                333_333.3
            };
            supply.fill(now, rate);
            while supply.take().is_some() {
                taken += 1;
            }
            now = supply.due(rate).unwrap();
        }
        // 10 s at 125 packets a second, 10 s at 41.67, and the first one.
        assert!((1665..=1669).contains(&taken), "{taken}");
    }

    #[test]
    fn what_waits_too_long_is_discarded() {
        let mut supply = Backlog::new(1000);
        supply.fill(Instant::ZERO, 800_000.0);
        supply.fill(Instant::from_nanos(5_000_000_000), 800_000.0);
        assert_eq!(supply.waiting(), 50_000);
    }
}
