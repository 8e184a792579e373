//! The history of a bandwidth estimate: its value one round-trip time ago.

use core::cmp::Ordering;

use crate::estimate::rtt::Rtt;
use crate::snapshot::Snapshot;
use crate::units::{Duration, Instant, Rate, Ratio};

const ENTRIES: usize = 32;

/// A ring of the last 32 entries, at least 1 ms and a fraction of a round-trip time apart. A look-up
/// returns the latest entry that is not after a moment, which may be one spacing too old. 520 bytes.
///
/// With a spacing of RTT/16 and a tolerance of 1 %, the sign of the change over an RTT differs from
/// that of the full history on 0.8 % of the ACKs of a jittered 2 Mbit/s path (with RTT/28, on 0.4 %).
/// `tests/streams/history.rs` measures it.
#[derive(Clone, Debug)]
pub struct History {
    times: [Instant; ENTRIES],
    rates: [Rate; ENTRIES],
    next: u8,
    len: u8,
}

const _: () = assert!(size_of::<History>() <= 520);

impl Default for History {
    fn default() -> Self {
        Self {
            times: [Instant::ZERO; ENTRIES],
            rates: [Rate::ZERO; ENTRIES],
            next: 0,
            len: 0,
        }
    }
}

impl History {
    /// The least spacing of two entries.
    pub const SPACING: Duration = Duration::from_millis(1);

    /// Adds `rate` if the last entry is at least max(1 ms, RTT / `parts`) old.
    #[inline]
    pub fn record(&mut self, now: Instant, rate: Rate, rtt: &Rtt, parts: u32) {
        if self.len > 0 {
            let age = now.since(self.times[self.slot(0)]).as_nanos();
            let eighths = rtt.eighths().map_or(0, |rtt| rtt.get());
            if age < Self::SPACING.as_nanos() || age.saturating_mul(u64::from(parts) << 3) < eighths
            {
                return;
            }
        }
        let slot = usize::from(self.next) % ENTRIES;
        self.times[slot] = now;
        self.rates[slot] = rate;
        self.next = (self.next + 1) % ENTRIES as u8;
        self.len = (self.len + 1).min(ENTRIES as u8);
    }

    /// The latest entry that is not after `time`; `None` if the history does not reach back so far.
    #[inline]
    pub fn at(&self, time: Instant) -> Option<Rate> {
        let slots = (0..self.len).map(|back| self.slot(back));
        slots
            .into_iter()
            .find(|&slot| self.times[slot] <= time)
            .map(|slot| self.rates[slot])
    }

    /// The slot of the entry `back` places before the last one.
    #[inline]
    fn slot(&self, back: u8) -> usize {
        usize::from(self.next.wrapping_sub(1).wrapping_sub(back)) % ENTRIES
    }
}

impl Snapshot for History {
    /// Reports the ring as one number, FNV-1a over its words.
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        let words = self
            .times
            .iter()
            .zip(&self.rates)
            .flat_map(|(time, rate)| [time.as_nanos(), rate.raw()]);
        let digest = words.fold(0xcbf2_9ce4_8422_2325, |sum: u64, word| {
            (sum ^ word).wrapping_mul(0x0100_0000_01b3)
        });
        out("ring_next", self.next.into());
        out("ring_len", self.len.into());
        out("ring", digest);
    }
}

/// How `now` compares with `old`. They are equal if they differ by at most the fraction `tolerance` of
/// `old`, or if `old` is unknown.
#[inline]
pub fn change(now: Rate, old: Option<Rate>, tolerance: Ratio) -> Ordering {
    let Some(old) = old else {
        return Ordering::Equal;
    };
    let difference = u128::from(now.raw().abs_diff(old.raw()));
    let one = u128::from(Ratio::ONE.millionths());
    if difference * one <= u128::from(old.raw()) * u128::from(tolerance.millionths()) {
        Ordering::Equal
    } else {
        now.cmp(&old)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{at, bit_rate};

    fn rtt_of(ms: u64) -> Rtt {
        let mut rtt = Rtt::default();
        rtt.replace(Duration::from_millis(ms));
        rtt
    }

    #[test]
    fn entries_are_a_sixteenth_of_the_rtt_apart() {
        // RTT 64 ms in 16 parts: one entry every 4 ms.
        let (mut history, rtt) = (History::default(), rtt_of(64));
        assert_eq!(history.at(at(1000.0)), None);
        for ms in 100..110u32 {
            history.record(at(f64::from(ms)), Rate::from_raw(ms.into()), &rtt, 16);
        }
        let found = |ms| history.at(at(ms)).map(Rate::raw);
        assert_eq!(found(99.9), None);
        assert_eq!(found(100.0), Some(100));
        assert_eq!(found(103.9), Some(100));
        assert_eq!(found(104.0), Some(104));
        assert_eq!(found(200.0), Some(108));
    }

    #[test]
    fn a_new_entry_replaces_the_oldest() {
        let (mut history, rtt) = (History::default(), rtt_of(1));
        for ms in 1..=40u32 {
            history.record(at(f64::from(ms)), Rate::from_raw(ms.into()), &rtt, 16);
        }
        assert_eq!(history.at(at(8.9)), None);
        assert_eq!(history.at(at(9.0)).map(Rate::raw), Some(9));
        assert_eq!(history.at(at(40.0)).map(Rate::raw), Some(40));
    }

    #[test]
    fn a_change_of_at_most_one_percent_counts_as_none() {
        let one_percent = Ratio::from_millionths(10_000);
        let old = Some(bit_rate(1.95e6));
        assert_eq!(change(bit_rate(1.96e6), old, one_percent), Ordering::Equal);
        assert_eq!(change(bit_rate(1.90e6), old, one_percent), Ordering::Less);
        assert_eq!(
            change(bit_rate(2.00e6), old, one_percent),
            Ordering::Greater
        );
        assert_eq!(change(bit_rate(2.00e6), None, one_percent), Ordering::Equal);
    }
}
