//! What a name in a template stood for, and how that is shown.

use super::fact::{Fact, Hole, Unit};
use super::number;

/// What a name stood for in one step or in several.
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

/// How a number compares with the one that is named next.
#[derive(Clone, Copy)]
pub(super) enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that a text begins with.
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

/// Decimals at which a number is given up to look like what it is compared with.
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

    /// Whether what the name stands for in a further step is of the same kind.
    pub(super) fn admits(&self, fact: Fact) -> bool {
        matches!(
            (self, Self::of(fact)),
            (Self::Numbers { .. }, Self::Numbers { .. })
                | (Self::Words(_), Self::Words(_))
                | (Self::Unknown, Self::Unknown)
        )
    }

    /// Takes it in.
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

    /// The least or the greatest number, and whether it is shown as it is.
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

    /// The text, and the decimals that it has: so many, or as many as show how the numbers compare.
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
        // Where both sides have a range, each end compares with its like: so do all steps between.
        let decimals = |number: f64, high: bool| match against {
            Some((comparison, bound)) => (least..MOST_DECIMALS)
                .find(|decimals| looks_right(number, *decimals, comparison, bound.end(high)))
                .unwrap_or(least),
            None => least,
        };
        let mut fine = [decimals(low, false), decimals(high, true)];
        if !against.is_some_and(|(_, bound)| bound.is_exact()) {
            // The bound is shown as finely as the finer end, and so is the other one.
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

/// The number, rounded to so many decimals, still compares as it does with the bound: one that is
/// shown as it is, or rounded as well.
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
