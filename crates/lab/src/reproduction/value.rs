//! The complete results of a reproduction.

use dumbbell_store::StoreError;

use super::against::Against;
use super::effect::Effect;
use super::explored::ReproducedExploration;
use super::figure::{Judged, ReproducedFigure};
use super::library::{About, MATRIX, USUAL_SEED};
use super::matrix::ReproducedMatrix;
use super::standing::standing;
use crate::claim::{Settings, Standing, Verdicts};
use crate::exploration::Reading;

/// Papers, runs and judgements, each computed once. It grows while figures are finished one after the
/// other: see [`missing`](Self::missing).
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
    /// The explorations that are to be reproduced, in their order, and the matrix.
    pub(super) others: Vec<Expected>,
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
    /// Whether these are all of the paper's figures, or will be.
    pub whole: bool,
    /// All figures that are to be reproduced, in their order.
    planned: Vec<Expected>,
}

/// A figure that is to be reproduced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// Its name on the command line.
    pub name: String,
    /// Its title.
    pub title: String,
}

/// Numbers of runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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
    /// The paper before its figures have been run.
    pub(super) fn new(
        about: About,
        planned: Vec<Expected>,
        recorded: Verdicts,
        (readings, explored): (Vec<Reading>, Verdicts),
        (settings, whole): (Settings, bool),
    ) -> Self {
        let verdicts = Verdicts::new(settings);
        Self {
            against: Against::new(&verdicts, &recorded),
            about,
            figures: Vec::new(),
            verdicts,
            readings,
            explored,
            recorded,
            whole,
            planned,
        }
    }

    /// Adds a figure that has been run. Figures may come in any order; they are kept in that of the
    /// paper. Returns its position among those that are there.
    pub(super) fn add(&mut self, figure: ReproducedFigure) -> usize {
        for judged in figure.judged() {
            let verdict = judged.judgement.verdict;
            let name = &figure.experiment.name;
            self.verdicts.insert(name, &judged.claim.id, verdict);
        }
        self.against = Against::new(&self.verdicts, &self.recorded);
        let rank = |name: &str| self.planned.iter().position(|it| it.name == name);
        let own = rank(&figure.experiment.name);
        let place = (self.figures).partition_point(|it| rank(&it.experiment.name) < own);
        self.figures.insert(place, figure);
        place
    }

    /// The figures whose runs have not finished.
    pub fn missing(&self) -> impl Iterator<Item = &Expected> {
        let is_there = |name: &str| self.figures.iter().any(|it| it.experiment.name == name);
        self.planned.iter().filter(move |it| !is_there(&it.name))
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

    /// Everything whose runs have not finished: figures, explorations and the matrix. Nothing, at the
    /// end.
    pub fn missing(&self) -> impl Iterator<Item = &Expected> {
        let explored = |name: &str| self.explorations.iter().any(|it| it.name() == name);
        let is_there = move |name: &str| match name {
            MATRIX => self.matrix.is_some(),
            name => explored(name),
        };
        let figures = self.papers.iter().flat_map(ReproducedPaper::missing);
        figures.chain(self.others.iter().filter(move |it| !is_there(&it.name)))
    }

    /// Adds an exploration that has been run. They are kept in the order in which they were chosen.
    /// Returns its position among those that are there.
    pub(super) fn add_exploration(&mut self, explored: ReproducedExploration) -> usize {
        let rank = |name: &str| self.others.iter().position(|it| it.name == name);
        let own = rank(&explored.name());
        let place = (self.explorations).partition_point(|it| rank(&it.name()) < own);
        self.explorations.insert(place, explored);
        place
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
