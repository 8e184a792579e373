//! The templates of rules, and how they are filled in.

use super::fact::{Fact, Unit};
use super::number;

/// A name in a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hole {
    pub(super) name: &'static str,
    /// The value once the rule was applied.
    pub(super) after: bool,
    /// A positive number has a sign, too.
    signed: bool,
    /// A number of quarters.
    quarters: bool,
}

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Text(&'static str),
    Hole(Hole),
}

/// A template in its parts.
#[derive(Clone, Debug)]
pub(super) struct Template(Vec<Piece>);

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

/// Decimals at which a number is given up to look like what it is compared with.
const MOST_DECIMALS: usize = 9;

impl Template {
    pub(super) fn parse(text: &'static str) -> Self {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, from)) = rest.split_once('{') {
            let (inside, after) = from.split_once('}').unwrap_or((from, ""));
            if !before.is_empty() {
                pieces.push(Piece::Text(before));
            }
            pieces.push(Piece::Hole(Hole::parse(inside)));
            rest = after;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        Self(pieces)
    }

    /// Its names, in order.
    pub(super) fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole),
            Piece::Text(_) => None,
        })
    }

    /// The text with each name replaced by what it stood for. A number is shown as finely as the
    /// comparison needs that follows it; a comparison with what is unknown is left out.
    pub(super) fn fill(&self, spans: &[Span]) -> String {
        let mut text = String::new();
        let mut spans = spans.iter();
        let mut pieces = self.0.iter().peekable();
        let mut decimals = number::DECIMALS;
        while let Some(piece) = pieces.next() {
            let hole = match piece {
                Piece::Text(words) => {
                    text.push_str(words);
                    continue;
                }
                Piece::Hole(hole) => hole,
            };
            let Some(span) = spans.next() else { break };
            let comparison = match pieces.peek() {
                Some(Piece::Text(words)) => Comparison::at(words),
                _ => None,
            };
            if *span == Span::Unknown {
                text.truncate(text.strip_suffix("= ").unwrap_or(&text).len());
                text.push_str("unknown");
                if comparison.is_some() {
                    pieces.next();
                    pieces.next();
                    spans.next();
                }
                continue;
            }
            // What a number is compared with is shown as finely as the number.
            let against = comparison.zip(spans.as_slice().first());
            let (shown, fine) = span.show(hole, decimals, against);
            text.push_str(&shown);
            decimals = if against.is_some() {
                fine
            } else {
                number::DECIMALS
            };
        }
        text
    }
}

impl Hole {
    fn parse(inside: &'static str) -> Self {
        let (name, form) = inside.split_once(':').unwrap_or((inside, ""));
        let plain = name.strip_prefix("after.");
        Self {
            name: plain.unwrap_or(name),
            after: plain.is_some(),
            signed: form == "+",
            quarters: form == "/4",
        }
    }
}

#[derive(Clone, Copy)]
enum Comparison {
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    /// The comparison that a text begins with.
    fn at(text: &str) -> Option<Self> {
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

    /// Takes in what the name stood for in a further step; answers whether that is of the same kind.
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

    /// The text, and the decimals that it has: so many, or as many as show how the numbers compare.
    fn show(
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
        let decimals = |number: f64| match against {
            Some((comparison, bound)) => (least..MOST_DECIMALS)
                .find(|decimals| looks_right(number, *decimals, comparison, bound))
                .unwrap_or(least),
            None => least,
        };
        let fine = [low, high].map(decimals);
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

/// The number, rounded to so many decimals, still compares as it does.
fn looks_right(number: f64, decimals: usize, comparison: Comparison, bound: &Span) -> bool {
    let Span::Numbers {
        low, high, exact, ..
    } = bound
    else {
        return true;
    };
    let scale = 10f64.powi(decimals as i32);
    let rounded = |number: f64| (number * scale).round() / scale;
    let bound = match comparison {
        Comparison::Less | Comparison::LessOrEqual => *low,
        Comparison::Greater | Comparison::GreaterOrEqual => *high,
    };
    let bound = if *exact { bound } else { rounded(bound) };
    comparison.holds(rounded(number), bound)
}
