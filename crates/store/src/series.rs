//! Samples as bytes, exact to the bit: 3 to 5 bytes a point, where JSON takes 20.
//!
//! Times that several series share are written once. A column of numbers has each number's bits
//! exclusive-or those of the number before: a byte with the numbers of leading and trailing zero
//! bytes, then the bytes between; or one byte for up to 16 numbers that do not change. Whole numbers
//! are LEB128, seven bits a byte. Words are written once a series, with the lengths of their runs.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use dumbbell_run::{Reading, Series, Subject};

const FLOW: u64 = 0;
const LINK: u64 = 1;
/// What begins a repetition of the number before; 0 before the first. The rest of the byte is the
/// number of repetitions but one.
const REPEAT: u8 = 0x80;
const MOST_REPEATS: usize = 16;
/// The code of a number in a series that has words; word n has n + 1.
const NUMBER: u64 = 0;

/// The bytes of a run's samples.
pub(super) fn encode(all: &[Series]) -> Vec<u8> {
    let mut times: Vec<&Series> = Vec::new();
    let mut places = Vec::with_capacity(all.len());
    for series in all {
        let known = times.iter().position(|known| same_times(known, series));
        places.push(known.unwrap_or(times.len()));
        if known.is_none() {
            times.push(series);
        }
    }
    let mut out = Writer::default();
    out.whole(times.len() as u64);
    for series in times {
        out.whole(series.points.len() as u64);
        out.numbers(series.points.iter().map(|(time, _)| *time));
    }
    out.whole(all.len() as u64);
    for (series, place) in all.iter().zip(places) {
        let (kind, index) = match series.subject {
            Subject::Flow(index) => (FLOW, index),
            Subject::Link(index) => (LINK, index),
        };
        out.whole(kind);
        out.whole(index as u64);
        out.text(&series.quantity);
        out.whole(place as u64);
        out.readings(&series.points);
    }
    out.bytes
}

/// The samples of these bytes; none if they are not such bytes.
pub(super) fn decode(bytes: &[u8]) -> Option<Vec<Series>> {
    let mut from = Reader { bytes };
    let mut times = Vec::new();
    for _ in 0..from.count()? {
        let count = usize::try_from(from.whole()?).ok()?;
        times.push(from.numbers(count)?);
    }
    let mut all = Vec::new();
    for _ in 0..from.count()? {
        let (kind, index) = (from.whole()?, usize::try_from(from.whole()?).ok()?);
        let subject = match kind {
            FLOW => Subject::Flow(index),
            LINK => Subject::Link(index),
            _ => return None,
        };
        let quantity = from.text()?.to_owned();
        let times = times.get(usize::try_from(from.whole()?).ok()?)?;
        let readings = from.readings(times.len())?;
        all.push(Series {
            subject,
            quantity,
            points: times.iter().copied().zip(readings).collect(),
        });
    }
    from.bytes.is_empty().then_some(all)
}

fn same_times(one: &Series, other: &Series) -> bool {
    let bits = |(time, _): &(f64, Reading)| time.to_bits();
    one.points.len() == other.points.len()
        && one
            .points
            .iter()
            .map(bits)
            .eq(other.points.iter().map(bits))
}

/// The same word for as long as the program runs: each different one takes its bytes once.
fn lasting(word: &str) -> &'static str {
    static WORDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut words = WORDS.lock().unwrap_or_else(PoisonError::into_inner);
    match words.get(word) {
        Some(known) => known,
        None => {
            let word: &'static str = Box::leak(word.into());
            words.insert(word);
            word
        }
    }
}

