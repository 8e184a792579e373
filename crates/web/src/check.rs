//! Reads the text of a scenario without running it.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Report, Scenario};
use serde::Serialize;
use serde_json::Value;

use crate::FILE;

/// A mistake in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Mistake {
    /// The first wrong character, both counted from 1, the column in characters.
    line: usize,
    column: usize,
    /// How many characters are wrong.
    length: usize,
    message: String,
    help: Option<String>,
}

/// What is known of a text.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct Checked {
    ok: bool,
    errors: Vec<Mistake>,
    /// The scenario with every default spelled out; `None` if there is a mistake.
    model: Option<Value>,
    /// What the text itself says; `None` if it is not TOML.
    document: Option<Value>,
    /// The scenario as TOML with every default spelled out.
    canonical: Option<String>,
    /// The name of each flow, counts expanded.
    flows: Vec<String>,
}

/// Reads a scenario and describes it, or its mistakes, as JSON.
pub(crate) fn check(text: &str, controls: &Controls) -> String {
    let document = toml::from_str(text).ok();
    let checked = match Scenario::parse(FILE, text, controls) {
        Ok(scenario) => {
            let canonical = scenario.canonical();
            Checked {
                ok: true,
                errors: Vec::new(),
                model: toml::from_str(&canonical).ok(),
                document,
                flows: dumbbell_run::explain::names(&scenario),
                canonical: Some(canonical),
            }
        }
        Err(report) => Checked {
            ok: false,
            errors: mistakes(text, &report),
            model: None,
            document,
            canonical: None,
            flows: Vec::new(),
        },
    };
    serde_json::to_string(&checked).unwrap_or_default()
}

/// The mistakes that a report lists.
pub(crate) fn mistakes(text: &str, report: &Report) -> Vec<Mistake> {
    let problems = report.problems().iter();
    problems
        .map(|problem| Mistake {
            line: problem.line,
            column: problem.column,
            length: text
                .get(problem.span.clone())
                .map_or(0, |wrong| wrong.chars().count()),
            message: problem.message.clone(),
            help: problem.help.clone(),
        })
        .collect()
}
