//! Outcomes as JSON.

use dumbbell_run::Done;
use dumbbell_run::outcome::Outcome;

use super::{Key, Row, series};

/// SQLite takes rows of up to a billion bytes.
const LARGEST: usize = 500_000_000;

impl Row {
    /// The row of a finished run; none if it would not be read back as the same run, as an outcome
    /// with a number that is none, or if it is larger than a row may be.
    pub(super) fn new(key: &Key, run: &Done) -> Option<Self> {
        let text = serde_json::to_string(&run.outcome).ok()?;
        if outcome(&text).as_ref() != Some(&run.outcome) {
            return None;
        }
        let row = Self {
            key: key.clone(),
            outcome: text,
            series: key.is_sampled().then(|| series::encode(&run.series)),
        };
        (row.size() <= LARGEST).then_some(row)
    }

    /// Its bytes, about.
    pub(super) fn size(&self) -> usize {
        self.outcome.len() + self.series.as_ref().map_or(0, Vec::len)
    }
}

/// The outcome that a text gives.
pub(super) fn outcome(text: &str) -> Option<Outcome> {
    serde_json::from_str(text).ok()
}
