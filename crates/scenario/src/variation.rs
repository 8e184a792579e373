//! How steadily flows send: what results tell of it.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;

use crate::document::Table;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Shape, Span};
use crate::limits::MOMENT;
use crate::text::Lines;

/// What `bin` may be.
const BIN: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(24 * 3600);

/// The key of the table.
pub(crate) const KEY: &str = "variation";

record! {
    /// How the variation of what each flow sends is summed up: the packets sent in each bin, all bins from some
    /// time to the end of the run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Variation {
        /// Length of a bin.
        bin: Duration = Span(BIN).usually(Duration::from_millis(100), |form| form
            .means("length of a bin")),
        /// When the first bin begins.
        from: Duration = Span(MOMENT).usually(Duration::ZERO, |form| form
            .means("when the first bin begins")),
    }
}

/// Reads the table `variation`; nothing, if there is none.
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

/// Writes the table down.
pub(crate) fn write(variation: &Variation, out: &mut Lines) {
    out.head("[variation]");
    out.set_all(variation.write());
}

/// The table as a schema.
pub(crate) fn form() -> Form {
    value::table(&Variation::forms())
        .means("the results tell how much each flow's sending varies")
        .otherwise("they do not")
}
