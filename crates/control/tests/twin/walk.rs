//! Drives a control in Rust through events, some of which depend on the current state, and makes the
//! records that drive its twin in C in the same way. The fuzz target uses it too.

use dumbbell_control::controller::Algorithm;
use dumbbell_control::event::{
    Ack, Loss, LossSignal, Marks, Path, Queueing, Sample, Stamps, Timeout,
};
use dumbbell_control::parameter::{Config as _, Kind, Setting};
use dumbbell_control::snapshot::Snapshot;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

use crate::range::within;

/// An event and its arguments, in the format of `bpf/host/twin.h`.
pub type Record = [u64; 10];

/// A record of these words and zeros.
pub fn record<const N: usize>(words: [u64; N]) -> Record {
    const { assert!(N <= 10) };
    std::array::from_fn(|i| words.get(i).copied().unwrap_or(0))
}

/// The number of words in an answer: a state, padded with zeros.
pub const ANSWER: usize = 40;

/// A state as named numbers.
pub type State = Vec<(&'static str, u64)>;

/// A connection: a number for each parameter that selects a value within its range, and the path.
#[derive(Clone, Debug, Default)]
pub struct Start {
    pub choices: Vec<u64>,
    pub mss: u32,
    pub initial_window: u64,
    pub ssthresh: u64,
    pub granularity: u64,
}

/// How much later an event happens.
#[derive(Clone, Copy, Debug)]
pub enum After {
    Nanos(u64),
    /// Later by this many intervals of a silence, the merged rest, and this many nanoseconds.
    Silence(u8, i8),
}

/// A round-trip time.
#[derive(Clone, Copy, Debug)]
pub enum Trip {
    Nanos(u64),
    /// The RTT at which the backlog equals this threshold plus this many halves, off by this many
    /// nanoseconds.
    Threshold(u8, i8, i8),
}

/// When a packet reached the receiver.
#[derive(Clone, Copy, Debug)]
pub enum Arrival {
    Unknown,
    /// Nanoseconds after it was sent.
    OneWay(u64),
    /// Such that D is this many tolerances, off by this many nanoseconds.
    Tolerance(i8, i8),
}

/// When a lost segment was sent.
#[derive(Clone, Copy, Debug)]
pub enum Sent {
    /// This many nanoseconds before the loss is detected.
    Before(u64),
    /// At the last cut, off by this many nanoseconds.
    Cut(i8),
}

/// An event.
#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A sample with arbitrary numbers.
    Sample(Sample),
    /// A sample with plausible numbers.
    Step {
        after: After,
        trip: Trip,
        /// An RTT passes first, so that this sample alone ends a round.
        alone: bool,
        credited: u64,
        duplicate: bool,
        arrival: Arrival,
        queueing: Option<[u64; 2]>,
        marks: Marks,
    },
    Ack {
        acked: u64,
        in_flight: u64,
        app_limited: bool,
    },
    Loss {
        in_flight: u64,
        sent: Sent,
        transmissions: u32,
        /// Not a loss, but a mark.
        is_mark: bool,
    },
    Timeout {
        after: After,
        in_flight: u64,
        consecutive: u32,
    },
    Restrict(u64),
}

pub struct Walk<C: Algorithm> {
    pub control: C,
    config: C::Config,
    /// The records for the twin in C before the first event.
    pub opening: Vec<Record>,
    now: u64,
    /// The tolerance of D in nanoseconds.
    tolerance: u64,
    /// The one-way delay of the last packet in nanoseconds.
    one_way: u64,
}

impl<C: Algorithm + Snapshot> Walk<C> {
    /// A connection whose parameters are chosen by numbers.
    pub fn new(start: &Start) -> Self {
        let parameters = C::Config::PARAMETERS;
        let choices = start.choices.iter().copied();
        let settings = parameters.iter().zip(choices).filter_map(|(p, choice)| {
            let (kind, value) = (p.kind, choice / 2);
            (choice % 2 == 1).then(|| (p.name, within(kind, value)))
        });
        Self::with(&settings.collect::<Vec<_>>(), start)
    }

