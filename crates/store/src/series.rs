//! Encodes samples as bytes, exact to the bit.
//!
//! Each word and each name of a quantity is written once, and so are times that several series
//! share. The properties of the series form columns with one entry per series. After them, the
//! values of each series form a column, which may be predicted from an earlier one of the same flow
//! or link. Words are represented by their positions in the list of words.

use dumbbell_run::{Reading, Series, Subject};

use crate::codec::{Columns, Reader, Writer};
use crate::lasting::lasting;

const FLOW: u64 = 0;
const LINK: u64 = 1;
/// The code of a number in a series that contains words; word n has the code n + 1.
const NUMBER: u64 = 0;

/// The properties of a series, without its values.
struct About {
    subject: Subject,
    /// The position of its quantity's name in the list of words.
    quantity: usize,
    /// The position of its times among the columns of times.
    times: usize,
    /// Whether some of its values are words.
    has_words: bool,
}

/// Encodes the samples of a run.
pub(crate) fn encode(all: &[Series]) -> Vec<u8> {
    let mut words = Words::default();
    let mut times: Vec<&Series> = Vec::new();
    let about: Vec<About> = all
        .iter()
        .map(|series| About {
            subject: series.subject,
            quantity: words.place(&series.quantity),
            times: place(&mut times, series),
            has_words: series.points.iter().any(|(_, reading)| is_word(reading)),
        })
        .collect();
    let mut body = Writer::default();
    let mut columns = Columns::default();
    body.count(times.len());
    for series in times {
        body.count(series.points.len());
        columns.write_numbers(&mut body, series.points.iter().map(|(time, _)| *time));
    }
    body.count(all.len());
    let mut columns = Columns::default();
    for column in [
        About::kind,
        About::index,
        About::quantity,
        About::times,
        About::has_words,
    ] {
        columns.write_wholes(&mut body, about.iter().map(column).collect());
    }
    let mut columns = OfOne::default();
    for (series, about) in all.iter().zip(&about) {
        columns.turn_to(about.subject);
        if about.has_words {
            let codes = series.points.iter().map(|(_, reading)| words.code(reading));
            columns.codes.write_wholes(&mut body, codes.collect());
        }
        let numbers = series
            .points
            .iter()
            .filter_map(|(_, reading)| match reading {
                Reading::Number(number) => Some(*number),
                Reading::Word(_) => None,
            });
        columns.numbers.write_numbers(&mut body, numbers);
    }
    let mut out = Writer::default();
    out.count(words.0.len());
    for word in words.0 {
        out.text(word);
    }
    out.bytes.extend(body.bytes);
    out.bytes
}

/// Decodes the samples; `None` if the bytes are not valid.
pub(crate) fn decode(bytes: &[u8]) -> Option<Vec<Series>> {
    let mut from = Reader::new(bytes);
    let words: Option<Vec<&str>> = (0..from.count()?).map(|_| from.text()).collect();
    let words = words?;
    let mut columns = Columns::default();
    let mut times: Vec<Vec<f64>> = Vec::new();
    for _ in 0..from.count()? {
        let count = from.index()?;
        times.push(columns.read_numbers(&mut from, count)?.collect());
    }
    let about = About::read(&mut from)?;
    let mut columns = OfOne::default();
    let mut all = Vec::with_capacity(about.len());
    for about in about {
        columns.turn_to(about.subject);
        let times = times.get(about.times)?;
        let points = if about.has_words {
            columns.read_with_words(&mut from, times, &words)?
        } else {
            let numbers = columns.numbers.read_numbers(&mut from, times.len())?;
            let readings = numbers.map(Reading::Number);
            times.iter().copied().zip(readings).collect()
        };
        all.push(Series {
            subject: about.subject,
            quantity: (*words.get(about.quantity)?).to_owned(),
            points,
        });
    }
    from.is_at_end().then_some(all)
}

impl About {
    fn kind(&self) -> u64 {
        match self.subject {
            Subject::Flow(_) => FLOW,
            Subject::Link(_) => LINK,
        }
    }

    fn index(&self) -> u64 {
        let (Subject::Flow(index) | Subject::Link(index)) = self.subject;
        index as u64
    }

    fn quantity(&self) -> u64 {
        self.quantity as u64
    }

    fn times(&self) -> u64 {
        self.times as u64
    }

    fn has_words(&self) -> u64 {
        u64::from(self.has_words)
    }

