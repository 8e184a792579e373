//! Bandwidth from the spacing of ACKs: Mascolo et al., "TCP Westwood", 2001, section 2.
//!
//! Each ACK gives a sample `b = bytes / D`, where D is the time since the ACK before it. ACKs that
//! arrive at the same moment count as one. Tustin's filter takes a silence as samples of zero, one
//! every `tau / m`, so that its Nyquist condition holds.

use crate::filter::{ewma, tustin};
use crate::parameter::{Config as _, Kind, Setting, choice, parameters};
use crate::snapshot::Snapshot;
use crate::units::{Duration, Instant, Rate, Ratio, Segments};
use crate::wide::muldiv;

choice! {
    /// The filter of the samples.
    pub enum Filter {
        /// Tustin's, with the spacing of the ACKs. It starts from 0.
        Tustin = "tustin",
        /// Tustin's with a constant spacing. It starts from 0.
        Constant = "constant",
        /// A moving average. It starts from the first sample.
        Ewma = "ewma",
    }
}

parameters! {
    /// Tustin's filter with the spacing of the ACKs.
    pub struct TustinConfig {
        /// Cut-off time of Tustin's filter (Mascolo et al. 2001: 500 ms).
        tau: Duration = Duration::from_millis(500),
            Kind::Duration(Duration::from_millis(20), Duration::from_millis(1_600));
        /// Tustin's filter takes a silence as samples of zero, one every tau/m (Mascolo et al. 2001: 2).
        m: u32 = 2, Kind::Count(2, 16);
        /// If the rest of a silence is shorter than this, it belongs to the interval before it (ns-2's Westwood: 10 ms).
        merge: Duration = Duration::from_millis(10), Kind::Duration(Duration::ZERO, Duration::from_millis(20));
        /// Samples of zero after which the estimate is set to zero, which bounds the work of one ACK.
        max_virtual: u8 = 64, Kind::Count(1, 255);
    }
}

parameters! {
    /// Tustin's filter with a constant spacing.
    pub struct ConstantConfig {
        /// The constant filter is Tustin's with a spacing of tau divided by this (ns-2's Westwood: 10, hence 19/21).
        constant_k: u32 = 10, Kind::Count(1, 1_000);
    }
}

parameters! {
    /// A moving average.
    pub struct EwmaConfig {
        /// Weight of a new sample under `ewma` (ns-2's Westwood: 0.1).
        gain: Ratio = Ratio::from_millionths(100_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
    }
}

parameters! {
    /// How bandwidth is estimated.
    pub struct Config {
        use tustin: TustinConfig;
        use constant: ConstantConfig;
        use ewma: EwmaConfig;
        /// The filter of the samples: `tustin` (Mascolo et al. 2001), `constant`, or `ewma` (VenoDB, 3.1 B).
        filter: Filter = Filter::Tustin, Kind::Choice(Filter::WORDS);
    }
}

/// The parameters, converted once to the form that is used for each ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    two_tau: u32,
    /// Spacing of the samples of zero, in nanoseconds.
    step: u32,
    /// While at least this much silence is left, in nanoseconds, another sample of zero is fed.
    threshold: u32,
    constant_k: u32,
    gain: Ratio,
    max_virtual: u8,
    filter: Filter,
}

impl Tuning {
    /// Converts the parameters.
    pub fn new(config: &Config) -> Self {
        // Within the ranges of the parameters, everything fits in 32 bits.
        let nanos = |span: Duration| u32::try_from(span.as_nanos()).unwrap_or(u32::MAX);
        let TustinConfig {
            tau,
            m,
            merge,
            max_virtual,
        } = config.tustin;
        let tau = nanos(tau);
        let step = (tau / m.max(1)).max(1);
        Self {
            two_tau: tau.saturating_mul(2),
            step,
            threshold: step.saturating_add(nanos(merge).max(1)),
            constant_k: config.constant.constant_k,
            gain: config.ewma.gain,
            max_virtual,
            filter: config.filter,
        }
    }

