//! The delay of a path without queues (RFC 6817, section 2.4.2), as both NADA and SCReAM use it.

use dumbbell_control::units::Instant;

use super::Known;

/// For how many minutes the smallest delay counts (RFC 6817, section 2.5: BASE_HISTORY).
const MINUTES: usize = 10;
const MINUTE: u64 = 60_000_000_000;

/// The smallest one-way delay of the last ten minutes. Delays are differences of two clocks, so they may be negative.
#[derive(Clone, Copy, Debug, Default)]
pub struct BaseDelay {
    /// The smallest delay of each minute, in seconds, and which minute it is.
    minutes: [Option<(u64, f64)>; MINUTES],
}

impl BaseDelay {
    /// Adds a packet's delay; returns how much longer it is than the smallest one, in seconds. `None` if it has not
    /// arrived, or when is unknown.
    pub fn queueing(&mut self, now: Instant, packet: &Known) -> Option<f64> {
        let arrived = packet.arrived_at()?;
        let delay =
            (i128::from(arrived.as_nanos()) - i128::from(packet.sent_at.as_nanos())) as f64 / 1e9;
        let minute = now.as_nanos() / MINUTE;
        let place = &mut self.minutes[(minute % MINUTES as u64) as usize];
        match place {
            Some((of, least)) if *of == minute => *least = least.min(delay),
            _ => *place = Some((minute, delay)),
        }
        let recent = self
            .minutes
            .iter()
            .flatten()
            .filter(|(of, _)| of + (MINUTES as u64) > minute);
        let base = recent
            .map(|&(_, least)| least)
            .fold(f64::INFINITY, f64::min);
        Some(delay - base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::{Ecn, Fate};

    fn queueing(base: &mut BaseDelay, sent_s: u64, delay_ms: u64) -> f64 {
        let sent_at = Instant::from_nanos(sent_s * 1_000_000_000);
        let packet = Known {
            sequence: 0,
            sent_at,
            bytes: 1000,
            fate: Fate::Arrived {
                // The receiver's clock is 5 s behind.
                at: Some(Instant::from_nanos(
                    (sent_s * 1000 - 5000 + delay_ms) * 1_000_000,
                )),
                ecn: Ecn::NotEct,
                missing_since: None,
            },
        };
        base.queueing(sent_at, &packet).unwrap()
    }

    #[test]
    fn the_smallest_delay_counts_for_ten_minutes() {
        let mut base = BaseDelay::default();
        assert!(queueing(&mut base, 10, 50).abs() < 1e-9);
        assert!((queueing(&mut base, 11, 80) - 0.03).abs() < 1e-9);
        assert!((queueing(&mut base, 500, 80) - 0.03).abs() < 1e-9);
        assert!(queueing(&mut base, 700, 80).abs() < 1e-9);
    }
}
