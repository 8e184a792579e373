//! Sizes of segments and ACKs on the wire.

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use dumbbell_tcp::config::Stamping;
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, range, value};
use crate::key::{Amount, Key, Shape, Span};
use crate::limits::LARGEST_WIRE;
use crate::quantity::clip;
use crate::text::{quote, table, time};

/// The key `payload`. The check of the packet size adds header and timestamps.
pub(super) struct Payload;

impl TcpKey for Payload {
    type Shape = Amount;

    fn key() -> Key<Amount> {
        Amount(1..=LARGEST_WIRE).usually(Bytes(1000), |form| {
            form.means("payload of a full segment; with header and timestamps at most 65,535 B")
        })
    }

    /// The sender paces by it. It also belongs to the wire, and to the control's [`path`](Tcp::path).
    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.mss = tcp.payload;
    }
}

/// The key `header`.
pub(super) struct Header;

impl TcpKey for Header {
    type Shape = Amount;

    fn key() -> Key<Amount> {
        Amount(0..=LARGEST_WIRE).usually(Bytes(40), |form| {
            form.means("header of a data segment, without the timestamps option")
        })
    }

    /// Does nothing: the header affects only the size on the wire.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `ack`. Its range leaves space for timestamps and an AQT option.
pub(super) struct Ack;

impl TcpKey for Ack {
    type Shape = Amount;

    fn key() -> Key<Amount> {
        Amount(1..=LARGEST_WIRE - 24).usually(Bytes(40), |form| {
            form.means("an ACK on the wire, without the timestamps option")
        })
    }

    /// Does nothing: the size of an ACK matters only on the wire.
    fn hand_over(_: &Tcp, _: &mut Ends) {}
}

/// The key `timestamps`.
pub(super) struct Timestamps;

impl TcpKey for Timestamps {
    type Shape = Stamps;

    fn key() -> Key<Stamps> {
        Stamps.usually(Stamping::Exact, |form| {
            form.means("`\"exact\"` timestamps that take no bytes, or `{ granularity = \"1 ms\" }` for the 12-byte option of RFC 7323 with a clock of this tick")
                .ranging(range::of_times(&GRANULARITY))
                .such_as([json!({ "granularity": "1 ms" })])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.stamping = tcp.timestamps;
        ends.receiver.stamping = tcp.timestamps;
    }
}

/// Exact timestamps, or those of a clock.
pub(super) struct Stamps;

const EXACT: &str = "exact";
const EXAMPLE: &str = "\"exact\", or { granularity = \"1 ms\" }";
const TICK: &str = "granularity";
/// The permitted ticks of the timestamp clock. A finer clock would overflow its 32 bits in a long
/// timeout.
const GRANULARITY: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(1);

fn tick() -> Key<Span> {
    Span(GRANULARITY).needed("granularity = \"1 ms\"", |form| {
        form.means("the tick of the clock").such_as([json!("1 ms")])
    })
}

impl Shape for Stamps {
    type Value = Stamping;

    fn read(&self, node: &Node<'_>) -> Option<Stamping> {
        if node.is_table() {
            let table = node.table(&[TICK], &[], EXAMPLE)?;
            let granularity = tick().read(&table, TICK)?;
            return Some(Stamping::Option { granularity });
        }
        match node.as_text() {
            Some(EXACT) => return Some(Stamping::Exact),
            Some(text) => node.wrong(
                format!("`timestamps` cannot be `{}`", clip(text)),
                format!("write timestamps = {EXAMPLE}"),
            ),
            None => node.mistyped("\"exact\" or a table", EXAMPLE),
        }
        None
    }

    fn write(&self, stamping: &Stamping) -> String {
        match stamping {
            Stamping::Exact => quote(EXACT),
            Stamping::Option { granularity } => table(&[(TICK, time(*granularity))]),
        }
    }

    fn form(&self) -> Form {
        value::table(&[(TICK, tick().form())]).or_word(EXACT)
    }
}
