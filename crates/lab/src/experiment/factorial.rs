//! Measures what each part of an algorithm contributes: a curve for every combination of the parts,
//! and the effect of each part, averaged over all orders in which the parts can be added.
//!
//! The effect is the Shapley value: for a part, the mean over all orders of the increase of the
//! measure when the part is added to those before it. The effects of all parts sum to the total
//! gain, even if the parts interact (Shapley 1953, "A value for n-person games").

use dumbbell_run::statistics::Estimate;

use super::curve::Variant;
use super::{Experiment, Panel, Results};
use crate::cube::{CurveId, MeasureId};
use crate::description::Node;
use crate::figure::{Curve, Figure, Kind};

/// The most parts; n parts give 2^n curves.
const MOST_FACTORS: usize = 6;

/// An experiment with a curve for every combination of some parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Factorial {
    /// The curve without any of the parts.
    pub without: String,
    /// The curve with all of them.
    pub with: String,
    /// Keys and values that all curves share.
    pub set: toml::Table,
    /// The parts, 1 to 6: a name for each, and the settings that it adds.
    pub factors: Vec<Factor>,
}

/// A part that can be switched on.
#[derive(Clone, Debug, PartialEq)]
pub struct Factor {
    /// Its name.
    pub name: String,
    /// Keys and values that it adds.
    pub set: toml::Table,
}

impl Factorial {
    pub(super) fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("the factorial")?;
        let without = keys.text("without", "\"Veno\"");
        let with = keys.text("with", "\"VenoDB\"");
        let set = keys
            .find("set")
            .map_or(Some(toml::Table::new()), |node| node.table());
        let factors = keys.find("factor");
        let read: Vec<Option<Factor>> = keys.items("factor").iter().map(Factor::read).collect();
        let wrong = |what: &str, help: &str| match &factors {
            Some(node) => node.wrong(what, help),
            None => keys.wrong(what, help),
        };
        match read.len() {
            0 => wrong(
                "a factorial requires factors",
                "write [[factorial.factor]] with a name and what it sets",
            ),
            n if n > MOST_FACTORS => {
                wrong(
                    &format!("{n} factors are too many"),
                    &format!("at most {MOST_FACTORS}"),
                );
            }
            _ => {}
        }
        keys.done();
        Some(Self {
            without: without?,
            with: with?,
            set: set?,
            factors: read.into_iter().collect::<Option<_>>()?,
        })
    }

    /// The curves. Bit i of a curve's number is set if the curve has part i.
    pub(super) fn variants(&self) -> Vec<Variant> {
        (0..1usize << self.factors.len())
            .map(|parts| self.variant(parts))
            .collect()
    }

    fn variant(&self, parts: usize) -> Variant {
        let numbered = self.factors.iter().enumerate();
        let there: Vec<&Factor> = numbered
            .filter(|(place, _)| parts >> place & 1 == 1)
            .map(|(_, factor)| factor)
            .collect();
        let mut set = self.set.clone();
        for factor in &there {
            set.extend(factor.set.clone());
        }
        let name = if there.is_empty() {
            self.without.clone()
        } else if there.len() == self.factors.len() {
            self.with.clone()
        } else {
            let names: Vec<&str> = there.iter().map(|factor| factor.name.as_str()).collect();
            format!("{} + {}", self.without, names.join(" + "))
        };
        Variant::setting(name, set)
    }
}

impl Factor {
    fn read(node: &Node<'_>) -> Option<Self> {
        let keys = node.keys("a factor")?;
        let name = keys.text("name", "\"partial ACKs\"");
        let set = keys
            .need("set", "{ \"tcp.recovery\" = \"newreno\" }")
            .and_then(|node| node.table());
        keys.done();
        Some(Self {
            name: name?,
            set: set?,
        })
    }
}

