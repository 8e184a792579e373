//! Packs a column of numbers as differences from predicted values.
//!
//! A column is written as the form of its numbers, the prediction, a unit of which all differences
//! are multiples, and the differences in [`blocks`]. The writer tries every form with every
//! prediction and takes the shortest result.

use super::blocks;
use super::bytes::{Reader, Writer};
use super::form::Form;

/// Columns that belong together: each may be predicted from an earlier one.
#[derive(Default)]
pub(crate) struct Columns {
    known: Vec<Vec<u64>>,
}

/// The prediction of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Guess {
    /// The smallest number of the column.
    Least,
    /// The previous number.
    Last,
    /// Linear extrapolation from the previous two numbers.
    Line,
    /// The number of an earlier column at the same position, counted from the end because a series
    /// may begin late.
    Like(usize),
}

/// The code of the first earlier column; lower codes are those of the other predictions.
const LIKE: u64 = 3;
/// The number of positions at which columns are compared to find the most similar one.
const LOOKS: usize = 32;

impl Columns {
    /// Writes a column of integers.
    pub(crate) fn write_wholes(&mut self, out: &mut Writer, column: Vec<u64>) {
        if !column.is_empty() {
            let bits = std::iter::once((Form::Bits, column.clone()));
            self.best(&column, bits).write(out);
        }
        self.known.push(column);
    }

    /// Writes a column of floating-point numbers.
    pub(crate) fn write_numbers(&mut self, out: &mut Writer, numbers: impl Iterator<Item = f64>) {
        let column: Vec<u64> = numbers.map(f64::to_bits).collect();
        if !column.is_empty() {
            let plan = self.best(&column, Form::all(&column));
            out.bytes.push(plan.form.code());
            plan.write(out);
        }
        self.known.push(column);
    }

    /// Reads a column of `count` integers.
    pub(crate) fn read_wholes(&mut self, from: &mut Reader<'_>, count: usize) -> Option<&[u64]> {
        let column = match count {
            0 => Vec::new(),
            _ => self.read(from, count, Form::Bits)?,
        };
        self.known.push(column);
        self.known.last().map(Vec::as_slice)
    }

    /// Reads a column of `count` floating-point numbers.
    pub(crate) fn read_numbers(
        &mut self,
        from: &mut Reader<'_>,
        count: usize,
    ) -> Option<impl ExactSizeIterator<Item = f64> + use<'_>> {
        let column = match count {
            0 => Vec::new(),
            _ => {
                let form = Form::of(from.byte()?)?;
                self.read(from, count, form)?
            }
        };
        self.known.push(column);
        let column = self.known.last()?;
        Some(column.iter().map(|bits| f64::from_bits(*bits)))
    }

    /// The shortest way to write a column, given the forms in which it can be written.
    fn best(&self, column: &[u64], forms: impl Iterator<Item = (Form, Vec<u64>)>) -> Plan {
        let like = self.like(column).map(Guess::Like);
        let like = like.and_then(|guess| Plan::new(Form::Bits, guess, column, &self.known));
        let plans = forms.flat_map(|(form, wholes)| {
            [Guess::Least, Guess::Last, Guess::Line]
                .into_iter()
                .filter_map(|guess| Plan::new(form, guess, &wholes, &self.known))
                .collect::<Vec<_>>()
        });
        let best = like.into_iter().chain(plans).min_by_key(|plan| plan.size);
        best.expect("there is always a form")
    }

    /// The earlier column that is most similar to this one.
    fn like(&self, column: &[u64]) -> Option<usize> {
        let step = column.len().div_ceil(LOOKS);
        let distance = |known: &Vec<u64>| {
            let late = known.len() - column.len();
            (0..column.len())
                .step_by(step)
                .map(|place| unsigned(column[place].wrapping_sub(known[late + place])))
                .map(|difference| u64::BITS - difference.leading_zeros())
                .sum::<u32>()
        };
        self.known
            .iter()
            .enumerate()
            .filter(|(_, known)| known.len() >= column.len())
            .min_by_key(|(_, known)| distance(known))
            .map(|(index, _)| index)
    }

    fn read(&self, from: &mut Reader<'_>, count: usize, form: Form) -> Option<Vec<u64>> {
        let guess = Guess::of(from.whole()?)?;
        let unit = from.whole()?;
        let mut start = [0; 2];
        for start in &mut start[..guess.starts()] {
            *start = signed(from.whole()?);
        }
        let given = guess.given();
        let mut column = blocks::read(from, given, count.checked_sub(given)?)?;
        let times_unit = |rest: u64| signed(rest).wrapping_mul(unit);
        match guess {
            Guess::Least => {
                for number in &mut column {
                    *number = start[0].wrapping_add(number.wrapping_mul(unit));
                }
            }
            Guess::Last => {
                let mut last = start[0];
                column[0] = last;
                for number in &mut column[1..] {
                    last = last.wrapping_add(times_unit(*number));
                    *number = last;
                }
            }
            Guess::Line => {
                let [mut last, mut step] = start;
                column[0] = last;
                last = last.wrapping_add(step);
                column[1] = last;
                for number in &mut column[2..] {
                    step = step.wrapping_add(times_unit(*number));
                    last = last.wrapping_add(step);
                    *number = last;
                }
            }
            Guess::Like(index) => {
                let known = self.known.get(index)?;
                let late = known.len().checked_sub(count)?;
                for (number, known) in column.iter_mut().zip(&known[late..]) {
                    *number = known.wrapping_add(times_unit(*number));
                }
            }
        }
        if form != Form::Bits {
            for number in &mut column {
                *number = form.bits(*number);
            }
        }
        Some(column)
    }
}