    /// Converts parameters that `value` returns by name; `None` if one is missing or not within its
    /// range.
    pub fn by_name(mut value: impl FnMut(&str) -> Option<Setting>) -> Option<Self> {
        let mut config = Config::default();
        for parameter in Config::PARAMETERS {
            config.set(parameter.name, value(parameter.name)?).ok()?;
        }
        Some(Self::new(&config))
    }

    /// The values derived from the parameters, with the names that the twin in C uses.
    pub fn derived(&self) -> [(&'static str, u32); 3] {
        [
            ("two_tau", self.two_tau),
            ("step", self.step),
            ("threshold", self.threshold),
        ]
    }
}

/// A bandwidth estimate. 32 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bandwidth {
    bwe: Rate,
    /// The sample before.
    previous: Rate,
    /// The end of the last interval.
    last: Instant,
    /// Bytes of ACKs that made no sample, because no time had passed since the one before.
    carried: u32,
    /// Samples of zero in this silence.
    silent: u8,
    started: bool,
    sampled: bool,
}

const _: () = assert!(size_of::<Bandwidth>() <= 32);

impl Bandwidth {
    /// The estimate; `None` until the first sample.
    #[inline]
    pub fn rate(&self) -> Option<Rate> {
        if self.sampled { Some(self.bwe) } else { None }
    }

    /// Takes `bytes` that left the network at `now`. The first call only starts the clock.
    /// Returns whether this made a sample.
    #[inline]
    pub fn observe(&mut self, tuning: &Tuning, now: Instant, bytes: u32) -> bool {
        if !self.started {
            *self = Self {
                started: true,
                last: now,
                ..Self::default()
            };
            return false;
        }
        self.carry(bytes);
        let mut gap = now.since(self.last).as_nanos();
        if gap == 0 {
            return false;
        }
        if gap >= u64::from(tuning.threshold) && tuning.filter == Filter::Tustin {
            gap = self.feed_silence(tuning, gap, tuning.threshold);
        }
        let sample = rate(self.carried.into(), gap);
        self.bwe = match tuning.filter {
            Filter::Tustin => {
                tustin::step(self.bwe, self.previous, sample, tuning.two_tau, gap as u32)
            }
            Filter::Constant => {
                tustin::constant(self.bwe, self.previous, sample, tuning.constant_k)
            }
            Filter::Ewma if !self.sampled => sample,
            Filter::Ewma => ewma::step(self.bwe, sample, tuning.gain),
        };
        self.previous = sample;
        self.last = now;
        self.carried = 0;
        self.silent = 0;
        self.sampled = true;
        true
    }

    /// Replaces the estimate with one that was made in another way.
    #[inline]
    pub fn replace(&mut self, rate: Rate) {
        self.bwe = rate;
        self.sampled = true;
    }

    /// Keeps `bytes` for the next sample.
    #[inline]
    pub fn carry(&mut self, bytes: u32) {
        self.carried = self.carried.saturating_add(bytes);
    }

    /// Feeds the samples of zero that are due at `now`, without an ACK.
    pub fn pass_silence(&mut self, tuning: &Tuning, now: Instant) {
        if self.started && tuning.filter == Filter::Tustin {
            let gap = now.since(self.last).as_nanos();
            let rest = self.feed_silence(tuning, gap, tuning.step);
            if rest < gap {
                self.last = now - Duration::from_nanos(rest);
            }
        }
    }

    /// Feeds samples of zero until less than `threshold` of the gap is left. Returns the rest of the
    /// gap.
    fn feed_silence(&mut self, tuning: &Tuning, mut gap: u64, threshold: u32) -> u64 {
        let (step, threshold) = (u64::from(tuning.step), u64::from(threshold));
        while gap >= threshold {
            if self.silent >= tuning.max_virtual {
                return gap - ((gap - threshold) / step + 1) * step;
            }
            self.bwe = tustin::step(
                self.bwe,
                self.previous,
                Rate::ZERO,
                tuning.two_tau,
                tuning.step,
            );
            self.previous = Rate::ZERO;
            self.silent += 1;
            if self.silent == tuning.max_virtual {
                self.bwe = Rate::ZERO;
            }
            gap -= step;
        }
        gap
    }

