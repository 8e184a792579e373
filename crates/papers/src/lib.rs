//! The papers that Dumbbell reproduces. A paper is a folder of data: for each figure a scenario,
//! and a description of what is varied, drawn and claimed.
#![forbid(unsafe_code)]

/// A figure's description, and the scenario that it varies: see [`dumbbell_lab::experiment`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// The paper's folder.
    pub paper: &'static str,
    /// The description, in TOML.
    pub experiment: &'static str,
    /// The scenario, in TOML.
    pub scenario: &'static str,
}

/// Every figure, in the order of papers and figures.
pub const FIGURES: &[Source] = &[Source {
    paper: "venodb",
    experiment: include_str!("venodb/fig2.toml"),
    scenario: include_str!("venodb/fig2.scenario.toml"),
}];

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_lab::experiment::Experiment;

    #[test]
    fn every_figure_can_be_read_and_every_point_of_it_run() {
        for source in FIGURES {
            let experiment = Experiment::parse(source.experiment, source.scenario)
                .expect("the description is right");
            assert!(experiment.name.starts_with(source.paper));
            let points = experiment.points().expect("every point is a scenario");
            assert_eq!(
                points.len(),
                experiment.series.len() * experiment.x.values.len()
            );
        }
    }
}
