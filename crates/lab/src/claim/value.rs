//! "A reaches 348 kb/s", "A's index is above 0.98".

use dumbbell_run::statistics::Estimate;
use serde::Deserialize;

use super::gain::TOLERANCE;
use super::places::{self, Finding};
use super::{Judgement, Table, Verdict};

/// A number that the paper prints. It holds if the measured one is within `tolerance` of it; partly, if
/// it is within twice as much.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Value {
    /// The curve.
    pub series: String,
    /// The place, where something is varied.
    #[serde(default)]
    pub at: f64,
    /// The paper's number.
    pub paper: f64,
    /// How far the measured number may be from it, as a part of it.
    #[serde(default = "tolerance")]
    pub tolerance: f64,
}

fn tolerance() -> f64 {
    TOLERANCE
}

impl Value {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let found = Estimate::of(table.at(&self.series, self.at)?)?;
        let verdict = self.verdict(found.mean);
        let ends = [found.low(), found.high()];
        let firm = found.half_width.is_some() && ends.iter().all(|v| self.verdict(*v) == verdict);
        Some(Judgement {
            verdict,
            firm,
            paper: number(self.paper),
            here: shown(&found),
            evidence: format!(
                "{:+.1} % off the paper's number; {:.0} % are allowed",
                (found.mean / self.paper - 1.0) * 100.0,
                self.tolerance * 100.0
            ),
        })
    }

    fn verdict(&self, found: f64) -> Verdict {
        let off = (found - self.paper).abs() / self.paper.abs();
        if off <= self.tolerance {
            Verdict::Holds
        } else if off <= 2.0 * self.tolerance {
            Verdict::Partly
        } else {
            Verdict::Fails
        }
    }
}

/// A statement about how large a number is: at least, at most, or both, in every place.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bound {
    /// The curves; all, where none is given.
    #[serde(default)]
    pub series: Vec<String>,
    /// The places; all, where none is given.
    #[serde(default)]
    pub at: Vec<f64>,
    /// The least that is right.
    #[serde(default)]
    pub least: Option<f64>,
    /// The most that is right.
    #[serde(default)]
    pub most: Option<f64>,
    /// The mean over the places is meant, not the number in each of them.
    #[serde(default)]
    pub mean: bool,
}

impl Bound {
    pub(super) fn judge(&self, table: &Table<'_>) -> Option<Judgement> {
        let names: Vec<&str> = if self.series.is_empty() {
            table.series.clone()
        } else {
            self.series.iter().map(String::as_str).collect()
        };
        let right = |v: f64| {
            self.least.is_none_or(|least| v >= least) && self.most.is_none_or(|most| v <= most)
        };
        let mut findings = Vec::new();
        let mut seen = Vec::new();
        let mut only = None;
        let places = table.places(&self.at);
        let mut find = |place: String, found: &Estimate| {
            findings.push(Finding::of(found, right));
            only = Some(shown(found));
            seen.push(format!("{place} {}", shown(found)));
        };
        if self.mean {
            for name in &names {
                let found = table.mean(name, &places)?;
                find(format!("{name}, mean of {} places", places.len()), &found);
            }
        } else {
            for &x in &places {
                for name in &names {
                    let found = Estimate::of(table.at(name, x)?)?;
                    find(format!("{name}{}", table.place(x)), &found);
                }
            }
        }
        places::judgement(
            self.words(),
            &findings,
            only,
            ("of", "numbers"),
            seen.join(", "),
        )
    }

    fn words(&self) -> String {
        match (self.least, self.most) {
            (Some(least), Some(most)) => format!("{} to {}", number(least), number(most)),
            (Some(least), None) => format!("at least {}", number(least)),
            (None, Some(most)) => format!("at most {}", number(most)),
            (None, None) => "any number".to_owned(),
        }
    }
}

