//! Which claims hold although every curve is the baseline, and which cannot fail at all.

use super::against::Against;
use super::figure::{Judged, ReproducedFigure};
use super::value::ReproducedPaper;
use crate::claim::{Verdict, Verdicts};

/// What a paper's claims do although every curve is the baseline.
#[derive(Clone, Debug)]
pub struct NullOutcome<'a> {
    /// The claims that hold firmly, or by one run: each of them says that curves are alike, is about the baseline,
    /// or is empty.
    pub hold: Vec<(&'a ReproducedFigure, &'a Judged)>,
    /// The claims that hold within the noise.
    pub noise: Vec<(&'a ReproducedFigure, &'a Judged)>,
    /// The claims that hold, and still do however the measured curves are changed.
    pub cannot_fail: Vec<(&'a ReproducedFigure, &'a Judged)>,
    /// The number of claims that could be judged.
    pub judged: usize,
    /// The claims that hold firmly, as a record.
    pub record: Verdicts,
    /// How they differ from those that are known to.
    pub against: Against,
}

impl ReproducedPaper {
    /// What the claims do, if every curve was the baseline; `known` are the claims that are known to
    /// hold.
    pub fn null_outcome(&self) -> NullOutcome<'_> {
        let (mut hold, mut noise, mut cannot_fail) = (Vec::new(), Vec::new(), Vec::new());
        let mut record = Verdicts::new(self.verdicts.settings);
        let mut count = 0;
        for figure in &self.figures {
            for judged in figure.judged() {
                let judgement = &judged.judgement;
                let holds = judgement.verdict == Verdict::Holds;
                count += usize::from(judgement.verdict != Verdict::Untestable);
                // One run has no interval, and nothing in it is random.
                if holds && (judgement.firm || judgement.one_run) {
                    let name = &figure.experiment.name;
                    record.insert(name, &judged.claim.id, Verdict::Holds);
                    hold.push((figure, judged));
                } else if holds {
                    noise.push((figure, judged));
                }
                let testable = judgement.verdict != Verdict::Untestable;
                let fails = judgement.verdict == Verdict::Fails;
                if testable && !fails && !figure.can_fail(judged) {
                    cannot_fail.push((figure, judged));
                }
            }
        }
        NullOutcome {
            hold,
            noise,
            cannot_fail,
            judged: count,
            against: Against::both_ways(&record, &self.recorded),
            record,
        }
    }
}

impl ReproducedFigure {
    /// Whether a claim fails once the curves that it names are changed beyond any tolerance.
    fn can_fail(&self, judged: &Judged) -> bool {
        let mut changed = self.experiment.mutations(&judged.claim, &self.results);
        changed.any(|judgement| judgement.verdict == Verdict::Fails)
    }
}
