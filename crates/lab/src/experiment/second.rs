//! A second axis: each curve becomes one a value of it, crossed with every place of the first; a map
//! shows the curves that one was made into as its rows.

use super::{Experiment, Malformed, Panel, Sweep, Variant};
use crate::figure::{Kind, Rows};

impl Experiment {
    /// Makes of each curve that is not fixed one a value of the second axis.
    pub(super) fn expand_rows(&mut self) -> Result<(), Malformed> {
        let Some(y) = &self.y else {
            return Ok(());
        };
        if self.factorial.is_some() {
            return Err(self.malformed("a factorial has no second axis"));
        }
        if let Some(mistake) = y.mistake() {
            return Err(self.malformed(&format!("y: {mistake}")));
        }
        let crossed = |variant: &Variant| match variant.fixed {
            true => vec![variant.clone()],
            false => (0..y.values.len()).map(|i| row(variant, y, i)).collect(),
        };
        self.series = self.series.iter().flat_map(crossed).collect();
        Ok(())
    }

    /// Leaves the rows of a quick look.
    pub(super) fn keep_rows(&mut self) {
        let (Some(y), false) = (&mut self.y, self.quick.rows.is_empty()) else {
            return;
        };
        let rows = &self.quick.rows;
        let stays: Vec<bool> = y.values.iter().map(|value| rows.contains(value)).collect();
        y.places = kept(&y.places, &stays);
        y.names = kept(&y.names, &stays);
        y.values = kept(&y.values, &stays);
        let stays = |variant: &Variant| match &variant.row {
            Some((_, value)) => rows.contains(value),
            None => true,
        };
        self.series.retain(stays);
    }

    /// What is wrong with the second axis, if anything is.
    pub(super) fn check_second_axis(&self) -> Result<(), String> {
        let Some(y) = &self.y else {
            return match self.quick.rows.first() {
                Some(_) => Err("`rows` are those of `y`".to_owned()),
                None => Ok(()),
            };
        };
        if self.x.is_none() {
            return Err("`y` is crossed with `x`".to_owned());
        }
        if y.values.is_empty() || y.values.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err("the values of y are not in order".to_owned());
        }
        match self.quick.rows.iter().find(|row| !y.values.contains(row)) {
            Some(stray) => Err(format!("{stray} is not among the values of y")),
            None => Ok(()),
        }
    }

    /// What is wrong with a panel as a map, if anything is.
    pub(super) fn check_map(&self, panel: &Panel) -> Result<(), String> {
        if panel.kind != Kind::Map {
            return Ok(());
        }
        if self.y.is_none() || panel.measure.is_none() {
            return Err("a map is of a `measure`, along `x` and `y`".to_owned());
        }
        match &panel.series[..] {
            [name] if self.declares(name) => Ok(()),
            _ => Err("a map shows one of the curves that `y` is crossed with".to_owned()),
        }
    }

    /// Whether the description has a curve of this name that the second axis made into several.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.rows_of(name).next().is_some()
    }

    /// The curves that the second axis made of the description's one, in the axis' order.
    pub(super) fn rows_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let series = self.series.iter().enumerate();
        series
            .filter(move |(_, variant)| variant.row.as_ref().is_some_and(|(of, _)| of == name))
            .map(|(place, _)| place)
    }

    /// The rows of a map.
    pub(super) fn rows(&self, panel: &Panel) -> Option<Rows> {
        let y = self.y.as_ref().filter(|_| panel.kind == Kind::Map)?;
        Some(Rows {
            label: y.label.clone(),
            names: (0..y.values.len()).map(|i| place(y, i)).collect(),
        })
    }

    /// A place along both axes, in words.
    pub(super) fn cell(&self, series: usize, x: usize) -> String {
        let here = format!("{} = {}", self.x_label(), self.place(x));
        let row = self.series[series].row.as_ref().zip(self.y.as_ref());
        match row.and_then(|((_, value), y)| Some((y, y.values.iter().position(|v| v == value)?))) {
            Some((y, i)) => format!("{here}, {} = {}", y.label, place(y, i)),
            None => here,
        }
    }
}

/// One of the curves that a value of the second axis makes of another.
fn row(variant: &Variant, y: &Sweep, i: usize) -> Variant {
    let mut set = variant.set.clone();
    if let Some(key) = &y.key {
        set.insert(key.clone(), y.setting(y.values[i]));
    }
    set.extend(y.places.get(i).cloned().into_iter().flatten());
    Variant {
        name: format!("{}, {} = {}", variant.name, y.label, place(y, i)),
        set,
        row: Some((variant.name.clone(), y.values[i])),
        ..variant.clone()
    }
}

