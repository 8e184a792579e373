//! The summary of how much the sending rate of flows varies.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use crate::document::Table;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Shape, Span};
use crate::limits::MOMENT;
use crate::text::Lines;

/// The permitted lengths of a bin.
const BIN: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(24 * 3600);

/// The key of the table.
pub(crate) const KEY: &str = "variation";

record! {
    /// How the variation of each flow's sending is summarised: from the packets sent in each bin, over
    /// all bins from `from` to the end of the run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Variation {
        /// Length of a bin.
        bin: Duration = Span(BIN).usually(Duration::from_millis(100), |form| form
            .means("length of a bin")),
        /// Start of the first bin.
        from: Duration = Span(MOMENT).usually(Duration::ZERO, |form| form
            .means("when the first bin begins")),
    }
}

/// Reads the table `variation`; the inner value is `None` if there is no such table.
pub(crate) fn read(root: &Table<'_>) -> Option<Option<Variation>> {
    let Some(node) = root.find(KEY) else {
        return Some(None);
    };
    let table = node.table(
        Variation::KEYS,
        &[],
        "{ bin = \"100 ms\", from = \"20 s\" }",
    )?;
    Variation::read(&table).map(Some)
}

/// Writes the table.
pub(crate) fn write(variation: &Variation, out: &mut Lines) {
    out.head("[variation]");
    out.set_all(variation.write());
}

/// Returns the table as a schema.
pub(crate) fn form() -> Form {
    value::table(&Variation::forms())
        .means("adds to the results how much the sending rate of each flow varies")
        .otherwise("not included")
}
