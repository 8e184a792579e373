//! A second axis: each curve is combined with it and becomes one curve per value. A map shows these
//! curves as its rows.

use super::Experiment;
use super::curve::Variant;
use super::sweep::Sweep;
use crate::cube::{CurveId, PlaceId};
use crate::figure::Rows;

/// Replaces each curve that is not fixed by one curve per value of the second axis.
pub(super) fn crossed(series: Vec<Variant>, y: &Sweep) -> Vec<Variant> {
    let rows = |variant: Variant| match variant.fixed {
        true => vec![variant],
        false => (0..y.values().len()).map(|i| row(&variant, y, i)).collect(),
    };
    series.into_iter().flat_map(rows).collect()
}

impl Experiment {
    /// Keeps only the rows of a quick reproduction.
    pub(super) fn keep_rows(&mut self) {
        let Some(y) = self.y.as_mut().filter(|_| !self.quick.rows.is_empty()) else {
            return;
        };
        let rows = &self.quick.rows;
        y.keep(rows);
        let stays = |variant: &Variant| match &variant.row {
            Some((_, value)) => rows.contains(value),
            None => true,
        };
        self.series.retain(stays);
    }

    /// The curves into which the second axis divides a curve of the description, in the order of
    /// the axis.
    pub(super) fn rows_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = usize> + 'a {
        let series = self.series.iter().enumerate();
        series
            .filter(move |(_, variant)| variant.row.as_ref().is_some_and(|(of, _)| of == name))
            .map(|(place, _)| place)
    }

    /// The rows of a map.
    pub(super) fn rows(&self) -> Option<Rows> {
        let y = self.y.as_ref()?;
        Some(Rows {
            label: y.label.clone(),
            names: (0..y.values().len()).map(|i| y.place(i)).collect(),
        })
    }

    /// Describes a point by its values on both axes.
    pub(super) fn cell(&self, curve: CurveId, x: PlaceId) -> String {
        let place = self
            .x
            .as_ref()
            .map_or_else(String::new, |sweep| sweep.place(x.0));
        let here = format!("{} = {place}", self.x_label());
        let row = self.curve(curve).row.as_ref().zip(self.y.as_ref());
        match row.and_then(|((_, value), y)| Some((y, y.values().iter().position(|v| v == value)?)))
        {
            Some((y, i)) => format!("{here}, {} = {}", y.label, y.place(i)),
            None => here,
        }
    }
}

/// The curve for one value of the second axis.
fn row(variant: &Variant, y: &Sweep, i: usize) -> Variant {
    let mut set = variant.set.clone();
    set.extend(y.settings(i));
    Variant {
        name: format!("{}, {} = {}", variant.name, y.label, y.place(i)),
        set,
        row: Some((variant.name.clone(), y.values()[i])),
        ..variant.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{DESCRIPTION, parse as parse_text};
    use super::*;
    use crate::description::Malformed;

    const Y: &str = "y = { label = \"queue\", key = \"dumbbell.bottleneck.queue.droptail\", whole = true, values = [5, 50] }\n x =";

    fn parse(changes: &[(&str, &str)]) -> Result<Experiment, Malformed> {
        let mut description = DESCRIPTION.replacen(" x =", Y, 1);
        for (from, to) in changes {
            assert!(description.contains(from), "{from}");
            description = description.replacen(from, to, 1);
        }
        parse_text(&description)
    }

    /// Adapts the description's claim: the second axis changes the names of the curves.
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
        // The fixed curve keeps the scenario's own value, so its runs are equal at all points.
        let body = |text: &str| text.split_once("seed").expect("a key").1.to_owned();
        assert_eq!(body(&text[4]), body(&text[5]));
        assert!(text[5].contains("droptail = 9") && text[5].contains("bernoulli = 0.1"));
    }

    #[test]
    fn a_quick_reproduction_omits_rows() {
        let few = ("values = [0.1] }", "values = [0.1], rows = [5] }");
        let experiment = parse(&[CLAIM, FIXED, few]).expect("it is right").quick();
        let names: Vec<&str> = experiment.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["A, queue = 5", "B"]);
        assert_eq!(experiment.y.expect("it has one").values(), [5.0]);
    }

    #[test]
    fn mistakes_are_reported() {
        let map = |panel: &'static str| ("panel = [{ measure = \"t\" }", panel);
        for (change, what) in [
            (("values = [5, 50]", "values = [50, 5]"), "the values of y"),
            (
                ("values = [0.1] }", "values = [0.1], rows = [6] }"),
                "6 is not among the values of y",
            ),
            (
                ("values = [5, 50]", "names = [\"a\"], values = [5, 50]"),
                "`names` are those of `places`",
            ),
            (
                map("panel = [{ measure = \"t\", kind = \"map\" }"),
                "a map shows one of the curves",
            ),
            (
                map("panel = [{ measure = \"t\", kind = \"map\", series = [\"B\"] }"),
                "there is no curve that `y` is crossed with `B`",
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
        let error = parse_text(&rows).expect_err("no y");
        assert!(error.to_string().contains("`rows` are those of `y`"));
    }
}
