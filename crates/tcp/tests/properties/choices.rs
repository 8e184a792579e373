//! The choices of a test: control, recovery and the parameters of a connection and its path.

use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::units::{Duration, Rate, Segments};
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{EcnMode, ReceiverConfig, SenderConfig, Stamping, Tick, TimerConfig};
use dumbbell_tcp::recovery::{Any, Bound, Kind, NewReno, PartialAckTimer, Rack, Reno, Sack};
use proptest::prelude::*;
use proptest::sample::select;

use crate::channel::Channel;

/// A control and a recovery that suits it.
#[derive(Clone, Debug)]
pub struct Pair {
    pub control: AnyConfig,
    pub kind: Kind,
}

/// Every control of the registry with each of its recoveries.
pub fn pairs() -> Vec<Pair> {
    registry::all()
        .flat_map(|control| {
            control.recoveries().iter().map(move |name| Pair {
                control,
                kind: Kind::named(name).expect("the registry names recoveries that exist"),
            })
        })
        .collect()
}

/// A connection and its path.
#[derive(Clone, Debug)]
pub struct Setup {
    pub seed: u64,
    pub channel: Channel,
    /// When the connection starts, in milliseconds.
    pub epoch: u64,
    pub timer: TimerConfig,
    pub stamping: Stamping,
    pub limited_transmit: bool,
    pub receiver_window: Segments,
    pub size: Option<u64>,
    pub handshake: bool,
    /// Whether the handshake's round-trip time is one of the path.
    pub handshake_rtt: bool,
    pub initial_window: u32,
    pub ssthresh: Segments,
    pub delayed_ack: Option<Duration>,
    pub quick_acks: u32,
    pub prr: Option<Bound>,
    /// RACK instead of counts of SACKs, and whether with the loss probe.
    pub rack: Option<bool>,
    /// With RACK: undo by DSACKs and time stamps, and F-RTO.
    pub undo: bool,
    pub frto: bool,
    /// With RACK: growth at the end of episodes.
    pub exits: bool,
    /// A receiver that gathers SACKs, and one whose window grows.
    pub sack_compression: bool,
    pub autotuning: bool,
    /// A receiver whose delay of ACKs follows the time between segments, and segments that are not delayed.
    pub adaptive_delay: bool,
    pub push: bool,
    pub push_pieces: bool,
    pub repair_samples: bool,
    pub window_validation: bool,
    pub hystart: bool,
    pub tso: bool,
    pub pacing: bool,
    pub pacing_credit: bool,
    pub careful: bool,
    pub exit_growth: bool,
    pub partial_acks: PartialAckTimer,
    pub small_exit: bool,
    pub ecn: EcnMode,
    pub ack_control: Option<AckControl>,
    pub adaptation: bool,
    /// Whether the control measures deliveries.
    pub deliveries: bool,
    /// The rate that the control asks for.
    pub rate: Option<Rate>,
    pub probe_every: u32,
    /// Whether the sender may forget when it sent a segment, because ACKs echo it.
    pub forgets: bool,
    /// Whether the control hears of departures.
    pub departures: bool,
    /// If set, the segments to send become available one by one, this many microseconds apart.
    pub supply: Option<u64>,
}

impl Setup {
    /// A plain connection over a path that loses, delays and reorders.
    pub fn lossy(size: u64) -> Self {
        Self {
            seed: 7,
            channel: Channel {
                delay: 20_000,
                jitter: 3_000,
                service: 1_000,
                queue: 20,
                loss: 30,
                ack_loss: 20,
                twice: 10,
                marks: 20,
                behaves_after: 1_000_000,
            },
            epoch: 0,
            timer: TimerConfig::default(),
            stamping: Stamping::Exact,
            limited_transmit: true,
            receiver_window: Segments::MAX,
            size: Some(size),
            handshake: true,
            handshake_rtt: false,
            initial_window: 2,
            ssthresh: Segments::MAX,
            delayed_ack: None,
            quick_acks: 0,
            prr: None,
            rack: None,
            undo: false,
            frto: false,
            exits: false,
            sack_compression: false,
            autotuning: false,
            adaptive_delay: false,
            push: false,
            push_pieces: false,
            repair_samples: false,
            window_validation: false,
            hystart: false,
            tso: false,
            pacing: false,
            pacing_credit: false,
            careful: true,
            exit_growth: false,
            partial_acks: PartialAckTimer::Impatient,
            small_exit: false,
            ecn: EcnMode::Off,
            ack_control: None,
            adaptation: false,
            deliveries: false,
            rate: None,
            probe_every: 0,
            forgets: false,
            departures: true,
            supply: None,
        }
    }

    /// The same, as a scenario has it for this control: one that measures deliveries finds losses by times, and shares
    /// its window with nobody.
    pub fn of(&self, control: &AnyConfig) -> Self {
        if !control.needs().delivery {
            return self.clone();
        }
        Self {
            deliveries: true,
            rack: self.rack.or(Some(true)),
            prr: None,
            window_validation: false,
            hystart: false,
            adaptation: false,
            ..self.clone()
        }
    }

