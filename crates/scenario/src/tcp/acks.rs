//! When ACKs are sent: delayed ACKs, ACK congestion control, and senders adapted to few ACKs.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use dumbbell_tcp::ack_control::AckControl;
use serde_json::json;

use super::Tcp;
use super::key::{Ends, TcpKey};
use crate::document::Node;
use crate::form::{Form, range, value};
use crate::key::record::{Record, record};
use crate::key::{Flag, Key, Shape, Span, Whole};
use crate::quantity::Measure;
use crate::text::{table, time};

/// The permitted delays of an ACK: at most 500 ms (RFC 5681, section 4.2).
const WAIT: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_millis(500);
/// The delay of an ACK if `delayed_ack` is true.
const USUAL_WAIT: Duration = Duration::from_millis(100);

/// The key `delayed_ack`.
pub(super) struct Delayed;

impl TcpKey for Delayed {
    type Shape = AnyDelay;

    fn key() -> Key<AnyDelay> {
        AnyDelay.usually(None, |form| {
            form.means(format!(
                "how long the receiver waits for a second segment; `true` is `\"{}\"`, `false` an ACK for every segment",
                Measure::Time.show(USUAL_WAIT.as_nanos())
            ))
            .ranging(range::of_times(&WAIT))
            .such_as([json!("200 ms")])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.receiver.delayed_ack = tcp.delayed_ack;
    }
}

/// The key `sack_compression`.
pub(super) struct Compressed;

impl TcpKey for Compressed {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the receiver gathers the SACKs of segments above a hole, after the first three, for a twentieth of the round-trip time, at most 1 ms (Linux); only with `sack` recovery")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.receiver.sack_compression = tcp.sack_compression;
    }
}

/// The key `autotuning`.
pub(super) struct Autotuned;

impl TcpKey for Autotuned {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the receiver's buffer grows with what arrives in a round trip, and ACKs are not delayed meanwhile, as in slow start (Linux); the window itself is `receiver_window`; only with `delayed_ack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.receiver.autotuning = tcp.autotuning;
    }
}

/// The key `adaptive_delay`.
pub(super) struct Adaptive;

impl TcpKey for Adaptive {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the delay of ACKs follows the time between segments (Linux): it is `delayed_ack` at least, a round-trip time at most, if that is longer, and 200 ms at most; only with `delayed_ack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.receiver.adaptive_delay = tcp.adaptive_delay;
    }
}

/// The key `push`.
pub(super) struct Push;

impl TcpKey for Push {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the last segment of all that there is to send at the moment is acknowledged at once, as the end of a write is in Linux (PSH); only with `delayed_ack`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.push = tcp.push;
    }
}

/// The key `push_pieces`.
pub(super) struct PushPieces;

impl TcpKey for PushPieces {
    type Shape = Flag;

    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the last segment of each burst of two or more is acknowledged at once, as in Linux (PSH at the end of each piece of segmentation offload); only with `delayed_ack` and `tso`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.push_pieces = tcp.push_pieces;
    }
}

/// The key `quick_acks`.
pub(super) struct Quick;

impl TcpKey for Quick {
    type Shape = Whole;

    fn key() -> Key<Whole> {
        Whole(0..=1000).usually(0, |form| {
            form.means("ACKs that are not delayed at first, and again after a segment that had already arrived; 16 in Linux; only with `delayed_ack`")
                .such_as([json!(16)])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.receiver.quick_acks = tcp.quick_acks;
    }
}

/// A Boolean, or a time.
pub(super) struct AnyDelay;

impl Shape for AnyDelay {
    type Value = Option<Duration>;

    fn read(&self, node: &Node<'_>) -> Option<Option<Duration>> {
        match node.as_flag() {
            Some(on) => Some(on.then_some(USUAL_WAIT)),
            None => node.time(WAIT).map(Some),
        }
    }

    fn write(&self, delay: &Option<Duration>) -> String {
        delay.map_or("false".to_owned(), time)
    }

    fn form(&self) -> Form {
        value::flag().or(value::time(WAIT))
    }
}

/// The key `ack_control`.
pub(super) struct Controlled;

impl TcpKey for Controlled {
    type Shape = AnyControl;

    fn key() -> Key<AnyControl> {
        AnyControl.usually(None, |form| {
            form.means("ACK congestion control (Balakrishnan and others 1997): routers may mark ACKs, and the receiver then sends fewer; not together with `delayed_ack`")
                .ranging("`true`, `false` or a table")
                .such_as([json!(true), json!({ "max": 8 })])
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.ack_control = tcp.ack_control.is_some();
        ends.receiver.ack_control = tcp.ack_control;
    }
}

record! {
    /// The keys of the table.
    #[derive(Clone, Copy)]
    pub struct Choices {
        /// See [`AckControl::max`].
        max: u32 = Whole(1..=10_000).usually(USUAL.max, |form| form
            .means("the largest number of segments that may wait for an ACK")),
        /// See [`AckControl::timer`].
        timer: Duration = Span(WAIT).usually(USUAL.timer, |form| form
            .means("how long a segment may wait for its ACK")),
    }
}

/// The parameters of ACK congestion control if `ack_control` is true.
const USUAL: AckControl = AckControl {
    max: 16,
    timer: USUAL_WAIT,
};

/// A Boolean, or a table of parameters.
pub(super) struct AnyControl;

impl Shape for AnyControl {
    type Value = Option<AckControl>;

    fn read(&self, node: &Node<'_>) -> Option<Option<AckControl>> {
        let example = "true, or { max = 16, timer = \"100 ms\" }";
        if node.is_table() {
            let Choices { max, timer } =
                Choices::read(&node.table(Choices::KEYS, &[], example)?)?;
            return Some(Some(AckControl { max, timer }));
        }
        match node.as_flag() {
            Some(on) => Some(on.then_some(USUAL)),
            None => {
                node.mistyped("true, false or a table", example);
                None
            }
        }
    }

    fn write(&self, control: &Option<AckControl>) -> String {
        control.map_or("false".to_owned(), |AckControl { max, timer }| {
            table(&Choices { max, timer }.write())
        })
    }

    fn form(&self) -> Form {
        value::table(&Choices::forms()).or(value::flag())
    }
}

/// The key `adaptation`.
pub(super) struct Adaptation;

impl TcpKey for Adaptation {
    type Shape = Flag;

    /// The default is true if ACK congestion control is on.
    fn key() -> Key<Flag> {
        Flag.usually(false, |form| {
            form.means("whether the sender counts the segments that an ACK covers, sends at most 4 segments at once and paces the rest; `true` with `ack_control`")
        })
    }

    fn hand_over(tcp: &Tcp, ends: &mut Ends) {
        ends.sender.adaptation = tcp.adaptation;
    }
}