    /// Reads the properties of all series.
    fn read(from: &mut Reader<'_>) -> Option<Vec<Self>> {
        let count = from.index()?;
        let mut columns = Columns::default();
        let mut column = || columns.read_wholes(from, count).map(<[u64]>::to_vec);
        let (kinds, indices, quantities) = (column()?, column()?, column()?);
        let (times, has_words) = (column()?, column()?);
        let series = |series: usize| {
            let index = usize::try_from(indices[series]).ok()?;
            Some(Self {
                subject: match kinds[series] {
                    FLOW => Subject::Flow(index),
                    LINK => Subject::Link(index),
                    _ => return None,
                },
                quantity: usize::try_from(quantities[series]).ok()?,
                times: usize::try_from(times[series]).ok()?,
                has_words: match has_words[series] {
                    0 => false,
                    1 => true,
                    _ => return None,
                },
            })
        };
        (0..count).map(series).collect()
    }
}

/// The columns of one flow or link.
#[derive(Default)]
struct OfOne {
    subject: Option<Subject>,
    codes: Columns,
    numbers: Columns,
}

impl OfOne {
    fn turn_to(&mut self, subject: Subject) {
        if self.subject != Some(subject) {
            *self = Self {
                subject: Some(subject),
                ..Self::default()
            };
        }
    }

    /// Reads the points of a series that contains words.
    fn read_with_words(
        &mut self,
        from: &mut Reader<'_>,
        times: &[f64],
        words: &[&str],
    ) -> Option<Vec<(f64, Reading)>> {
        let codes = self.codes.read_wholes(from, times.len())?;
        let count = codes.iter().filter(|code| **code == NUMBER).count();
        let mut numbers = self.numbers.read_numbers(from, count)?;
        // Usually the next word is the same as the last.
        let mut last = (NUMBER, "");
        let mut reading = |code: u64| match code {
            NUMBER => numbers.next().map(Reading::Number),
            word => {
                if word != last.0 {
                    let place = usize::try_from(word - 1).ok()?;
                    last = (word, lasting(words.get(place)?));
                }
                Some(Reading::Word(last.1))
            }
        };
        let point = |(time, code): (&f64, &u64)| Some((*time, reading(*code)?));
        times.iter().zip(codes).map(point).collect()
    }
}

/// All different words of a run's samples.
#[derive(Default)]
struct Words<'a>(Vec<&'a str>);

impl<'a> Words<'a> {
    fn place(&mut self, word: &'a str) -> usize {
        let known = self.0.iter().position(|known| *known == word);
        known.unwrap_or_else(|| {
            self.0.push(word);
            self.0.len() - 1
        })
    }

    fn code(&mut self, reading: &Reading) -> u64 {
        match reading {
            Reading::Number(_) => NUMBER,
            Reading::Word(word) => 1 + self.place(word) as u64,
        }
    }
}

fn is_word(reading: &Reading) -> bool {
    matches!(reading, Reading::Word(_))
}

/// The position of a series' times among the columns of times; they are added if they are new.
fn place<'a>(times: &mut Vec<&'a Series>, series: &'a Series) -> usize {
    let known = times.iter().position(|known| same_times(known, series));
    known.unwrap_or_else(|| {
        times.push(series);
        times.len() - 1
    })
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

    /// Everything about samples, with each number as its bits.
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
        fn samples_are_restored_bit_for_bit(all in prop::collection::vec(series(), 0..6)) {
            let bytes = encode(&all);
            prop_assert_eq!(bits(&decode(&bytes).unwrap()), bits(&all));
            // Neither a part of them nor the bytes with an additional one are valid.
            for end in 0..bytes.len() {
                prop_assert!(decode(&bytes[..end]).is_none());
            }
            prop_assert!(decode(&[&bytes[..], &[0]].concat()).is_none());
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn a_huge_count_takes_no_memory() {
        // 2^63 words; no words, and 2^63 columns of times; one column of 2^63 times.
        let huge = [0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01];
        for before in [&[][..], &[0], &[0, 1], &[0, 0]] {
            assert!(decode(&[before, &huge[..], &[0, 0, 0, 0]].concat()).is_none());
        }
    }

    #[test]
    fn steady_numbers_take_almost_no_space() {
        let points: Vec<(f64, Reading)> = (0..1000)
            .map(|i| (f64::from(i), Reading::Number(30.0)))
            .collect();
        let series = |index| Series {
            subject: Subject::Flow(index),
            quantity: "cwnd".to_owned(),
            points: points.clone(),
        };
        let (one, two) = (encode(&[series(0)]), encode(&[series(0), series(1)]));
        // The second series shares the times and the name. Its numbers take one byte for each block
        // of 32, and up to 8 for the common value.
        assert!(two.len() - one.len() <= 32 + 8, "{}", two.len() - one.len());
    }
}
