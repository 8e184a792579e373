//! The tables of a sweep as the page has them: columns as arrays of bytes, in base64.
//!
//! Every number keeps all its digits, so that the page's means are those of the other outputs.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dumbbell_run::statistics::Estimate;
use serde::Serialize;

use crate::sweep::{Path, Sweep};
use crate::table::{Cell, Column, Table, Type, Values};

/// For so many degrees of freedom the page has Student's t; beyond, a series is exact enough.
const STUDENT: usize = 200;
/// Columns of numbers that are no measures.
const COUNTS: [&str; 2] = ["seed", "flows"];

/// Everything that the page's program reads.
#[derive(Serialize)]
pub(super) struct Data<'s> {
    name: &'s str,
    points: usize,
    paths: Vec<Swept<'s>>,
    groups: Rows<'s>,
    runs: Rows<'s>,
    /// The quantiles of Student's t with 2.5 % beyond them, from one degree of freedom.
    student: Vec<f64>,
}

/// A swept path.
#[derive(Serialize)]
struct Swept<'s> {
    name: &'s str,
    unit: Option<&'s str>,
    texts: Vec<&'s str>,
    /// The values as numbers, if all of them are.
    numbers: Option<Vec<f64>>,
    /// For each point, the index of its value.
    at: Packed,
}

/// A table without its swept columns, which follow from the points.
#[derive(Serialize)]
struct Rows<'s> {
    name: &'s str,
    rows: usize,
    /// For each row, the index of its point.
    point: Packed,
    columns: Vec<Packaged<'s>>,
}

#[derive(Serialize)]
struct Packaged<'s> {
    name: &'s str,
    unit: Option<&'s str>,
    about: &'s str,
    /// `number`, `whole`, `text` or `flag`.
    kind: &'static str,
    /// Whether it can be drawn.
    measure: bool,
    /// The texts that the values are indices of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    words: Vec<&'s str>,
    #[serde(flatten)]
    values: Packed,
}

/// Numbers: little-endian bytes in base64. A missing value is NaN, or the largest whole number.
#[derive(Serialize, Clone, PartialEq, Debug)]
#[serde(untagged)]
pub(super) enum Packed {
    Bytes {
        bits: &'static str,
        data: String,
    },
    /// The values of a column before it are the same.
    Same {
        same: String,
    },
}

impl<'s> Data<'s> {
    pub(super) fn of(sweep: &'s Sweep, groups: &'s Table, runs: &'s Table) -> Self {
        let points = Points::of(sweep);
        let path = |(place, path): (usize, &'s Path)| {
            let at = sweep.points.iter().map(|it| Some(it.values[place] as u64));
            let number = |it: &crate::sweep::Setting| it.number.filter(|it| it.is_finite());
            Swept {
                name: &path.name,
                unit: path.unit,
                texts: path.values.iter().map(|it| it.text.as_str()).collect(),
                numbers: match path.sort {
                    Type::Number | Type::Whole => path.values.iter().map(number).collect(),
                    Type::Text | Type::Flag => None,
                },
                at: whole(&at.collect::<Vec<_>>()),
            }
        };
        Self {
            name: &sweep.name,
            points: sweep.points.len(),
            paths: sweep.paths.iter().enumerate().map(path).collect(),
            groups: Rows::of(groups, &points, sweep),
            runs: Rows::of(runs, &points, sweep),
            student: (1..=STUDENT).map(student).collect(),
        }
    }
}

/// Student's t, from an interval whose standard error is known: that of 1, -1 and zeros.
fn student(degrees: usize) -> f64 {
    let mut values = vec![0.0; degrees + 1];
    (values[0], values[1]) = (1.0, -1.0);
    let error = (2.0 / (degrees as f64 * (degrees as f64 + 1.0))).sqrt();
    let half = Estimate::of(&values).and_then(|it| it.half_width);
    half.expect("two values or more") / error
}

/// The points by their swept values, as a table has them.
struct Points(BTreeMap<String, u64>);

impl Points {
    fn of(sweep: &Sweep) -> Self {
        let points = sweep.points.iter().enumerate();
        Self(
            points
                .map(|(at, point)| (key(sweep.cells(point)), at as u64))
                .collect(),
        )
    }
}

fn key<'c>(cells: impl IntoIterator<Item = Option<Cell<'c>>>) -> String {
    let cells: Vec<Option<Cell<'_>>> = cells.into_iter().collect();
    format!("{cells:?}")
}

