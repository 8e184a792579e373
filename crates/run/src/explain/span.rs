//! The values that a name in a template had over several steps, and how they are shown.

use super::fact::{Fact, Hole, Unit};
use super::number;

/// The values that a name had in one step or in several.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Span {
    Numbers {
        low: f64,
        high: f64,
        unit: Unit,
        exact: bool,
    },
    Words(Vec<&'static str>),
    Unknown,
}

/// A comparison between a number and the number that is named next.
#[derive(Clone, Copy)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// Returns the comparison that a text begins with.
    pub(super) fn at(text: &str) -> Option<Self> {
        match text.split_whitespace().next()? {
            "<" => Some(Self::Less),
            "<=" => Some(Self::LessOrEqual),
            ">" => Some(Self::Greater),
            ">=" => Some(Self::GreaterOrEqual),
            _ => None,
        }
    }

    fn holds(self, left: f64, right: f64) -> bool {
        match self {
            Self::Less => left < right,
            Self::LessOrEqual => left <= right,
            Self::Greater => left > right,
            Self::GreaterOrEqual => left >= right,
        }
    }
}

/// The most decimals that a number is given so that it visibly compares as stated.
const MOST_DECIMALS: usize = 9;

impl Span {
    pub(super) fn of(fact: Fact) -> Self {
        let (low, unit, exact) = match fact {
            Fact::Measured(number, unit) => (number, unit, false),
            Fact::Exact(number, unit) => (number, unit, true),
            Fact::Word(word) => return Self::Words(vec![word]),
            Fact::Unknown => return Self::Unknown,
        };
        Self::Numbers {
            low,
            high: low,
            unit,
            exact,
        }
    }

    /// Whether the value of the name in a further step is of the same kind.
    pub(super) fn admits(&self, fact: Fact) -> bool {
        matches!(
            (self, Self::of(fact)),
            (Self::Numbers { .. }, Self::Numbers { .. })
                | (Self::Words(_), Self::Words(_))
                | (Self::Unknown, Self::Unknown)
        )
    }

    /// Extends the range by a value.
    pub(super) fn widen(&mut self, fact: Fact) {
        match (self, fact) {
            (
                Self::Numbers { low, high, .. },
                Fact::Measured(number, _) | Fact::Exact(number, _),
            ) => {
                *low = low.min(number);
                *high = high.max(number);
            }
            (Self::Words(words), Fact::Word(word)) if !words.contains(&word) => words.push(word),
            _ => {}
        }
    }

    /// The smallest or the largest number, and whether it is exact.
    fn end(&self, high_end: bool) -> Option<(f64, bool)> {
        match self {
            Self::Numbers {
                low, high, exact, ..
            } => Some((if high_end { *high } else { *low }, *exact)),
            Self::Words(_) | Self::Unknown => None,
        }
    }

    fn is_exact(&self) -> bool {
        matches!(self, Self::Numbers { exact: true, .. })
    }

    /// Returns the text and the number of its decimals: `least`, or as many as it takes to show how
    /// the numbers compare.
    pub(super) fn show(
        &self,
        hole: &Hole,
        least: usize,
        against: Option<(Comparison, &Self)>,
    ) -> (String, usize) {
        let (low, high, unit, exact) = match self {
            Self::Unknown => return ("unknown".to_owned(), least),
            Self::Words(words) => return (words.join(" or "), least),
            Self::Numbers {
                low,
                high,
                unit,
                exact,
            } => (*low, *high, *unit, *exact),
        };
        if exact {
            let number = if hole.quarters { low / 4.0 } else { low };
            return (number::exact(number, unit), least);
        }
        // If both sides are ranges, lower ends and upper ends are compared; then the comparison
        // holds for all steps in between.
        let decimals = |number: f64, high: bool| match against {
            Some((comparison, bound)) => (least..MOST_DECIMALS)
                .find(|decimals| looks_right(number, *decimals, comparison, bound.end(high)))
                .unwrap_or(least),
            None => least,
        };
        let mut fine = [decimals(low, false), decimals(high, true)];
        if !against.is_some_and(|(_, bound)| bound.is_exact()) {
            // The bound is shown with the decimals of the finer end, so the other end is too.
            fine = [fine[0].max(fine[1]); 2];
        }
        let show =
            |number: f64, decimals: usize| number::measured(number, unit, decimals, hole.signed);
        let [low, high] = [show(low, fine[0]), show(high, fine[1])];
        let text = if low == high {
            low
        } else {
            format!("{low} to {high}")
        };
        (text, fine[0].max(fine[1]))
    }
}

/// Whether the number, rounded to so many decimals, still compares with the bound as stated. An
/// exact bound is used as it is, any other is rounded as well.
fn looks_right(
    number: f64,
    decimals: usize,
    comparison: Comparison,
    bound: Option<(f64, bool)>,
) -> bool {
    let Some((bound, exact)) = bound else {
        return true;
    };
    let scale = 10f64.powi(decimals as i32);
    let rounded = |number: f64| (number * scale).round() / scale;
    let bound = if exact { bound } else { rounded(bound) };
    comparison.holds(rounded(number), bound)
}
