//! Checks curves that read different quantities of one run: something must use the quantity, and
//! the runs must have it.

use dumbbell_scenario::{ProbeValue, Scenario, Traffic, suggest};

use super::curve::{CLASSIFIER, Reads};
use super::quantity::Sampled;
use super::{Experiment, Measure, Panel};
use crate::cube::{CurveId, PlaceId};
use crate::description::Node;

/// The uses of the quantities that curves read.
#[derive(Clone, Copy)]
struct Wanted {
    /// Whether a measure or a drawing uses samples.
    samples: bool,
    /// Whether a measure uses a classifier.
    classifier: bool,
}

impl Experiment {
    /// Reports mistakes in what curves read; `declared` are the curves of the description.
    pub(super) fn check_readings(&self, declared: &[Node<'_>]) {
        let measured = self.measures.iter().any(Measure::reads_samples);
        let classifier = self.measures.iter().any(Measure::reads_classifier);
        let made = self
            .factorial
            .as_ref()
            .map_or(0, |factorial| 1 << factorial.factors.len());
        self.check_states(declared);
        for (curve, variant) in self.curves() {
            let name = variant.row.as_ref().map_or(&variant.name, |(name, _)| name);
            // The curves of a factorial have no entry, so mistakes are reported at the first curve
            // of the description.
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
            // An invalid scenario is reported later, when the points are built.
            let Ok(scenario) = self.point(curve, PlaceId(0), 1) else {
                continue;
            };
            let there = readable(&scenario);
            if has(&there, &read) {
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

impl Experiment {
    /// Reports series of states that the first curve's runs do not have.
    fn check_states(&self, declared: &[Node<'_>]) {
        let Ok(scenario) = self.point(CurveId(0), PlaceId(0), 1) else {
            return;
        };
        let there = readable(&scenario);
        for measure in &self.measures {
            let (Some(name), Some(node)) = (measure.states(), declared.first()) else {
                continue;
            };
            if !has(&there, name) {
                node.wrong(
                    format!(
                        "measure `{}`: the runs have no `{name}`; they have {}",
                        measure.name,
                        there.join(", ")
                    ),
                    "name what a control explains, such as `explain.phase`, and sample it: [probe] values = [\"explain\"]",
                );
            }
        }
    }
}

/// Whether a name is among these, in which an asterisk matches any ending.
fn has(there: &[String], name: &str) -> bool {
    there.iter().any(|known| match known.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => known == name,
    })
}

impl Wanted {
    /// Returns what is wrong with a curve that reads this, and what would be right, if anything is
    /// wrong.
    fn check(self, reads: Option<&Reads>, fixed: bool) -> Result<(), (&'static str, &'static str)> {
        match reads {
            // A fixed curve may read nothing.
            None if self.samples && !fixed => Err((
                "`reads` is required: the name of a sampled series",
                "write for example reads = \"cwnd\"",
            )),
            None if self.classifier => Err((
                "`reads` is required: `classify.` and a classifier",
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

/// Whether an entry of the description is the curve with this name.
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

/// The names that can be read in a scenario; an asterisk matches any ending.
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
    use crate::description::Malformed;

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
        Experiment::parse("a.toml", description, SCENARIO, &toml::Table::new())
    }

    #[test]
    fn a_reading_must_exist_and_be_used() {
        assert!(parse(DESCRIPTION).is_ok());
        for (from, to, what) in [
            (
                "estimate.sarbe",
                "estimate.tustin",
                "curve `A`: its runs have no `estimate.tustin` to read; they have cwnd, estimate.sarbe, classify.veno",
            ),
            (", reads = \"cwnd\"", "", "curve `B`: `reads` is required"),
            (
                "\"cwnd\"",
                "\"classify.veno\"",
                "curve `B`: it reads a classifier",
            ),
            ("[[0, 1]]", "[[1, 1]]", "the reference"),
            (
                "{ name = \"R\", steps = [[0, 1]] }",
                "{ name = \"R\", steps = [] }",
                "the reference: its `steps`",
            ),
            (
                "reference = { name = \"R\", steps = [[0, 1]] }",
                "",
                "no `reference`",
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
        let error = parse(&classified).expect_err("samples, but a classifier is required");
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
