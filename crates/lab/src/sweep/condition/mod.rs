//! Conditions, such as `bdp >= 4 and bottleneck.delay < 100 ms`: which points of a sweep are run.
//!
//! A condition compares paths, numbers with their units, texts in quotes, and the facts of
//! [`FACTS`](super::facts::FACTS), with `+ - * /`, brackets, `and`, `or` and `not`.

mod token;
pub(super) mod unit;

use std::ops::Range;

use token::{Token, Word, tokens};
use unit::Quantity;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    root: Expression,
}

/// A value of a path, a fact or an expression.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(Quantity),
    Text(String),
    Truth(bool),
}

/// Why a condition cannot be read, or has no value: the position in its text, what is wrong, and what
/// would be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wrong {
    pub(super) span: Range<usize>,
    pub(super) message: String,
    pub(super) help: String,
}

#[derive(Clone, Debug, PartialEq)]
struct Expression {
    span: Range<usize>,
    sort: Sort,
}

#[derive(Clone, Debug, PartialEq)]
enum Sort {
    Value(Value),
    Name(String),
    Not(Box<Expression>),
    Negative(Box<Expression>),
    Two(&'static str, Box<Expression>, Box<Expression>),
}

const EXAMPLE: &str = "write for example \"bdp >= 4 and bottleneck.delay < 100 ms\"";

impl Condition {
    /// Reads a condition.
    pub(super) fn read(text: &str) -> Result<Self, Wrong> {
        let wrong = |(span, message)| Wrong {
            span,
            message,
            help: EXAMPLE.to_owned(),
        };
        let tokens = tokens(text).map_err(wrong)?;
        let mut parser = Parser {
            tokens: &tokens,
            at: 0,
            end: text.len(),
            depth: 0,
        };
        let root = parser.expression(0)?;
        match parser.peek() {
            None => Ok(Self { root }),
            Some(token) => Err(wrong((
                token.span.clone(),
                format!("`{}` is not expected here", &text[token.span.clone()]),
            ))),
        }
    }

    /// The paths and facts that it names, with their positions.
    pub(super) fn names(&self) -> Vec<(&str, Range<usize>)> {
        let mut all = Vec::new();
        self.root.collect_names(&mut all);
        all
    }

    /// Whether the condition holds; `name` returns the value of a path or a fact.
    pub(super) fn holds(
        &self,
        name: &impl Fn(&str, &Range<usize>) -> Result<Value, Wrong>,
    ) -> Result<bool, Wrong> {
        match self.root.value(name)? {
            Value::Truth(truth) => Ok(truth),
            other => Err(Wrong {
                span: self.root.span.clone(),
                message: format!("the condition is {}, not true or false", other.sort()),
                help: "compare it with something: bdp >= 4".to_owned(),
            }),
        }
    }
}

impl Value {
    /// The sort of value, in words.
    fn sort(&self) -> &'static str {
        match self {
            Self::Number(number) => number.sort(),
            Self::Text(_) => "a text",
            Self::Truth(_) => "true or false",
        }
    }
}

/// Operators by how strongly they bind, the weakest first.
const LEVELS: [&[&str]; 5] = [
    &["or", "||"],
    &["and", "&&"],
    &["==", "!=", ">=", "<=", ">", "<"],
    &["+", "-"],
    &["*", "/"],
];
/// The deepest nesting, so that no condition exhausts the stack.
const DEEPEST: usize = 100;