#[derive(Default)]
struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    fn whole(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn text(&mut self, text: &str) {
        self.whole(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn numbers(&mut self, numbers: impl Iterator<Item = f64>) {
        let mut before = 0;
        let mut repeats = 0;
        for number in numbers {
            let bits = number.to_bits();
            let change = bits ^ before;
            if change == 0 {
                match self.bytes.last_mut() {
                    Some(last) if (1..MOST_REPEATS).contains(&repeats) => *last += 1,
                    _ => {
                        self.bytes.push(REPEAT);
                        repeats = 0;
                    }
                }
                repeats += 1;
                continue;
            }
            repeats = 0;
            let (leading, trailing) = (change.leading_zeros() / 8, change.trailing_zeros() / 8);
            self.bytes.push((leading << 4 | trailing) as u8);
            let changed = &change.to_be_bytes()[leading as usize..8 - trailing as usize];
            self.bytes.extend_from_slice(changed);
            before = bits;
        }
    }

    fn readings(&mut self, points: &[(f64, Reading)]) {
        let mut words: Vec<&str> = Vec::new();
        let mut runs: Vec<(u64, u64)> = Vec::new();
        for (_, reading) in points {
            let code = match reading {
                Reading::Number(_) => NUMBER,
                Reading::Word(word) => {
                    let known = words.iter().position(|known| known == word);
                    if known.is_none() {
                        words.push(word);
                    }
                    1 + known.unwrap_or(words.len() - 1) as u64
                }
            };
            match runs.last_mut() {
                Some((last, length)) if *last == code => *length += 1,
                _ => runs.push((code, 1)),
            }
        }
        self.whole(words.len() as u64);
        if !words.is_empty() {
            for word in words {
                self.text(word);
            }
            for (code, length) in runs {
                self.whole(code);
                self.whole(length);
            }
        }
        self.numbers(points.iter().filter_map(|(_, reading)| match reading {
            Reading::Number(number) => Some(*number),
            Reading::Word(_) => None,
        }));
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(count)?;
        self.bytes = rest;
        Some(taken)
    }

    fn whole(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = u64::from(self.take(1)?[0]);
            number |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    /// A number of things that take a byte each at least.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.whole()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        std::str::from_utf8(self.take(length)?).ok()
    }

    fn numbers(&mut self, count: usize) -> Option<Vec<f64>> {
        if count > self.bytes.len().checked_mul(MOST_REPEATS)? {
            return None;
        }
        let mut numbers = Vec::with_capacity(count);
        let mut before = 0;
        while numbers.len() < count {
            let head = self.take(1)?[0];
            if head >= REPEAT {
                let repeats = usize::from(head - REPEAT) + 1;
                if repeats > MOST_REPEATS.min(count - numbers.len()) {
                    return None;
                }
                numbers.resize(numbers.len() + repeats, f64::from_bits(before));
                continue;
            }
            let (leading, trailing) = (usize::from(head >> 4), usize::from(head & 0xf));
            let mut change = [0; 8];
            let place = change.get_mut(leading..8_usize.checked_sub(trailing)?)?;
            place.copy_from_slice(self.take(place.len())?);
            before ^= u64::from_be_bytes(change);
            numbers.push(f64::from_bits(before));
        }
        Some(numbers)
    }

    fn readings(&mut self, count: usize) -> Option<Vec<Reading>> {
        let mut words = Vec::new();
        for _ in 0..self.count()? {
            words.push(lasting(self.text()?));
        }
        if words.is_empty() {
            let numbers = self.numbers(count)?;
            return Some(numbers.into_iter().map(Reading::Number).collect());
        }
        let mut codes = Vec::with_capacity(count);
        while codes.len() < count {
            let (code, length) = (self.whole()?, usize::try_from(self.whole()?).ok()?);
            if length == 0 || length > count - codes.len() {
                return None;
            }
            codes.resize(codes.len() + length, code);
        }
        let numbers = codes.iter().filter(|code| **code == NUMBER).count();
        let mut numbers = self.numbers(numbers)?.into_iter();
        codes
            .into_iter()
            .map(|code| match code {
                NUMBER => numbers.next().map(Reading::Number),
                word => words.get(word as usize - 1).copied().map(Reading::Word),
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number() -> impl Strategy<Value = f64> {
        prop_oneof![
            any::<u64>().prop_map(f64::from_bits),
            (0..100_u32).prop_map(f64::from),
            Just(f64::NAN),
            Just(f64::NEG_INFINITY),
            Just(-0.0),
        ]
    }

    fn reading() -> impl Strategy<Value = Reading> {
        prop_oneof![
            3 => number().prop_map(Reading::Number),
            1 => prop_oneof![Just(""), Just("slow start"), Just("größer")].prop_map(Reading::Word),
        ]
    }

    fn series() -> impl Strategy<Value = Series> {
        let subject = prop_oneof![
            any::<usize>().prop_map(Subject::Flow),
            any::<usize>().prop_map(Subject::Link)
        ];
        let points = prop_oneof![
            prop::collection::vec((number(), reading()), 0..40),
            prop::collection::vec((reading(), 1..40_usize), 0..9).prop_map(|runs| {
                let readings = runs
                    .into_iter()
                    .flat_map(|(reading, length)| std::iter::repeat_n(reading, length));
                (0..).map(f64::from).zip(readings).collect()
            }),
        ];
        (subject, ".{0,8}", points).prop_map(|(subject, quantity, points)| Series {
            subject,
            quantity,
            points,
        })
    }

    /// Everything about samples, each number as its bits.
    fn bits(all: &[Series]) -> String {
        let point = |(time, reading): &(f64, Reading)| match reading {
            Reading::Number(number) => format!("{:x} {:x}", time.to_bits(), number.to_bits()),
            Reading::Word(word) => format!("{:x} {word:?}", time.to_bits()),
        };
        let series = |series: &Series| {
            let points: Vec<String> = series.points.iter().map(point).collect();
            format!("{:?} {:?} {points:?}", series.subject, series.quantity)
        };
        all.iter().map(series).collect()
    }

    proptest! {
        #[test]
        fn samples_come_back_bit_for_bit(all in prop::collection::vec(series(), 0..6)) {
            let bytes = encode(&all);
            prop_assert_eq!(bits(&decode(&bytes).unwrap()), bits(&all));
            // A part of them is no samples, nor are they with more behind.
            for end in 0..bytes.len() {
                prop_assert!(decode(&bytes[..end]).is_none());
            }
            prop_assert!(decode(&[&bytes[..], &[0]].concat()).is_none());
        }

        #[test]
        fn no_bytes_are_a_trap(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn a_huge_count_takes_no_memory() {
        // 2^63 columns of times; then one column of 2^63 times.
        let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
        assert!(decode(&huge).is_none());
        assert!(decode(&[&[1], &huge[..]].concat()).is_none());
    }

    #[test]
    fn steady_numbers_take_next_to_nothing() {
        let points: Vec<(f64, Reading)> = (0..1000)
            .map(|i| (f64::from(i), Reading::Number(30.0)))
            .collect();
        let series = |index| Series {
            subject: Subject::Flow(index),
            quantity: "cwnd".to_owned(),
            points: points.clone(),
        };
        let (one, two) = (encode(&[series(0)]), encode(&[series(0), series(1)]));
        // The second shares the times. Its numbers take 3 bytes for the first (30 is 0x403e and six
        // zero bytes), ceil(999 / 16) = 63 for the others; 9 more for subject, name, times, words.
        assert_eq!(two.len() - one.len(), 3 + 63 + 9);
    }
}
