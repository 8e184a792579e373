//! Veno in C against Veno in Rust, event by event.

use std::num::NonZeroU64;

use dumbbell_control::algorithm::veno::{Config, Snapshot, Veno};
use dumbbell_control::controller::{Algorithm, Controller};
use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Sample, Timeout};
use dumbbell_control::parameter::{Config as _, Setting};
use dumbbell_control::units::{Bytes, Duration, Instant, Ratio, Segments};
use proptest::prelude::*;

use crate::extremes::{half, word};
use crate::program::{Record, ask};

const COUNTINGS: [&str; 3] = ["ack", "segment", "abc"];
const LOSS_WINDOWS: [&str; 2] = ["cwnd", "flight"];
const RTT_MODES: [&str; 4] = ["srtt", "last", "round_mean", "round_min"];
const BASE_RESETS: [&str; 2] = ["on_loss", "never"];
const BUSY_GROWTHS: [&str; 2] = ["alternate", "half"];

/// A connection's parameters, all modes.
#[derive(Clone, Debug)]
struct Start {
    beta: u64,
    factors: [u32; 2],
    counting: usize,
    abc_limit: u8,
    loss_window: usize,
    min_ssthresh: u8,
    rto_repeat_halve: bool,
    rtt_mode: usize,
    base_reset: usize,
    busy_growth: usize,
    initial_window: u64,
    ssthresh: u64,
}

/// An event; some are made from the state that they meet.
#[derive(Clone, Debug)]
enum Event {
    Sample {
        now: u64,
        rtt: Option<u64>,
        duplicate: bool,
    },
    /// A sample after `after` ns whose RTT puts the backlog `off` ns from beta.
    Near {
        after: u64,
        off: i64,
    },
    /// A sample after `after` ns, of an ordinary path.
    Plain {
        after: u64,
        rtt: u64,
    },
    Ack {
        acked: u64,
        in_flight: u64,
        app_limited: bool,
    },
    Loss {
        in_flight: u64,
    },
    Timeout {
        in_flight: u64,
        consecutive: u32,
    },
    Restrict {
        cwnd: u64,
    },
}

fn start() -> impl Strategy<Value = Start> {
    let beta = prop_oneof![
        Just(3u64 << 32),
        0..8u64 << 32,
        word().prop_map(|w| w >> 11)
    ];
    let ratio = prop_oneof![Just(800_000u32), Just(500_000), 0..=1_000_000u32];
    let rules = (
        0..3usize,
        1..=255u8,
        0..2usize,
        prop_oneof![Just(2u8), 1..=255u8],
    );
    let window = prop_oneof![(1..64u64).prop_map(|w| w << 32), word()];
    (
        (beta, ratio.clone(), ratio, rules),
        (any::<bool>(), 0..4usize, 0..2usize, 0..2usize),
        (window.clone(), window),
    )
        .prop_map(
            |((beta, random, congestion, rules), (repeat, rtt_mode, base_reset, busy), windows)| {
                Start {
                    beta: beta.min(1 << 52),
                    factors: [random, congestion],
                    counting: rules.0,
                    abc_limit: rules.1,
                    loss_window: rules.2,
                    min_ssthresh: rules.3,
                    rto_repeat_halve: repeat,
                    rtt_mode,
                    base_reset,
                    busy_growth: busy,
                    initial_window: windows.0,
                    ssthresh: windows.1,
                }
            },
        )
}

fn event() -> impl Strategy<Value = Event> {
    let segment = prop_oneof![3 => Just(1u64 << 32), 1 => word()];
    prop_oneof![
        2 => (word(), prop::option::of(word()), any::<bool>())
            .prop_map(|(now, rtt, duplicate)| Event::Sample { now, rtt, duplicate }),
        6 => (0..50_000_000u64, -2..=2i64).prop_map(|(after, off)| Event::Near { after, off }),
        6 => (0..50_000_000u64, 10_000_000..90_000_000u64)
            .prop_map(|(after, rtt)| Event::Plain { after, rtt }),
        12 => (segment.clone(), segment.clone(), prop::bool::weighted(0.1)).prop_map(
            |(acked, in_flight, app_limited)| Event::Ack { acked, in_flight, app_limited }
        ),
        2 => segment.clone().prop_map(|in_flight| Event::Loss { in_flight }),
        1 => (segment, half())
            .prop_map(|(in_flight, n)| Event::Timeout { in_flight, consecutive: n % 4 }),
        1 => word().prop_map(|cwnd| Event::Restrict { cwnd }),
    ]
}