    pub fn sender(&self, control: &AnyConfig) -> SenderConfig {
        SenderConfig {
            timer: self.timer,
            stamping: self.stamping,
            limited_transmit: self.limited_transmit,
            receiver_window: self.receiver_window,
            size: self.supply.map_or(self.size, |_| Some(0)),
            relays: self.supply.is_some(),
            handshake: self.handshake,
            handshake_rtt: self.handshake_rtt,
            probe_every: self.probe_every,
            ecn: self.ecn,
            scalable: control.needs().marks && self.ecn.tells_extent(),
            ack_control: self.ack_control.is_some(),
            adaptation: self.adaptation,
            window_validation: self.window_validation,
            hystart: self.hystart,
            deliveries: self.deliveries,
            tso: self.tso && self.rack.is_some(),
            pacing: self.pacing,
            pacing_credit: self.pacing_credit,
            push: self.push,
            push_pieces: self.push_pieces,
            repair_samples: self.repair_samples && self.rack.is_some(),
            forgets: self.forgets,
            departures: self.departures,
            ..SenderConfig::default()
        }
    }

    /// The same without anything that a plain connection does not have.
    pub fn plain(self) -> Self {
        Self {
            timer: TimerConfig {
                each_ack: false,
                firing: None,
                ..self.timer
            },
            stamping: Stamping::Exact,
            window_validation: false,
            hystart: false,
            tso: false,
            pacing: false,
            pacing_credit: false,
            ecn: EcnMode::Off,
            ack_control: None,
            adaptation: false,
            deliveries: false,
            rate: None,
            departures: false,
            ..self
        }
    }

    /// That of the receiver of a sender which reads when segments were sent, or does not.
    pub fn receiver(&self, kind: Kind, echoes_sending: bool) -> ReceiverConfig {
        ReceiverConfig {
            delayed_ack: self.delayed_ack,
            quick_acks: self.quick_acks,
            firing: self.timer.firing,
            sack: kind.needs_sack(),
            dsack: kind.needs_sack() && self.undo,
            sack_compression: kind.needs_sack() && self.sack_compression,
            autotuning: self.autotuning,
            adaptive_delay: self.adaptive_delay,
            handshake_rtt: self.handshake_rtt,
            stamping: self.stamping,
            echoes_sending,
            ecn: self.ecn,
            ack_control: self.ack_control,
        }
    }

    /// Whether the flight shrinks over a round trip after a mark.
    pub fn shrinks(&self, kind: Kind) -> bool {
        kind == Kind::Sack && self.rack.is_some() && self.prr.is_some() && self.ecn.is_on()
    }

    pub fn recovery(&self, kind: Kind) -> Any {
        let entry = Reno {
            careful: self.careful,
            exit_growth: self.exit_growth,
        };
        match kind {
            Kind::Reno => Any::Reno(entry),
            Kind::NewReno => Any::NewReno(NewReno::new(entry, self.partial_acks, self.small_exit)),
            Kind::Sack => match self.rack {
                Some(probes) => {
                    let rack = Rack::new(self.prr, probes)
                        .undoing(self.undo, self.frto)
                        .growing_at_exits(self.exits)
                        .timed_by_last(self.exits);
                    Any::Rack(Box::new(rack))
                }
                None => Any::Sack(Box::new(Sack::new(self.prr))),
            },
            _ => Any::new(kind),
        }
    }
}

fn channel() -> impl Strategy<Value = Channel> {
    let rate = |usual: u64| prop_oneof![3 => Just(0), 3 => 0..usual, 1 => 0..500_u64];
    (
        prop_oneof![Just(0), 1..100_000_u64],
        prop_oneof![Just(0), 0..2_000_u64, 0..100_000_u64],
        prop_oneof![Just(0), 1..5_000_u64],
        1..60_u64,
        (rate(60), rate(100), rate(100), rate(100)),
        1..20_000_u64,
    )
        .prop_map(
            |(delay, jitter, service, queue, (loss, ack_loss, twice, marks), behaves_after)| {
                Channel {
                    delay,
                    jitter,
                    service,
                    queue,
                    loss,
                    ack_loss,
                    twice,
                    marks,
                    behaves_after,
                }
            },
        )
}

fn timer() -> impl Strategy<Value = TimerConfig> {
    let tick = prop_oneof![
        3 => Just(None),
        1 => select(vec![10, 100]).prop_map(|ms| Some(Duration::from_millis(ms))),
    ];
    (
        1..1000_u64,
        1..1000_u64,
        1000..5000_u64,
        tick,
        any::<(bool, bool)>(),
        select(vec![None, Some(1), Some(4), Some(10)]),
    )
        .prop_map(
            |(min, initial, max, tick, (min_variance, each_ack), firing)| TimerConfig {
                min: Duration::from_millis(min),
                initial: Duration::from_millis(initial),
                max: Duration::from_millis(max),
                tick,
                min_variance,
                each_ack: each_ack && tick.is_none(),
                firing: firing
                    .filter(|_| tick.is_none())
                    .map(|ms| Tick::new(Duration::from_millis(ms))),
            },
        )
}

