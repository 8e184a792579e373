//! TCP flows.
//!
//! To add a key of a TCP flow: write an implementation of [`TcpKey`] (how it is read, written and
//! described, its default, and how it configures the connection) in a file of this folder, and add a
//! line to the table [`tcp!`] below. The tables `[tcp]` and `[[flow]]`, the canonical form, the schema
//! and the connections then follow. A test requires an explanation in `docs/scenario.md`.

mod acks;
mod amount;
mod check;
mod classify;
mod ecn;
mod key;
mod leaving;
mod opening;
mod probing;
mod quic;
mod segment;
mod selective;
mod stack;
mod timer;
mod window;

use dumbbell_control::classifier;
use dumbbell_control::event::Path;
use dumbbell_control::units::{Bytes, Duration, Segments};
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{EcnMode, InitialWindow, ReceiverConfig, SenderConfig, Stamping};
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::recovery::{Any, Bound, Rack, Sack};

use crate::control::{self, Choice};
use crate::controls::{Control, Controls};
use crate::document::{Misplaced, Table};
use crate::form::Form;
use crate::recovery::{self, Recovery};
use crate::text::Lines;
use key::TcpKey;

pub use amount::Size;
pub use key::Ends;
pub use quic::QuicEnds;
pub use stack::Stack;

/// The key of the table with the defaults for all TCP flows.
pub(crate) const KEY: &str = "tcp";

