//! The complete results of a reproduction.

use dumbbell_store::StoreError;

use super::against::Against;
use super::effect::Effect;
use super::explored::ReproducedExploration;
use super::figure::{Judged, ReproducedFigure};
use super::library::{About, USUAL_SEED};
use super::matrix::ReproducedMatrix;
use super::standing::standing;
use crate::claim::{Settings, Standing, Verdicts};
use crate::exploration::Reading;

/// Papers, runs and judgements, each computed once.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The words of the command that repeats it, without those of the settings.
    pub words: Vec<String>,
    /// The first seed, and whether this was a quick reproduction.
    pub settings: Settings,
    /// The papers, in their order.
    pub papers: Vec<ReproducedPaper>,
    /// The explorations, if requested.
    pub explorations: Vec<ReproducedExploration>,
    /// Whether every curve is the baseline.
    pub null: bool,
    /// Every control on every path, if requested.
    pub matrix: Option<ReproducedMatrix>,
    /// The numbers of runs.
    pub counts: Counts,
    /// The fingerprint of the sources that made the results.
    pub fingerprint: String,
    /// Why some runs could not be stored, if so. The results are complete nevertheless.
    pub trouble: Option<StoreError>,
}

/// A paper with the chosen figures.
#[derive(Clone, Debug)]
pub struct ReproducedPaper {
    /// The paper's metadata.
    pub about: About,
    /// The figures.
    pub figures: Vec<ReproducedFigure>,
    /// The verdicts on the claims of these figures.
    pub verdicts: Verdicts,
    /// How they differ from the verdicts with which they are compared.
    pub against: Against,
    /// The readings of its text that were explored.
    pub readings: Vec<Reading>,
    /// The recorded verdicts under these readings.
    pub explored: Verdicts,
    /// The verdicts with which those found are compared.
    pub recorded: Verdicts,
    /// Whether these are all of the paper's figures.
    pub whole: bool,
}

/// Numbers of runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Runs that were simulated.
    pub simulated: usize,
    /// Runs that were taken from the store.
    pub kept: usize,
    /// Runs that another figure has as well.
    pub shared: usize,
}

impl Counts {
    /// The total.
    pub fn total(&self) -> usize {
        self.simulated + self.kept + self.shared
    }
}

impl ReproducedPaper {
    pub(super) fn new(
        about: About,
        figures: Vec<ReproducedFigure>,
        recorded: &Verdicts,
        (readings, explored): (Vec<Reading>, Verdicts),
        (settings, whole): (Settings, bool),
    ) -> Self {
        let mut verdicts = Verdicts::new(settings);
        for figure in &figures {
            for judged in figure.judged() {
                let verdict = judged.judgement.verdict;
                verdicts.insert(&figure.experiment.name, &judged.claim.id, verdict);
            }
        }
        Self {
            against: Against::new(&verdicts, recorded),
            about,
            figures,
            verdicts,
            readings,
            explored,
            recorded: recorded.clone(),
            whole,
        }
    }

    /// What a reading does to the verdicts on record.
    pub fn effect(&self, reading: &Reading) -> Effect {
        let evidence = |figure: &str, claim: &str| {
            let mut figures = self.figures.iter();
            let figure = figures.find(|it| it.experiment.name == figure);
            let mut judged = figure.iter().flat_map(|figure| figure.judged());
            judged.any(|it| it.claim.id == claim && !it.claim.kind.is_no_evidence())
        };
        Effect::of(reading, &self.explored, evidence)
    }

    /// How each sentence of the paper stands: the figure, the claim that judges the sentence under
    /// the reading taken, and where it holds.
    pub fn standings(&self) -> Vec<(&ReproducedFigure, &Judged, Standing)> {
        let figures = self.figures.iter();
        let claims = figures.flat_map(|figure| {
            let name = figure.experiment.name.as_str();
            figure.judged().iter().map(move |judged| (name, judged))
        });
        let claims: Vec<_> = claims.collect();
        let mut all = Vec::new();
        for figure in &self.figures {
            for judged in figure.judged() {
                let name = &figure.experiment.name;
                let stands = standing(name, judged, &claims, (&self.readings, &self.explored));
                all.extend(stands.map(|stands| (figure, judged, stands)));
            }
        }
        all
    }
}

impl Reproduction {
    /// The figures of all papers, in their order.
    pub fn figures(&self) -> impl Iterator<Item = &ReproducedFigure> {
        self.papers.iter().flat_map(|paper| &paper.figures)
    }

    /// The comparisons with recorded verdicts.
    pub fn against(&self) -> impl Iterator<Item = &Against> {
        let of_papers = self.papers.iter().map(|paper| &paper.against);
        of_papers.chain(self.explorations.iter().map(|it| &it.against))
    }

    /// The command that repeats it.
    pub fn command(&self) -> String {
        let mut words = vec!["dumbbell".to_owned()];
        words.extend(self.words.iter().cloned());
        if self.settings.quick {
            words.push("--quick".to_owned());
        }
        if self.settings.seed != USUAL_SEED {
            words.push(format!("--seed {}", self.settings.seed));
        }
        words.join(" ")
    }

    /// The first and the last seed of points with so many runs.
    pub(super) fn seeds(&self, repeat: u64) -> (u64, u64) {
        let first = self.settings.seed;
        (first, first.wrapping_add(repeat - 1))
    }
}