    /// A connection with these values of parameters.
    pub fn with(settings: &[(&str, Setting)], start: &Start) -> Self {
        let mut config = C::Config::default();
        for (name, value) in settings {
            config.set(name, *value).expect(name);
        }
        let mut opening: Vec<_> = C::Config::PARAMETERS
            .iter()
            .map(|p| {
                let value = config.get(p.name).expect("it is listed");
                let mut name = [0; 32];
                name[..p.name.len()].copy_from_slice(p.name.as_bytes());
                let n = |i: usize| u64::from_ne_bytes(name[i * 8..i * 8 + 8].try_into().unwrap());
                record([6, word(p.kind, value), n(0), n(1), n(2), n(3)])
            })
            .collect();
        let path = Path::new(Bytes(start.mss.into()))
            .with_initial_window(Segments::from_raw(start.initial_window))
            .with_ssthresh(Segments::from_raw(start.ssthresh))
            .with_stamp_granularity(Duration::from_nanos(start.granularity));
        let (windows, granularity) = ([start.initial_window, start.ssthresh], start.granularity);
        let mss = start.mss.into();
        opening.push(record([0, mss, windows[0], windows[1], granularity]));
        let eps = config.get("eps_d").map_or(0, duration);
        Self {
            control: C::new(&config, &path),
            config,
            opening,
            now: 1_000_000_000,
            tolerance: eps.max(granularity),
            one_way: 30_000_000,
        }
    }

    /// The current state.
    pub fn state(&self) -> State {
        let mut state = Vec::new();
        self.control.snapshot(&mut |name, n| state.push((name, n)));
        state
    }

    /// Passes the event to the control in Rust, and returns the record for C.
    pub fn happen(&mut self, event: &Event) -> Record {
        match *event {
            Event::Sample(sample) => self.sample(&sample),
            Event::Step { .. } => {
                let sample = self.step(event);
                self.sample(&sample)
            }
            Event::Ack {
                acked,
                in_flight,
                app_limited,
            } => {
                self.control.on_ack(
                    &Ack::new(
                        Instant::from_nanos(self.now),
                        Segments::from_raw(acked),
                        Segments::from_raw(in_flight),
                    )
                    .with_app_limited(app_limited),
                );
                let limited = app_limited.into();
                record([2, self.now, acked, in_flight, limited])
            }
            Event::Loss {
                in_flight,
                sent,
                transmissions,
                is_mark,
            } => {
                let sent = match sent {
                    Sent::Before(ns) => self.now.saturating_sub(ns),
                    Sent::Cut(off) => moved(self.last_cut(), off),
                };
                self.control.on_loss(
                    &Loss::new(Instant::from_nanos(self.now), Segments::from_raw(in_flight))
                        .with_lost_sent_at(Instant::from_nanos(sent))
                        .with_transmissions(transmissions)
                        .with_signal(match is_mark {
                            true => LossSignal::Ecn,
                            false => LossSignal::DupAcks,
                        }),
                );
                let times = transmissions.into();
                record([3, self.now, in_flight, sent, times, is_mark.into()])
            }
            Event::Timeout {
                after,
                in_flight,
                consecutive,
            } => {
                self.pass(after);
                self.control.on_timeout(
                    &Timeout::new(Instant::from_nanos(self.now), Segments::from_raw(in_flight))
                        .with_consecutive(consecutive),
                );
                record([4, self.now, in_flight, consecutive.into()])
            }
            Event::Restrict(cwnd) => {
                self.control.restrict(Segments::from_raw(cwnd));
                record([5, cwnd])
            }
        }
    }

    fn sample(&mut self, sample: &Sample) -> Record {
        self.control.on_sample(sample);
        let stamps = sample.stamps.unwrap_or(Stamps {
            sent_at: Instant::ZERO,
            received_at: Instant::ZERO,
        });
        let waits = sample.queueing.unwrap_or_default();
        let (echoed, counted) = match sample.marks {
            Marks::Counted(marked) => (false, Some(marked)),
            marks => (marks == Marks::Echoed, None),
        };
        let flags = [
            sample.rtt.is_some(),
            sample.duplicate,
            sample.stamps.is_some(),
            sample.queueing.is_some(),
            echoed,
            counted.is_some(),
        ];
        let flags = flags
            .iter()
            .rev()
            .fold(0, |n, flag| n << 1 | u64::from(*flag));
        [
            1,
            sample.now.as_nanos(),
            sample.rtt.unwrap_or_default().as_nanos(),
            flags,
            sample.credited.raw(),
            stamps.sent_at.as_nanos(),
            stamps.received_at.as_nanos(),
            waits.forward.as_nanos(),
            waits.backward.as_nanos(),
            counted.unwrap_or_default().raw(),
        ]
    }