/// Makes the flow and the set of its keys from one line for each key beside `control` and `recovery`.
macro_rules! tcp {
    ($( $(#[$meta:meta])* $key:ident: $value:ty = $entry:ty, )+) => {
        /// A TCP flow.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Tcp {
            /// The congestion control with its parameters.
            pub control: Control,
            /// The loss recovery with its options; it must suit the control.
            pub recovery: Recovery,
            $( $(#[$meta])* pub $key: $value, )+
        }

        /// The TCP keys that a table sets.
        #[derive(Clone, Default)]
        pub(crate) struct TcpPatch {
            control: Option<Choice>,
            /// Whether `control` is set, even if its value is wrong.
            pub(crate) names_control: bool,
            recovery: Option<Recovery>,
            $( $key: Option<$value>, )+
        }

        /// The names of the TCP keys.
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

            /// Returns these keys, with those of `base` for keys that are not set, and with this control
            /// and recovery.
            fn merged(self, base: Self, control: Option<Choice>, recovery: Option<Recovery>) -> Self {
                Self {
                    control,
                    recovery,
                    names_control: self.names_control || base.names_control,
                    $( $key: self.$key.or(base.$key), )+
                }
            }

            /// Forgets the keys for which this is false.
            fn keep(&mut self, is_kept: impl Fn(&str) -> bool) {
                $( if !is_kept(stringify!($key)) { self.$key = None; } )+
            }

            /// Returns the flow, with defaults for the keys that are not set.
            fn filled(self, control: Control, recovery: Recovery) -> Tcp {
                Tcp {
                    control,
                    recovery,
                    $( $key: self.$key.unwrap_or_else(<$entry as TcpKey>::usual), )+
                }
            }
        }

        impl Tcp {
            /// Writes the keys.
            pub(crate) fn write(&self, out: &mut Lines) {
                out.set(control::KEY, control::write(&self.control));
                if self.stack.has(recovery::KEY) {
                    out.set(recovery::KEY, recovery::write(self.recovery));
                }
                $( if self.stack.has(stringify!($key)) {
                    out.set(stringify!($key), <$entry as TcpKey>::key().write(&self.$key));
                } )+
            }

            /// Returns the configuration of the two ends of a connection. A flow that relays another
            /// flow's deliveries has nothing to send at first.
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

        /// Returns the keys as schemas.
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
    /// The implementation whose choices are the defaults of the other keys.
    stack: Stack = stack::Bundle,
    /// Payload of a full segment (SMSS), at least 1 byte.
    payload: Bytes = segment::Payload,
    /// Header bytes of a data segment, without the timestamps option.
    header: Bytes = segment::Header,
    /// Size of an ACK on the wire in bytes, without the timestamps option; at least 1.
    ack: Bytes = segment::Ack,
    /// The amount of data to send.
    size: Size = amount::Amount,
    /// The initial window.
    initial_window: InitialWindow = window::Initial,
    /// The least retransmission timeout, at most `max_rto`.
    min_rto: Duration = timer::Least,
    /// The retransmission timeout before the first sample, at most `max_rto`.
    initial_rto: Duration = timer::First,
    /// The largest retransmission timeout, backoff included.
    max_rto: Duration = timer::Largest,
    /// The clock tick of the retransmission timer, as in ns-2; `None` means that it runs in nanoseconds.
    rto_tick: Option<Duration> = timer::Tick,
    /// Whether `min_rto` is the least of 4 RTTVAR instead of the timeout (Linux).
    min_rto_variance: bool = timer::OfVariance,
    /// Whether every ACK gives the retransmission timer a sample (Linux).
    ack_samples: bool = timer::EachAck,
    /// Whether the control's round-trip times are Linux' where segments were sent again.
    repair_samples: bool = timer::Repairs,
    /// The tick at which the timers of both ends fire (Linux); `None` means that they are exact.
    timer_tick: Option<Duration> = timer::Firing,
    /// Whether the connection opens with an exchange of empty segments.
    handshake: bool = opening::Handshake,
    /// Whether the handshake's round-trip time counts as one of the path (Linux).
    handshake_rtt: bool = opening::HandshakeRtt,
    /// Whether a new segment is sent on each of the first two duplicate ACKs (RFC 3042).
    limited_transmit: bool = opening::LimitedTransmit,
    /// Proportional rate reduction (RFC 6937); `None` means that the window is cut at once.
    prr: Option<Bound> = selective::Reduction,
    /// Whether losses are found by times (RACK, RFC 8985) instead of counts of SACKed segments.
    rack: bool = selective::ByTimes,
    /// Whether the sender probes for a lost tail (TLP, RFC 8985).
    tlp: bool = selective::LossProbe,
    /// Whether a cut is undone if DSACKs or echoed times show that nothing was lost (RFC 2883, RFC 3522).
    undo: bool = selective::Undo,
    /// Whether a timeout is undone if segments sent before it arrive after it (F-RTO, RFC 5682).
    frto: bool = selective::ForwardRto,
    /// Whether the ACK that ends a loss episode grows the window (Linux).
    exit_growth: bool = selective::ExitGrowth,
    /// Whether the round-trip time of RACK is that of the segment processed last.
    rack_last: bool = selective::RackLast,
    /// How long the receiver waits for a second segment; `None` means an ACK for every segment.
    delayed_ack: Option<Duration> = acks::Delayed,
    /// ACKs without delay at first, and again after a segment that had already arrived (Linux).
    quick_acks: u32 = acks::Quick,
    /// Whether SACKs of segments above a hole are gathered for up to 1 ms (Linux).
    sack_compression: bool = acks::Compressed,
    /// Whether ACKs are not delayed while more arrives in a round trip than ever before (Linux).
    autotuning: bool = acks::Autotuned,
    /// Whether the delay of ACKs follows the time between segments (Linux); `delayed_ack` is the least.
    adaptive_delay: bool = acks::Adaptive,
    /// Whether the last segment that there is to send is acknowledged at once (PSH in Linux).
    push: bool = acks::Push,
    /// Whether the last segment of each burst of two or more is acknowledged at once (PSH in Linux).
    push_pieces: bool = acks::PushPieces,
    /// The timestamps that segments carry.
    timestamps: Stamping = segment::Timestamps,
    /// The receiver's window in segments; `None` means unlimited.
    receiver_window: Option<u32> = window::Receiver,
    /// Whether a window that is not used does not grow, and shrinks (RFC 2861).
    window_validation: bool = window::Validation,
    /// Whether slow start ends when a queue builds up (HyStart).
    hystart: bool = window::SlowStart,
    /// Whether new segments leave in bursts (segmentation offload in Linux).
    tso: bool = leaving::Bursts,
    /// Whether the window is spread over a round trip (Linux).
    pacing: bool = leaving::Pacing,
    /// Whether a paced segment that leaves late shortens the wait after it (Linux).
    pacing_credit: bool = leaving::Credit,
    /// Whether what is in flight stays below the window, as in quinn; only with QUIC.
    below_window: bool = leaving::BelowWindow,
    /// Whether the control hears of losses after all else that an ACK says, as in quinn and noq; only with QUIC.
    losses_last: bool = leaving::LossesLast,
    /// The initial slow-start threshold in segments; `None` means unlimited.
    ssthresh: Option<u32> = window::Ssthresh,
    /// Explicit congestion notification (RFC 3168), and what ACKs report of it.
    ecn: EcnMode = ecn::Ecn,
    /// The interval, in data segments, at which a segment and its ACK carry the AQT option and collect
    /// the time that they wait in routers; `None` means never.
    probe_every: Option<u32> = probing::Every,
    /// ACK congestion control; `None` means that `delayed_ack` determines when ACKs are sent.
    ack_control: Option<AckControl> = acks::Controlled,
    /// Whether the sender counts the segments that an ACK covers, and paces segments beyond a burst.
    adaptation: bool = acks::Adaptation,
    /// Loss classifiers that run beside the control: each at most once, in the order of
    /// [`classifier::NAMES`].
    classify: Vec<classifier::AnyConfig> = classify::Classifiers,
}

impl Tcp {
    /// Returns the bytes that an AQT option adds to a data segment and to its ACK; 0 if the flow uses
    /// none.
    pub fn probe_wire_bytes(&self) -> u64 {
        self.probe_every.map_or(0, |_| Aqt::WIRE_BYTES)
    }

    /// Returns the size of a full data segment on the wire in bytes, without an AQT option.
    pub fn data_wire_bytes(&self) -> u64 {
        self.payload.0 + self.header.0 + self.timestamps.wire_bytes()
    }

    /// Returns the size of an ACK on the wire in bytes, without SACK blocks and an AQT option.
    pub fn ack_wire_bytes(&self) -> u64 {
        self.ack.0 + self.timestamps.wire_bytes()
    }

    /// Returns the number of segments to send, including a shorter last one; `None` means unlimited.
    pub fn segments(&self) -> Option<u64> {
        match self.size {
            Size::Unlimited => None,
            Size::Bytes(bytes) => Some(bytes.0.div_ceil(self.payload.0.max(1))),
            Size::Segments(segments) => Some(segments),
        }
    }

    /// Makes the loss recovery of a new connection.
    pub fn new_recovery(&self) -> Any {
        match self.recovery {
            Recovery::Sack if self.rack => {
                let rack = Rack::new(self.prr, self.tlp)
                    .undoing(self.undo, self.frto)
                    .growing_at_exits(self.exit_growth)
                    .timed_by_last(self.rack_last);
                Any::Rack(Box::new(rack))
            }
            Recovery::Sack => Any::Sack(Box::new(Sack::new(self.prr))),
            other => other.build(),
        }
    }

    /// Returns the properties of the connection that the control is told.
    pub fn path(&self) -> Path {
        let granularity = match self.timestamps {
            Stamping::Exact => Duration::ZERO,
            Stamping::Option { granularity } => granularity,
        };
        Path::new(self.payload)
            .with_initial_window(self.initial_window.segments(self.payload))
            .with_ssthresh(self.ssthresh.map_or(Segments::MAX, Segments::whole))
            .with_stamp_granularity(granularity)
    }
}

/// Words that a user may try as TCP keys.
pub(crate) const MISPLACED: [Misplaced; 10] = [
    (
        "relays",
        "each flow names the flow that it relays: write `relays` in `[[flow]]`",
    ),
    (
        "packet",
        "a TCP flow has `payload` and `header`; `packet` belongs to a UDP flow",
    ),
    (
        "stop",
        "each flow says when it stops: write `stop` in `[[flow]]`",
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
        "parameters of a control are keys of its table: control = { name = \"veno\", beta = 3 }",
    ),
];

impl TcpPatch {
    /// Rejects a recovery beside the name of a control that implies another recovery.
    fn refuse_contradiction(&self, table: &Table<'_>) {
        if let (Some(choice), Some(recovery)) = (&self.control, self.recovery) {
            refuse_contradiction(choice, recovery, table);
        }
    }

    /// Returns these keys, with those of `base` for keys that are not set. The recovery of `base` does
    /// not apply to a control whose name implies a recovery.
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

    /// Returns the flow, with defaults for keys that are not set. `table` is the flow's table.
    pub(crate) fn resolve(mut self, table: &Table<'_>) -> Option<Tcp> {
        let mut choice = self.control.take()?;
        match self.stack {
            Some(Stack::Linux) => self.fill_as_linux(&mut choice),
            Some(Stack::Quic) => {
                self.keep_quic(table);
                self.fill_as_quic(&mut choice);
                choice.implied = None;
            }
            Some(Stack::Plain) | None => {}
        }
        let recovery = check::suitable(&choice, self.recovery, table);
        let needs = choice.control.needs();
        let is_quic = self.stack == Some(Stack::Quic);
        if needs.queueing && !is_quic {
            self.probe_every.get_or_insert(Some(1));
        }
        if needs.delivery && !is_quic {
            self.rack.get_or_insert(true);
        }
        if needs.marks {
            self.ecn.get_or_insert(match needs.l4s {
                true => EcnMode::L4s,
                false => EcnMode::Accurate,
            });
        }
        if let Some(Some(_)) = self.ack_control {
            self.adaptation.get_or_insert(!needs.delivery);
        }
        let tcp = self.filled(choice.control, recovery?);
        check::all(&tcp, table);
        Some(tcp)
    }
}

/// Rejects a recovery beside a control whose name implies another recovery.
fn refuse_contradiction(choice: &Choice, recovery: Recovery, table: &Table<'_>) {
    if let Some((implied, short)) = choice.implied
        && implied != recovery.kind()
        && let Some(node) = table.find(recovery::KEY)
    {
        check::contradiction(&node, choice.control.name(), short, implied, recovery);
    }
}