impl Guess {
    fn code(self) -> u64 {
        match self {
            Self::Least => 0,
            Self::Last => 1,
            Self::Line => 2,
            Self::Like(index) => LIKE + index as u64,
        }
    }

    fn of(code: u64) -> Option<Self> {
        Some(match code {
            0 => Self::Least,
            1 => Self::Last,
            2 => Self::Line,
            like => Self::Like(usize::try_from(like - LIKE).ok()?),
        })
    }

    /// How many numbers are written from which others are predicted.
    fn starts(self) -> usize {
        match self {
            Self::Least | Self::Last => 1,
            Self::Line => 2,
            Self::Like(_) => 0,
        }
    }

    /// How many numbers of the column follow from these alone.
    fn given(self) -> usize {
        match self {
            Self::Least | Self::Like(_) => 0,
            Self::Last => 1,
            Self::Line => 2,
        }
    }
}

/// A possible encoding of a column.
struct Plan {
    form: Form,
    guess: Guess,
    /// The common divisor of all differences; 0 if all are 0.
    unit: u64,
    start: [u64; 2],
    /// The differences, divided by the unit.
    rest: Vec<u64>,
    size: usize,
}

impl Plan {
    /// Encodes a column that is not empty; `None` if it is too short for the prediction.
    fn new(form: Form, guess: Guess, column: &[u64], known: &[Vec<u64>]) -> Option<Self> {
        if column.len() < guess.given() {
            return None;
        }
        let mut start = [0; 2];
        let mut rest: Vec<u64> = match guess {
            Guess::Least => {
                let least = column.iter().map(|number| number.cast_signed()).min()?;
                start[0] = least.cast_unsigned();
                let above = |number: &u64| number.wrapping_sub(start[0]);
                column.iter().map(above).collect()
            }
            Guess::Last => {
                start[0] = column[0];
                steps(column).collect()
            }
            Guess::Line => {
                start = [column[0], column[1].wrapping_sub(column[0])];
                let later = steps(&column[1..]);
                later
                    .zip(steps(column))
                    .map(|(step, before)| step.wrapping_sub(before))
                    .collect()
            }
            Guess::Like(index) => {
                let late = known[index].len() - column.len();
                let pairs = column.iter().zip(&known[index][late..]);
                pairs
                    .map(|(number, known)| number.wrapping_sub(*known))
                    .collect()
            }
        };
        let is_signed = guess != Guess::Least;
        let magnitude = |rest: u64| {
            if is_signed {
                rest.cast_signed().unsigned_abs()
            } else {
                rest
            }
        };
        let mut unit = 0;
        for rest in &rest {
            unit = common(unit, magnitude(*rest));
            if unit == 1 {
                break;
            }
        }
        for rest in &mut rest {
            let units = if unit > 1 {
                magnitude(*rest) / unit
            } else {
                magnitude(*rest)
            };
            *rest = if !is_signed {
                units
            } else if rest.cast_signed() < 0 {
                unsigned(units.wrapping_neg())
            } else {
                unsigned(units)
            };
        }
        let mut head = Writer::default();
        let plan = Self {
            form,
            guess,
            unit,
            start,
            size: blocks::size(&rest),
            rest,
        };
        plan.head(&mut head);
        Some(Self {
            size: plan.size + head.bytes.len(),
            ..plan
        })
    }

    fn head(&self, out: &mut Writer) {
        out.whole(self.guess.code());
        out.whole(self.unit);
        for start in &self.start[..self.guess.starts()] {
            out.whole(unsigned(*start));
        }
    }

    fn write(&self, out: &mut Writer) {
        self.head(out);
        blocks::write(out, &self.rest);
    }
}

/// The differences between successive numbers.
fn steps(column: &[u64]) -> impl Iterator<Item = u64> {
    column.windows(2).map(|two| two[1].wrapping_sub(two[0]))
}

/// The greatest common divisor.
fn common(mut one: u64, mut other: u64) -> u64 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

/// Maps a signed number to an unsigned one that is small if the number is near 0: 0, -1, 1, -2
/// become 0, 1, 2, 3.
fn unsigned(signed: u64) -> u64 {
    let number = signed.cast_signed();
    (number << 1 ^ number >> 63).cast_unsigned()
}