struct Parser<'t> {
    tokens: &'t [Token],
    at: usize,
    end: usize,
    depth: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.at)
    }

    fn take_sign(&mut self, signs: &[&str]) -> Option<&'static str> {
        match self.peek()?.word {
            Word::Sign(sign) if signs.contains(&sign) => {
                self.at += 1;
                Some(sign)
            }
            _ => None,
        }
    }

    fn expression(&mut self, level: usize) -> Result<Expression, Wrong> {
        let Some(signs) = LEVELS.get(level) else {
            return self.operand();
        };
        let mut left = self.expression(level + 1)?;
        while let Some(sign) = self.take_sign(signs) {
            let right = self.expression(level + 1)?;
            left = Expression {
                span: left.span.start..right.span.end,
                sort: Sort::Two(sign, Box::new(left), Box::new(right)),
            };
            if self.depth > DEEPEST {
                return Err(self.missing("fewer operators"));
            }
            self.depth += 1;
        }
        Ok(left)
    }

    fn operand(&mut self) -> Result<Expression, Wrong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(self.missing("fewer brackets"));
        }
        let Some(token) = self.peek().cloned() else {
            return Err(self.missing("a value"));
        };
        self.at += 1;
        let sort = match token.word {
            Word::Number(number) => Sort::Value(Value::Number(number)),
            Word::Text(text) => Sort::Value(Value::Text(text)),
            Word::Name(name) if name == "true" => Sort::Value(Value::Truth(true)),
            Word::Name(name) if name == "false" => Sort::Value(Value::Truth(false)),
            Word::Name(name) => Sort::Name(name),
            Word::Sign("not") => Sort::Not(Box::new(self.expression(2)?)),
            Word::Sign("-") => Sort::Negative(Box::new(self.operand()?)),
            Word::Sign("(") => {
                let mut inside = self.expression(0)?;
                if self.take_sign(&[")"]).is_none() {
                    return Err(self.missing("`)`"));
                }
                inside.span = token.span.start..self.tokens[self.at - 1].span.end;
                return Ok(inside);
            }
            Word::Sign(_) => {
                self.at -= 1;
                return Err(self.missing("a value"));
            }
        };
        let end = self.tokens[self.at - 1].span.end;
        Ok(Expression {
            span: token.span.start..end,
            sort,
        })
    }

    fn missing(&self, what: &str) -> Wrong {
        let span = self
            .peek()
            .map_or(self.end..self.end, |token| token.span.clone());
        Wrong {
            span,
            message: format!("{what} is expected here"),
            help: EXAMPLE.to_owned(),
        }
    }
}

impl Expression {
    fn collect_names<'e>(&'e self, all: &mut Vec<(&'e str, Range<usize>)>) {
        match &self.sort {
            Sort::Value(_) => {}
            Sort::Name(name) => all.push((name, self.span.clone())),
            Sort::Not(of) | Sort::Negative(of) => of.collect_names(all),
            Sort::Two(_, left, right) => {
                left.collect_names(all);
                right.collect_names(all);
            }
        }
    }

    fn value(
        &self,
        name: &impl Fn(&str, &Range<usize>) -> Result<Value, Wrong>,
    ) -> Result<Value, Wrong> {
        match &self.sort {
            Sort::Value(value) => Ok(value.clone()),
            Sort::Name(path) => name(path, &self.span),
            Sort::Not(of) => Ok(Value::Truth(!of.truth(name)?)),
            Sort::Negative(of) => {
                let number = of.number(name)?;
                Ok(Value::Number(number.with(-number.value)))
            }
            Sort::Two(sign @ ("and" | "&&" | "or" | "||"), left, right) => {
                // Both sides are computed, so that a mistake is found at the first point.
                let (left, right) = (left.truth(name)?, right.truth(name)?);
                Ok(Value::Truth(match *sign {
                    "and" | "&&" => left && right,
                    _ => left || right,
                }))
            }
            Sort::Two(sign @ ("*" | "/"), left, right) => {
                let (left, right) = (left.number(name)?, right.number(name)?);
                Ok(Value::Number(match *sign {
                    "*" => left.times(right),
                    _ => left.over(right),
                }))
            }
            Sort::Two(sign, left, right) => {
                let (left, right) = (left.value(name)?, right.value(name)?);
                self.compared(sign, left, right)
            }
        }
    }

    /// The value of an operator whose sides must be alike.
    fn compared(&self, sign: &str, left: Value, right: Value) -> Result<Value, Wrong> {
        match (left, right) {
            (Value::Number(left), Value::Number(right)) if left.is_like(right) => {
                let (a, b) = (left.value, right.value);
                Ok(match sign {
                    "+" => Value::Number(left.with(a + b)),
                    "-" => Value::Number(left.with(a - b)),
                    _ => Value::Truth(match sign {
                        ">=" => a >= b,
                        "<=" => a <= b,
                        ">" => a > b,
                        "<" => a < b,
                        "==" => a == b,
                        _ => a != b,
                    }),
                })
            }
            (left @ (Value::Text(_) | Value::Truth(_)), right)
                if left.sort() == right.sort() && matches!(sign, "==" | "!=") =>
            {
                Ok(Value::Truth((left == right) == (sign == "==")))
            }
            (left, right) => Err(Wrong {
                span: self.span.clone(),
                message: format!(
                    "`{sign}` cannot be between {} and {}",
                    left.sort(),
                    right.sort()
                ),
                help:
                    "numbers are compared with numbers of the same unit, such as 100 ms, two at a time \
                       (1 ms < x and x < 9 ms); texts are \
                       in quotes, and equal (==) or not (!=)"
                        .to_owned(),
            }),
        }
    }

