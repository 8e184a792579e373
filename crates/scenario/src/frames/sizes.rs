//! How the sizes of frames vary: a law, or a record.

use dumbbell_media::source::{Recorded, RecordedFrame, Sizes};
use serde_json::json;

use crate::document::Node;
use crate::form::value::{array, number, whole};
use crate::form::{Form, value};
use crate::key::Shape;
use crate::text::{quote, real, table};
use crate::workload::lines;

/// The values of the key `sizes` of an encoder.
pub(super) struct SizesKey;

const CONSTANT: &str = "constant";
const LAPLACE: &str = "laplace";
const LOGNORMAL: &str = "lognormal";
const RECORDED: &str = "recorded";
const LAWS: [&str; 3] = [LAPLACE, LOGNORMAL, RECORDED];
const EXAMPLE: &str = "{ laplace = 0.1 }";
/// The sizes of recorded frames in bytes.
const SIZE: std::ops::RangeInclusive<u64> = 1..=16_000_000;
/// The most recorded frames.
const MOST: usize = 1_000_000;
const HELP: &str = "each line is the size of a frame in whole bytes, from 1 to 16000000, with `key` behind it if it is a key frame: 12000 key";

impl Shape for SizesKey {
    type Value = Sizes;

    fn read(&self, node: &Node<'_>) -> Option<Sizes> {
        if node.as_text().is_some() {
            return node.word(&[(CONSTANT, ())]).map(|()| Sizes::Constant);
        }
        let table = node.table(&LAWS, &[], EXAMPLE)?;
        match table.present(&LAWS)[..] {
            [LAPLACE] => spread(&table.find(LAPLACE)?, 1.0, "0.1").map(Sizes::Laplace),
            [LOGNORMAL] => spread(&table.find(LOGNORMAL)?, 3.0, "0.2").map(Sizes::Lognormal),
            [_] => record(&table.find(RECORDED)?).map(Sizes::Recorded),
            [] if table.misspells(&LAWS) => None,
            [] => {
                node.wrong(
                    "`sizes` names no law",
                    format!("write for example sizes = {EXAMPLE}, or sizes = \"{CONSTANT}\""),
                );
                None
            }
            [first, second, ..] => {
                node.wrong(
                    format!("`sizes` has two laws, `{first}` and `{second}`"),
                    "keep one",
                );
                None
            }
        }
    }

    fn write(&self, sizes: &Sizes) -> String {
        match sizes {
            Sizes::Constant => quote(CONSTANT),
            Sizes::Laplace(scale) => table(&[(LAPLACE, real(*scale))]),
            Sizes::Lognormal(sigma) => table(&[(LOGNORMAL, real(*sigma))]),
            Sizes::Recorded(record) => {
                let frames = record.frames().iter().map(|frame| match frame.key {
                    true => quote(&format!("{} key", frame.bytes)),
                    false => frame.bytes.to_string(),
                });
                let frames: Vec<String> = frames.collect();
                table(&[(RECORDED, format!("[{}]", frames.join(", ")))])
            }
        }
    }

    fn form(&self) -> Form {
        let spread =
            |most: u32, words: &'static str| number(words).rule("minimum", 0).rule("maximum", most);
        let laplace = spread(1, "0 to 1").means(
            "Laplace-distributed around the mean, with this scale as a fraction of it; at least a tenth of the mean (RFC 8593)",
        );
        let lognormal = spread(3, "0 to 3").means(
            "lognormally distributed, with this standard deviation of the natural logarithm",
        );
        let frame = whole(SIZE).or(Form::text(
            "[1-9][0-9]* key",
            "a size of a key frame, `\"12000 key\"`",
        ));
        let recorded = array(&frame, 1..=MOST)
            .or(Form::text("[^\\u0000]+", "the name of a file"))
            .means("recorded frames, repeated and scaled to the rate: an array of sizes in bytes, those of key frames as `\"12000 key\"`, or a file with one per line")
            .ranging("1 to 1,000,000 sizes, each 1 to 16,000,000, or the name of a file, relative to the scenario's folder")
            .such_as([json!(["12000 key", 2500, 2400])]);
        value::table(&[
            (LAPLACE, laplace),
            (LOGNORMAL, lognormal),
            (RECORDED, recorded),
        ])
        .rule("minProperties", 1)
        .rule("maxProperties", 1)
        .or_word(CONSTANT)
        .ranging(format!(
            "`\"{CONSTANT}\"`, or a table with one of: {}",
            LAWS.join(", ")
        ))
    }
}

fn spread(node: &Node<'_>, most: f64, example: &str) -> Option<f64> {
    node.real(0.0..=most, &format!("a number from 0 to {most}"), example)
}

fn record(node: &Node<'_>) -> Option<Recorded> {
    let frames = if node.is_array() {
        let elements = node.array("[\"12000 key\", 2500]")?;
        if elements.len() > MOST {
            node.wrong(
                "`recorded` has too many frames",
                format!("it has at most {MOST}"),
            );
            return None;
        }
        // All are read, so that the mistakes in each are recorded.
        let frames: Vec<Option<RecordedFrame>> = elements.iter().map(element).collect();
        frames.into_iter().collect::<Option<Vec<_>>>()?
    } else {
        lines::read(node, "\"frames.txt\"", MOST, HELP, frame)?
    };
    let record = Recorded::new(frames);
    if record.is_none() {
        node.wrong("`recorded` has no frame", "give at least one");
    }
    record
}

fn element(node: &Node<'_>) -> Option<RecordedFrame> {
    let Some(text) = node.as_text() else {
        let bytes = node.whole(SIZE)? as u32;
        return Some(RecordedFrame { bytes, key: false });
    };
    let found = frame(text).filter(|frame| frame.key);
    if found.is_none() {
        node.wrong(
            "a recorded frame cannot be read",
            "it is a size in bytes, 2500, or that of a key frame, \"12000 key\"",
        );
    }
    found
}

/// Reads a size, and whether `key` is behind it.
fn frame(line: &str) -> Option<RecordedFrame> {
    let mut words = line.split_ascii_whitespace();
    let size = words.next()?;
    let key = match words.next() {
        None => false,
        Some("key") if words.next().is_none() => true,
        Some(_) => return None,
    };
    let digits = size.bytes().all(|byte| byte.is_ascii_digit());
    let bytes = size.parse().ok().filter(|size| SIZE.contains(size))?;
    digits.then_some(RecordedFrame {
        bytes: bytes as u32,
        key,
    })
}
