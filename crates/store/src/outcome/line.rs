//! Lines of numbers, which become columns.

use crate::codec::{Columns, Reader, Writer};

/// The numbers of a flow, of a link, of a classifier or of a workload.
pub(super) struct Line<const WHOLES: usize, const NUMBERS: usize, const OPTIONS: usize> {
    pub(super) wholes: [u64; WHOLES],
    pub(super) numbers: [f64; NUMBERS],
    /// Numbers that may be missing.
    pub(super) options: [Option<f64>; OPTIONS],
}

/// Writes lines as columns. An additional column shows which optional numbers are present.
pub(super) fn write<const W: usize, const N: usize, const O: usize>(
    lines: &[Line<W, N, O>],
    out: &mut Writer,
) {
    let (mut wholes, mut numbers) = (Columns::default(), Columns::default());
    for place in 0..W {
        wholes.write_wholes(out, lines.iter().map(|line| line.wholes[place]).collect());
    }
    for place in 0..N {
        numbers.write_numbers(out, lines.iter().map(|line| line.numbers[place]));
    }
    if O > 0 {
        let there = |line: &Line<W, N, O>| {
            let bit = |place: usize| u64::from(line.options[place].is_some()) << place;
            (0..O).map(bit).sum()
        };
        wholes.write_wholes(out, lines.iter().map(there).collect());
    }
    for place in 0..O {
        numbers.write_numbers(out, lines.iter().filter_map(|line| line.options[place]));
    }
}

/// Reads `count` lines.
pub(super) fn read<const W: usize, const N: usize, const O: usize>(
    from: &mut Reader<'_>,
    count: usize,
) -> Option<Vec<Line<W, N, O>>> {
    let (mut wholes, mut numbers) = (Columns::default(), Columns::default());
    let line = || Line {
        wholes: [0; W],
        numbers: [0.0; N],
        options: [None; O],
    };
    let mut lines: Vec<Line<W, N, O>> = std::iter::repeat_with(line).take(count).collect();
    for place in 0..W {
        for (line, whole) in lines.iter_mut().zip(wholes.read_wholes(from, count)?) {
            line.wholes[place] = *whole;
        }
    }
    for place in 0..N {
        for (line, number) in lines.iter_mut().zip(numbers.read_numbers(from, count)?) {
            line.numbers[place] = number;
        }
    }
    if O == 0 {
        return Some(lines);
    }
    let there = wholes.read_wholes(from, count)?;
    if there.iter().any(|there| there >> O != 0) {
        return None;
    }
    for place in 0..O {
        let has = |there: &u64| there >> place & 1 != 0;
        let count = there.iter().filter(|there| has(there)).count();
        let mut column = numbers.read_numbers(from, count)?;
        for (line, there) in lines.iter_mut().zip(there) {
            if has(there) {
                line.options[place] = column.next();
            }
        }
    }
    Some(lines)
}

/// Reads whether something is there.
pub(super) fn flag(words: &mut Reader<'_>) -> Option<bool> {
    match words.whole()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}