    fn step(&mut self, event: &Event) -> Sample {
        let Event::Step {
            after,
            trip,
            alone,
            credited,
            duplicate,
            arrival,
            queueing,
            marks,
        } = *event
        else {
            unreachable!("called for steps")
        };
        let rtt = match trip {
            Trip::Nanos(ns) => ns,
            Trip::Threshold(which, halves, off) => moved(self.rtt_at(which, halves), off),
        };
        if alone {
            self.now = self.now.saturating_add(rtt.min(1 << 37));
        }
        self.pass(after);
        let waits = queueing.unwrap_or_default().map(Duration::from_nanos);
        let span = match trip {
            // RoVegas compares the RTT without the queueing time of the ACK.
            Trip::Threshold(..) => Duration::from_nanos(rtt) + waits[1],
            Trip::Nanos(_) => Duration::from_nanos(rtt),
        };
        let now = Instant::from_nanos(self.now);
        let sent_at = now - span;
        Sample::new(now, Segments::from_raw(credited))
            .with_rtt(span)
            .with_duplicate(duplicate)
            .with_marks(marks)
            .with_stamps(self.one_way(arrival).map(|ns| Stamps {
                sent_at,
                received_at: sent_at + Duration::from_nanos(ns),
            }))
            .with_queueing(queueing.map(|_| Queueing {
                forward: waits[0],
                backward: waits[1],
            }))
    }

    /// The one-way delay of the packet, if that is known.
    fn one_way(&mut self, arrival: Arrival) -> Option<u64> {
        self.one_way = match arrival {
            Arrival::Unknown => return None,
            Arrival::OneWay(ns) => ns,
            Arrival::Tolerance(times, off) => {
                let change = i64::try_from(self.tolerance).unwrap_or(i64::MAX);
                let change = change.saturating_mul(times.into());
                moved(self.one_way.saturating_add_signed(change), off)
            }
        };
        Some(self.one_way)
    }

    fn pass(&mut self, after: After) {
        self.now = match after {
            After::Nanos(ns) => self.now.saturating_add(ns),
            After::Silence(intervals, off) => {
                let of = |name| self.config.get(name).map_or(0, duration);
                let interval = of("tau") / of("m").max(1);
                let gap = interval * u64::from(intervals) + of("merge");
                let last = self.number("last").max(self.now.saturating_sub(1 << 40));
                self.now.max(moved(last.saturating_add(gap), off))
            }
        };
    }

    /// The RTT at which the backlog is a threshold: cwnd * base / (cwnd - threshold).
    fn rtt_at(&self, which: u8, halves: i8) -> u64 {
        let names = ["alpha", "beta", "gamma"];
        let known = names.map(|name| self.config.get(name));
        let thresholds: Vec<_> = known.into_iter().flatten().collect();
        let threshold = match thresholds.get(usize::from(which) % thresholds.len().max(1)) {
            Some(Setting::Segments(segments)) => segments.raw(),
            _ => 0,
        };
        let threshold = threshold.saturating_add_signed(i64::from(halves) << 31);
        let cwnd = self.number("cwnd");
        let base = match self.number("base") {
            0 => 60_000_000,
            base => base,
        };
        match cwnd.checked_sub(threshold) {
            None | Some(0) => base,
            Some(rest) => (u128::from(cwnd) * u128::from(base) / u128::from(rest)) as u64,
        }
    }

    /// When the window was cut last, of controls that remember it.
    fn last_cut(&self) -> u64 {
        self.number("last_cut").max(self.number("mark_cut"))
    }

    /// A number of the state; 0 if this control has none of that name.
    fn number(&self, wanted: &str) -> u64 {
        let mut found = 0;
        self.control.snapshot(&mut |name, n| {
            if name == wanted {
                found = n;
            }
        });
        found
    }
}

fn moved(n: u64, off: i8) -> u64 {
    n.saturating_add_signed(off.into())
}

/// The number of a count, or a span in nanoseconds; 0 for other settings.
fn duration(setting: Setting) -> u64 {
    match setting {
        Setting::Duration(span) => span.as_nanos(),
        Setting::Count(n) => n.into(),
        _ => 0,
    }
}

/// A setting in the form that the twin in C takes.
fn word(kind: Kind, value: Setting) -> u64 {
    match (kind, value) {
        (Kind::Choice(words), Setting::Choice(word)) => {
            words.iter().position(|w| *w == word).expect("a word of it") as u64
        }
        (_, Setting::Segments(segments)) => segments.raw(),
        (_, Setting::Ratio(ratio)) => ratio.millionths().into(),
        (_, Setting::Flag(flag)) => flag.into(),
        (_, value) => duration(value),
    }
}
