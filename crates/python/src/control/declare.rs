//! What a class declares, which `dumbbell._declaration` collects, as an entry of a catalogue.

use std::sync::Arc;

use dumbbell_control::controller::Signals;
use dumbbell_control::parameter::{Kind, Parameter, Setting};
use dumbbell_control::units::Ratio;
use dumbbell_scenario::controls::{Added, Controls, Refusal};
use dumbbell_scenario::rate_controls::AddedRate;
use dumbbell_tcp::recovery::Kind as RecoveryKind;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::adapter::PyController;
use super::object::Hooks;
use super::rate::PyRate;
use super::words::kept;
use crate::error;

/// What `dumbbell._declaration.declare` returns.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
struct Told {
    name: String,
    summary: String,
    is_rate: bool,
    parameters: Vec<ToldParameter>,
    recoveries: Vec<String>,
    needs: Vec<String>,
    hooks: Vec<String>,
    code: Option<Vec<u8>>,
    unknown: Option<String>,
}

/// A parameter: name, description, sort, range, default, words.
type ToldParameter = (String, String, String, (f64, f64), Py<PyAny>, Vec<String>);

/// A class that a scenario can name.
pub struct Declared {
    pub class: Py<PyAny>,
    pub name: String,
    pub is_rate: bool,
    code: Option<[u8; 32]>,
    /// Why nothing is known about its code.
    pub unknown: Option<String>,
    summary: String,
    parameters: Vec<(Parameter, Setting)>,
    recoveries: Vec<RecoveryKind>,
    needs: Signals,
    hooks: Hooks,
}

impl Declared {
    /// Reads a class.
    ///
    /// # Errors
    /// Whatever is wrong in it, as an exception of `dumbbell._declaration`.
    pub fn of(class: &Bound<'_, PyAny>) -> PyResult<Self> {
        let py = class.py();
        let declaration = py.import("dumbbell._declaration")?;
        let told: Told = declaration.call_method1("declare", (class,))?.extract()?;
        let has = |name: &str| told.hooks.iter().any(|hook| hook == name);
        let needs = |name: &str| told.needs.iter().any(|signal| signal == name);
        let mut signals = Signals::NONE;
        signals.rtt = needs("rtt");
        signals.receiver_time = needs("receiver_time");
        signals.queueing = needs("queueing");
        signals.pacing = needs("pacing") || has("pacing");
        signals.marks = needs("marks");
        signals.l4s = needs("l4s");
        let recoveries = told.recoveries.iter().map(|name| {
            let kind = RecoveryKind::named(name);
            kind.ok_or_else(|| {
                let known = RecoveryKind::ALL.map(RecoveryKind::name);
                let near = crate::words::nearest(name, known);
                let control = &told.name;
                PyValueError::new_err(format!(
                    "`{control}` lists the recovery `{name}`, which does not exist{near}"
                ))
            })
        });
        let parameters = told.parameters.iter().map(|it| parameter(py, it));
        Ok(Self {
            class: class.clone().unbind(),
            is_rate: told.is_rate,
            code: told.code.as_deref().and_then(|code| code.try_into().ok()),
            unknown: told.unknown.clone(),
            summary: told.summary.clone(),
            parameters: parameters.collect::<PyResult<_>>()?,
            recoveries: recoveries.collect::<PyResult<_>>()?,
            needs: signals,
            hooks: Hooks {
                on_sent: has("on_sent"),
                on_sample: has("on_sample"),
                window: has("window"),
                pacing: has("pacing"),
                sending_rate: has("sending_rate"),
            },
            name: told.name,
        })
    }

    /// Returns whether it is the same class, or one with the same code.
    pub fn is_same(&self, other: &Self) -> bool {
        self.class.is(&other.class) || (self.code.is_some() && self.code == other.code)
    }

    /// Adds it to a catalogue.
    ///
    /// # Errors
    /// `ScenarioError` if its name is taken or invalid, or a parameter is invalid.
    pub fn add(self: &Arc<Self>, controls: &mut Controls) -> PyResult<()> {
        let (declared, code) = (self.clone(), self.code);
        let added = match self.is_rate {
            true => {
                let mut added = AddedRate::new(&self.name, move |settings, segment, alarm| {
                    let Self { class, hooks, .. } = &*declared;
                    Box::new(PyRate::new(class, *hooks, settings, segment, alarm))
                });
                for (parameter, default) in &self.parameters {
                    added = added.parameter(*parameter, *default);
                }
                let added = added.summary(&self.summary);
                controls.add_rate(added.identified(move || code))
            }
            false => {
                let mut added = Added::new(&self.name, move |settings, path, alarm| {
                    let Self { class, hooks, .. } = &*declared;
                    Box::new(PyController::new(class, *hooks, settings, path, alarm))
                });
                for (parameter, default) in &self.parameters {
                    added = added.parameter(*parameter, *default);
                }
                let added = added.summary(&self.summary).needs(self.needs);
                let added = added.recoveries(&self.recoveries);
                controls.add(added.identified(move || code))
            }
        };
        added.map_err(|refusal| match refusal {
            Refusal::Taken(name) => error::scenario(format!(
                "there is already a control `{name}`: give the class another `name`"
            )),
            other => error::scenario(other.to_string()),
        })
    }
}

fn parameter(
    py: Python<'_>,
    (name, doc, sort, (low, high), default, words): &ToldParameter,
) -> PyResult<(Parameter, Setting)> {
    let millionths = |number: f64| Ratio::from_millionths((number * 1e6).round() as u32);
    let (kind, setting) = match sort.as_str() {
        "flag" => (Kind::Flag, Setting::Flag(default.extract(py)?)),
        "count" => (
            Kind::Count(*low as u32, *high as u32),
            Setting::Count(default.extract(py)?),
        ),
        "ratio" => (
            Kind::Ratio(millionths(*low), millionths(*high)),
            Setting::Ratio(millionths(default.extract(py)?)),
        ),
        _ => {
            let known: Vec<&str> = words.iter().map(String::as_str).collect();
            let known = dumbbell_scenario::intern::list(&known);
            let known = known.ok_or_else(|| PyValueError::new_err("there are too many words"))?;
            (
                Kind::Choice(known),
                Setting::Choice(kept(&default.extract::<String>(py)?)?),
            )
        }
    };
    let parameter = Parameter {
        name: kept(name)?,
        kind,
        doc: kept(doc)?,
    };
    Ok((parameter, setting))
}
