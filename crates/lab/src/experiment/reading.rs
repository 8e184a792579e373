//! Curves that are readings of one run, and what samples are compared with.

use dumbbell_scenario::{ProbeValue, Scenario, Traffic};
use serde::Deserialize;

use super::{Experiment, Malformed, Measure, Panel, Quantity};

/// A quantity that is known without a run, in steps: what samples are compared with, in their unit.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// Its name in drawings.
    pub name: String,
    /// Pairs: since when, in seconds, it has which value. The first is that at 0.
    pub steps: Vec<[f64; 2]>,
}

/// What a curve reads of a run, and with what it is compared.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Reader<'a> {
    pub(super) reads: Option<&'a str>,
    pub(super) reference: Option<&'a Reference>,
}

/// Before the name of a classifier among what can be read.
const CLASSIFIER: &str = "classify.";

impl<'a> Reader<'a> {
    /// The classifier that the curve shows.
    pub(super) fn classifier(&self) -> Option<&'a str> {
        self.reads?.strip_prefix(CLASSIFIER)
    }
}

impl Reference {
    /// The value just before a time: a sample speaks of the time before it.
    pub(super) fn before(&self, time: f64) -> f64 {
        let begun = self.steps.iter().take_while(|[since, _]| *since < time);
        let [_, value] = begun.last().unwrap_or(&self.steps[0]);
        *value
    }

    /// The corners of its line from one time to another.
    pub(super) fn corners(&self, from: f64, to: f64) -> Vec<(f64, f64)> {
        let mut corners = vec![(from, self.before(from.max(f64::MIN_POSITIVE)))];
        for [since, value] in &self.steps {
            if (from..to).contains(since) {
                corners.push((*since, self.before(*since)));
                corners.push((*since, *value));
            }
        }
        corners.push((to, self.before(to)));
        corners.dedup();
        corners
    }

    fn mistake(&self) -> Option<&'static str> {
        let rising = self.steps.windows(2).all(|pair| pair[0][0] < pair[1][0]);
        let begins = self.steps.first().is_some_and(|[since, _]| *since == 0.0);
        let finite = self.steps.iter().flatten().all(|number| number.is_finite());
        let right = rising && begins && finite;
        (!right).then_some("its `steps` are pairs of a time, the first 0 and each after the one before, and a value")
    }
}

impl Measure {
    /// Whether it is of the samples that a curve reads.
    fn reads_samples(&self) -> bool {
        self.quantity == Some(Quantity::Reading) || self.agreement.is_some()
    }

    /// Whether it is of the classifier that a curve reads.
    fn reads_classifier(&self) -> bool {
        self.classified.as_ref().is_some_and(|c| c.by.is_none())
    }
}

impl Panel {
    fn reads_samples(&self) -> bool {
        let samples = self.samples.as_ref();
        samples.is_some_and(|samples| samples.quantity == Quantity::Reading)
    }
}

impl Experiment {
    /// What a curve reads.
    pub(super) fn reader(&self, series: usize) -> Reader<'_> {
        Reader {
            reads: self.series[series].reads.as_deref(),
            reference: self.reference.as_ref(),
        }
    }

    /// Every curve reads what is wanted of it, and its runs have it.
    pub(super) fn check_readings(&self) -> Result<(), Malformed> {
        if let Some(mistake) = self.reference.as_ref().and_then(Reference::mistake) {
            return Err(self.malformed(&format!("the reference: {mistake}")));
        }
        let measured = self.measures.iter();
        let samples = measured.clone().any(Measure::reads_samples);
        let classifier = measured.clone().any(Measure::reads_classifier);
        for (series, variant) in self.series.iter().enumerate() {
            let wrong = |what: &str| self.malformed(&format!("curve `{}`: {what}", variant.name));
            let mut panels = self.panels.iter().filter(|panel| self.shows(panel, series));
            let drawn = panels.any(Panel::reads_samples);
            match self.reader(series) {
                reader if reader.reads.is_none() => {
                    // What others are held against may read nothing.
                    if (samples || drawn) && !variant.fixed {
                        return Err(wrong("`reads` is wanted: the name of a sampled series"));
                    }
                    if classifier {
                        return Err(wrong("`reads` is wanted: `classify.` and a classifier"));
                    }
                }
                reader if reader.classifier().is_some() => {
                    if samples || drawn {
                        return Err(wrong(
                            "it reads a classifier, of which there are no samples",
                        ));
                    }
                    if !classifier {
                        return Err(wrong("nothing is measured of what it reads"));
                    }
                }
                _ => {
                    if classifier {
                        return Err(wrong("it reads samples where a classifier is measured"));
                    }
                    if !samples && !drawn {
                        return Err(wrong("nothing is measured or drawn of what it reads"));
                    }
                }
            }
            let Some(reads) = &variant.reads else {
                continue;
            };
            let there = readable(&self.point(series, 0, 1)?);
            let known = |name: &String| match name.strip_suffix('*') {
                Some(beginning) => reads.starts_with(beginning),
                None => name == reads,
            };
            if !there.iter().any(known) {
                return Err(wrong(&format!(
                    "its runs have no `{reads}` to read; they have {}",
                    match there.len() {
                        0 => "nothing".to_owned(),
                        _ => there.join(", "),
                    }
                )));
            }
        }
        Ok(())
    }
}

