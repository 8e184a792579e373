//! The texts of an experiment, and where in them a mistake of one of its points is.

use std::path::PathBuf;

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Report, Scenario};

use super::{Experiment, grid};
use crate::cube::{CurveId, PlaceId};
use crate::description::{self, Keys, Malformed, Node};

/// The texts that an experiment is read from, and the names of their files for messages.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    /// The file of the description.
    pub file: String,
    /// The description.
    pub description: String,
    /// The file of the scenario that it varies.
    pub scenario_file: String,
    /// The scenario.
    pub scenario: String,
    /// The folder in which the scenario may name traces; without it, it must not.
    pub folder: Option<PathBuf>,
}

impl Texts {
    /// Reads a scenario that may name the traces beside it.
    pub(super) fn read(
        &self,
        file: &str,
        text: &str,
        controls: &Controls,
    ) -> Result<Scenario, Report> {
        match &self.folder {
            Some(folder) => Scenario::parse_in(folder, file, text, controls),
            None => Scenario::parse(file, text, controls),
        }
    }
}

impl Experiment {
    /// The mistakes of a point's scenario, with their places in the texts that the point is made
    /// from: the scenario itself, the settings of the curve, or the x value.
    pub(super) fn misplaced(&self, curve: CurveId, place: PlaceId, found: &Report) -> Malformed {
        let Texts {
            file,
            description,
            scenario_file,
            scenario,
            ..
        } = &*self.texts;
        let same = |own: &Report| {
            let mut all = own.problems().iter();
            all.any(|own| found.problems().iter().any(|it| it.message == own.message))
        };
        let own = self.texts.read(scenario_file, scenario, &self.controls);
        if let Some(own) = own.err().filter(same) {
            return own.into();
        }
        let Some(problem) = found.problems().first() else {
            return found.clone().into();
        };
        if !self.changes.is_empty() {
            // A reading or the null, which has a text of its own.
            return self.malformed(&problem.message);
        }
        let variant = self.curve(curve);
        let own = variant.row.as_ref().map_or(&variant.name, |(name, _)| name);
        // Without the x value: if the mistake stays, it is the curve's.
        let mut table = self.scenario.clone();
        let set = variant.set.iter();
        let set = set.filter_map(|(key, value)| grid::set_key(&mut table, key, value.clone()));
        let _ = set.count();
        let of_curve = self
            .texts
            .read(scenario_file, &table.to_string(), &self.controls);
        let is_of_x = self.x.is_some() && !of_curve.err().is_some_and(|it| same(&it));
        let message = match &self.x {
            Some(x) if is_of_x => {
                format!("{} = {}: {}", x.label, x.place(place.0), problem.message)
            }
            _ => format!(
                "the curve `{own}`, by its own settings or those of its protocol: {}",
                problem.message
            ),
        };
        let help = problem.help.as_deref();
        let help = help
            .unwrap_or("each point of the figure is a scenario, with the keys of `dumbbell run`");
        description::mistake(file, description, (&message, help), |keys| match is_of_x {
            // The path is the same for all values.
            true if problem.message.contains("has no key") => {
                x_key(keys).or_else(|| x_value(keys, place))
            }
            true => x_value(keys, place),
            false => declared(keys, own),
        })
    }
}

/// What the axis varies.
fn x_key<'d>(keys: &Keys<'d>) -> Option<Node<'d>> {
    keys.find("x")?.part("key")
}

/// The x value at a position.
fn x_value<'d>(keys: &Keys<'d>, place: PlaceId) -> Option<Node<'d>> {
    let x = keys.find("x")?;
    let of = |key| x.part(key)?.items()?.into_iter().nth(place.0);
    of("places").or_else(|| of("values")).or(Some(x.clone()))
}

/// The settings of a curve; those of a factorial, or of a protocol, if it has none of its own.
fn declared<'d>(keys: &Keys<'d>, curve: &str) -> Option<Node<'d>> {
    let all = keys.items("series").into_iter();
    let own = all.filter_map(|node| {
        if node.is_text() {
            return (node.text() == Some(curve)).then_some(node);
        }
        let named = node.part("name")?.text() == Some(curve);
        named.then(|| node.part("set").unwrap_or(node))
    });
    let mut own = own;
    own.next().or_else(|| keys.find("factorial"))
}