/// Both twins from the same start: Rust's, and the records for C's.
struct Pair {
    rust: Veno,
    now: u64,
    records: Vec<Record>,
    states: Vec<Snapshot>,
}

impl Pair {
    fn new(start: &Start) -> Self {
        let mut config = Config::default();
        let settings = [
            ("beta", Setting::Segments(Segments::from_raw(start.beta))),
            (
                "factor_random",
                Setting::Ratio(Ratio::from_millionths(start.factors[0])),
            ),
            (
                "factor_congestion",
                Setting::Ratio(Ratio::from_millionths(start.factors[1])),
            ),
            ("counting", Setting::Choice(COUNTINGS[start.counting])),
            ("abc_limit", Setting::Count(start.abc_limit.into())),
            (
                "loss_window",
                Setting::Choice(LOSS_WINDOWS[start.loss_window]),
            ),
            ("min_ssthresh", Setting::Count(start.min_ssthresh.into())),
            ("rto_repeat_halve", Setting::Flag(start.rto_repeat_halve)),
            ("rtt_mode", Setting::Choice(RTT_MODES[start.rtt_mode])),
            ("base_reset", Setting::Choice(BASE_RESETS[start.base_reset])),
            (
                "busy_growth",
                Setting::Choice(BUSY_GROWTHS[start.busy_growth]),
            ),
        ];
        for (name, value) in settings {
            config.set(name, value).expect(name);
        }
        let path = Path {
            mss: Bytes(1000),
            initial_window: Segments::from_raw(start.initial_window),
            ssthresh: Segments::from_raw(start.ssthresh),
            stamp_granularity: Duration::ZERO,
        };
        let small = [
            start.counting as u64,
            start.abc_limit.into(),
            start.loss_window as u64,
            start.min_ssthresh.into(),
            start.rto_repeat_halve.into(),
            start.rtt_mode as u64,
            start.base_reset as u64,
            start.busy_growth as u64,
        ];
        let flags = small
            .iter()
            .rev()
            .fold(0, |flags, small| (flags << 8) | small);
        let factors = start.factors.map(u64::from);
        let words = [
            start.beta,
            (factors[0] << 32) | factors[1],
            flags,
            path.initial_window.raw(),
        ];
        let rust = Veno::new(&config, &path);
        let state = rust.snapshot();
        let record = [0, words[0], words[1], words[2], words[3], start.ssthresh];
        Self {
            rust,
            now: 1_000_000_000,
            records: vec![record],
            states: vec![state],
        }
    }

    /// Gives the event to Rust's twin, and writes the record for C's.
    fn happen(&mut self, start: &Start, event: &Event) {
        let record = match *event {
            Event::Sample {
                now,
                rtt,
                duplicate,
            } => self.sample(now, rtt, duplicate),
            Event::Near { after, off } => {
                self.now += after;
                self.sample(self.now, Some(self.rtt_near(start.beta, off)), false)
            }
            Event::Plain { after, rtt } => {
                self.now += after;
                self.sample(self.now, Some(rtt), false)
            }
            Event::Ack {
                acked,
                in_flight,
                app_limited,
            } => {
                let [acked, in_flight] = [acked, in_flight].map(Segments::from_raw);
                let now = Instant::from_nanos(self.now);
                self.rust.on_ack(&Ack {
                    now,
                    acked,
                    in_flight,
                    app_limited,
                });
                Some([2, acked.raw(), app_limited.into(), 0, 0, 0])
            }
            Event::Loss { in_flight } => {
                self.rust.on_loss(&Loss {
                    now: Instant::from_nanos(self.now),
                    in_flight: Segments::from_raw(in_flight),
                    lost_sent_at: Instant::ZERO,
                    transmissions: 1,
                    by: LossSignal::DupAcks,
                });
                Some([3, in_flight, 0, 0, 0, 0])
            }
            Event::Timeout {
                in_flight,
                consecutive,
            } => {
                let (now, flight) = (Instant::from_nanos(self.now), Segments::from_raw(in_flight));
                self.rust.on_timeout(&Timeout {
                    now,
                    in_flight: flight,
                    consecutive,
                });
                Some([4, in_flight, consecutive.into(), 0, 0, 0])
            }
            Event::Restrict { cwnd } => {
                self.rust.restrict(Segments::from_raw(cwnd));
                Some([5, cwnd, 0, 0, 0, 0])
            }
        };
        if let Some(record) = record {
            self.records.push(record);
            self.states.push(self.rust.snapshot());
        }
    }

