//! The departure rate that PIE may measure, to estimate the delay by it (RFC 8033, section 5.2).

/// A measurement of the departure rate takes so many bytes (RFC 8033, appendix B: DQ_THRESHOLD).
pub(super) const CYCLE: u64 = 1 << 14;

/// The measurement of the departure rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Departures {
    /// When the measurement began, and the bytes since then.
    pub measuring: Option<(u64, u64)>,
    /// The mean time of a cycle, in seconds; zero if it is not known.
    pub mean: f64,
}

impl Departures {
    /// A packet of this size departs, and so many bytes are left.
    pub fn depart(&mut self, bytes: u16, left: u64, now: u64) {
        if let Some((start, before)) = &mut self.measuring {
            *before += u64::from(bytes);
            if *before >= CYCLE {
                let time = (now - *start) as f64 / 1e9;
                let weight = CYCLE as f64 / 65_536.0;
                self.mean = match self.mean {
                    0.0 => time,
                    mean => time * weight + mean * (1.0 - weight),
                };
                self.measuring = None;
            }
        }
        if left >= CYCLE && self.measuring.is_none() {
            self.measuring = Some((now, 0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    /// 16,384 bytes in 11 packets of 1500 bytes, 1 ms apart. The packet that starts the measurement is not
    /// counted, so the cycle takes 11 ms; 30,000 bytes wait for 30,000/16,384 x 11 ms = 20.142 ms.
    #[test]
    fn the_departure_rate_is_measured_over_sixteen_kibibytes() {
        let mut rate = Departures::default();
        for ms in 0..=11 {
            rate.depart(1_500, 30_000, ms * MS);
        }
        let delay = 30_000.0 * rate.mean / 16_384.0;
        assert!((delay - 0.020_142).abs() < 1e-6, "{delay}");
    }
}
