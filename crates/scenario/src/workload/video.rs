//! Video by chunks: a client that fills its buffer with chunks, and plays it.

use dumbbell_control::units::{Bytes, Duration};
use serde_json::json;

use super::report::{SizeClasses, classes, listed};
use crate::document::{Node, Table};
use crate::form::value::array;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Shape, Span};
use crate::limits::LONGEST_RUN;
use crate::quantity::BitRate;
use crate::text::{self, quote};

record! {
    /// A client at the receiving end, which requests a video in chunks and plays it.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Video {
        /// The rates in which the video can be had, ascending.
        rates: Ladder = LadderKey.needed("rates = \"3 Mb/s\"", |form| form
            .means("the rate of the video, or those between which the client chooses")
            .such_as([json!("3 Mb/s"), json!(["1 Mb/s", "3 Mb/s", "6 Mb/s"])])),
        /// How long a chunk plays.
        chunk: Duration = Span(Duration::from_millis(1)..=LONGEST_RUN)
            .usually(Duration::from_secs(4), |form| form.means("how long a chunk plays")),
        /// The client requests the next chunk when no more than this, with that chunk, is in its buffer.
        buffer: Duration = Span(Duration::from_millis(1)..=LONGEST_RUN)
            .usually(Duration::from_secs(24), |form| form
                .means("how much playing time fits into the client's buffer, at least one chunk")),
        /// Playing begins, and goes on after the buffer has run empty, with this in the buffer.
        startup: Duration = Span(Duration::from_nanos(1)..=LONGEST_RUN)
            .usually(Duration::from_secs(4), |form| form
                .means("how much is in the buffer when playing begins, and when it goes on after a stop; at most `buffer`")),
        /// How responses are summarised.
        classes: SizeClasses = classes(),
        /// Whether each chunk is listed.
        list: bool = listed(),
    }
    check(chunk, buffer, startup) = fitting;
}

/// The rates of a video, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ladder(Vec<BitRate>);

/// The key in files.
pub(super) const KEY: &str = "video";
pub(super) const ENTRY: (&str, &str) = (
    "video = { .. }",
    "a client that plays a video, which it requests in chunks",
);
const EXAMPLE: &str = "{ rates = \"3 Mb/s\", chunk = \"4 s\" }";
/// The largest number of rates.
const MOST: usize = 32;

impl Video {
    /// Payload of a request for a chunk.
    pub const REQUEST: Bytes = Bytes(300);
}

impl Ladder {
    /// Makes a ladder of ascending rates, 1 to 32 of them.
    pub fn new(rates: Vec<BitRate>) -> Option<Self> {
        let ascending = rates.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let valid = ascending && (1..=MOST).contains(&rates.len());
        valid.then_some(Self(rates))
    }

    /// Returns the rates, ascending.
    pub fn rates(&self) -> &[BitRate] {
        &self.0
    }
}

fn fitting(table: &Table<'_>, chunk: Duration, buffer: Duration, startup: Duration) -> Option<()> {
    let refuse = |key, message: &str, help: &str| match table.find(key) {
        Some(node) => node.wrong(message, help),
        None => table.wrong(message, help),
    };
    if buffer < chunk {
        refuse(
            "buffer",
            "`buffer` is shorter than one chunk",
            "write a longer `buffer` or a shorter `chunk`",
        );
        return None;
    }
    // The client requests nothing while less than a chunk is free.
    let fits = buffer.as_nanos() / chunk.as_nanos() * chunk.as_nanos();
    if startup.as_nanos() > fits {
        refuse(
            "startup",
            "playing never begins: `startup` is more than the whole chunks that fit into the buffer",
            "write a longer `buffer`, or a shorter `startup`",
        );
        return None;
    }
    Some(())
}

/// Reads the value of the key.
pub(super) fn read(node: &Node<'_>) -> Option<Video> {
    Record::read(&node.table(Video::KEYS, &[], EXAMPLE)?)
}

/// Returns the value of the key as TOML.
pub(super) fn write(video: &Video) -> String {
    text::table(&Record::write(video))
}

/// Returns the value of the key as a schema.
pub(super) fn form() -> Form {
    value::table(&Video::forms())
        .means("a client at the receiving end that plays a video, which it requests from the sending end in chunks over one connection; `count` is the number of clients")
        .otherwise("none")
}

/// One rate, or an array of ascending rates.
struct LadderKey;

impl Shape for LadderKey {
    type Value = Ladder;

    fn read(&self, node: &Node<'_>) -> Option<Ladder> {
        if !node.is_array() {
            return node.rate().map(|rate| Ladder(vec![rate]));
        }
        let elements = node.array("[\"1 Mb/s\", \"3 Mb/s\"]")?;
        let rates: Vec<Option<BitRate>> = elements.iter().map(Node::rate).collect();
        let ladder = Ladder::new(rates.into_iter().collect::<Option<_>>()?);
        if ladder.is_none() {
            node.wrong(
                "`rates` are no ascending rates",
                format!("write 1 to {MOST} rates, each larger than the one before it"),
            );
        }
        ladder
    }

    fn write(&self, ladder: &Ladder) -> String {
        let rates: Vec<String> = ladder
            .0
            .iter()
            .map(|rate| quote(&rate.to_string()))
            .collect();
        match &rates[..] {
            [only] => only.clone(),
            several => format!("[{}]", several.join(", ")),
        }
    }

    fn form(&self) -> Form {
        array(&value::rate(), 1..=MOST)
            .or(value::rate())
            .ranging(format!("a rate, or 1 to {MOST} ascending rates"))
    }
}