/// A number for people: four significant digits.
pub(super) fn number(value: f64) -> String {
    let digits = (3 - value.abs().max(1e-9).log10().floor() as i32).clamp(0, 6);
    let text = format!("{value:.*}", digits as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// A number with its interval, of which two digits count.
pub(super) fn shown(estimate: &Estimate) -> String {
    match estimate.half_width {
        // What is left of rounding is no interval.
        Some(half) if half > 1e-9 * estimate.mean.abs() => {
            let exponent = format!("{half:.1e}");
            let exponent = exponent.rsplit_once('e').and_then(|(_, e)| e.parse().ok());
            let digits = (1 - exponent.unwrap_or(0i32)).clamp(0, 6) as usize;
            format!("{:.digits$} ± {half:.digits$}", estimate.mean)
        }
        Some(_) => format!("{} ± 0", number(estimate.mean)),
        None => number(estimate.mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table<'a>(values: &'a [Vec<Vec<f64>>]) -> Table<'a> {
        Table {
            series: vec!["A", "B"],
            xs: &[0.0],
            values,
        }
    }

    #[test]
    fn a_printed_number_is_met_nearly_met_or_missed() {
        let judge = |found: f64| {
            let values = [vec![vec![found, found]], vec![vec![1.0, 1.0]]];
            let value = Value {
                series: "A".into(),
                at: 0.0,
                paper: 100.0,
                tolerance: 0.2,
            };
            let judgement = value.judge(&table(&values)).expect("measured");
            (judgement.verdict, judgement.here)
        };
        assert_eq!(judge(119.0), (Verdict::Holds, "119 ± 0".to_owned()));
        assert_eq!(judge(65.5), (Verdict::Partly, "65.5 ± 0".to_owned()));
        assert_eq!(judge(50.0).0, Verdict::Fails);
    }

    #[test]
    fn two_digits_of_an_interval_count() {
        let words = |mean, half| {
            shown(&Estimate {
                mean,
                half_width: Some(half),
            })
        };
        assert_eq!(words(0.999_56, 0.000_194), "0.99956 ± 0.00019");
        assert_eq!(words(1.238_2, 0.061_29), "1.238 ± 0.061");
        assert_eq!(words(348.26, 12.7), "348 ± 13");
        assert_eq!(words(161.614_939, 3e-14), "161.6 ± 0");
    }

    #[test]
    fn a_bound_is_met_by_all_by_half_or_by_fewer() {
        let values = [vec![vec![0.99, 0.99]], vec![vec![0.9, 0.9]]];
        let judge = |series: &[&str], least| {
            let bound = Bound {
                series: series.iter().map(|s| (*s).to_owned()).collect(),
                at: Vec::new(),
                least: Some(least),
                most: None,
                mean: false,
            };
            bound.judge(&table(&values)).expect("measured")
        };
        assert_eq!(judge(&[], 0.98).verdict, Verdict::Partly);
        assert_eq!(judge(&["A"], 0.98).verdict, Verdict::Holds);
        assert_eq!(judge(&["A"], 0.98).here, "0.99 ± 0");
        assert_eq!(judge(&["B"], 0.98).verdict, Verdict::Fails);
        assert_eq!(judge(&[], 0.98).paper, "at least 0.98");
    }

    #[test]
    fn a_bound_may_be_of_the_mean_over_the_places() {
        // Over both places: 0.5 and 0.7 with the two seeds.
        let values = [vec![vec![0.1, 0.3], vec![0.9, 1.1]]];
        let table = Table {
            series: vec!["A"],
            xs: &[1.0, 2.0],
            values: &values,
        };
        let judge = |mean, most| {
            let bound = Bound {
                series: vec!["A".to_owned()],
                at: Vec::new(),
                least: None,
                most: Some(most),
                mean,
            };
            bound.judge(&table).expect("measured")
        };
        assert_eq!(judge(false, 0.61).verdict, Verdict::Partly);
        assert_eq!(judge(true, 0.61).verdict, Verdict::Holds);
        assert_eq!(judge(true, 0.59).verdict, Verdict::Fails);
        assert!(
            judge(true, 0.61)
                .evidence
                .starts_with("A, mean of 2 places 0.6")
        );
    }
}