/// A value of the axis: its name, or its number.
fn place(y: &Sweep, i: usize) -> String {
    let name = y.names.get(i).cloned();
    name.unwrap_or_else(|| y.values[i].to_string())
}

fn kept<T: Clone>(all: &[T], stays: &[bool]) -> Vec<T> {
    let both = all.iter().zip(stays);
    both.filter(|(_, stays)| **stays)
        .map(|(one, _)| one.clone())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DESCRIPTION, SCENARIO};
    use super::*;

    const Y: &str = "y = { label = \"queue\", key = \"dumbbell.bottleneck.queue.droptail\", whole = true, values = [5, 50] }\n x =";

    fn parse(changes: &[(&str, &str)]) -> Result<Experiment, Malformed> {
        let mut description = DESCRIPTION.replacen(" x =", Y, 1);
        for (from, to) in changes {
            assert!(description.contains(from), "{from}");
            description = description.replacen(from, to, 1);
        }
        Experiment::parse(&description, SCENARIO, &toml::Table::new())
    }

    /// The claim of the description is about curves that the second axis makes into several.
    const CLAIM: (&str, &str) = (
        "of = \"A\", over = \"B\"",
        "of = \"A, queue = 5\", over = \"B\"",
    );
    const FIXED: (&str, &str) = ("name = \"B\", set", "name = \"B\", fixed = true, set");

    #[test]
    fn curves_are_crossed_and_fixed_ones_are_not() {
        let experiment = parse(&[CLAIM, FIXED]).expect("it is right");
        let names: Vec<&str> = experiment.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["A, queue = 5", "A, queue = 50", "B"]);
        assert_eq!(experiment.runs(), 3 * 2 * 2);
        let points = experiment.points(1).expect("scenarios");
        let text: Vec<String> = points.iter().map(|p| p.scenario.canonical()).collect();
        for (point, droptail, loss) in [(0, 5, "0.1"), (1, 5, "0.2"), (3, 50, "0.2")] {
            assert!(
                text[point].contains(&format!("droptail = {droptail}")),
                "{}",
                text[point]
            );
            assert!(
                text[point].contains(&format!("bernoulli = {loss}")),
                "{}",
                text[point]
            );
        }
        // The fixed one has what the scenario says, wherever it is: equal runs are one.
        let body = |text: &str| text.split_once("seed").expect("a key").1.to_owned();
        assert_eq!(body(&text[4]), body(&text[5]));
        assert!(text[5].contains("droptail = 9") && text[5].contains("bernoulli = 0.1"));
    }

    #[test]
    fn a_quick_look_leaves_rows_out() {
        let few = ("values = [0.1] }", "values = [0.1], rows = [5] }");
        let experiment = parse(&[CLAIM, FIXED, few]).expect("it is right").quick();
        let names: Vec<&str> = experiment.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["A, queue = 5", "B"]);
        assert_eq!(experiment.y.map(|y| y.values), Some(vec![5.0]));
    }

    #[test]
    fn mistakes_are_told() {
        let map = |panel: &'static str| ("panel = [{ measure = \"t\" }", panel);
        for (change, what) in [
            (("values = [5, 50]", "values = [50, 5]"), "the values of y"),
            (
                ("values = [0.1] }", "values = [0.1], rows = [6] }"),
                "6 is not among the values of y",
            ),
            (
                ("values = [5, 50]", "names = [\"a\"], values = [5, 50]"),
                "y: `names`",
            ),
            (
                map("panel = [{ measure = \"t\", kind = \"map\" }"),
                "a map shows one of the curves",
            ),
            (
                map("panel = [{ measure = \"t\", kind = \"map\", series = [\"B\"] }"),
                "a map shows one",
            ),
            (
                map("panel = [{ table = [\"t\"], kind = \"map\", series = [\"A\"] }"),
                "a map is of a `measure`",
            ),
        ] {
            let error = parse(&[CLAIM, FIXED, change]).expect_err(what).to_string();
            assert!(error.contains(what), "{what}: {error}");
        }
        let rows = DESCRIPTION.replacen("values = [0.1] }", "values = [0.1], rows = [5] }", 1);
        let error = Experiment::parse(&rows, SCENARIO, &toml::Table::new()).expect_err("no y");
        assert!(error.to_string().contains("`rows` are those of `y`"));
    }
}
