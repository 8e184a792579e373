//! The words of a condition.

use std::ops::Range;

use super::unit::Quantity;

/// A word with its position in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) word: Word,
    pub(super) span: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    Number(Quantity),
    Text(String),
    /// A path, or the name of a fact such as `bdp`.
    Name(String),
    /// An operator, a bracket, or one of the words `and`, `or`, `not`.
    Sign(&'static str),
}

/// Signs, with longer ones before those that they begin with.
const SIGNS: [&str; 14] = [
    ">=", "<=", "==", "!=", "&&", "||", ">", "<", "+", "-", "*", "/", "(", ")",
];
const WORDS: [&str; 3] = ["and", "or", "not"];

/// Splits a text into words.
///
/// # Errors
/// The position of what is no word, and why.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, (Range<usize>, String)> {
    let mut all = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (word, length) = if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            (Word::Sign(sign), sign.len())
        } else if matches!(first, '"' | '\'') {
            let Some(end) = rest[1..].find(first) else {
                return Err((at..text.len(), "the quotes are not closed".to_owned()));
            };
            (Word::Text(rest[1..=end].to_owned()), end + 2)
        } else if first.is_ascii_digit() || first == '.' {
            number(rest).map_err(|(length, message)| (at..at + length, message))?
        } else if first.is_alphabetic() || first == '_' {
            let length = name(rest);
            match WORDS.into_iter().find(|word| *word == &rest[..length]) {
                Some(word) => (Word::Sign(word), length),
                None => (Word::Name(rest[..length].to_owned()), length),
            }
        } else {
            let message = match first {
                '=' => "`=` does not compare: write == for equal".to_owned(),
                _ => format!("`{first}` has no meaning here"),
            };
            return Err((at..at + first.len_utf8(), message));
        };
        all.push(Token {
            word,
            span: at..at + length,
        });
        at += length;
    }
    Ok(all)
}

/// The length of a path at the beginning of a text: words, numbers and quoted words with dots between.
fn name(text: &str) -> usize {
    let mut end = 0;
    loop {
        let rest = &text[end..];
        if let Some(quoted) = rest.strip_prefix('"') {
            match quoted.find('"') {
                Some(close) => end += close + 2,
                None => return text.len(),
            }
        } else {
            let part = |c: char| !(c.is_alphanumeric() || c == '_' || c == '-');
            end += rest.find(part).unwrap_or(rest.len());
        }
        if !text[end..].starts_with('.') {
            return end;
        }
        end += 1;
    }
}

/// Reads a number, with its unit if one follows, and its length.
fn number(text: &str) -> Result<(Word, usize), (usize, String)> {
    let mut end = digits(text);
    // An exponent.
    let rest = &text[end..];
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let signed = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let digits = signed
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(signed.len());
        if digits > 0 {
            end += 1 + (exponent.len() - signed.len()) + digits;
        }
    }
    let wrong = |end: usize| (end, format!("`{}` is no number", &text[..end]));
    let value: f64 = text[..end].parse().map_err(|_| wrong(end.max(1)))?;
    let after = text[end..].trim_start();
    let blank = text.len() - end - after.len();
    let letters = |text: &str| {
        let end = |c: char| !c.is_alphabetic();
        text.find(end).unwrap_or(text.len())
    };
    let unit = letters(after);
    if unit == 0 || WORDS.contains(&&after[..unit]) {
        return Ok((Word::Number(Quantity::plain(value)), end));
    }
    let mut unit_end = unit;
    if after[unit..].starts_with("/s") {
        unit_end = unit + 2;
    }
    let written = format!("{} {}", &text[..end], &after[..unit_end]);
    let length = end + blank + unit_end;
    match Quantity::read(&written) {
        Some(quantity) => Ok((Word::Number(quantity), length)),
        None => Err((
            length,
            format!(
                "`{}` is no unit: a time has s, ms ..., a rate Mb/s ..., a size B, kB ...",
                &after[..unit_end]
            ),
        )),
    }
}

fn digits(text: &str) -> usize {
    let other = |c: char| !(c.is_ascii_digit() || c == '.');
    text.find(other).unwrap_or(text.len())
}