fn stamping() -> impl Strategy<Value = Stamping> {
    let granularity = prop_oneof![
        Just(Duration::from_micros(1)),
        Just(Duration::from_millis(1)),
        Just(Duration::from_millis(100)),
    ];
    prop_oneof![
        Just(Stamping::Exact),
        granularity.prop_map(|granularity| Stamping::Option { granularity }),
    ]
}

/// Any connection over any path.
pub fn setup() -> impl Strategy<Value = Setup> {
    // Around 2^31 and 2^32 milliseconds, the stamps of a clock in milliseconds wrap around.
    let epoch = prop_oneof![
        3 => Just(0),
        1 => Just(1_000),
        1 => Just((1_u64 << 31) - 500),
        1 => Just((1_u64 << 32) - 500),
    ];
    let receiver_window = prop_oneof![
        Just(Segments::MAX),
        select(vec![1, 2, 3, 8, 64, 300]).prop_map(Segments::whole),
    ];
    let size = prop_oneof![1 => Just(None), 3 => (1..300_u64).prop_map(Some)];
    let window = select(vec![1, 2, 3, 10, 400]);
    let ssthresh = prop_oneof![Just(Segments::MAX), (2..64_u32).prop_map(Segments::whole),];
    let delayed_ack = prop_oneof![
        Just(None),
        (1..200_u64).prop_map(|ms| Some(Duration::from_millis(ms))),
    ];
    let partial_acks = select(vec![
        PartialAckTimer::Impatient,
        PartialAckTimer::SlowButSteady,
    ]);
    let ack_control = prop_oneof![
        2 => Just(None),
        1 => (1..20_u32, 1..200_u64).prop_map(|(max, ms)| Some(AckControl {
            max,
            timer: Duration::from_millis(ms),
        })),
    ];
    let ecn = select(vec![
        EcnMode::Off,
        EcnMode::Classic,
        EcnMode::Dctcp,
        EcnMode::Accurate,
        EcnMode::L4s,
    ]);
    // From 40 to 4,000 segments a second.
    let rate = prop_oneof![
        2 => Just(None),
        1 => (40_000..4_000_000_u64).prop_map(|bytes| Some(Rate::from_raw(bytes << 16))),
    ];
    let probe_every = prop_oneof![2 => Just(0), 1 => Just(1), 1 => 2..9_u32];
    (
        (any::<u64>(), channel(), epoch, timer(), stamping()),
        (any::<bool>(), receiver_window, size, any::<bool>()),
        (
            window,
            ssthresh,
            delayed_ack,
            0..20_u32,
            select(vec![
                None,
                Some(Bound::Conservative),
                Some(Bound::SlowStart),
                Some(Bound::Safe),
            ]),
            select(vec![None, Some(false), Some(true)]),
            any::<((bool, bool, bool, bool), (bool, bool, bool), [bool; 8])>(),
        ),
        (
            prop::bool::weighted(0.8),
            any::<bool>(),
            partial_acks,
            any::<bool>(),
        ),
        (ecn, ack_control, any::<bool>(), probe_every, rate),
    )
        .prop_map(
            |(
                (seed, channel, epoch, timer, stamping),
                (limited_transmit, receiver_window, size, handshake),
                (
                    initial_window,
                    ssthresh,
                    delayed_ack,
                    quick_acks,
                    prr,
                    rack,
                    ((undo, frto, window_validation, hystart), (tso, pacing, pacing_credit), linux),
                ),
                (careful, exit_growth, partial_acks, small_exit),
                (ecn, ack_control, adaptation, probe_every, rate),
            )| Setup {
                seed,
                channel,
                epoch,
                timer,
                stamping,
                limited_transmit,
                receiver_window,
                size,
                handshake,
                handshake_rtt: linux[5],
                initial_window,
                ssthresh,
                delayed_ack,
                quick_acks,
                prr,
                rack,
                undo,
                frto,
                exits: linux[0],
                sack_compression: linux[1],
                autotuning: linux[2],
                adaptive_delay: linux[3],
                push: linux[4],
                push_pieces: linux[6],
                repair_samples: linux[7],
                window_validation,
                hystart,
                tso,
                pacing,
                pacing_credit,
                careful,
                exit_growth,
                partial_acks,
                small_exit,
                ecn,
                ack_control,
                adaptation,
                deliveries: false,
                rate,
                probe_every,
                forgets: false,
                departures: true,
                supply: None,
            },
        )
}
