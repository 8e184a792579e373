//! Outcomes as JSON.

use super::{Finished, Key, Row, series};
use crate::outcome::Outcome;

impl Row {
    /// The row of a finished run; none if it would not be read back as the same run, as an outcome
    /// with a number that is none.
    pub(super) fn new(key: &Key, run: &Finished) -> Option<Self> {
        let text = serde_json::to_string(&run.outcome).ok()?;
        (outcome(&text).as_ref() == Some(&run.outcome)).then(|| Self {
            key: key.clone(),
            outcome: text,
            series: key.is_sampled().then(|| series::encode(&run.series)),
        })
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
