//! Comparisons of verdicts with recorded ones.

use crate::claim::{Change, Verdict, Verdicts};

/// A comparison of verdicts with earlier ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// The verdicts that differ.
    pub changes: Vec<Change>,
    /// Whether the earlier verdicts are for the same seed and the same points.
    pub same_settings: bool,
    /// Whether there are earlier verdicts at all.
    pub on_record: bool,
}

impl Against {
    pub(super) fn new(found: &Verdicts, recorded: &Verdicts) -> Self {
        Self {
            changes: found.changes(recorded),
            same_settings: found.settings == recorded.settings,
            on_record: !recorded.is_empty(),
        }
    }

    /// Compares records of which each has only what holds: a missing one differs, too.
    pub(super) fn both_ways(found: &Verdicts, recorded: &Verdicts) -> Self {
        let mut against = Self::new(found, recorded);
        let gone = recorded.iter().filter(|(experiment, claim, _)| {
            let mut all = found.iter();
            all.all(|(e, c, _)| (e, c) != (*experiment, *claim))
        });
        against
            .changes
            .extend(gone.map(|(experiment, claim, recorded)| Change {
                experiment: experiment.to_owned(),
                claim: claim.to_owned(),
                recorded: Some(recorded),
                found: Verdict::Fails,
            }));
        against
    }

    /// Whether a verdict differs from the earlier one for the same settings.
    pub fn is_broken(&self) -> bool {
        self.same_settings && self.changes.iter().any(|it| it.recorded.is_some())
    }
}
