//! TCP flows.
//!
//! To add a key of a TCP flow: write what a [`TcpKey`] has to say (how it is read, written down and
//! described, its default, and what the connection is told) into a file of this folder, and add its line
//! to the table [`tcp!`] below. The tables `[tcp]` and `[[flow]]`, the canonical form, the schema and
//! the connections follow; a test wants it explained in `docs/scenario.md`.

mod acks;
mod amount;
mod check;
mod classify;
mod ecn;
mod key;
mod opening;
mod probing;
mod segment;
mod timer;
mod window;

use dumbbell_control::classifier;
use dumbbell_control::event::Path;
use dumbbell_control::units::{Bytes, Duration, Segments};
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{InitialWindow, ReceiverConfig, SenderConfig, Stamping};
use dumbbell_tcp::option::Aqt;

use crate::control::{self, Choice};
use crate::controls::{Control, Controls};
use crate::document::{Misplaced, Table};
use crate::form::Form;
use crate::recovery::{self, Recovery};
use crate::text::Lines;
use key::TcpKey;

pub use amount::Size;
pub use key::Ends;

/// The key of the defaults for all TCP flows.
pub(crate) const KEY: &str = "tcp";

/// Makes the flow, and what is set of one, of a line for each key beside `control` and `recovery`.
macro_rules! tcp {
    ($( $(#[$meta:meta])* $key:ident: $value:ty = $entry:ty, )+) => {
        /// A TCP flow.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Tcp {
            /// The congestion control with its parameters.
            pub control: Control,
            /// The loss recovery with its choices; one that suits the control.
            pub recovery: Recovery,
            $( $(#[$meta])* pub $key: $value, )+
        }

        /// The TCP keys of a table that were set.
        #[derive(Clone, Default)]
        pub(crate) struct TcpPatch {
            control: Option<Choice>,
            /// `control` is set, if wrongly.
            pub(crate) names_control: bool,
            recovery: Option<Recovery>,
            $( $key: Option<$value>, )+
        }

        /// The TCP keys.
        pub(crate) const KEYS: &[&str] = &[control::KEY, recovery::KEY, $( stringify!($key) ),+];

        impl TcpPatch {
            /// Reads the TCP keys of a table.
            pub(crate) fn read(table: &Table<'_>, controls: &Controls) -> Self {
                let control = table.find(control::KEY);
                let patch = Self {
                    names_control: control.is_some(),
                    control: control.and_then(|n| control::read(&n, controls)),
                    recovery: table.find(recovery::KEY).and_then(|n| recovery::read(&n)),
                    $( $key: <$entry as TcpKey>::key().read_set(table, stringify!($key)), )+
                };
                patch.refuse_contradiction(table);
                patch
            }

            /// Those of `base`, where these are silent, with this control and this recovery.
            fn merged(self, base: Self, control: Option<Choice>, recovery: Option<Recovery>) -> Self {
                Self {
                    control,
                    recovery,
                    names_control: self.names_control || base.names_control,
                    $( $key: self.$key.or(base.$key), )+
                }
            }

            /// The flow, with the defaults of the keys that are not set.
            fn filled(self, control: Control, recovery: Recovery) -> Tcp {
                Tcp {
                    control,
                    recovery,
                    $( $key: self.$key.unwrap_or_else(<$entry as TcpKey>::usual), )+
                }
            }
        }

        impl Tcp {
            /// Writes the keys down.
            pub(crate) fn write(&self, out: &mut Lines) {
                out.set(control::KEY, control::write(&self.control));
                out.set(recovery::KEY, recovery::write(self.recovery));
                $( out.set(stringify!($key), <$entry as TcpKey>::key().write(&self.$key)); )+
            }

            /// What the ends of a connection are told. Where another flow's deliveries are sent on, there is
            /// nothing to send at first.
            pub fn ends(&self, relays: bool) -> Ends {
                let mut ends = Ends {
                    sender: SenderConfig { relays, ..SenderConfig::default() },
                    receiver: ReceiverConfig {
                        sack: self.recovery.kind().needs_sack(),
                        ..ReceiverConfig::default()
                    },
                };
                $( <$entry as TcpKey>::hand_over(self, &mut ends); )+
                ends
            }
        }

        /// The keys as schemas.
        pub(crate) fn forms() -> Vec<(&'static str, Form)> {
            vec![
                (control::KEY, Form::defined(control::KEY)),
                (recovery::KEY, Form::defined(recovery::KEY)),
                $( (stringify!($key), <$entry as TcpKey>::key().form()) ),+
            ]
        }
    };
}

tcp! {
    /// Payload of a full segment (SMSS), at least 1 byte.
    payload: Bytes = segment::Payload,
    /// Header bytes of a data segment, without the timestamps option.
    header: Bytes = segment::Header,
    /// Bytes of an ACK on the wire, without the timestamps option, at least 1.
    ack: Bytes = segment::Ack,
    /// What is sent.
    size: Size = amount::Amount,
    /// The initial window.
    initial_window: InitialWindow = window::Initial,
    /// The least retransmission timeout, at most `max_rto`.
    min_rto: Duration = timer::Least,
    /// The retransmission timeout before the first sample, at most `max_rto`.
    initial_rto: Duration = timer::First,
    /// The largest retransmission timeout, backoff included.
    max_rto: Duration = timer::Largest,
    /// The clock tick of the retransmission timer, as in ns-2; `None`: a timer in nanoseconds.
    rto_tick: Option<Duration> = timer::Tick,
    /// Open the connection with an exchange of empty segments.
    handshake: bool = opening::Handshake,
    /// Send a new segment on each of the first two duplicate ACKs (RFC 3042).
    limited_transmit: bool = opening::LimitedTransmit,
    /// How long the receiver waits for a second segment; `None`: an ACK for every segment.
    delayed_ack: Option<Duration> = acks::Delayed,
    /// The stamps that segments carry.
    timestamps: Stamping = segment::Timestamps,
    /// The receiver's window in segments; `None`: unlimited.
    receiver_window: Option<u32> = window::Receiver,
    /// The initial slow-start threshold in segments; `None`: unlimited.
    ssthresh: Option<u32> = window::Ssthresh,
    /// Explicit congestion notification (RFC 3168).
    ecn: bool = ecn::Ecn,
    /// Every so many data segments, one asks routers how long it waits, and its ACK does; `None`: none.
    probe_every: Option<u32> = probing::Every,
    /// ACK congestion control; `None`: ACKs as `delayed_ack` says.
    ack_control: Option<AckControl> = acks::Controlled,
    /// The sender counts what an ACK covers, and paces what exceeds a burst.
    adaptation: bool = acks::Adaptation,
    /// Classifiers of losses that run beside the control: each once, in the order of
    /// [`classifier::NAMES`].
    classify: Vec<classifier::AnyConfig> = classify::Classifiers,
}

impl Tcp {
    /// Bytes that an AQT option adds to a data segment and to its ACK, where there are any.
    pub fn probe_wire_bytes(&self) -> u64 {
        self.probe_every.map_or(0, |_| Aqt::WIRE_BYTES)
    }

    /// Bytes of a full data segment on the wire, without an AQT option.
    pub fn data_wire_bytes(&self) -> u64 {
        self.payload.0 + self.header.0 + self.timestamps.wire_bytes()
    }

    /// Bytes of an ACK on the wire, SACK blocks and an AQT option excepted.
    pub fn ack_wire_bytes(&self) -> u64 {
        self.ack.0 + self.timestamps.wire_bytes()
    }

    /// Segments to send, a shorter last one included; `None`: without end.
    pub fn segments(&self) -> Option<u64> {
        match self.size {
            Size::Unlimited => None,
            Size::Bytes(bytes) => Some(bytes.0.div_ceil(self.payload.0.max(1))),
            Size::Segments(segments) => Some(segments),
        }
    }

    /// What the control is told of the connection.
    pub fn path(&self) -> Path {
        let granularity = match self.timestamps {
            Stamping::Exact => Duration::ZERO,
            Stamping::Option { granularity } => granularity,
        };
        Path {
            mss: self.payload,
            initial_window: self.initial_window.segments(self.payload),
            ssthresh: self.ssthresh.map_or(Segments::MAX, Segments::whole),
            stamp_granularity: granularity,
        }
    }
}

/// Words that one may look for among the TCP keys.
pub(crate) const MISPLACED: [Misplaced; 10] = [
    (
        "relays",
        "a flow says for itself which one it relays: in `[[flow]]`",
    ),
    (
        "packet",
        "a TCP flow has `payload` and `header`; `packet` belongs to a UDP flow",
    ),
    (
        "stop",
        "a TCP flow ends with its `size`; `stop` belongs to a UDP flow",
    ),
    ("algorithm", "the congestion control is called `control`"),
    (
        "protocol",
        "the congestion control is called `control`, the loss recovery `recovery`",
    ),
    ("mss", "the segment size is called `payload`"),
    ("rwnd", "the receiver's window is called `receiver_window`"),
    ("rto_min", "did you mean `min_rto`?"),
    ("rto_max", "did you mean `max_rto`?"),
    (
        "beta",
        "parameters of a control stand in its table: control = { name = \"veno\", beta = 3 }",
    ),
];

impl TcpPatch {
    /// The name of a control that implies a recovery stands beside another recovery.
    fn refuse_contradiction(&self, table: &Table<'_>) {
        if let (Some(choice), Some(recovery)) = (&self.control, self.recovery) {
            refuse_contradiction(choice, recovery, table);
        }
    }

    /// These keys, and those of `base` where they are silent. The base's recovery does not
    /// touch a control whose name implies one.
    pub(crate) fn over(self, base: &Self, table: &Table<'_>) -> Self {
        let base = base.clone();
        let implies = self
            .control
            .as_ref()
            .is_some_and(|choice| choice.implied.is_some());
        if let (None, Some(recovery), Some(choice)) = (&self.control, self.recovery, &base.control)
        {
            refuse_contradiction(choice, recovery, table);
        }
        let recovery = self.recovery.or(if implies { None } else { base.recovery });
        let control = if self.names_control {
            self.control.clone()
        } else {
            base.control.clone()
        };
        self.merged(base, control, recovery)
    }

    /// The flow, with defaults where the file is silent. `table` is the flow's.
    pub(crate) fn resolve(mut self, table: &Table<'_>) -> Option<Tcp> {
        let choice = self.control.take()?;
        let recovery = check::suitable(&choice, self.recovery, table);
        if choice.control.needs().queueing {
            self.probe_every.get_or_insert(Some(1));
        }
        if let Some(Some(_)) = self.ack_control {
            self.adaptation.get_or_insert(true);
        }
        let tcp = self.filled(choice.control, recovery?);
        check::all(&tcp, table);
        Some(tcp)
    }
}

/// Refuses a recovery beside a control whose name implies another one.
fn refuse_contradiction(choice: &Choice, recovery: Recovery, table: &Table<'_>) {
    if let Some((implied, short)) = choice.implied
        && implied != recovery.kind()
        && let Some(node) = table.find(recovery::KEY)
    {
        check::contradiction(&node, choice.control.name(), short, implied, recovery);
    }
}