    fn truth(
        &self,
        name: &impl Fn(&str, &Range<usize>) -> Result<Value, Wrong>,
    ) -> Result<bool, Wrong> {
        match self.value(name)? {
            Value::Truth(truth) => Ok(truth),
            other => Err(self.unlike("true or false", &other)),
        }
    }

    fn number(
        &self,
        name: &impl Fn(&str, &Range<usize>) -> Result<Value, Wrong>,
    ) -> Result<Quantity, Wrong> {
        match self.value(name)? {
            Value::Number(number) => Ok(number),
            other => Err(self.unlike("a number", &other)),
        }
    }

    fn unlike(&self, wanted: &str, found: &Value) -> Wrong {
        Wrong {
            span: self.span.clone(),
            message: format!("{wanted} is expected here, not {}", found.sort()),
            help: EXAMPLE.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str) -> Result<bool, String> {
        let name = |name: &str, span: &Range<usize>| match name {
            "bdp" => Ok(Value::Number(Quantity::plain(6.0))),
            "bottleneck.delay" => Ok(Value::Number(Quantity::seconds(0.02))),
            "bottleneck.rate" => Ok(Value::Number(Quantity::rate(2e6))),
            "flow.\"a b\".control" => Ok(Value::Text("veno".to_owned())),
            _ => Err(Wrong {
                span: span.clone(),
                message: format!("no {name}"),
                help: String::new(),
            }),
        };
        let read = Condition::read(text);
        let found = read.and_then(|condition| condition.holds(&name));
        found.map_err(|wrong| format!("{}..{} {}", wrong.span.start, wrong.span.end, wrong.message))
    }

    #[test]
    fn conditions_are_true_or_false() {
        for (text, expected) in [
            ("bdp >= 4", true),
            ("bdp < 4 or bdp == 6", true),
            ("not bdp < 4 and bdp != 7", true),
            ("bottleneck.delay < 100 ms", true),
            ("bottleneck.delay<=20ms and bottleneck.delay>=0.02s", true),
            ("bottleneck.rate * bottleneck.delay / 1000 B > 4.9", true),
            ("bottleneck.rate > 2 Mb/s", false),
            ("flow.\"a b\".control == 'veno'", true),
            ("flow.\"a b\".control != \"veno\"", false),
            ("(1 + 2) * 2 == bdp", true),
            ("1 + 2 * 2 == bdp", false),
            ("-1 < 1e-3 && true", true),
            ("8 - 1 - 1 == bdp", true),
        ] {
            assert_eq!(holds(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_condition_is_refused_with_its_place() {
        for (text, expected) in [
            ("", "0..0 a value is expected here"),
            ("bdp >=", "6..6 a value is expected here"),
            ("bdp 4", "4..5 `4` is not expected here"),
            ("(bdp > 4", "8..8 `)` is expected here"),
            (
                "bdp",
                "0..3 the condition is a plain number, not true or false",
            ),
            ("bdq > 4", "0..3 no bdq"),
            (
                "bdp > 4 ms",
                "0..10 `>` cannot be between a plain number and a time",
            ),
            (
                "bottleneck.delay > 4",
                "0..20 `>` cannot be between a time and a plain number",
            ),
            (
                "bdp > \"4\"",
                "0..9 `>` cannot be between a plain number and a text",
            ),
            (
                "bdp and bdp",
                "0..3 true or false is expected here, not a plain number",
            ),
            (
                "bdp > 4 parsecs",
                "6..15 `parsecs` is no unit: a time has s, ms ..., a rate Mb/s ..., a size B, kB ...",
            ),
            ("bdp = 4", "4..5 `=` does not compare: write == for equal"),
            ("bdp > ?", "6..7 `?` has no meaning here"),
            ("'a", "0..2 the quotes are not closed"),
        ] {
            assert_eq!(holds(text), Err(expected.to_owned()), "{text}");
        }
        assert!(holds(&"(".repeat(10_000)).is_err());
        assert!(holds(&format!("1{}", " + 1".repeat(10_000))).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_a_condition_or_is_refused(text in "[a-z0-9.()<>=!+*/ \"'µs-]{0,30}") {
            let _ = holds(&text);
        }
    }
}
