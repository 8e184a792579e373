//! Requests and responses: a client that asks a server, waits for the response, thinks, and asks again.

use dumbbell_control::units::{Bytes, Duration};
use serde_json::json;

use super::report::{SizeClasses, classes, listed};
use super::size::{SizeKey, SizeLaw};
use crate::document::Node;
use crate::form::{Form, value};
use crate::key::record::{Record, record};
use crate::key::{Amount, Flag, Shape};
use crate::limits::LONGEST_RUN;
use crate::text;

record! {
    /// A client at the receiving end, which requests responses from the sending end.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Requests {
        /// The law of the sizes of responses.
        size: SizeLaw = SizeKey.needed("size = { exponential = \"20 kB\" }", |form| form
            .means("the sizes of the responses, in bytes of payload")),
        /// Payload of a request, at most that of one segment.
        request: Bytes = Amount(1..=65_000).usually(Bytes(300), |form| form
            .means("the payload of a request, at most `payload`")),
        /// The time from the end of a response to the next request.
        think: Think = ThinkKey.usually(Think::Exponential(Duration::from_secs(1)), |form| form
            .means("the time from the end of a response to the next request")
            .such_as([json!("500 ms"), json!({ "exponential": "1 s" })])),
        /// Whether all requests use the same connection; otherwise each opens its own.
        keep: bool = Flag.usually(true, |form| form
            .means("whether all requests use one connection; otherwise each opens its own")),
        /// How responses are summarised.
        classes: SizeClasses = classes(),
        /// Whether each response is listed.
        list: bool = listed(),
    }
}

/// How long a client thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Think {
    /// Always as long.
    Constant(Duration),
    /// Exponentially distributed, with this mean.
    Exponential(Duration),
}

/// The key in files.
pub(super) const KEY: &str = "requests";
pub(super) const ENTRY: (&str, &str) = (
    "requests = { .. }",
    "a client that requests responses, and thinks between them",
);
const EXAMPLE: &str = "{ size = \"20 kB\", think = \"1 s\" }";
const EXPONENTIAL: &str = "exponential";

/// Reads the value of the key.
pub(super) fn read(node: &Node<'_>) -> Option<Requests> {
    Record::read(&node.table(Requests::KEYS, &[], EXAMPLE)?)
}

/// Returns the value of the key as TOML.
pub(super) fn write(requests: &Requests) -> String {
    text::table(&Record::write(requests))
}

/// Returns the value of the key as a schema.
pub(super) fn form() -> Form {
    value::table(&Requests::forms())
        .means("a client at the receiving end that requests responses from the sending end, one after the other, and thinks between them; `count` is the number of clients")
        .otherwise("none")
}

/// The values of the key `think`.
struct ThinkKey;

impl Shape for ThinkKey {
    type Value = Think;

    fn read(&self, node: &Node<'_>) -> Option<Think> {
        let range = Duration::ZERO..=LONGEST_RUN;
        if !node.is_table() {
            return node.time(range).map(Think::Constant);
        }
        let table = node.table(&[EXPONENTIAL], &[], "{ exponential = \"1 s\" }")?;
        let mean = table.need(EXPONENTIAL, "exponential = \"1 s\"")?;
        mean.time(range).map(Think::Exponential)
    }

    fn write(&self, think: &Think) -> String {
        match think {
            Think::Constant(time) => text::time(*time),
            Think::Exponential(mean) => text::table(&[(EXPONENTIAL, text::time(*mean))]),
        }
    }

    fn form(&self) -> Form {
        let time = value::time(Duration::ZERO..=LONGEST_RUN);
        let mean = time
            .clone()
            .means("the mean")
            .needed()
            .such_as([json!("1 s")]);
        value::table(&[(EXPONENTIAL, mean)]).or(time).ranging(
            "a time up to 30 days, or a table with the mean of an exponential law, `exponential`",
        )
    }
}
