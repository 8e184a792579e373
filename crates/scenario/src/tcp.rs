//! TCP flows.

use std::ops::RangeInclusive;

use dumbbell_control::classifier;
use dumbbell_control::event::Path;
use dumbbell_control::units::{Bytes, Duration, Segments};
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{InitialWindow, Stamping, TimerConfig};
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::recovery::Kind as RecoveryKind;

use super::control::{self, Choice};
use super::document::{Misplaced, Node, Table};
use super::quantity::Measure;
use super::recovery::{self, Recovery};
use super::suggest;
use super::tcp_values::{
    limit, read_ack_control, read_classifiers, read_delayed_ack, read_initial_window, read_probing,
    read_size, read_tick, read_timestamps,
};
use crate::controls::{Control, Controls};

/// A TCP flow.
#[derive(Clone, Debug, PartialEq)]
pub struct Tcp {
    /// The congestion control with its parameters.
    pub control: Control,
    /// The loss recovery with its choices; one that suits the control.
    pub recovery: Recovery,
    /// Payload of a full segment (SMSS), at least 1 byte.
    pub payload: Bytes,
    /// Header bytes of a data segment, without the timestamps option.
    pub header: Bytes,
    /// Bytes of an ACK on the wire, without the timestamps option, at least 1.
    pub ack: Bytes,
    /// What is sent.
    pub size: Size,
    /// The initial window.
    pub initial_window: InitialWindow,
    /// The retransmission timer; `min` and `initial` are at most `max`.
    pub timer: TimerConfig,
    /// Open the connection with an exchange of empty segments.
    pub handshake: bool,
    /// Send a new segment on each of the first two duplicate ACKs (RFC 3042).
    pub limited_transmit: bool,
    /// How long the receiver waits for a second segment; `None`: an ACK for every segment.
    pub delayed_ack: Option<Duration>,
    /// The stamps that segments carry.
    pub timestamps: Stamping,
    /// The receiver's window in segments; `None`: unlimited.
    pub receiver_window: Option<u32>,
    /// The initial slow-start threshold in segments; `None`: unlimited.
    pub ssthresh: Option<u32>,
    /// Explicit congestion notification (RFC 3168).
    pub ecn: bool,
    /// Every so many data segments, one asks routers how long it waits, and its ACK does; `None`: none.
    pub probe_every: Option<u32>,
    /// ACK congestion control; `None`: ACKs as `delayed_ack` says.
    pub ack_control: Option<AckControl>,
    /// The sender counts what an ACK covers, and paces what exceeds a burst.
    pub adaptation: bool,
    /// Classifiers of losses that run beside the control: each once, in the order of
    /// [`classifier::NAMES`].
    pub classify: Vec<classifier::AnyConfig>,
}

/// How much a TCP flow has to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// It always has something to send.
    Unlimited,
    /// That many bytes of payload; the last segment may be shorter.
    Bytes(Bytes),
    /// That many full segments.
    Segments(u64),
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

/// The TCP keys of a table that were set.
#[derive(Clone, Default)]
pub(super) struct TcpPatch {
    pub(super) control: Option<Choice>,
    /// `control` is set, if wrongly.
    pub(super) names_control: bool,
    recovery: Option<Recovery>,
    payload: Option<Bytes>,
    header: Option<Bytes>,
    ack: Option<Bytes>,
    size: Option<Size>,
    initial_window: Option<InitialWindow>,
    min_rto: Option<Duration>,
    initial_rto: Option<Duration>,
    max_rto: Option<Duration>,
    rto_tick: Option<Option<Duration>>,
    handshake: Option<bool>,
    limited_transmit: Option<bool>,
    delayed_ack: Option<Option<Duration>>,
    timestamps: Option<Stamping>,
    receiver_window: Option<Option<u32>>,
    ssthresh: Option<Option<u32>>,
    ecn: Option<bool>,
    probe_every: Option<Option<u32>>,
    ack_control: Option<Option<AckControl>>,
    adaptation: Option<bool>,
    classify: Option<Vec<classifier::AnyConfig>>,
}

