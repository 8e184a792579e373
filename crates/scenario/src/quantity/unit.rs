//! The spellings of units, each with its factor to the base unit.

use super::Measure;

pub(super) const RATES: &[(&str, u64)] = &[
    ("b/s", 1),
    ("kb/s", 1_000),
    ("Mb/s", 1_000_000),
    ("Gb/s", 1_000_000_000),
    ("Tb/s", 1_000_000_000_000),
    ("bit/s", 1),
    ("kbit/s", 1_000),
    ("Mbit/s", 1_000_000),
    ("Gbit/s", 1_000_000_000),
    ("Tbit/s", 1_000_000_000_000),
    ("bps", 1),
    ("kbps", 1_000),
    ("Mbps", 1_000_000),
    ("Gbps", 1_000_000_000),
    ("Tbps", 1_000_000_000_000),
    ("B/s", 8),
    ("kB/s", 8_000),
    ("MB/s", 8_000_000),
    ("GB/s", 8_000_000_000),
    ("KiB/s", 8 << 10),
    ("MiB/s", 8 << 20),
    ("GiB/s", 8 << 30),
];

pub(super) const TIMES: &[(&str, u64)] = &[
    ("ns", 1),
    ("us", 1_000),
    ("µs", 1_000),
    ("μs", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("min", 60_000_000_000),
    ("h", 3_600_000_000_000),
];

pub(super) const SIZES: &[(&str, u64)] = &[
    ("B", 1),
    ("kB", 1_000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// Units of amounts in bits, which no quantity of a scenario uses: each with its prefix in words, and
/// the corresponding unit in bytes.
pub(super) const BITS: &[(&str, &str, &str)] = &[
    ("b", "plain", "B"),
    ("kb", "thousand", "kB"),
    ("Mb", "million", "MB"),
    ("Gb", "thousand million", "GB"),
    ("Tb", "million million", "000 GB"),
    ("bit", "plain", "B"),
    ("kbit", "thousand", "kB"),
    ("Mbit", "million", "MB"),
    ("Gbit", "thousand million", "GB"),
    ("Tbit", "million million", "000 GB"),
];

/// Other spellings that people use for units, with the correct unit.
pub(super) const ALIASES: &[(&str, Measure, &str)] = &[
    ("sec", Measure::Time, "s"),
    ("secs", Measure::Time, "s"),
    ("second", Measure::Time, "s"),
    ("seconds", Measure::Time, "s"),
    ("msec", Measure::Time, "ms"),
    ("usec", Measure::Time, "us"),
    ("m", Measure::Time, "min"),
    ("minute", Measure::Time, "min"),
    ("minutes", Measure::Time, "min"),
    ("hour", Measure::Time, "h"),
    ("hours", Measure::Time, "h"),
    ("byte", Measure::Size, "B"),
    ("bytes", Measure::Size, "B"),
    ("octets", Measure::Size, "B"),
    ("k", Measure::Size, "kB"),
    ("M", Measure::Size, "MB"),
    ("k", Measure::Rate, "kb/s"),
    ("M", Measure::Rate, "Mb/s"),
    ("G", Measure::Rate, "Gb/s"),
];
