//! A claim that no run can test: "The users were satisfied."

use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::{Judgement, Table};

/// Marks a claim that no run can test.
#[derive(Debug)]
pub(super) struct Untestable {
    /// The reason.
    reason: String,
}

impl Sort for Untestable {
    const NAME: &'static str = "untestable";
    const EXAMPLE: &'static str = "{ reason = \"it speaks of a network that is no more\" }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let reason = from.text("reason")?;
        Some(Self { reason })
    }
}

impl Statement for Untestable {
    fn judge(&self, _: &Table<'_>) -> Option<Judgement> {
        Some(Judgement::untestable(&self.reason))
    }

    fn curves(&self) -> Vec<&str> {
        Vec::new()
    }

    fn places(&self) -> &[f64] {
        &[]
    }
}
