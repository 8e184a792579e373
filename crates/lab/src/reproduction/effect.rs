//! What a reading does to the verdicts.

use crate::claim::{Verdict, Verdicts};
use crate::experiment::trial_name;
use crate::exploration::Reading;

/// What a reading does to the verdicts on the claims of its figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Effect {
    /// The number of claims.
    pub claims: usize,
    /// How many of them hold under the reading taken.
    pub held: usize,
    /// How many of them hold under this reading.
    pub hold: usize,
    /// How many of them are not decided under this reading, or not testable.
    pub undecided: usize,
    /// Claims that hold under this reading, and not under the one taken.
    pub gained: Vec<Flip>,
    /// Claims that hold under the reading taken, and not under this one: the price.
    pub lost: Vec<Flip>,
}

/// A claim whose verdict a reading changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flip {
    /// The figure's name.
    pub figure: String,
    /// The claim's id.
    pub claim: String,
    /// The verdict under the reading taken.
    pub taken: Verdict,
    /// The verdict under this reading.
    pub now: Verdict,
}

impl Effect {
    /// Compares the verdicts under a reading with those under the one taken, leaving out the claims
    /// that are not `counted`.
    pub(super) fn of(
        reading: &Reading,
        verdicts: &Verdicts,
        counted: impl Fn(&str, &str) -> bool,
    ) -> Self {
        let mut effect = Self::default();
        for figure in &reading.figures {
            for (claim, now) in verdicts.of(&trial_name(figure, &reading.name)) {
                let taken = verdicts.get(figure, claim);
                let Some(taken) = taken.filter(|_| counted(figure, claim)) else {
                    continue;
                };
                let (held, holds) = (taken == Verdict::Holds, now == Verdict::Holds);
                effect.claims += 1;
                effect.held += usize::from(held);
                effect.hold += usize::from(holds);
                effect.undecided += usize::from(now == Verdict::Untestable);
                let flips = match (held, now) {
                    (false, Verdict::Holds) => &mut effect.gained,
                    (true, Verdict::Partly | Verdict::Fails) => &mut effect.lost,
                    _ => continue,
                };
                flips.push(Flip {
                    figure: figure.clone(),
                    claim: claim.to_owned(),
                    taken,
                    now,
                });
            }
        }
        effect
    }
}
