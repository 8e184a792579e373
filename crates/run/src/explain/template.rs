//! The templates of rules, and how they are filled in.

use super::fact::Hole;
use super::number;
use super::span::{Comparison, Span};

/// A part of a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Piece {
    Text(&'static str),
    Hole(Hole),
}

/// A template, split into its parts.
#[derive(Clone, Debug)]
pub(super) struct Template(Vec<Piece>);

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

    /// The names in the template, in order.
    pub(super) fn holes(&self) -> impl Iterator<Item = &Hole> {
        self.0.iter().filter_map(|piece| match piece {
            Piece::Hole(hole) => Some(hole),
            Piece::Text(_) => None,
        })
    }

    /// The names alone.
    pub(super) fn names(self) -> impl Iterator<Item = &'static str> {
        let name = |piece| match piece {
            Piece::Hole(hole) => Some(hole.name),
            Piece::Text(_) => None,
        };
        self.0.into_iter().filter_map(name)
    }

    /// Returns the text with each name replaced by its value. A number has enough decimals for the
    /// comparison that follows it; a comparison with an unknown value is omitted.
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
            // The bound of a comparison is shown with as many decimals as the number.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::explain::fact::{Fact, Unit};

    fn filled(template: &'static str, facts: &[&[Fact]]) -> String {
        let spans: Vec<Span> = facts
            .iter()
            .map(|facts| {
                let mut span = Span::of(facts[0]);
                for fact in *facts {
                    assert!(span.admits(*fact));
                    span.widen(*fact);
                }
                span
            })
            .collect();
        let template = Template::parse(template);
        assert_eq!(template.holes().count(), spans.len());
        template.fill(&spans)
    }

    fn segments(number: f64) -> Fact {
        Fact::Measured(number, Unit::Segments)
    }

    fn seconds(number: f64) -> Fact {
        Fact::Measured(number, Unit::Seconds)
    }

    const BETA: &[Fact] = &[Fact::Exact(3.0, Unit::Segments)];

    #[test]
    fn names_are_replaced_by_values() {
        assert_eq!(
            filled(
                "N = {backlog} >= {beta} and D = {relative_delay:+}: {word}",
                &[
                    &[segments(4.23)],
                    BETA,
                    &[seconds(0.0008)],
                    &[Fact::Word("rising")]
                ]
            ),
            "N = 4.2 >= 3 and D = +0.8 ms: rising"
        );
        assert_eq!(filled("no name", &[]), "no name");
        assert_eq!(
            filled("{gain:/4} per round", &[&[Fact::Exact(2.0, Unit::Pure)]]),
            "1/2 per round"
        );
    }

    #[test]
    fn names_are_parsed() {
        let template = Template::parse("{a}{after.b:+} and {c:/4}");
        let holes: Vec<_> = template
            .holes()
            .map(|hole| (hole.name, hole.after, hole.signed, hole.quarters))
            .collect();
        assert_eq!(
            holes,
            [
                ("a", false, false, false),
                ("b", true, true, false),
                ("c", false, false, true)
            ]
        );
    }

    #[test]
    fn several_steps_are_shown_as_a_range() {
        let backlog = [0.5, 0.04, 2.4].map(segments);
        let trend = ["rising", "steady", "rising"].map(Fact::Word);
        assert_eq!(
            filled("N = {n} < {beta}, {t}", &[&backlog, BETA, &trend]),
            "N = 0.0 to 2.4 < 3, rising or steady"
        );
    }

    #[test]
    fn a_comparison_still_holds_after_rounding() {
        let below = [segments(0.8), segments(2.997)];
        assert_eq!(
            filled("N = {n} < {beta}", &[&below, BETA]),
            "N = 0.8 to 2.997 < 3"
        );
        assert_eq!(
            filled("N = {n} >= {beta}", &[&[segments(3.0)], BETA]),
            "N = 3.0 >= 3"
        );
        assert_eq!(
            filled(
                "cwnd = {a} < ssthresh = {b}",
                &[&[segments(16.01)], &[segments(16.04)]]
            ),
            "cwnd = 16.01 < ssthresh = 16.04"
        );
        assert_eq!(
            filled(
                "cwnd = {a} < {b}",
                &[&[segments(16.0)], &[Fact::Word("unlimited")]]
            ),
            "cwnd = 16.0 < unlimited"
        );
        // If both numbers vary, lower ends and upper ends are compared.
        let (low, high) = ([9.8, 10.8].map(segments), [9.84, 12.2].map(segments));
        assert_eq!(
            filled("W = {a} < E = {b}", &[&low, &high]),
            "W = 9.80 to 10.80 < E = 9.84 to 12.20"
        );
    }

    #[test]
    fn unknown_values_are_not_compared() {
        assert_eq!(
            filled("N = {n} < {beta} and dD < 0", &[&[Fact::Unknown], BETA]),
            "N unknown and dD < 0"
        );
        let bwe = Fact::Measured(1.9e6, Unit::BitRate);
        assert_eq!(
            filled("D = {d}, bwe = {b}", &[&[Fact::Unknown], &[bwe]]),
            "D unknown, bwe = 1.90 Mb/s"
        );
        assert!(!Span::of(Fact::Unknown).admits(bwe));
    }
}
