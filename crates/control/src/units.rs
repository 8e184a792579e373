//! The units of a congestion controller: time, bytes, windows and rates as integers.
//!
//! Every operation here is the exact floor of a stated expression, so the C twin in `bpf/dumbbell.h` can
//! agree with it bit for bit even if it computes in another order.
//!
//! ```
//! use dumbbell_control::units::{Bytes, Duration, Instant, Rate, Ratio, Segments};
//!
//! // Windows have fractions: four fifths of ten and a half segments.
//! let window = Segments::whole(10) + Segments::from_raw(Segments::ONE.raw() / 2);
//! let left = window.scaled(Ratio::from_millionths(800_000));
//! assert_eq!((left.floor(), left.as_f64()), (8, 8.399_999_999_906_868));
//!
//! // To bytes and back, for segments of 1200 bytes.
//! let bytes = window.to_bytes(Bytes(1200));
//! assert_eq!(bytes, Bytes(12_600));
//! assert_eq!(Segments::from_bytes(bytes, Bytes(1200)), window);
//!
//! // Times saturate at the origin, and spans at zero.
//! let start = Instant::ZERO + Duration::from_millis(60);
//! assert_eq!(start.since(Instant::ZERO), Duration::from_micros(60_000));
//! assert_eq!(Instant::ZERO.since(start), Duration::ZERO);
//!
//! // 125,000 bytes per second are one megabit per second.
//! assert_eq!(Rate::from_raw(125_000 << 16).as_bits_per_second(), 1e6);
//! ```

use core::ops::{Add, AddAssign, Sub};

pub use crate::wide::muldiv;

/// A moment in the time of a host, in nanoseconds since an origin that the host chooses.
///
/// Range: up to 2^63 ns. Simulations start at 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Instant(u64);

/// A span of time in nanoseconds. Controllers expect spans below 2^37 ns (137 s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(u64);

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub u64);

/// A window in segments, fixed point with 32 fraction bits. Congestion windows stay within
/// 1 to 2^20 segments; [`Segments::MAX`] means "no limit".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segments(u64);

/// A rate in bytes per second, fixed point with 16 fraction bits, at most 2^60 raw
/// (17.6 TB/s).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

/// A pure number between 0 and 4,294 with a resolution of one millionth: gains and factors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(u32);

impl Instant {
    /// The origin of the host's time.
    pub const ZERO: Self = Self(0);

    /// The moment `ns` nanoseconds after the origin.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// Nanoseconds since the origin.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Time since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Duration {
        Duration(self.0.saturating_sub(earlier.0))
    }

    /// Seconds since the origin, for people.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl Add<Duration> for Instant {
    type Output = Self;
    fn add(self, span: Duration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl Sub<Duration> for Instant {
    type Output = Self;
    fn sub(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(span.0))
    }
}

impl Duration {
    /// A span of zero.
    pub const ZERO: Self = Self(0);
    /// The longest span, 2^64 - 1 ns, longer than any a controller expects.
    pub const MAX: Self = Self(u64::MAX);

    /// A span of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Self(ns)
    }

    /// A span of `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Self(us * 1_000)
    }

    /// A span of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Self(ms * 1_000_000)
    }

    /// A span of `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Self(s * 1_000_000_000)
    }

    /// Nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// Seconds, for people.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// `self - other`, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Add for Duration {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

/// Saturates at [`Duration::MAX`].
impl From<core::time::Duration> for Duration {
    fn from(span: core::time::Duration) -> Self {
        Self(u64::try_from(span.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl Bytes {
    /// The payload of a segment, limited to 1 to 2^32 - 1 bytes.
    pub const fn segment_size(self) -> u32 {
        match self.0 {
            0 => 1,
            bytes if bytes > u32::MAX as u64 => u32::MAX,
            bytes => bytes as u32,
        }
    }
}

impl Segments {
    /// No segment.
    pub const ZERO: Self = Self(0);
    /// One segment.
    pub const ONE: Self = Self(1 << 32);
    /// The largest congestion window, 2^20 segments: the range for which the fixed-point arithmetic is
    /// proved.
    pub const CAP: Self = Self(1 << 52);
    /// "No limit": the initial slow-start threshold.
    pub const MAX: Self = Self(u64::MAX);

    /// `n` whole segments.
    pub const fn whole(n: u32) -> Self {
        Self((n as u64) << 32)
    }

    /// `n` whole segments, saturating at [`Segments::MAX`].
    #[inline]
    pub const fn saturating_whole(n: u64) -> Self {
        if n > u32::MAX as u64 {
            Self::saturated()
        } else {
            Self(n << 32)
        }
    }

    /// Kept out of line: a branch that is never taken costs less on every ACK than a conditional move.
    #[cold]
    #[inline(never)]
    const fn saturated() -> Self {
        Self::MAX
    }

    /// A number of bytes in segments of `mss` bytes: `floor(2^32 * bytes / mss)`, saturating at
    /// [`Segments::MAX`].
    ///
    /// ```
    /// use dumbbell_control::units::{Bytes, Segments};
    ///
    /// let window = Segments::from_bytes(Bytes(1800), Bytes(1200));
    /// assert_eq!(window.as_f64(), 1.5);
    /// assert_eq!(window.to_bytes(Bytes(1200)), Bytes(1800));
    /// ```
    pub const fn from_bytes(bytes: Bytes, mss: Bytes) -> Self {
        let raw = ((bytes.0 as u128) << 32) / mss.segment_size() as u128;
        Self(if raw > u64::MAX as u128 {
            u64::MAX
        } else {
            raw as u64
        })
    }

    /// The bytes in these segments of `mss` bytes: `floor(segments * mss)`.
    pub const fn to_bytes(self, mss: Bytes) -> Bytes {
        // At most 2^64 * 2^32 / 2^32.
        Bytes(((self.0 as u128 * mss.segment_size() as u128) >> 32) as u64)
    }

    /// From the raw fixed-point value (segments << 32).
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// The raw fixed-point value (segments << 32).
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// Whole segments, rounded down.
    pub const fn floor(self) -> u64 {
        self.0 >> 32
    }

    /// `floor(self * ratio)`.
    pub fn scaled(self, ratio: Ratio) -> Self {
        Self(muldiv(self.0, ratio.0, Ratio::ONE.0))
    }

    /// `self + other`, saturating.
    pub const fn saturating_add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    /// `self - other`, or zero.
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Segments as a decimal number, for people.
    pub fn as_f64(self) -> f64 {
        self.0 as f64 / 4_294_967_296.0
    }
}

impl Add for Segments {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        self.saturating_add(other)
    }
}

impl AddAssign for Segments {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Rate {
    /// A rate of zero.
    pub const ZERO: Self = Self(0);
    /// The largest rate, 2^60 raw.
    pub const CAP: Self = Self(1 << 60);

    /// From the raw fixed-point value (bytes/s << 16).
    pub const fn from_raw(raw: u64) -> Self {
        Self(raw)
    }

    /// The raw fixed-point value (bytes/s << 16).
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// Bits per second, for people.
    pub fn as_bits_per_second(self) -> f64 {
        self.0 as f64 / 8192.0
    }
}

impl Ratio {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// One half.
    pub const HALF: Self = Self(500_000);
    /// One.
    pub const ONE: Self = Self(1_000_000);

    /// `parts` millionths.
    pub const fn from_millionths(parts: u32) -> Self {
        Self(parts)
    }

    /// The number of millionths.
    pub const fn millionths(self) -> u32 {
        self.0
    }

    /// The number itself, for people.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1e6
    }
}