    /// An estimate of `bwe` whose last sample was `bwe`, too, at `last`.
    #[cfg(test)]
    pub(crate) fn settled(bwe: Rate, last: Instant) -> Self {
        Self {
            bwe,
            previous: bwe,
            last,
            started: true,
            sampled: true,
            ..Self::default()
        }
    }
}

impl Snapshot for Bandwidth {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        out("bwe", self.bwe.raw());
        out("previous", self.previous.raw());
        out("last", self.last.as_nanos());
        out("carried", self.carried.into());
        out("silent", self.silent.into());
        out("started", self.started.into());
        out("sampled", self.sampled.into());
    }
}

/// The rate of `bytes` in `span` nanoseconds: `floor(bytes * 10^9 * 2^16 / span)` in bytes/s << 16, at
/// most [`Rate::CAP`]. A span of zero gives the cap.
#[inline]
pub fn rate(bytes: u64, span: u64) -> Rate {
    const SECOND: u32 = 1_000_000_000;
    let raw = match u32::try_from(span) {
        Ok(span) if bytes < 1 << 48 => muldiv(bytes << 16, SECOND, span),
        _ => {
            let wide = (u128::from(bytes) << 16) * u128::from(SECOND);
            let quotient = wide.checked_div(span.into()).unwrap_or(u128::MAX);
            u64::try_from(quotient).unwrap_or(u64::MAX)
        }
    };
    Rate::from_raw(raw.min(Rate::CAP.raw()))
}

