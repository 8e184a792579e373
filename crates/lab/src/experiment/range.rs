//! Which numbers a measure can have: a claim whose bound no run can violate is refused.

use super::across::Across;
use super::agreement::AgreementBy;
use super::curve::Variant;
use super::epochs::EpochQuantity;
use super::measure::{Measure, Number};
use super::quantity::Sampled;
use super::sweep::Sweep;
use super::window::Reduction;

/// The smallest and the largest number of a measure, as far as they are known.
pub(crate) type Range = (f64, f64);

const ANY: Range = (f64::NEG_INFINITY, f64::INFINITY);
const POSITIVE: Range = (0.0, f64::INFINITY);
const PART: Range = (0.0, 1.0);
const CORRELATION: Range = (-1.0, 1.0);

/// The ranges of measures, in their order. `capacity` is the rate of the bottleneck in bit/s, if all
/// points have the same one.
pub(super) fn ranges(measures: &[Measure], capacity: Option<f64>) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for measure in measures {
        let (low, high) = match &measure.number {
            Number::Ratio { above, below }
                if ranges[above.0].0 >= 0.0 && ranges[below.0].0 >= 0.0 =>
            {
                POSITIVE
            }
            Number::Excess { of, over } if ranges[of.0].0 >= 0.0 && ranges[over.0].0 >= 0.0 => {
                (-1.0, f64::INFINITY)
            }
            Number::Sum(of) => of.iter().fold((0.0, 0.0), |sum, of| {
                (sum.0 + ranges[of.0].0, sum.1 + ranges[of.0].1)
            }),
            Number::Ratio { .. } | Number::Excess { .. } => ANY,
            number => of_run(number, capacity),
        };
        let divided = measure.over.is_some() && !measure.number.is_of_two_runs();
        let (low, high) = match divided {
            false => (low, high),
            true if low >= 0.0 => POSITIVE,
            true => ANY,
        };
        let ends = [low * measure.scale, high * measure.scale];
        ranges.push((ends[0].min(ends[1]), ends[0].max(ends[1])));
    }
    ranges
}

fn of_run(number: &Number, capacity: Option<f64>) -> Range {
    let limit = capacity.unwrap_or(f64::INFINITY);
    match number {
        Number::Total {
            quantity, across, ..
        } => {
            let rate = quantity.unit == "bit/s";
            combined(*across, if rate { limit } else { f64::INFINITY })
        }
        Number::Sampled {
            quantity,
            across,
            window,
            ..
        } => match &window.reduce {
            Reduction::Correlation => CORRELATION,
            Reduction::Growth => ANY,
            Reduction::Mean | Reduction::Last if *quantity == Sampled::Rate => {
                combined(*across, limit)
            }
            _ => combined(*across, f64::INFINITY),
        },
        Number::Epochs { epochs, .. } => match &epochs.of {
            EpochQuantity::Count => POSITIVE,
            EpochQuantity::Correlation => CORRELATION,
            _ => PART,
        },
        Number::Classified { classified, .. } => match classified.called {
            Some(_) => POSITIVE,
            None => PART,
        },
        Number::Agreement { agreement, .. } => match agreement.by {
            AgreementBy::LogRatio | AgreementBy::Error => POSITIVE,
            AgreementBy::Correlation => CORRELATION,
            AgreementBy::Between(_) => PART,
        },
        Number::Stays { .. } | Number::Link(_) | Number::Workload(_) => POSITIVE,
        Number::Sum(_) | Number::Ratio { .. } | Number::Excess { .. } => ANY,
    }
}

/// The range of several numbers combined, each of which is from 0 to `limit`.
fn combined(across: Across, limit: f64) -> Range {
    match across {
        Across::Mean | Across::Min | Across::Max | Across::Gap => (0.0, limit),
        // Flows in both directions have the capacity twice, and flows that are not active at the
        // same time have it one after the other.
        Across::Sum => POSITIVE,
        Across::Jain => PART,
        Across::Spread => (1.0, f64::INFINITY),
        Across::Contrast => CORRELATION,
    }
}

