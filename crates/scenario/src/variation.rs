//! How steadily flows send: what results tell of it.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use super::document::Table;

/// How the variation of what each flow sends is summed up: the packets sent in each bin, all bins from some
/// time to the end of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variation {
    /// Length of a bin.
    pub bin: Duration,
    /// When the first bin begins.
    pub from: Duration,
}

/// The keys of the table `variation`.
pub(super) const KEYS: [&str; 2] = ["bin", "from"];
/// What `bin` may be.
pub(super) const BIN: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(24 * 3600);
/// What `from` may be.
pub(super) const FROM: RangeInclusive<Duration> = Duration::ZERO..=super::LONGEST_RUN;
const USUAL: Variation = Variation {
    bin: Duration::from_millis(100),
    from: Duration::ZERO,
};

/// Reads the table `variation`; nothing, if there is none.
pub(super) fn read(root: &Table<'_>) -> Option<Option<Variation>> {
    let Some(node) = root.find("variation") else {
        return Some(None);
    };
    let table = node.table(&KEYS, &[], "{ bin = \"100 ms\", from = \"20 s\" }")?;
    let time = |key, range, usual| table.find(key).map_or(Some(usual), |n| n.time(range));
    let bin = time("bin", BIN, USUAL.bin);
    let from = time("from", FROM, USUAL.from);
    Some(Some(Variation {
        bin: bin?,
        from: from?,
    }))
}