    /// C's twin is not told of samples that carry no RTT of new data.
    fn sample(&mut self, now: u64, rtt: Option<u64>, duplicate: bool) -> Option<Record> {
        self.rust.on_sample(&Sample {
            now: Instant::from_nanos(now),
            rtt: rtt.map(Duration::from_nanos),
            credited: Segments::ONE,
            duplicate,
            stamps: None,
            queueing: None,
        });
        rtt.filter(|_| !duplicate).map(|rtt| [1, now, rtt, 0, 0, 0])
    }

    /// The RTT at which the backlog is beta: cwnd * base / (cwnd - beta), moved by `off` ns.
    fn rtt_near(&self, beta: u64, off: i64) -> u64 {
        let state = self.rust.snapshot();
        let base = state.base_ns.map_or(60_000_000, NonZeroU64::get);
        let cwnd = state.window.cwnd.raw();
        let rtt = match cwnd.checked_sub(beta) {
            None | Some(0) => base,
            Some(rest) => (u128::from(cwnd) * u128::from(base) / u128::from(rest)) as u64,
        };
        rtt.wrapping_add_signed(off)
    }
}

/// The state in the order of the C program's answer.
fn words(state: &Snapshot) -> [u64; 12] {
    let or_zero = |n: Option<NonZeroU64>| n.map_or(0, NonZeroU64::get);
    [
        state.window.cwnd.raw(),
        state.window.ssthresh.raw(),
        state.credit.raw(),
        state.repairing.into(),
        or_zero(state.rtt_eighths),
        state.round_began.as_nanos(),
        state.round_gathered,
        state.round_samples.into(),
        or_zero(state.base_ns),
        state.grow_next.into(),
        state.branch as u64,
        0,
    ]
}

fn agrees(start: &Start, events: &[Event]) -> Result<(), TestCaseError> {
    let mut pair = Pair::new(start);
    for event in events {
        pair.happen(start, event);
    }
    let Some(answers) = ask::<12>("veno", &pair.records) else {
        return Ok(());
    };
    for (i, (state, answer)) in pair.states.iter().zip(answers).enumerate() {
        prop_assert_eq!(words(state), answer, "after {:?}", pair.records[i]);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(384))]

    #[test]
    fn every_state_is_equal_after_every_event(
        start in start(),
        events in prop::collection::vec(event(), 1..800),
    ) {
        agrees(&start, &events)?;
    }
}

/// cwnd 12, BaseRTT 60 ms, RTT 80 ms: N is 3 exactly, which is congestion.
#[test]
fn an_exact_tie_is_congestion_in_both() {
    let start = Start {
        beta: 3 << 32,
        factors: [800_000, 500_000],
        counting: 0,
        abc_limit: 2,
        loss_window: 0,
        min_ssthresh: 2,
        rto_repeat_halve: false,
        rtt_mode: 1,
        base_reset: 0,
        busy_growth: 0,
        initial_window: 12 << 32,
        ssthresh: 0,
    };
    let rtt = |rtt| Event::Plain {
        after: 1_000_000,
        rtt,
    };
    let loss = Event::Loss { in_flight: 0 };
    let events = [rtt(60_000_000), rtt(80_000_000), loss];
    agrees(&start, &events).expect("equal");
    let mut pair = Pair::new(&start);
    for event in &events {
        pair.happen(&start, event);
    }
    assert_eq!(pair.rust.window().cwnd, Segments::whole(6));
}

/// The streams above do meet both sides of the threshold, and every rule.
#[test]
fn the_streams_reach_every_rule() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let stream = (start(), prop::collection::vec(event(), 400));
    let mut seen = [0u32; 9];
    for _ in 0..64 {
        let (start, events) = stream.new_tree(&mut runner).expect("a stream").current();
        let mut pair = Pair::new(&start);
        for event in &events {
            pair.happen(&start, event);
        }
        for state in &pair.states {
            seen[state.branch as usize] += 1;
        }
    }
    assert!(seen.iter().all(|&times| times > 20), "{seen:?}");
}