/// The inverse of [`unsigned`].
fn signed(unsigned: u64) -> u64 {
    unsigned >> 1 ^ (unsigned & 1).wrapping_neg()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Columns of numbers that are similar to each other, regular, or neither.
    fn columns() -> impl Strategy<Value = Vec<Vec<u64>>> {
        let number = prop_oneof![
            any::<u64>(),
            (-1_000_000..1_000_000_i64).prop_map(|n| (n as f64 / 1e3).to_bits()),
            (0..1000_u64).prop_map(|n| (n as f64 / 1024.0).to_bits()),
            Just((-0.0_f64).to_bits()),
            Just(f64::NAN.to_bits()),
            (0..5_u64),
        ];
        let free = prop::collection::vec(number, 0..70);
        let regular = (any::<u32>(), any::<u32>(), 0..70_u64).prop_map(|(first, step, count)| {
            let time = |i| (u64::from(first) + i * u64::from(step)) as f64 / 1e9;
            (0..count).map(|i| time(i).to_bits()).collect()
        });
        let steady = (any::<u64>(), 0..70_usize).prop_map(|(one, count)| vec![one; count]);
        let late = |columns: Vec<Vec<u64>>| {
            let late = columns
                .iter()
                .map(|column| column[column.len() / 3..].to_vec());
            columns.iter().cloned().chain(late).collect()
        };
        prop::collection::vec(prop_oneof![free, regular, steady], 0..4).prop_map(late)
    }

    fn written(columns: &[Vec<u64>]) -> Vec<u8> {
        let mut out = Writer::default();
        let (mut numbers, mut wholes) = (Columns::default(), Columns::default());
        for column in columns {
            numbers.write_numbers(&mut out, column.iter().map(|bits| f64::from_bits(*bits)));
            wholes.write_wholes(&mut out, column.clone());
        }
        out.bytes
    }

    fn read(from: &mut Reader<'_>, counts: impl Iterator<Item = usize>) -> Option<Vec<Vec<u64>>> {
        let (mut numbers, mut wholes) = (Columns::default(), Columns::default());
        let mut all = Vec::new();
        for count in counts {
            let floats = numbers.read_numbers(from, count)?;
            let bits: Vec<u64> = floats.map(f64::to_bits).collect();
            if wholes.read_wholes(from, count)? != bits {
                return None;
            }
            all.push(bits);
        }
        from.is_at_end().then_some(all)
    }

    proptest! {
        #[test]
        fn columns_are_restored(columns in columns()) {
            let bytes = written(&columns);
            let counts = columns.iter().map(Vec::len);
            prop_assert_eq!(read(&mut Reader::new(&bytes), counts), Some(columns.clone()));
            for end in 0..bytes.len() {
                let counts = columns.iter().map(Vec::len);
                prop_assert_eq!(read(&mut Reader::new(&bytes[..end]), counts), None);
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(
            bytes in prop::collection::vec(prop_oneof![0..5_u8, any::<u8>()], 0..100),
            counts in prop::collection::vec(0..40_usize, 0..4),
        ) {
            let _ = read(&mut Reader::new(&bytes), counts.into_iter());
        }
    }

    fn size(numbers: impl Iterator<Item = f64>) -> usize {
        let mut out = Writer::default();
        Columns::default().write_numbers(&mut out, numbers);
        out.bytes.len()
    }

    #[test]
    fn regular_columns_take_almost_no_space() {
        // One byte for each 32 of them, and a short header.
        let times = (1..=3200).map(|i| f64::from(i) * 0.25);
        assert!(size(times) < 110);
        // Rates of so many packets of 1000 bytes per second: 7 bits each instead of 20.
        let rates = (0..3200).map(|i| f64::from(i * 37 % 128) * 8000.0);
        assert!(size(rates) < 3200 * 7 / 8 + 110);
    }

    #[test]
    fn a_column_similar_to_another_takes_almost_no_space() {
        let noise = |i: u32| f64::from(i).sin() * 1e6;
        let mut columns = Columns::default();
        let mut out = Writer::default();
        columns.write_numbers(&mut out, (0..3200).map(noise));
        let first = out.bytes.len();
        assert!(first > 3200 * 6);
        // It begins later, and occasionally it differs.
        let other = |i: u32| if i.is_multiple_of(320) { 1.0 } else { noise(i) };
        columns.write_numbers(&mut out, (100..3200).map(other));
        assert!(out.bytes.len() - first < 110 + 10 * 16);
    }

    #[test]
    fn a_prediction_from_a_missing_column_is_refused() {
        // A prediction from the third earlier column, which does not exist; and far too many
        // numbers.
        for (bytes, count) in [(&[0, 6, 1, 0][..], 1), (&[0, 0, 1, 0, 0][..], 1 << 40)] {
            let found = Columns::default()
                .read_numbers(&mut Reader::new(bytes), count)
                .is_some();
            assert!(!found);
        }
    }
}