/// What can be read of a scenario's flows; a star stands for any end of a name.
fn readable(scenario: &Scenario) -> Vec<String> {
    let mut names = Vec::new();
    for value in &scenario.probe.values {
        match value {
            ProbeValue::Queue => {}
            ProbeValue::Explain => names.push("explain.*".to_owned()),
            ProbeValue::Sequence => {
                names.extend(["sequence", "delivered"].map(str::to_owned));
            }
            value => names.push(value.name().to_owned()),
        }
    }
    let estimators = scenario.probe.estimate.iter();
    names.extend(estimators.map(|estimator| format!("estimate.{}", estimator.name())));
    if scenario.probe.equation.is_some() {
        names.push("equation.*".to_owned());
    }
    for flow in &scenario.flows {
        if let Traffic::Tcp(tcp) = &flow.traffic {
            let classifiers = tcp.classify.iter();
            names.extend(classifiers.map(|c| format!("{CLASSIFIER}{}", c.name())));
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reference() -> Reference {
        Reference {
            name: "available".to_owned(),
            steps: vec![[0.0, 1.5], [5.0, 0.5], [10.0, 1.0]],
        }
    }

    #[test]
    fn a_reference_goes_in_steps() {
        let reference = reference();
        let at = [0.0, 2.0, 5.0, 5.1, 10.0, 99.0].map(|time| reference.before(time));
        assert_eq!(at, [1.5, 1.5, 1.5, 0.5, 0.5, 1.0]);
        assert_eq!(
            reference.corners(0.0, 12.0),
            [
                (0.0, 1.5),
                (5.0, 1.5),
                (5.0, 0.5),
                (10.0, 0.5),
                (10.0, 1.0),
                (12.0, 1.0)
            ]
        );
        assert_eq!(
            reference.corners(2.0, 6.0),
            [(2.0, 1.5), (5.0, 1.5), (5.0, 0.5), (6.0, 0.5)]
        );
        assert_eq!(reference.corners(6.0, 7.0), [(6.0, 0.5), (7.0, 0.5)]);
    }

    #[test]
    fn the_steps_of_a_reference_begin_at_0_and_go_on() {
        assert_eq!(reference().mistake(), None);
        for steps in [
            vec![],
            vec![[1.0, 1.0]],
            vec![[0.0, 1.0], [0.0, 2.0]],
            vec![[0.0, f64::NAN]],
        ] {
            let wrong = Reference {
                steps,
                ..reference()
            };
            assert!(wrong.mistake().is_some(), "{:?}", wrong.steps);
        }
    }

    const SCENARIO: &str = "
        duration = \"3 s\"
        [dumbbell]
        access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
        bottleneck = { rate = \"2 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } }
        [[flow]]
        control = \"reno\"
        classify = [\"veno\"]
        [probe]
        values = [\"cwnd\"]
        estimate = [\"sarbe\"]
    ";
    const DESCRIPTION: &str = "
        name = \"a\"
        title = \"T\"
        source = \"S\"
        repeat = 1
        quick = { repeat = 1 }
        series = [
            { name = \"A\", set = {}, reads = \"estimate.sarbe\" },
            { name = \"B\", set = {}, reads = \"cwnd\" },
        ]
        reference = { name = \"R\", steps = [[0, 1]] }
        measure = [{ name = \"m\", label = \"m\", quantity = \"reading\", window = { reduce = \"distance\" } }]
        panel = [{ samples = { quantity = \"reading\", label = \"l\", reference = true } }]
    ";

    fn parse(description: &str) -> Result<Experiment, Malformed> {
        Experiment::parse(description, SCENARIO, &toml::Table::new())
    }

    #[test]
    fn what_is_read_must_be_there_and_wanted() {
        assert!(parse(DESCRIPTION).is_ok());
        for (from, to, what) in [
            (
                "estimate.sarbe",
                "estimate.tustin",
                "a: curve `A`: its runs have no `estimate.tustin` to read; they have cwnd, estimate.sarbe, classify.veno",
            ),
            (", reads = \"cwnd\"", "", "curve `B`: `reads` is wanted"),
            (
                "\"cwnd\"",
                "\"classify.veno\"",
                "curve `B`: it reads a classifier",
            ),
            ("[[0, 1]]", "[[1, 1]]", "the reference"),
            (
                "{ name = \"R\", steps = [[0, 1]] }",
                "{ name = \"R\", steps = [] }",
                "the reference",
            ),
            (
                "reference = { name = \"R\", steps = [[0, 1]] }",
                "",
                "measure m: ",
            ),
        ] {
            assert!(DESCRIPTION.contains(from), "{from}");
            let error = parse(&DESCRIPTION.replacen(from, to, 1)).expect_err(to);
            assert!(error.to_string().contains(what), "{what}: {error}");
        }
        let unread = DESCRIPTION
            .replace(
                "quantity = \"reading\", label",
                "quantity = \"cwnd\", label",
            )
            .replace(
                "quantity = \"reading\", window = { reduce = \"distance\" }",
                "quantity = \"goodput\"",
            );
        let error = parse(&unread).expect_err("nothing reads");
        assert!(
            error
                .to_string()
                .contains("curve `A`: nothing is measured or drawn"),
            "{error}"
        );
        let classified = DESCRIPTION
            .replace(
                "quantity = \"reading\", window = { reduce = \"distance\" }",
                "classified = {}",
            )
            .replace(
                "quantity = \"reading\", label",
                "quantity = \"cwnd\", label",
            );
        let error = parse(&classified).expect_err("samples, but a classifier is wanted");
        assert!(
            error.to_string().contains("curve `A`: it reads samples"),
            "{error}"
        );
        let right = classified
            .replace("estimate.sarbe", "classify.veno")
            .replace("\"cwnd\" },\n        ]", "\"classify.veno\" },\n        ]");
        parse(&right).expect("both read a classifier");
        let unknown = right.replacen("classify.veno", "classify.lded", 1);
        let error = parse(&unknown).expect_err("it is not asked");
        assert!(error.to_string().contains("no `classify.lded`"), "{error}");
    }
}
