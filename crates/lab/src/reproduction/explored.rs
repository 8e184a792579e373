//! An exploration that has been run: which verdicts other readings of the text change.

use std::fmt::Write as _;

use dumbbell_run::csv::quoted;

use super::against::Against;
use super::effect::Effect;
use super::figure::{Judged, ReproducedFigure};
use super::library::About;
use crate::claim::{Settings, Verdicts};
use crate::experiment::Experiment;
use crate::exploration::Exploration;

/// The chosen exploration of a paper.
#[derive(Clone, Debug)]
pub struct ChosenExploration {
    /// The paper's metadata.
    pub about: About,
    /// The readings.
    pub exploration: Exploration,
    /// The figures of the paper.
    pub figures: Vec<Experiment>,
    /// The verdicts to compare with.
    pub recorded: Verdicts,
}

/// An exploration with the results of its trials.
#[derive(Clone, Debug)]
pub struct ReproducedExploration {
    /// The paper's metadata.
    pub about: About,
    /// The readings.
    pub exploration: Exploration,
    /// The figures: under the reading taken, then under each other reading.
    pub trials: Vec<ReproducedTrial>,
    /// The verdicts, by the names of the trials.
    pub verdicts: Verdicts,
    /// How they differ from the verdicts with which they are compared.
    pub against: Against,
}

/// A figure under a reading, with the judgements on its claims.
#[derive(Clone, Debug)]
pub struct ReproducedTrial {
    /// The reading, by its position; `None` for the one taken.
    pub reading: Option<usize>,
    /// The name of the figure.
    pub name: String,
    /// The figure.
    pub figure: ReproducedFigure,
}

/// The name of a paper's exploration.
pub(super) fn exploration_name(paper: &str) -> String {
    format!("{paper}-explored")
}

impl ReproducedExploration {
    pub(super) fn new(
        about: About,
        exploration: Exploration,
        trials: Vec<ReproducedTrial>,
        recorded: &Verdicts,
        settings: Settings,
    ) -> Self {
        let mut verdicts = Verdicts::new(settings);
        for trial in &trials {
            for judged in trial.figure.judged() {
                let name = &trial.figure.experiment.name;
                verdicts.insert(name, &judged.claim.id, judged.judgement.verdict);
            }
        }
        Self {
            against: Against::new(&verdicts, recorded),
            about,
            exploration,
            trials,
            verdicts,
        }
    }

    /// Its name, which is also that of its files.
    pub fn name(&self) -> String {
        exploration_name(&self.about.name)
    }

    /// What the reading at this position does to the verdicts.
    pub fn effect(&self, reading: usize) -> Effect {
        let evidence = |figure: &str, claim: &str| {
            let judged = self.judged(None, figure, claim);
            judged.is_some_and(|judged| !judged.claim.kind.is_no_evidence())
        };
        Effect::of(
            &self.exploration.readings[reading],
            &self.verdicts,
            evidence,
        )
    }

    /// The judgement on a claim of a figure under a reading.
    pub fn judged(&self, reading: Option<usize>, figure: &str, claim: &str) -> Option<&Judged> {
        let mut trials = self.trials.iter();
        let trial = trials.find(|it| it.reading == reading && it.name == figure)?;
        let mut all = trial.figure.judged().iter();
        all.find(|judged| judged.claim.id == claim)
    }

    /// All judgements as CSV: one line per reading and claim.
    pub fn csv(&self) -> String {
        let mut text =
            "reading,figure,claim,kind,verdict,firm,as_taken,stated,found,evidence\n".to_owned();
        for trial in &self.trials {
            let reading = trial.reading.map(|at| &self.exploration.readings[at]);
            let reading = reading.map_or("", |reading| &reading.name);
            for Judged {
                claim, judgement, ..
            } in trial.figure.judged()
            {
                let taken = self.verdicts.get(&trial.name, &claim.id);
                let taken = taken.map_or_else(String::new, |verdict| verdict.to_string());
                writeln!(
                    text,
                    "{reading},{},{},{},{},{},{taken},{},{},{}",
                    trial.name,
                    claim.id,
                    claim.kind,
                    judgement.verdict,
                    judgement.firm,
                    quoted(&judgement.paper),
                    quoted(&judgement.here),
                    quoted(&judgement.evidence)
                )
                .expect("a string takes everything");
            }
        }
        text
    }
}
