//! Numbers and texts for the page's program, in few bytes.

use std::collections::BTreeMap;

use serde::ser::{Serialize, SerializeSeq, SerializeStruct, Serializer};

/// Numbers with seven significant digits, as in the files beside the page. A number that is not
/// finite becomes `null`.
///
/// Many evenly spaced ones become `{"from": _, "step": _, "count": _}`.
pub(super) struct Numbers(Vec<f64>);

/// So many evenly spaced numbers are listed.
const FEW: usize = 12;

impl Numbers {
    pub(super) fn of(numbers: impl IntoIterator<Item = f64>) -> Self {
        Self(numbers.into_iter().collect())
    }

    /// The first number and the step, if that describes all of them with twelve digits.
    fn steps(&self) -> Option<(f64, f64)> {
        let [first, .., last] = self.0[..] else {
            return None;
        };
        if self.0.len() <= FEW {
            return None;
        }
        let step = digits((last - first) / (self.0.len() - 1) as f64, 12);
        let even = |(i, x): (usize, &f64)| digits(first + i as f64 * step, 12) == digits(*x, 12);
        (self.0.iter().enumerate().all(even)).then_some((digits(first, 12), step))
    }
}

impl Serialize for Numbers {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if let Some((from, step)) = self.steps() {
            let mut steps = out.serialize_struct("Steps", 3)?;
            steps.serialize_field("from", &Number(from))?;
            steps.serialize_field("step", &Number(step))?;
            steps.serialize_field("count", &self.0.len())?;
            return steps.end();
        }
        out.collect_seq(self.0.iter().map(|x| Number(digits(*x, 7))))
    }
}

/// A number without `.0`, if it is whole.
struct Number(f64);

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        // Beyond 2^53, numbers are written with an exponent, which is shorter.
        match self.0 {
            whole if whole.fract() == 0.0 && whole.abs() < 9e15 => out.serialize_i64(whole as i64),
            other => out.serialize_f64(other),
        }
    }
}

fn digits(x: f64, significant: usize) -> f64 {
    let text = format!("{x:.*e}", significant - 1);
    text.parse().unwrap_or(x)
}

/// Positions in a list, as the first one and the number of consecutive ones: 0, 1, 2 and 7 are
/// `[0, 3, 7, 1]`.
pub(super) fn runs(places: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut runs: Vec<usize> = Vec::new();
    for place in places {
        match runs[..] {
            [.., first, ref mut count] if first + *count == place => *count += 1,
            _ => runs.extend([place, 1]),
        }
    }
    runs
}

/// Texts that have most of their lines in common: every different line once, and for each text
/// which ones it consists of, as [`runs`].
pub(super) struct Lines<'t> {
    lines: Vec<&'t str>,
    texts: Vec<Vec<usize>>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(texts: impl IntoIterator<Item = &'t str>) -> Self {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut lines = Vec::new();
        let mut place = |line: &'t str| {
            *places.entry(line).or_insert_with(|| {
                lines.push(line);
                lines.len() - 1
            })
        };
        let texts = texts.into_iter();
        let texts = texts
            .map(|text| runs(text.split('\n').map(&mut place)))
            .collect();
        Self { lines, texts }
    }
}

impl Serialize for Lines<'_> {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut both = out.serialize_struct("Lines", 2)?;
        both.serialize_field("lines", &self.lines)?;
        both.serialize_field("texts", &self.texts)?;
        both.end()
    }
}

/// Positions in a list: the first one, if each is the one after the last; otherwise all.
pub(super) struct Places(Vec<Option<usize>>);

impl Places {
    /// `None` if there is no position at all.
    pub(super) fn of(places: impl IntoIterator<Item = Option<usize>>) -> Option<Self> {
        let places: Vec<Option<usize>> = places.into_iter().collect();
        places.iter().any(Option::is_some).then_some(Self(places))
    }
}

impl Serialize for Places {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        if let Some(Some(first)) = self.0.first() {
            let next = |(i, place): (usize, &Option<usize>)| *place == Some(first + i);
            if self.0.iter().enumerate().all(next) {
                return first.serialize(out);
            }
        }
        let mut all = out.serialize_seq(Some(self.0.len()))?;
        for place in &self.0 {
            all.serialize_element(place)?;
        }
        all.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(value: &impl Serialize) -> String {
        serde_json::to_string(value).expect("numbers and texts")
    }

    fn numbers(numbers: &[f64]) -> String {
        json(&Numbers::of(numbers.iter().copied()))
    }

    #[test]
    fn numbers_have_seven_digits() {
        assert_eq!(
            numbers(&[1.0 / 3.0, 12_345_678.9, -0.0, 40.0, 1e-7, f64::NAN]),
            "[0.3333333,12345680,0,40,1e-7,null]"
        );
        assert_eq!(numbers(&[]), "[]");
        assert_eq!(numbers(&[1e300]), "[1e+300]");
    }

    #[test]
    fn many_evenly_spaced_numbers_are_told_by_their_step() {
        let mut times: Vec<f64> = (0..601).map(|i| f64::from(i) * 0.05 + 40.0).collect();
        assert_eq!(numbers(&times), r#"{"from":40,"step":0.05,"count":601}"#);
        times[300] += 1e-4;
        assert!(numbers(&times).starts_with("[40,40.05,40.1,"));
        // Equal ones have the step 0, and few ones are listed.
        assert_eq!(numbers(&[7.0; 13]), r#"{"from":7,"step":0,"count":13}"#);
        assert_eq!(numbers(&[1.0, 2.0, 3.0]), "[1,2,3]");
        let mut gap = vec![0.0; 13];
        gap[4] = f64::NAN;
        assert!(numbers(&gap).contains("null"));
    }

    #[test]
    fn texts_share_their_lines() {
        let lines = Lines::of(["a\nb\nc\n", "a\nx\nc\n", "a\nb"]);
        assert_eq!(
            json(&lines),
            r#"{"lines":["a","b","c","","x"],"texts":[[0,4],[0,1,4,1,2,2],[0,2]]}"#
        );
    }

    #[test]
    fn consecutive_places_are_told_by_the_first() {
        let places = |of: &[Option<usize>]| Places::of(of.iter().copied()).map(|it| json(&it));
        assert_eq!(places(&[Some(4), Some(5), Some(6)]).as_deref(), Some("4"));
        assert_eq!(places(&[Some(4), None]).as_deref(), Some("[4,null]"));
        assert_eq!(places(&[None, Some(0)]).as_deref(), Some("[null,0]"));
        assert_eq!(places(&[None, None]).as_deref(), None);
    }
}