impl<'s> Rows<'s> {
    fn of(table: &'s Table, points: &Points, sweep: &Sweep) -> Self {
        let is_swept = |column: &&Column| sweep.paths.iter().any(|path| path.name == column.name);
        let swept: Vec<Option<&Column>> = sweep
            .paths
            .iter()
            .map(|path| table.column(&path.name))
            .collect();
        let point = |row: usize| {
            let cells = swept.iter();
            let cells = cells.map(|column| column.and_then(|it| it.values.at(row)));
            points.0.get(&key(cells)).copied()
        };
        let rows = table.rows();
        let mut columns: Vec<Packaged<'s>> = Vec::new();
        let own = table.columns.iter().filter(|it| !is_swept(it));
        for column in own.filter(|it| has_values(&it.values)) {
            let mut packaged = Packaged::of(column);
            let same = columns.iter().find(|other| {
                (other.kind, &other.words) == (packaged.kind, &packaged.words)
                    && other.values == packaged.values
            });
            if let Some(other) = same {
                packaged.values = Packed::Same {
                    same: other.name.to_owned(),
                };
            }
            columns.push(packaged);
        }
        Self {
            name: &table.name,
            rows,
            point: whole(&(0..rows).map(point).collect::<Vec<_>>()),
            columns,
        }
    }
}

fn has_values(values: &Values) -> bool {
    match values {
        Values::Number(values) => values.iter().flatten().any(|it| it.is_finite()),
        Values::Whole(values) => values.iter().any(Option::is_some),
        Values::Text(values) => values.iter().any(Option::is_some),
        Values::Flag(values) => values.iter().any(Option::is_some),
    }
}

impl<'s> Packaged<'s> {
    fn of(column: &'s Column) -> Self {
        let mut words = Vec::new();
        let (kind, values) = match &column.values {
            Values::Number(values) => ("number", numbers(values.iter().copied())),
            Values::Whole(values) => ("whole", whole(values)),
            Values::Flag(values) => {
                let bits = values.iter().map(|it| it.map(u64::from));
                ("flag", whole(&bits.collect::<Vec<_>>()))
            }
            Values::Text(values) => {
                let mut places: BTreeMap<&str, u64> = BTreeMap::new();
                let mut place = |text: &'s str| {
                    *places.entry(text).or_insert_with(|| {
                        words.push(text);
                        words.len() as u64 - 1
                    })
                };
                let texts = values.iter().map(Option::as_deref);
                let at: Vec<Option<u64>> = texts.map(|text| text.map(&mut place)).collect();
                ("text", whole(&at))
            }
        };
        let numeric = matches!(kind, "number" | "whole");
        Self {
            name: &column.name,
            unit: column.unit.as_deref(),
            about: &column.about,
            kind,
            measure: numeric && !COUNTS.contains(&column.name.as_str()),
            words,
            values,
        }
    }
}

/// Numbers in 8 bytes each.
fn numbers(values: impl Iterator<Item = Option<f64>>) -> Packed {
    bytes("f64", values.map(|it| it.unwrap_or(f64::NAN).to_le_bytes()))
}

/// Whole numbers in as few bytes as hold all of them. The largest number stands for a missing value.
fn whole(values: &[Option<u64>]) -> Packed {
    let most = values.iter().flatten().max().copied().unwrap_or(0);
    let all = || values.iter().map(|it| it.unwrap_or(u64::MAX));
    if most < u64::from(u8::MAX) {
        bytes("u8", all().map(|it| [it as u8]))
    } else if most < u64::from(u16::MAX) {
        bytes("u16", all().map(|it| (it as u16).to_le_bytes()))
    } else if most < u64::from(u32::MAX) {
        bytes("u32", all().map(|it| (it as u32).to_le_bytes()))
    } else {
        bytes("u64", all().map(u64::to_le_bytes))
    }
}

fn bytes<const N: usize>(bits: &'static str, values: impl Iterator<Item = [u8; N]>) -> Packed {
    let all: Vec<u8> = values.flatten().collect();
    Packed::Bytes {
        bits,
        data: STANDARD.encode(all),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(bits: &'static str, data: &str) -> Packed {
        Packed::Bytes {
            bits,
            data: data.to_owned(),
        }
    }

    #[test]
    fn whole_numbers_take_as_few_bytes_as_they_need() {
        // 1, 2, none: 01 02 ff.
        assert_eq!(whole(&[Some(1), Some(2), None]), packed("u8", "AQL/"));
        // 255 would be the mark of a missing value in one byte: ff 00.
        assert_eq!(whole(&[Some(255)]), packed("u16", "/wA="));
        assert_eq!(whole(&[Some(65_535)]), packed("u32", "//8AAA=="));
        assert_eq!(whole(&[Some(1 << 32)]), packed("u64", "AAAAAAEAAAA="));
        assert_eq!(whole(&[]), packed("u8", ""));
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        // Two-sided 95 %, from any textbook.
        for (degrees, printed) in [
            (1, 12.706),
            (2, 4.303),
            (9, 2.262),
            (30, 2.042),
            (120, 1.980),
        ] {
            let found = student(degrees);
            assert!((found - printed).abs() < 6e-4, "{degrees}: {found}");
        }
    }
}
