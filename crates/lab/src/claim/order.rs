//! The claim of an order: "A is below B."

use dumbbell_run::statistics::Estimate;

use super::places::{self, Finding};
use super::reader::Reader;
use super::statement::{Sort, Statement};
use super::words::percent;
use super::{Judgement, Table};

/// A claim that the curves are in ascending order at each x value.
#[derive(Debug)]
pub(super) struct Order {
    /// The curves, the lowest first.
    series: Vec<String>,
    /// The x values; if empty, all of them.
    at: Vec<f64>,
}

impl Sort for Order {
    const NAME: &'static str = "order";
    const EXAMPLE: &'static str = "{ series = [\"B\", \"A\"], at = [1, 2] }";

    fn read(from: &Reader<'_>) -> Option<Self> {
        let series = from.curves("series");
        if series.as_ref().is_some_and(|series| series.len() < 2) {
            from.wrong(
                "series",
                "an order is of two curves or more",
                "name the lowest first",
            );
        }
        let at = from.places("at");
        Some(Self {
            series: series?,
            at: at?,
        })
    }
}

impl Statement for Order {
    fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let mut findings = Vec::new();
        let mut seen = Vec::new();
        let mut only = None;
        for &x in &table.places(&self.at) {
            for pair in self.series.windows(2) {
                let [low, high] = pair else { continue };
                let gain = table.gain(low, high, x)?;
                findings.push(Finding::of(&gain, |g| g < 0.0));
                only = Some(apart(&gain));
                seen.push(format!(
                    "{low} against {high}{} {}",
                    table.place(x),
                    percent(&gain)
                ));
            }
        }
        places::judgement(
            self.words(),
            &findings,
            only,
            ("in", "cases"),
            seen.join(", "),
        )
    }

    fn curves(&self) -> Vec<&str> {
        self.series.iter().map(String::as_str).collect()
    }

    fn places(&self) -> &[f64] {
        &self.at
    }
}

impl Order {
    /// The curves' names in order. If all have the same ending behind a comma, it is written only
    /// once.
    fn words(&self) -> String {
        let ending = |name: &str| name.find(", ").map(|comma| name[comma..].to_owned());
        let shared = self.series.first().and_then(|name| ending(name));
        let shared = shared.filter(|end| {
            self.series
                .iter()
                .all(|name| ending(name).as_ref() == Some(end))
        });
        let end = shared.unwrap_or_default();
        let names: Vec<&str> = self
            .series
            .iter()
            .map(|name| &name[..name.len() - end.len()])
            .collect();
        match end.strip_prefix(", ") {
            Some(end) => format!("{} ({end})", names.join(" < ")),
            None => names.join(" < "),
        }
    }
}

/// Describes by how much the supposedly lower curve differs from the other.
fn apart(gain: &Estimate) -> String {
    let size = Estimate {
        mean: gain.mean.abs(),
        ..*gain
    };
    let size = percent(&size);
    let size = size.trim_start_matches('+');
    let way = if gain.mean < 0.0 { "lower" } else { "higher" };
    format!("{way} by {size}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::Verdict;
    use crate::cube::tests::of_measure;

    #[test]
    fn each_curve_is_below_the_next() {
        let cube = of_measure(
            &["A", "B", "C"],
            &[0.0],
            &[&[&[90.0, 91.0]], &[&[105.0, 106.0]], &[&[100.0, 99.0]]],
        );
        let judge = |series: &[&str]| {
            let order = Order {
                series: series.iter().map(|s| (*s).to_owned()).collect(),
                at: Vec::new(),
            };
            order.judge(&Table::of(&cube)).expect("measured")
        };
        assert_eq!(judge(&["A", "B"]).verdict, Verdict::Holds);
        assert_eq!(judge(&["A", "B"]).paper, "A < B");
        assert_eq!(judge(&["B", "A"]).verdict, Verdict::Fails);
        // 90 / 105 and 91 / 106 are 0.857 and 0.858.
        let here = judge(&["A", "B"]).here;
        assert!(here.starts_with("lower by 14.2 ± "), "{here}");
        let here = judge(&["B", "A"]).here;
        assert!(here.starts_with("higher by 16.6 ± "), "{here}");
        assert_eq!(judge(&["A", "B", "C"]).verdict, Verdict::Partly);
        assert_eq!(judge(&["A", "C", "B"]).verdict, Verdict::Holds);
    }

    #[test]
    fn a_common_ending_of_all_names_is_written_once() {
        let words = |series: &[&str]| {
            let order = Order {
                series: series.iter().map(|s| (*s).to_owned()).collect(),
                at: Vec::new(),
            };
            order.words()
        };
        assert_eq!(words(&["A", "B"]), "A < B");
        assert_eq!(words(&["A, x, y", "B, x, y"]), "A < B (x, y)");
        assert_eq!(words(&["A, x", "B, y"]), "A, x < B, y");
        assert_eq!(words(&["A, x", "B"]), "A, x < B");
    }
}
