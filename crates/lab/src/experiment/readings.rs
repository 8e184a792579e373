//! Curves that are readings of one run: each reads what is wanted of it, and its runs have it.

use dumbbell_scenario::{ProbeValue, Scenario, Traffic, suggest};

use super::curve::{CLASSIFIER, Reads};
use super::quantity::Sampled;
use super::{Experiment, Measure, Panel};
use crate::cube::PlaceId;
use crate::description::Node;

/// What is wanted of what a curve reads.
#[derive(Clone, Copy)]
struct Wanted {
    /// Something is measured or drawn of samples.
    samples: bool,
    /// Something is measured of a classifier.
    classifier: bool,
}

impl Experiment {
    /// Notes what is wrong with what curves read; `declared` are those of the description.
    pub(super) fn check_readings(&self, declared: &[Node<'_>]) {
        let measured = self.measures.iter().any(Measure::reads_samples);
        let classifier = self.measures.iter().any(Measure::reads_classifier);
        let made = self
            .factorial
            .as_ref()
            .map_or(0, |factorial| 1 << factorial.factors.len());
        for (curve, variant) in self.curves() {
            let name = variant.row.as_ref().map_or(&variant.name, |(name, _)| name);
            // Of a factorial there is no entry: the first curve of the description is near.
            let own = declared.iter().find(|node| is_called(node, name));
            let Some(node) = own
                .or(declared.first())
                .filter(|_| curve.0 >= made || own.is_some())
            else {
                continue;
            };
            let drawn = self.panels.iter().filter(|panel| panel.has(variant));
            let samples = measured || drawn.clone().any(reads_samples);
            let wanted = Wanted {
                samples,
                classifier,
            };
            let reads = node.part("reads");
            let place = reads.as_ref().unwrap_or(node);
            let wrong = |(what, help): (&str, &str)| {
                place.wrong(format!("curve `{name}`: {what}"), help);
            };
            if let Err(mistake) = wanted.check(variant.reads.as_ref(), variant.fixed) {
                wrong(mistake);
                continue;
            }
            let Some(read) = variant.reads.as_ref().map(Reads::name) else {
                continue;
            };
            // A point that is no scenario is told when it is to run.
            let Ok(scenario) = self.point(curve, PlaceId(0), 1) else {
                continue;
            };
            let there = readable(&scenario);
            let known = |name: &String| match name.strip_suffix('*') {
                Some(beginning) => read.starts_with(beginning),
                None => *name == read,
            };
            if there.iter().any(known) {
                continue;
            }
            let near = suggest::nearest(&read, there.iter().map(String::as_str));
            let help = match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "what a probe or an estimator of the scenario has, or `classify.` and a classifier".to_owned(),
            };
            let all = match there.len() {
                0 => "nothing".to_owned(),
                _ => there.join(", "),
            };
            wrong((
                &format!("its runs have no `{read}` to read; they have {all}"),
                &help,
            ));
        }
    }
}

impl Wanted {
    /// What is wrong with a curve that reads this, if anything is, and what would be right.
    fn check(self, reads: Option<&Reads>, fixed: bool) -> Result<(), (&'static str, &'static str)> {
        match reads {
            // What others are held against may read nothing.
            None if self.samples && !fixed => Err((
                "`reads` is wanted: the name of a sampled series",
                "write for example reads = \"cwnd\"",
            )),
            None if self.classifier => Err((
                "`reads` is wanted: `classify.` and a classifier",
                "write for example reads = \"classify.veno\"",
            )),
            None => Ok(()),
            Some(Reads::Classifier(_)) if self.samples => Err((
                "it reads a classifier, of which there are no samples",
                "name a sampled series, such as `cwnd`",
            )),
            Some(Reads::Classifier(_)) if !self.classifier => Err((
                "nothing is measured of what it reads",
                "measure something with `classified`",
            )),
            Some(Reads::Series(_)) if self.classifier => Err((
                "it reads samples where a classifier is measured",
                "write for example reads = \"classify.veno\"",
            )),
            Some(Reads::Series(_)) if !self.samples => Err((
                "nothing is measured or drawn of what it reads",
                "measure or draw quantity = \"reading\"",
            )),
            Some(_) => Ok(()),
        }
    }
}

/// Whether an entry of the description is the curve of a name.
fn is_called(node: &Node<'_>, name: &str) -> bool {
    match node.is_text() {
        true => node.text() == Some(name),
        false => node.part("name").and_then(|node| node.text()) == Some(name),
    }
}

fn reads_samples(panel: &Panel) -> bool {
    let samples = panel.samples();
    samples.is_some_and(|samples| samples.quantity == Sampled::Reading)
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