impl Experiment {
    /// The effect of each part on a measure, in percent of the measure without any part.
    pub(super) fn effects(
        &self,
        panel: &Panel,
        measure: MeasureId,
        bars: bool,
        results: &Results,
    ) -> Figure {
        let cube = results.cube(self);
        let factorial = self.factorial.as_ref().expect("checked when it was read");
        let n = factorial.factors.len();
        let curve = |name: String, effect: &dyn Fn(&[f64]) -> f64| Curve {
            name,
            points: cube
                .axes()
                .places()
                .zip(self.xs())
                .filter_map(|(x, place)| {
                    let of_all: Vec<Vec<f64>> = (0..1 << n)
                        .map(|combination| cube.values(measure, CurveId(combination), x))
                        .collect();
                    let runs = of_all.iter().map(|values| values.len()).min()?;
                    let of_seed = |seed: usize| {
                        let values: Vec<f64> = of_all.iter().map(|v| v[seed]).collect();
                        100.0 * effect(&values)
                    };
                    let effects: Vec<f64> = (0..runs).map(of_seed).collect();
                    Some((*place, Estimate::ratio(&effects, &of_all[0][..runs])?))
                })
                .collect(),
        };
        let mut series: Vec<Curve> = factorial
            .factors
            .iter()
            .enumerate()
            .map(|(place, factor)| curve(factor.name.clone(), &|v| shapley(v, place)))
            .collect();
        let all = |values: &[f64]| values[values.len() - 1] - values[0];
        series.push(curve(format!("all: {}", factorial.with), &all));
        Figure {
            kind: if bars { Kind::Bars } else { Kind::Curves },
            title: self.title_of(panel).to_owned(),
            x_label: self.x_label().to_owned(),
            y_label: format!(
                "effect on {}, % of {}",
                self.measure(measure).name,
                factorial.without
            ),
            log_x: false,
            names: self.named_places(),
            lanes: Vec::new(),
            rows: None,
            top: None,
            series,
        }
    }
}

/// The effect of the part at a position, from the values of all combinations.
fn shapley(values: &[f64], place: usize) -> f64 {
    let n = values.len().trailing_zeros() as usize;
    let bit = 1 << place;
    let factorial = |k: usize| (1..=k).map(|i| i as f64).product::<f64>();
    let others = (0..values.len()).filter(|parts| parts & bit == 0);
    others
        .map(|parts| {
            let before = parts.count_ones() as usize;
            let orders = factorial(before) * factorial(n - before - 1) / factorial(n);
            orders * (values[parts | bit] - values[parts])
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additive_parts_have_their_own_effects() {
        // 10, plus 1 from the first part and 4 from the second.
        let values = [10.0, 11.0, 14.0, 15.0];
        assert_eq!([shapley(&values, 0), shapley(&values, 1)], [1.0, 4.0]);
    }

    #[test]
    fn a_gain_that_needs_both_parts_is_shared() {
        let values = [0.0, 0.0, 0.0, 6.0];
        assert_eq!([shapley(&values, 0), shapley(&values, 1)], [3.0, 3.0]);
    }

    #[test]
    fn a_glove_game_of_three_players_worked_out_by_hand() {
        // The value is 1 if the third player and any other take part: 1/6, 1/6, 2/3.
        let values = [0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        let effects = [0, 1, 2].map(|place| shapley(&values, place));
        for (found, expected) in effects.iter().zip([1.0 / 6.0, 1.0 / 6.0, 2.0 / 3.0]) {
            assert!((found - expected).abs() < 1e-12, "{effects:?}");
        }
    }

    #[test]
    fn combinations_have_names_and_settings() {
        let factor = |name: &str, set: &str| Factor {
            name: name.to_owned(),
            set: set.parse().expect("TOML"),
        };
        let factorial = Factorial {
            without: "P".to_owned(),
            with: "Q".to_owned(),
            set: "a = 1\nb = 1".parse().expect("TOML"),
            factors: vec![factor("u", "a = 2"), factor("v", "b = 3")],
        };
        let variants = factorial.variants();
        let told: Vec<String> = variants
            .iter()
            .map(|v| format!("{} {} {}", v.name, v.set["a"], v.set["b"]))
            .collect();
        assert_eq!(told, ["P 1 1", "P + u 2 1", "P + v 1 3", "Q 2 3"]);
    }
}