/// The TCP keys.
pub(super) const KEYS: [&str; 22] = [
    "control",
    "recovery",
    "payload",
    "header",
    "ack",
    "size",
    "initial_window",
    "min_rto",
    "initial_rto",
    "max_rto",
    "rto_tick",
    "handshake",
    "limited_transmit",
    "delayed_ack",
    "timestamps",
    "receiver_window",
    "ssthresh",
    "ecn",
    "probe_every",
    "ack_control",
    "adaptation",
    "classify",
];
/// The keys of `ack_control` as a table.
pub(super) const ACK_CONTROL_KEYS: [&str; 2] = ["max", "timer"];
/// What the largest delayed-ACK factor may be.
pub(super) const ACK_FACTOR: RangeInclusive<u64> = 1..=10_000;
/// ACK congestion control if `ack_control` is true.
pub(super) const USUAL_ACK_CONTROL: AckControl = AckControl {
    max: 16,
    timer: USUAL_DELACK,
};
/// What `probe_every` may be.
pub(super) const PROBE_EVERY: RangeInclusive<u64> = 1..=1_000_000;
/// Words that one may look for among the TCP keys.
pub(super) const MISPLACED: [Misplaced; 10] = [
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

/// The keys of `timestamps` as a table.
pub(super) const TIMESTAMPS_KEYS: [&str; 1] = ["granularity"];
/// What `payload` may be, in bytes; less with a header and stamps.
pub(super) const PAYLOAD: RangeInclusive<u64> = 1..=LARGEST_WIRE;
/// What `header` may be, in bytes.
pub(super) const HEADER: RangeInclusive<u64> = 0..=LARGEST_WIRE;
/// What `ack` may be, in bytes: stamps and an AQT option still have room.
pub(super) const ACK: RangeInclusive<u64> = 1..=LARGEST_WIRE - 24;
/// What `size` may be, in bytes or in segments.
pub(super) const AMOUNT: RangeInclusive<u64> = 1..=1_000_000_000_000_000;
/// What `initial_window` may be, in segments.
pub(super) const INITIAL_WINDOW: RangeInclusive<u64> = 1..=MOST_SEGMENTS;
/// What `receiver_window` may be, in segments.
pub(super) const RECEIVER_WINDOW: RangeInclusive<u64> = 1..=MOST_SEGMENTS;
/// What `ssthresh` may be, in segments.
pub(super) const SSTHRESH: RangeInclusive<u64> = 2..=MOST_SEGMENTS;
/// What a timeout may be.
pub(super) const RTO: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(3600);
/// What `rto_tick` may be.
pub(super) const TICK: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(10);
/// How long an ACK may wait: less than 500 ms (RFC 5681, section 4.2).
pub(super) const DELAYED_ACK: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_millis(500);
/// What the clock of timestamps may be. A finer one would outrun its 32 bits in a long timeout.
pub(super) const GRANULARITY: RangeInclusive<Duration> =
    Duration::from_micros(1)..=Duration::from_secs(1);
/// How long an ACK waits if `delayed_ack` is true.
pub(super) const USUAL_DELACK: Duration = Duration::from_millis(100);
const MOST_SEGMENTS: u64 = 1 << 20;
const LARGEST_WIRE: u64 = 65_535;

impl TcpPatch {
    /// Reads the TCP keys of a table.
    pub(super) fn read(table: &Table<'_>, controls: &Controls) -> Self {
        let rto = |key| table.find(key).and_then(|n| n.time(RTO));
        let patch = Self {
            control: table
                .find("control")
                .and_then(|n| control::read(&n, controls)),
            names_control: table.find("control").is_some(),
            recovery: table.find("recovery").and_then(|n| recovery::read(&n)),
            payload: table.find("payload").and_then(|n| n.size(PAYLOAD)),
            header: table.find("header").and_then(|n| n.size(HEADER)),
            ack: table.find("ack").and_then(|n| n.size(ACK)),
            size: table.find("size").and_then(|n| read_size(&n)),
            initial_window: table
                .find("initial_window")
                .and_then(|n| read_initial_window(&n)),
            min_rto: rto("min_rto"),
            initial_rto: rto("initial_rto"),
            max_rto: rto("max_rto"),
            rto_tick: table.find("rto_tick").and_then(|n| read_tick(&n)),
            handshake: table.find("handshake").and_then(|n| n.flag()),
            limited_transmit: table.find("limited_transmit").and_then(|n| n.flag()),
            delayed_ack: table.find("delayed_ack").and_then(|n| read_delayed_ack(&n)),
            timestamps: table.find("timestamps").and_then(|n| read_timestamps(&n)),
            receiver_window: table
                .find("receiver_window")
                .and_then(|n| limit(&n, RECEIVER_WINDOW)),
            ssthresh: table.find("ssthresh").and_then(|n| limit(&n, SSTHRESH)),
            ecn: table.find("ecn").and_then(|n| n.flag()),
            probe_every: table.find("probe_every").and_then(|n| read_probing(&n)),
            ack_control: table.find("ack_control").and_then(|n| read_ack_control(&n)),
            adaptation: table.find("adaptation").and_then(|n| n.flag()),
            classify: table.find("classify").and_then(|n| read_classifiers(&n)),
        };
        patch.refuse_contradiction(table);
        patch
    }

    /// The name of a control that implies a recovery stands beside another recovery.
    fn refuse_contradiction(&self, table: &Table<'_>) {
        let (Some(choice), Some(recovery)) = (&self.control, self.recovery) else {
            return;
        };
        let Some((implied, short)) = choice.implied else {
            return;
        };
        if implied != recovery.kind()
            && let Some(node) = table.find("recovery")
        {
            contradiction(&node, choice.control.name(), short, implied, recovery);
        }
    }

    /// These keys, and those of `base` where they are silent. The base's recovery does not
    /// touch a control whose name implies one.
    pub(super) fn over(self, base: &Self, table: &Table<'_>) -> Self {
        let base = base.clone();
        let implies = self
            .control
            .as_ref()
            .is_some_and(|choice| choice.implied.is_some());
        if let (None, Some(recovery), Some(choice)) = (&self.control, self.recovery, &base.control)
            && let Some((implied, short)) = choice.implied
            && implied != recovery.kind()
            && let Some(node) = table.find("recovery")
        {
            contradiction(&node, choice.control.name(), short, implied, recovery);
        }
        Self {
            recovery: self.recovery.or(if implies { None } else { base.recovery }),
            control: if self.names_control {
                self.control
            } else {
                base.control
            },
            names_control: self.names_control || base.names_control,
            payload: self.payload.or(base.payload),
            header: self.header.or(base.header),
            ack: self.ack.or(base.ack),
            size: self.size.or(base.size),
            initial_window: self.initial_window.or(base.initial_window),
            min_rto: self.min_rto.or(base.min_rto),
            initial_rto: self.initial_rto.or(base.initial_rto),
            max_rto: self.max_rto.or(base.max_rto),
            rto_tick: self.rto_tick.or(base.rto_tick),
            handshake: self.handshake.or(base.handshake),
            limited_transmit: self.limited_transmit.or(base.limited_transmit),
            delayed_ack: self.delayed_ack.or(base.delayed_ack),
            timestamps: self.timestamps.or(base.timestamps),
            receiver_window: self.receiver_window.or(base.receiver_window),
            ssthresh: self.ssthresh.or(base.ssthresh),
            ecn: self.ecn.or(base.ecn),
            probe_every: self.probe_every.or(base.probe_every),
            ack_control: self.ack_control.or(base.ack_control),
            adaptation: self.adaptation.or(base.adaptation),
            classify: self.classify.or(base.classify),
        }
    }

    /// The flow, with defaults where the file is silent. `table` is the flow's.
    pub(super) fn resolve(self, table: &Table<'_>) -> Option<Tcp> {
        let usual = TimerConfig::default();
        let choice = self.control?;
        let timer = TimerConfig {
            min: self.min_rto.unwrap_or(usual.min),
            initial: self.initial_rto.unwrap_or(usual.initial),
            max: self.max_rto.unwrap_or(usual.max),
            tick: self.rto_tick.unwrap_or(usual.tick),
        };
        let recovery = suitable(&choice, self.recovery, table);
        let probing = choice.control.needs().queueing.then_some(1);
        let ack_control = self.ack_control.unwrap_or(None);
        let tcp = Tcp {
            control: choice.control,
            recovery: recovery?,
            payload: self.payload.unwrap_or(Bytes(1000)),
            header: self.header.unwrap_or(Bytes(40)),
            ack: self.ack.unwrap_or(Bytes(40)),
            size: self.size.unwrap_or(Size::Unlimited),
            initial_window: self.initial_window.unwrap_or(InitialWindow::Segments(2)),
            timer,
            handshake: self.handshake.unwrap_or(true),
            limited_transmit: self.limited_transmit.unwrap_or(true),
            delayed_ack: self.delayed_ack.unwrap_or(None),
            timestamps: self.timestamps.unwrap_or(Stamping::Exact),
            receiver_window: self.receiver_window.unwrap_or(None),
            ssthresh: self.ssthresh.unwrap_or(None),
            ecn: self.ecn.unwrap_or(false),
            probe_every: self.probe_every.unwrap_or(probing),
            ack_control,
            adaptation: self.adaptation.unwrap_or(ack_control.is_some()),
            classify: self.classify.unwrap_or_default(),
        };
        check_acks(&tcp, table);
        check_sizes(&tcp, table);
        check_timer(&tcp.timer, table);
        Some(tcp)
    }
}

fn contradiction(
    node: &Node<'_>,
    control: &str,
    short: &str,
    implied: RecoveryKind,
    recovery: Recovery,
) {
    let (implied, recovery) = (implied.name(), recovery.kind().name());
    node.wrong(
        format!("`recovery` contradicts the control: \"{short}\" means `{control}` with `{implied}` recovery, not `{recovery}`"),
        format!("leave `recovery` out, or write control = \"{control}\" beside recovery = \"{recovery}\""),
    );
}

/// The recovery of a flow: the given one, or that which the control's name implies, or the
/// control's usual one.
fn suitable(choice: &Choice, given: Option<Recovery>, table: &Table<'_>) -> Option<Recovery> {
    let sensible = choice.control.recoveries();
    let implied = choice.implied.map(|(kind, _)| Recovery::new(kind));
    let recovery = given
        .or(implied)
        .or_else(|| sensible.first().copied().map(Recovery::new))?;
    if sensible.contains(&recovery.kind()) {
        return Some(recovery);
    }
    let names: Vec<&str> = sensible.into_iter().map(RecoveryKind::name).collect();
    let message = format!(
        "`{}` recovery makes no sense with the control `{}`",
        recovery.kind().name(),
        choice.control.name()
    );
    let help = format!(
        "`{}` goes with {}",
        choice.control.name(),
        suggest::list(&names)
    );
    let node = table
        .present(&["recovery", "control"])
        .first()
        .and_then(|key| table.find(key));
    table.wrong_at(node.map_or(table.span(), |n| n.span()), message, help);
    None
}

/// Two rules for when ACKs are due do not go together.
fn check_acks(tcp: &Tcp, table: &Table<'_>) {
    if tcp.ack_control.is_none() || tcp.delayed_ack.is_none() {
        return;
    }
    let node = table
        .present(&["delayed_ack", "ack_control"])
        .first()
        .and_then(|key| table.find(key));
    table.wrong_at(
        node.map_or(table.span(), |n| n.span()),
        "`ack_control` and `delayed_ack` both say when ACKs are due",
        "leave `delayed_ack` out; the timer stands in the table: ack_control = { timer = \"100 ms\" }",
    );
}

fn check_sizes(tcp: &Tcp, table: &Table<'_>) {
    let wire = tcp.data_wire_bytes() + tcp.probe_wire_bytes();
    if wire > LARGEST_WIRE {
        let node = table
            .present(&["payload", "header", "timestamps", "probe_every"])
            .first()
            .and_then(|key| table.find(key));
        let message = format!(
            "a full segment has {wire} bytes on the wire, payload, header and options together"
        );
        let help = format!("a packet has at most {LARGEST_WIRE} bytes");
        table.wrong_at(node.map_or(table.span(), |n| n.span()), message, help);
    }
}

fn check_timer(timer: &TimerConfig, table: &Table<'_>) {
    for (key, value) in [("min_rto", timer.min), ("initial_rto", timer.initial)] {
        if value > timer.max {
            let node = table
                .present(&["max_rto", "min_rto", "initial_rto"])
                .first()
                .and_then(|key| table.find(key));
            let show = |time: Duration| Measure::Time.show(time.as_nanos());
            let message = format!(
                "`{key}` is {}, above `max_rto`, which is {}",
                show(value),
                show(timer.max)
            );
            table.wrong_at(
                node.map_or(table.span(), |n| n.span()),
                message,
                "`min_rto` and `initial_rto` are at most `max_rto`",
            );
        }
    }
}