/// The rate of the bottleneck in bit/s, if the scenario is a dumbbell of a constant rate that no
/// curve and no axis changes.
pub(super) fn capacity(
    scenario: &toml::Table,
    curves: &[Variant],
    axes: [Option<&Sweep>; 2],
) -> Option<f64> {
    let rate = scenario.get("dumbbell")?.get("bottleneck")?.get("rate")?;
    let changes = |key: &str| key.starts_with("dumbbell");
    if curves
        .iter()
        .any(|curve| curve.set.keys().any(|key| changes(key)))
    {
        return None;
    }
    for sweep in axes.into_iter().flatten() {
        let places = 0..sweep.values().len();
        let bottleneck =
            |key: &String| key == "dumbbell" || key.starts_with("dumbbell.bottleneck.rate");
        if places
            .into_iter()
            .any(|at| sweep.settings(at).iter().any(|(key, _)| bottleneck(key)))
        {
            return None;
        }
    }
    let (number, unit) = rate.as_str()?.split_once(' ')?;
    let unit = match unit {
        "b/s" => 1.0,
        "kb/s" => 1e3,
        "Mb/s" => 1e6,
        "Gb/s" => 1e9,
        _ => return None,
    };
    Some(number.parse::<f64>().ok()? * unit)
}

#[cfg(test)]
mod tests {
    use super::super::Experiment;

    const SCENARIO: &str = r#"
        duration = "1 s"
        dumbbell = { access = { rate = "10 Mb/s", delay = "1 ms" }, bottleneck = { rate = "2 Mb/s", delay = "9 ms", queue = { droptail = 9 } } }
        probe = { interval = "1 s", values = ["rate"] }
        [[flow]]
        name = "A"
    "#;

    /// What is reported about a claim on a measure; empty if it can be read.
    fn report(x: &str, measure: &str, bound: &str) -> String {
        let description = format!(
            r#"
            name = "p-fig1"
            title = "T"
            source = "s"
            repeat = 1
            quick = {{ repeat = 1 }}
            {x}
            series = [{{ name = "A", set = {{}} }}]
            measure = [{{ name = "u", label = "u", quantity = "timeouts" }}, {{ name = "t", label = "t", {measure} }}]
            panel = [{{ measure = "t" }}]
            claim = [{{ id = "a", text = "t", source = "s", measure = "t", test = {{ bound = {{ {bound} }} }} }}]
            "#
        );
        let read = Experiment::parse("e.toml", &description, SCENARIO, &toml::Table::new());
        read.map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn a_mean_throughput_is_at_most_the_rate_of_the_bottleneck() {
        let mean = r#"quantity = "throughput", across = "mean", scale = 1e-3"#;
        let found = report("", mean, "most = 2000");
        assert!(found.contains("no run can violate"), "{found}");
        assert!(found.contains("from 0 to 2000"), "{found}");
        assert_eq!(report("", mean, "most = 1999"), "");
        assert!(report("", mean, "least = 2001").contains("no run can meet"));
        let rate = r#"quantity = "rate", across = "mean", window = { reduce = "mean" }"#;
        assert!(report("", rate, "most = 2e6").contains("no run can violate"));
        // If the rate is varied, it is not known.
        let x = r#"x = { label = "r", key = "dumbbell.bottleneck.rate", unit = "Mb/s", values = [1, 9] }"#;
        assert_eq!(report(x, mean, "most = 2000"), "");
        // Flows may have the link one after the other.
        assert_eq!(
            report(
                "",
                r#"quantity = "throughput", scale = 1e-3"#,
                "most = 2000"
            ),
            ""
        );
    }

    #[test]
    fn an_index_a_count_and_a_quotient_have_their_ranges() {
        let jain = r#"quantity = "sent", across = "jain""#;
        assert!(report("", jain, "most = 1").contains("no run can violate"));
        assert_eq!(report("", jain, "least = 0.9, most = 1"), "");
        assert!(report("", jain, "least = 0, most = 1").contains("no run can violate"));
        let spread = r#"quantity = "sent", across = "spread""#;
        assert!(report("", spread, "least = 1").contains("no run can violate"));
        assert!(report("", r#"ratio = ["u", "u"]"#, "least = 0").contains("no run can violate"));
        assert_eq!(report("", r#"excess = ["u", "u"]"#, "least = 0"), "");
        assert!(report("", r#"excess = ["u", "u"]"#, "least = -1").contains("no run can violate"));
        let negative = r#"quantity = "sent", scale = -1"#;
        assert!(report("", negative, "most = 0").contains("no run can violate"));
    }
}
