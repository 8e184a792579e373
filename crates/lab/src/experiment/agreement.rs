//! Measures how well one sampled quantity agrees with another.

use dumbbell_run::Series;
use dumbbell_run::statistics;

use super::curve::Reads;
use super::selection;
use crate::description::Node;

/// Compares the samples that a curve reads with those of another quantity, at the times at which
/// both have one, for all flows together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agreement {
    /// The other quantity, as a probe names it; for `Between`, the lower one of two.
    pub with: String,
    /// How agreement is measured.
    pub by: AgreementBy,
}

/// A measure of the agreement of samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgreementBy {
    /// The mean absolute value of the logarithm of their ratio.
    LogRatio,
    /// The mean absolute difference, as a fraction of the other quantity.
    Error,
    /// Pearson's correlation.
    Correlation,
    /// The fraction of the samples between the other quantity and this upper one.
    Between(String),
}

#[derive(Clone, Copy)]
enum Word {
    LogRatio,
    Error,
    Correlation,
    Between,
}

const WORDS: [(&str, Word); 4] = [
    ("log_ratio", Word::LogRatio),
    ("error", Word::Error),
    ("correlation", Word::Correlation),
    ("between", Word::Between),
];

impl Agreement {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("`agreement`")?;
        let with = keys.text("with", "\"equation.measured\"");
        let word = keys
            .need("by", "\"error\"")
            .and_then(|node| node.word(&WORDS));
        let by = match word {
            Some(Word::LogRatio) => Some(AgreementBy::LogRatio),
            Some(Word::Error) => Some(AgreementBy::Error),
            Some(Word::Correlation) => Some(AgreementBy::Correlation),
            Some(Word::Between) => {
                let upper = keys.find("and").and_then(|node| node.text());
                if upper.is_none() {
                    keys.lacks("and", "`between` requires an upper quantity, `and`");
                }
                upper.map(|upper| AgreementBy::Between(upper.to_owned()))
            }
            None => None,
        };
        if let (Some(upper), false) = (
            keys.find("and"),
            matches!(by, Some(AgreementBy::Between(_)) | None),
        ) {
            upper.wrong(
                "only `between` has an upper quantity",
                "leave it out, or write by = \"between\"",
            );
        }
        keys.done();
        Some(Self {
            with: with?,
            by: by?,
        })
    }

    /// Returns the measure; NaN if there is nothing to compare.
    pub(super) fn of(&self, flows: &[usize], sampled: &[Series], reads: Option<&Reads>) -> f64 {
        let Some(reads) = reads.and_then(Reads::series) else {
            return f64::NAN;
        };
        let upper = match &self.by {
            AgreementBy::Between(upper) => Some(upper.as_str()),
            AgreementBy::LogRatio | AgreementBy::Error | AgreementBy::Correlation => None,
        };
        let mut triples = Vec::new();
        for flow in flows {
            let of = |quantity: &str| selection::of_flow(sampled, *flow, quantity);
            let (low, high) = (of(&self.with), upper.map(of));
            let at = |points: &[(f64, f64)], time: f64| {
                let place = points.binary_search_by(|(t, _)| t.total_cmp(&time));
                place.ok().map(|place| points[place].1)
            };
            for (time, value) in of(reads) {
                let upper = match &high {
                    Some(high) => at(high, time),
                    None => Some(f64::INFINITY),
                };
                if let (Some(lower), Some(upper)) = (at(&low, time), upper) {
                    triples.push((value, lower, upper));
                }
            }
        }
        self.number(&triples)
    }

    /// Computes the measure from triples of a value, the other quantity and the upper quantity.
    fn number(&self, triples: &[(f64, f64, f64)]) -> f64 {
        let mean = |of: fn(&(f64, f64, f64)) -> f64| {
            triples.iter().map(of).sum::<f64>() / triples.len() as f64
        };
        match &self.by {
            AgreementBy::LogRatio => mean(|(value, other, _)| libm::log(value / other).abs()),
            AgreementBy::Error => mean(|(value, other, _)| (value - other).abs() / other),
            AgreementBy::Between(_) => {
                mean(|(value, low, high)| f64::from(u8::from(low <= value && value <= high)))
            }
            AgreementBy::Correlation => {
                let pairs: Vec<(f64, f64)> = triples.iter().map(|t| (t.0, t.1)).collect();
                statistics::correlation(&pairs).unwrap_or(f64::NAN)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_run::{Reading, Subject};

    fn series(flow: usize, quantity: &str, points: &[(f64, f64)]) -> Series {
        Series {
            subject: Subject::Flow(flow),
            quantity: quantity.to_owned(),
            points: points
                .iter()
                .map(|(t, v)| (*t, Reading::Number(*v)))
                .collect(),
        }
    }

    fn number(by: AgreementBy) -> f64 {
        let samples = [
            series(0, "said", &[(1.0, 20.0), (2.0, 10.0), (3.0, 99.0)]),
            series(0, "real", &[(1.0, 10.0), (2.0, 10.0), (4.0, 7.0)]),
            series(0, "more", &[(1.0, 30.0), (2.0, 9.0), (3.0, 99.0)]),
            series(1, "said", &[(1.0, 10.0)]),
            series(1, "real", &[(1.0, 40.0)]),
            series(1, "more", &[(1.0, 50.0)]),
        ];
        let agreement = Agreement {
            with: "real".to_owned(),
            by,
        };
        agreement.of(&[0, 1], &samples, Some(&Reads::named("said")))
    }

    /// Worked out by hand: 20 for 10, 10 for 10, 10 for 40. Times at which only one of them has a
    /// sample do not count.
    #[test]
    fn samples_of_all_flows_count_if_both_quantities_have_one() {
        let ln2 = std::f64::consts::LN_2;
        assert!((number(AgreementBy::LogRatio) - ln2).abs() < 1e-12);
        // (1 + 0 + 3/4) / 3
        assert!((number(AgreementBy::Error) - 1.75 / 3.0).abs() < 1e-12);
        // 10 <= 20 <= 30; 10 is above 9; 10 is below 40.
        assert!((number(AgreementBy::Between("more".to_owned())) - 1.0 / 3.0).abs() < 1e-12);
        // Deviations 20/3, -10/3, -10/3 and -10, -10, 20: -100 / sqrt(66.67 * 600).
        assert!((number(AgreementBy::Correlation) + 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_compare_gives_nan() {
        let agreement = Agreement {
            with: "real".to_owned(),
            by: AgreementBy::Error,
        };
        assert!(
            agreement
                .of(&[0], &[], Some(&Reads::named("said")))
                .is_nan()
        );
        assert!(agreement.of(&[0], &[], None).is_nan());
    }
}
