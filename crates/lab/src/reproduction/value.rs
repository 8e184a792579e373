//! The value that holds a reproduction.

use dumbbell_store::StoreError;

use super::figure::ReproducedFigure;
use super::library::{About, USUAL_SEED};
use super::matrix::ReproducedMatrix;
use crate::claim::{Change, Settings, Verdicts};

/// Papers, runs and judgements, each made once.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// The names that chose it; none where everything was wanted.
    pub names: Vec<String>,
    /// The first seed, and whether this was a quick look.
    pub settings: Settings,
    /// The papers, in their order.
    pub papers: Vec<ReproducedPaper>,
    /// Every control on every path, where that was wanted.
    pub matrix: Option<ReproducedMatrix>,
    /// The runs, counted.
    pub counts: Counts,
    /// The fingerprint of the sources that made the results.
    pub fingerprint: String,
    /// Why not all runs are kept. The results are complete all the same.
    pub trouble: Option<StoreError>,
}

/// A paper with those of its figures that were wanted.
#[derive(Clone, Debug)]
pub struct ReproducedPaper {
    /// What is said of it.
    pub about: About,
    /// The figures.
    pub figures: Vec<ReproducedFigure>,
    /// The verdicts on the claims of these figures.
    pub verdicts: Verdicts,
    /// How they differ from those that they are compared with.
    pub against: Against,
}

/// Verdicts beside those that they are compared with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Against {
    /// Those that differ.
    pub changes: Vec<Change>,
    /// The others are for the same seed and the same points.
    pub same_settings: bool,
}

/// Runs, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Those that were simulated now.
    pub simulated: usize,
    /// Those that were kept from before.
    pub kept: usize,
    /// Those that are another figure's, too.
    pub shared: usize,
}

impl Counts {
    /// All of them.
    pub fn total(&self) -> usize {
        self.simulated + self.kept + self.shared
    }
}

impl Against {
    pub(super) fn new(found: &Verdicts, recorded: &Verdicts) -> Self {
        Self {
            changes: found.changes(recorded),
            same_settings: found.settings == recorded.settings,
        }
    }

    /// A verdict is another one than that on record for these very settings.
    pub fn is_broken(&self) -> bool {
        self.same_settings && self.changes.iter().any(|it| it.recorded.is_some())
    }
}

impl ReproducedPaper {
    pub(super) fn new(
        about: About,
        figures: Vec<ReproducedFigure>,
        recorded: &Verdicts,
        settings: Settings,
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
        }
    }
}

impl Reproduction {
    /// The figures of all papers, in their order.
    pub fn figures(&self) -> impl Iterator<Item = &ReproducedFigure> {
        self.papers.iter().flat_map(|paper| &paper.figures)
    }

    /// The command that repeats it.
    pub fn command(&self) -> String {
        let mut words = vec!["dumbbell reproduce".to_owned()];
        words.extend(self.names.iter().cloned());
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
