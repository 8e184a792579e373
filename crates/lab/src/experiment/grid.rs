//! The points of an experiment: its scenario with the settings of a curve and an x value.

use dumbbell_scenario::Scenario;

use super::{Experiment, slug};
use crate::cube::{CurveId, PlaceId};
use crate::description::Malformed;

/// A point of the figure, with its scenario.
#[derive(Clone, Debug)]
pub struct Point {
    /// The curve.
    pub curve: CurveId,
    /// The x value.
    pub place: PlaceId,
    /// The scenario, under the name of the point. Its seed is the first of the point's seeds.
    pub scenario: Scenario,
}

impl Experiment {
    /// All points, curve by curve; `seed` is the first seed of their runs.
    ///
    /// # Errors
    /// [`Malformed`] if a key does not exist or a point is not a scenario.
    pub fn points(&self, seed: u64) -> Result<Vec<Point>, Malformed> {
        let mut points = Vec::new();
        for (curve, _) in self.curves() {
            for place in (0..self.xs().len()).map(PlaceId) {
                let scenario = self.point(curve, place, seed)?;
                points.push(Point {
                    curve,
                    place,
                    scenario,
                });
            }
        }
        Ok(points)
    }

    /// The scenario's keys and values as in its file, the key of the axis with all its values, and
    /// the settings of each curve.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let mut all = Vec::new();
        flatten("", &toml::Value::Table(self.scenario.clone()), &mut all);
        let varied = |key: &String| self.x.as_ref().is_some_and(|x| x.varies(key));
        let set = |key: &String| self.series.iter().any(|s| s.set.contains_key(key));
        all.retain(|(key, _)| !varied(key) && !set(key));
        if let Some(x) = &self.x {
            let places = 0..x.values().len();
            let values: Vec<String> = places.map(|at| x.place(at)).collect();
            match x.key() {
                Some(key) => all.push((key.to_owned(), values.join(", "))),
                None => all.extend(values.iter().enumerate().map(|(at, value)| {
                    (format!("{} {value}", x.label), settings(&x.settings(at)))
                })),
            }
        }
        for variant in &self.series {
            all.push((variant.name.clone(), settings(&variant.set)));
        }
        all
    }

    /// The name of a point's scenario file.
    pub fn file_of(&self, point: &Point) -> String {
        let name = slug(&self.curve(point.curve).name);
        match &self.x {
            Some(x) => match x.name(point.place.0) {
                Some(place) => format!("{name}-{}.toml", slug(place)),
                None => format!("{name}-{}.toml", self.x_of(point.place)),
            },
            None => format!("{name}.toml"),
        }
    }

    pub(super) fn point(
        &self,
        curve: CurveId,
        place: PlaceId,
        seed: u64,
    ) -> Result<Scenario, Malformed> {
        let seed = self.seed_of(curve, seed);
        let variant = self.curve(curve);
        let mut table = self.scenario.clone();
        for (key, value) in &variant.set {
            self.set(&mut table, key, value.clone())?;
        }
        let mut name = format!("{}: {}", self.name, variant.name);
        if let Some(sweep) = self.x.as_ref().filter(|_| !variant.fixed) {
            for (key, value) in sweep.settings(place.0) {
                self.set(&mut table, &key, value)?;
            }
            name += &format!(", {} = {}", sweep.label, sweep.place(place.0));
        }
        let changed = self.changes.apply(&mut table);
        changed
            .map_err(|key| self.malformed(&format!("the scenario has no key `{key}` to set")))?;
        let read = self
            .texts
            .read(&self.name, &table.to_string(), &self.controls);
        let mut scenario = read.map_err(|report| self.misplaced(curve, place, &report))?;
        scenario.name = Some(name);
        scenario.description = Some(format!(
            "One point of {}. Seeds {seed} to {}.",
            self.source,
            seed.wrapping_add(self.repeat - 1)
        ));
        scenario.seed = seed;
        Ok(scenario)
    }

    fn set(&self, table: &mut toml::Table, key: &str, value: toml::Value) -> Result<(), Malformed> {
        match set_key(table, key, value) {
            Some(()) => Ok(()),
            None => Err(self.malformed(&format!("the scenario has no key `{key}` to set"))),
        }
    }
}

/// Sets a key, which is a path of names and numbers separated by dots. Returns `None` if there is
/// no table that could hold it.
pub(crate) fn set_key(table: &mut toml::Table, key: &str, value: toml::Value) -> Option<()> {
    let (path, last) = key.rsplit_once('.').unwrap_or(("", key));
    let mut steps = path.split('.').filter(|step| !step.is_empty());
    let Some(first) = steps.next() else {
        table.insert(last.to_owned(), value);
        return Some(());
    };
    let mut at = table.get_mut(first)?;
    for step in steps {
        at = match (at, step.parse::<usize>()) {
            (toml::Value::Array(array), Ok(index)) => array.get_mut(index),
            (toml::Value::Table(table), _) => table.get_mut(step),
            _ => None,
        }?;
    }
    at.as_table_mut()?.insert(last.to_owned(), value);
    Some(())
}

/// Formats keys and values in one line.
fn settings(table: &toml::Table) -> String {
    let mut all = Vec::new();
    for (key, value) in table {
        flatten(key, value, &mut all);
    }
    let all: Vec<String> = all.iter().map(|(k, v)| format!("{k} = {v}")).collect();
    all.join(", ")
}

/// Collects the leaves of a table as paths and values.
fn flatten(path: &str, value: &toml::Value, out: &mut Vec<(String, String)>) {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                flatten(&below(key), value, out);
            }
        }
        toml::Value::Array(array) if array.iter().all(toml::Value::is_table) => {
            for (i, value) in array.iter().enumerate() {
                flatten(&below(&i.to_string()), value, out);
            }
        }
        toml::Value::String(text) => out.push((path.to_owned(), text.clone())),
        value => out.push((path.to_owned(), value.to_string())),
    }
}
