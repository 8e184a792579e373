//! An exploration that has been run: which verdicts other readings of the text change.

use std::fmt::Write as _;

use dumbbell_run::csv::quoted;

use super::figure::{Judged, ReproducedFigure};
use super::library::About;
use super::value::Against;
use crate::claim::{Kind, Settings, Verdict, Verdicts};
use crate::exploration::{Exploration, Trial, trial_name};

/// The chosen exploration of a paper.
#[derive(Clone, Debug)]
pub struct ChosenExploration {
    /// The paper's metadata.
    pub about: About,
    /// The readings.
    pub exploration: Exploration,
    /// The figures under each reading, reduced if this is a quick exploration.
    pub trials: Vec<Trial>,
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

/// A claim whose verdict a reading changes.
#[derive(Clone, Debug)]
pub struct Flip<'a> {
    /// The figure's name.
    pub figure: &'a str,
    /// The claim under the reading.
    pub judged: &'a Judged,
    /// The verdict under the reading taken.
    pub taken: Verdict,
}

/// What a reading does to the verdicts on the claims of its figures.
#[derive(Clone, Debug, Default)]
pub struct Effect<'a> {
    /// The number of claims that hold.
    pub hold: usize,
    /// The number of these claims that hold under the reading taken.
    pub hold_as_taken: usize,
    /// The number of claims.
    pub claims: usize,
    /// Claims that hold only under this reading, and not under the one taken.
    pub gained: Vec<Flip<'a>>,
    /// Claims that hold under the reading taken, and not under this one: the price.
    pub lost: Vec<Flip<'a>>,
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

    /// What the reading at this position does to the verdicts. Inputs, identities and fits are left
    /// out.
    pub fn effect(&self, reading: usize) -> Effect<'_> {
        let mut effect = Effect::default();
        let trials = self.trials.iter();
        for trial in trials.filter(|trial| trial.reading == Some(reading)) {
            for judged in trial.figure.judged() {
                let taken = self.verdicts.get(&trial.name, &judged.claim.id);
                let Some(taken) = taken.filter(|_| !judged.claim.kind.is_no_evidence()) else {
                    continue;
                };
                let holds = judged.judgement.verdict == Verdict::Holds;
                let held = taken == Verdict::Holds;
                effect.claims += 1;
                effect.hold += usize::from(holds);
                effect.hold_as_taken += usize::from(held);
                let flip = Flip {
                    figure: &trial.name,
                    judged,
                    taken,
                };
                match (held, holds) {
                    (false, true) => effect.gained.push(flip),
                    (true, false) => effect.lost.push(flip),
                    _ => {}
                }
            }
        }
        effect
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

/// How a sentence of a paper stands after all readings that were tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds under the reading taken.
    Holds,
    /// It holds under these other readings, by their names.
    Elsewhere(Vec<String>),
    /// It holds under no reading that was tried.
    Nowhere,
    /// The text does not allow a test.
    Undecidable,
}

/// The reading of a claim that judges a sentence again.
const WITHIN: &str = "the claim";

/// How the sentence of a claim stands. `claims` are those of all figures of the paper that were
/// run, with the names of their figures; `explored` has the verdicts under the readings, of which
/// these are the names. `None` if the claim is not a sentence of the paper, or judges one again.
pub fn standing(
    figure: &str,
    judged: &Judged,
    claims: &[(&str, &Judged)],
    explored: &Verdicts,
    readings: &[&str],
) -> Option<Standing> {
    if judged.claim.kind != Kind::Paper || judged.claim.again.is_some() {
        return None;
    }
    let id = judged.claim.id.as_str();
    match judged.judgement.verdict {
        Verdict::Holds => return Some(Standing::Holds),
        Verdict::Untestable => return Some(Standing::Undecidable),
        Verdict::Partly | Verdict::Fails => {}
    }
    let again = claims.iter().filter(|(other, again)| {
        again.claim.again.is_some()
            && again.claim.sentence(other) == (figure, id)
            && again.judgement.verdict == Verdict::Holds
    });
    let again = again.map(|(_, again)| format!("{WITHIN} {}", again.claim.id));
    let readings = readings
        .iter()
        .filter(|reading| explored.get(&trial_name(figure, reading), id) == Some(Verdict::Holds));
    let readings = readings.map(|reading| (*reading).to_owned());
    let elsewhere: Vec<String> = again.chain(readings).collect();
    Some(if elsewhere.is_empty() {
        Standing::Nowhere
    } else {
        Standing::Elsewhere(elsewhere)
    })
}
