//! `stack = "quic"`: the keys that apply to a QUIC connection, their defaults, and its two ends.
//!
//! | key | default with `quic` |
//! |---|---|
//! | `payload`, `header`, `ack` | 1419 B, 61 B, 64 B: datagrams of 1452 B, less IPv4, UDP, a short header with 8 bytes of connection ID, the frame and the authentication tag |
//! | `initial_window` | 10 (RFC 9002, section 7.2) |
//! | `delayed_ack` | 25 ms: `max_ack_delay` (RFC 9000, section 18.2); an ACK of every second packet, and of each out of order |
//! | `handshake` | true: an exchange before the data, which gives the first round-trip time |
//! | `pacing` | true: 5/4 of a window in a round trip, in bursts of at most 10 (RFC 9002, section 7.7) |
//! | `below_window` | false; true in quinn |
//! | `losses_last` | false; true in quinn and noq |
//! | `ecn` | false; any other value: the receiver counts marks (RFC 9000, section 13.4) |
//! | `counting`, `abc_limit` of the control | `abc`, 255: a window grows by what an ACK covers |
//!
//! Losses are found, and repaired in packets with new numbers, by RFC 9002: there is no `recovery` to choose.

use dumbbell_control::units::{Bytes, Duration, Segments};
use dumbbell_quic::connection::{ReceiverConfig, SenderConfig};
use dumbbell_tcp::config::{EcnMode, InitialWindow};

use super::{Stack, Tcp, TcpPatch};
use crate::control::{self, Choice};
use crate::document::Table;
use crate::recovery;

/// The keys of a TCP flow that mean something with `stack = "quic"`.
const KEYS: [&str; 13] = [
    control::KEY,
    "stack",
    "payload",
    "header",
    "ack",
    "size",
    "initial_window",
    "handshake",
    "delayed_ack",
    "ssthresh",
    "pacing",
    "below_window",
    "losses_last",
];
/// Those that only QUIC has.
const OWN: [&str; 2] = ["below_window", "losses_last"];

/// See the table above.
const PAYLOAD: Bytes = Bytes(1419);
const HEADER: Bytes = Bytes(61);
const ACK: Bytes = Bytes(64);
const MAX_ACK_DELAY: Duration = Duration::from_millis(25);

/// The two ends of a QUIC connection.
#[derive(Clone, Copy, Debug)]
pub struct QuicEnds {
    /// The sending end.
    pub sender: SenderConfig,
    /// The receiving end.
    pub receiver: ReceiverConfig,
}

impl Stack {
    /// Whether a key of a TCP flow applies to a connection of this stack.
    pub(super) fn has(self, key: &str) -> bool {
        match self {
            Self::Quic => key == "ecn" || KEYS.contains(&key),
            Self::Plain | Self::Linux => !OWN.contains(&key),
        }
    }
}

impl Tcp {
    /// Whether the connection is QUIC.
    pub fn is_quic(&self) -> bool {
        self.stack == Stack::Quic
    }

    /// The configuration of the two ends of a QUIC connection. A flow that waits for data that others give it has
    /// nothing to send at first.
    pub fn quic_ends(&self, waits: bool) -> QuicEnds {
        let needs = self.control.needs();
        QuicEnds {
            sender: SenderConfig {
                payload: self.payload,
                packets: if waits { Some(0) } else { self.segments() },
                open: waits,
                handshake: self.handshake,
                max_ack_delay: self.delayed_ack.unwrap_or(Duration::ZERO),
                pacing: self.pacing,
                below_window: self.below_window,
                losses_last: self.losses_last,
                ect: self.ecn.is_on(),
                l4s: self.ecn == EcnMode::L4s,
                deliveries: needs.delivery,
                ..SenderConfig::default()
            },
            receiver: ReceiverConfig {
                max_ack_delay: self.delayed_ack,
            },
        }
    }
}

impl TcpPatch {
    /// Rejects keys of TCP in the table of a QUIC flow, and forgets those that `[tcp]` sets for others.
    pub(super) fn keep_quic(&mut self, table: &Table<'_>) {
        for key in table.present(super::KEYS) {
            if Stack::Quic.has(key) {
                continue;
            }
            if let Some(node) = table.find(key) {
                let message = match key {
                    recovery::KEY => {
                        "a QUIC flow has no `recovery` to choose: RFC 9002 has one".to_owned()
                    }
                    _ => format!("`{key}` is a choice of TCP, and this flow has stack = \"quic\""),
                };
                node.wrong(message, format!("leave `{key}` out"));
            }
        }
        self.keep(|key| Stack::Quic.has(key));
        self.recovery = None;
    }

    /// Sets the keys and parameters that are not set to those of QUIC.
    pub(super) fn fill_as_quic(&mut self, choice: &mut Choice) {
        self.payload.get_or_insert(PAYLOAD);
        self.header.get_or_insert(HEADER);
        self.ack.get_or_insert(ACK);
        self.initial_window
            .get_or_insert(InitialWindow::Segments(10));
        self.delayed_ack.get_or_insert(Some(MAX_ACK_DELAY));
        self.handshake.get_or_insert(true);
        self.pacing.get_or_insert(true);
        choice.fill_as_quic();
    }
}

/// Rejects what only QUIC has in the table of a TCP flow.
pub(super) fn check_absent(tcp: &Tcp, table: &Table<'_>) {
    let set = [tcp.below_window, tcp.losses_last];
    for (key, _) in OWN.into_iter().zip(set).filter(|(_, set)| *set) {
        let node = table.find(key);
        table.wrong_at(
            node.map_or(table.span(), |n| n.span()),
            format!("`{key}` is a choice of QUIC, and this flow is TCP"),
            format!("write stack = \"quic\" as well, or leave `{key}` out"),
        );
    }
}

/// Rejects what QUIC does not have.
pub(super) fn check(tcp: &Tcp, table: &Table<'_>) {
    let name = tcp.control.name();
    let wrong = |keys: &[&'static str], message: String, help: &str| {
        let node = table.present(keys).first().and_then(|key| table.find(key));
        table.wrong_at(node.map_or(table.span(), |n| n.span()), message, help);
    };
    if tcp.control.needs().queueing {
        wrong(
            &["control", "stack"],
            format!(
                "`{name}` needs reports of routers in an IP option, which QUIC packets do not carry"
            ),
            "leave `stack` out, or choose another control",
        );
    }
    if tcp.ecn == EcnMode::Dctcp {
        wrong(
            &["ecn"],
            "a QUIC receiver counts marks: it does not echo them as DCTCP's does".to_owned(),
            "write ecn = \"accurate\", or \"l4s\"",
        );
    }
    let least = Segments::whole(2);
    if tcp.initial_window.segments(tcp.payload) < least {
        wrong(
            &["initial_window"],
            "a QUIC window is at least 2 packets (RFC 9002, section 7.2)".to_owned(),
            "write initial_window = 10",
        );
    }
}