/// The whole bytes in a number of segments of `mss` bytes, at most 2^32 - 1.
#[inline]
pub fn bytes(segments: Segments, mss: u32) -> u32 {
    let bytes = (u128::from(segments.raw()) * u128::from(mss)) >> 32;
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

/// The window that fills a path: `floor(rate * rtt / mss)` in segments << 32, at most
/// [`Segments::CAP`]. The RTT must not exceed 2^37 ns.
pub fn window(rate: Rate, rtt: Duration, mss: u32) -> Segments {
    let product = (u128::from(rate.raw()) * u128::from(rtt.as_nanos())) << 16;
    let segments = product / 1_000_000_000 / u128::from(mss.max(1));
    Segments::from_raw(u64::try_from(segments).unwrap_or(u64::MAX)).min(Segments::CAP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{assert_near, assert_segments, at, bit_rate, span};

    fn tuning(filter: Filter) -> Tuning {
        Tuning::new(&Config {
            filter,
            ..Config::default()
        })
    }

    #[track_caller]
    fn assert_rate(bandwidth: &Bandwidth, expected: f64) {
        assert_near(
            bandwidth.rate().expect("sampled").as_bits_per_second(),
            expected,
        );
    }

    #[test]
    fn tustins_filter_starts_from_zero_and_weighs_each_sample_by_its_spacing() {
        let tuning = tuning(Filter::Tustin);
        let mut bandwidth = Bandwidth::default();
        bandwidth.observe(&tuning, at(0.0), 0);
        assert_eq!(bandwidth.rate(), None);
        let acks = [
            (10.0, 1000, 7920.79),
            (20.0, 1000, 23605.53),
            (40.0, 1000, 46209.23),
            (50.0, 2000, 65096.18),
        ];
        for (now, bytes, expected) in acks {
            assert!(bandwidth.observe(&tuning, at(now), bytes));
            assert_rate(&bandwidth, expected);
        }
    }

    #[test]
    fn a_silence_counts_as_samples_of_zero() {
        let tuning = tuning(Filter::Tustin);
        let start = Bandwidth::settled(bit_rate(1e6), at(1000.0));
        for (now, expected) in [(1250.0, 800_000.0), (1500.0, 480_000.0)] {
            let mut bandwidth = start;
            bandwidth.pass_silence(&tuning, at(now));
            assert_rate(&bandwidth, expected);
        }
        let mut bandwidth = start;
        bandwidth.observe(&tuning, at(1600.0), 1000);
        assert_rate(&bandwidth, 400_000.0);
        // Samples of zero that a timeout has fed are not fed again.
        let mut bandwidth = start;
        bandwidth.pass_silence(&tuning, at(1400.0));
        bandwidth.pass_silence(&tuning, at(1550.0));
        bandwidth.observe(&tuning, at(1600.0), 1000);
        assert_rate(&bandwidth, 400_000.0);
    }

    #[test]
    fn a_short_rest_belongs_to_the_interval_before_it() {
        // D = 0.255 s, b = 8000 / 0.255 = 31372.549: (1e6 * 0.745 + 1031372.549 * 0.255) / 1.255.
        let mut bandwidth = Bandwidth::settled(bit_rate(1e6), at(1000.0));
        bandwidth.observe(&tuning(Filter::Tustin), at(1255.0), 1000);
        assert_rate(&bandwidth, 803_187.251);
    }

    #[test]
    fn a_long_silence_ends_at_zero_with_bounded_work() {
        let tuning = tuning(Filter::Tustin);
        let mut bandwidth = Bandwidth::settled(Rate::CAP, at(0.0));
        bandwidth.pass_silence(&tuning, at(15_900.0));
        assert!(bandwidth.rate() > Some(Rate::ZERO), "63 samples of zero");
        bandwidth.pass_silence(&tuning, at(16_000.0));
        assert_eq!(bandwidth.rate(), Some(Rate::ZERO));
        bandwidth.observe(&tuning, Instant::from_nanos(u64::MAX), 1000);
        assert!(bandwidth.rate() > Some(Rate::ZERO));
    }

    #[test]
    fn an_ack_ends_the_count_of_zeros() {
        let tuning = tuning(Filter::Tustin);
        let mut bandwidth = Bandwidth::settled(Rate::CAP, at(0.0));
        bandwidth.pass_silence(&tuning, at(15_900.0));
        bandwidth.observe(&tuning, at(15_950.0), 1000);
        // A new silence begins, and its zeros are counted from 0.
        bandwidth.pass_silence(&tuning, at(16_950.0));
        assert!(bandwidth.rate() > Some(Rate::ZERO));
    }

    #[test]
    fn acks_at_the_same_moment_count_together() {
        let tuning = tuning(Filter::Ewma);
        let mut bandwidth = Bandwidth::default();
        bandwidth.observe(&tuning, at(0.0), 5000);
        assert!(!bandwidth.observe(&tuning, at(0.0), 1000));
        assert!(bandwidth.observe(&tuning, at(10.0), 1000));
        // 2000 bytes in 10 ms; the first ACK only started the clock.
        assert_rate(&bandwidth, 1.6e6);
    }

    #[test]
    fn the_moving_average_starts_from_the_first_sample() {
        let tuning = tuning(Filter::Ewma);
        let mut bandwidth = Bandwidth::default();
        bandwidth.observe(&tuning, at(0.0), 0);
        for (now, bytes, expected) in [(8.0, 1000, 1e6), (16.0, 2000, 1.1e6), (24.0, 2000, 1.19e6)]
        {
            bandwidth.observe(&tuning, at(now), bytes);
            assert_rate(&bandwidth, expected);
        }
    }

    #[test]
    fn the_window_is_the_bandwidth_times_the_rtt() {
        assert_segments(window(bit_rate(1.5e6), span(66.0), 1000), 12.375);
    }

    #[test]
    fn extremes_saturate() {
        assert_eq!(rate(u64::MAX, 1), Rate::CAP);
        assert_eq!(rate(1, 0), Rate::CAP);
        // 2^48 bytes in 2^40 ns: 2^8 * 10^9 bytes a second.
        assert_eq!(
            rate(1 << 48, 1 << 40),
            Rate::from_raw(256_000_000_000 << 16)
        );
        assert_eq!(bytes(Segments::MAX, u32::MAX), u32::MAX);
        assert_eq!(bytes(Segments::from_raw(3 << 31), 1000), 1500);
        assert_eq!(
            window(Rate::CAP, Duration::from_nanos(1 << 37), 1),
            Segments::CAP
        );
        assert_eq!(crate::units::Bytes(0).segment_size(), 1);
    }
}
