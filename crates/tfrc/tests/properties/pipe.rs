//! Two ends in virtual time: a path with a bottleneck, losses, marks, and feedback that can be lost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_tfrc::multfrc::{MultiReceiver, MultiSender};
use dumbbell_tfrc::packet::{Arrival, Cause, Data, Feedback};
use dumbbell_tfrc::receiver::Receiver;
use dumbbell_tfrc::sender::Sender;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

pub const BYTES: u32 = 1000;

/// A sending end.
pub trait Source {
    fn start(&mut self, now: Instant, out: &mut Vec<Data>);
    fn deadline(&self) -> Option<Instant>;
    fn on_timer(&mut self, now: Instant, out: &mut Vec<Data>);
    fn on_feedback(&mut self, now: Instant, feedback: &Feedback, out: &mut Vec<Data>);
}

/// A receiving end.
pub trait Sink {
    fn deadline(&self) -> Option<Instant>;
    fn on_data(&mut self, now: Instant, arrival: &Arrival) -> Option<Feedback>;
    fn on_deadline(&mut self, now: Instant) -> Option<Feedback>;
    fn on_cause(&mut self, now: Instant, data: &Data, cause: Cause) -> Option<Feedback>;
}

macro_rules! source {
    ($kind:ty) => {
        impl Source for $kind {
            fn start(&mut self, now: Instant, out: &mut Vec<Data>) {
                <$kind>::start(self, now, out);
            }
            fn deadline(&self) -> Option<Instant> {
                <$kind>::deadline(self)
            }
            fn on_timer(&mut self, now: Instant, out: &mut Vec<Data>) {
                <$kind>::on_timer(self, now, out);
            }
            fn on_feedback(&mut self, now: Instant, feedback: &Feedback, out: &mut Vec<Data>) {
                <$kind>::on_feedback(self, now, feedback, out);
            }
        }
    };
}

source!(Sender);
source!(MultiSender);

impl Sink for Receiver {
    fn deadline(&self) -> Option<Instant> {
        Receiver::deadline(self)
    }
    fn on_data(&mut self, now: Instant, arrival: &Arrival) -> Option<Feedback> {
        Receiver::on_data(self, now, arrival)
    }
    fn on_deadline(&mut self, now: Instant) -> Option<Feedback> {
        Receiver::on_deadline(self, now)
    }
    fn on_cause(&mut self, now: Instant, data: &Data, cause: Cause) -> Option<Feedback> {
        Receiver::on_cause(self, now, data.seq, cause)
    }
}

impl Sink for MultiReceiver {
    fn deadline(&self) -> Option<Instant> {
        MultiReceiver::deadline(self)
    }
    fn on_data(&mut self, now: Instant, arrival: &Arrival) -> Option<Feedback> {
        MultiReceiver::on_data(self, now, arrival)
    }
    fn on_deadline(&mut self, now: Instant) -> Option<Feedback> {
        MultiReceiver::on_deadline(self, now)
    }
    fn on_cause(&mut self, now: Instant, data: &Data, cause: Cause) -> Option<Feedback> {
        MultiReceiver::on_cause(self, now, data.connection, data.seq, cause)
    }
}

/// The fate of a packet after the bottleneck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrives,
    Marked,
    Lost,
}

/// The path.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    /// The one-way delay from end to end.
    pub delay: Duration,
    /// The rate of the bottleneck in bytes per second.
    pub rate: f64,
    /// The largest number of packets that wait there or are being transmitted.
    pub buffer: usize,
    /// If not zero, one of this many feedback packets is lost.
    pub feedback_loss: u64,
    /// If set, the receiver is told why packets do not arrive, this long after they would have arrived.
    pub causes: Option<Duration>,
}

impl Path {
    /// Makes a path without a bottleneck, on which the causes of losses are not reported.
    pub const fn plain(delay: Duration) -> Self {
        Self {
            delay,
            rate: f64::INFINITY,
            buffer: usize::MAX,
            feedback_loss: 0,
            causes: None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Data(Arrival),
    Feedback(Feedback),
    Cause(Data, Cause),
}

#[derive(Debug)]
struct Entry {
    key: Reverse<(Instant, u64)>,
    event: Event,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.cmp(&other.key)
    }
}

/// A connection over a path.
pub struct Session<S, R> {
    pub source: S,
    pub sink: R,
    pub path: Path,
    pub now: Instant,
    pub sent: u64,
    pub dropped: u64,
    /// Every feedback packet that was sent, with its time.
    pub told: Vec<(Instant, Feedback)>,
    queue: BinaryHeap<Entry>,
    order: u64,
    free: Instant,
    departures: std::collections::VecDeque<Instant>,
    out: Vec<Data>,
}

impl<S: Source, R: Sink> Session<S, R> {
    pub fn new(source: S, sink: R, path: Path) -> Self {
        Self {
            source,
            sink,
            path,
            now: Instant::ZERO,
            sent: 0,
            dropped: 0,
            told: Vec::new(),
            queue: BinaryHeap::new(),
            order: 0,
            free: Instant::ZERO,
            departures: std::collections::VecDeque::new(),
            out: Vec::new(),
        }
    }

    /// Runs until a moment; `fate` determines the fate of each packet, and `watch` is called with the
    /// sender after each event.
    pub fn run(
        &mut self,
        until: Instant,
        mut fate: impl FnMut(&Data) -> Fate,
        mut watch: impl FnMut(Instant, &S, Option<&Feedback>),
    ) {
        if self.sent == 0 {
            self.source.start(self.now, &mut self.out);
            self.flush(&mut fate);
        }
        while let Some(next) = self.next().filter(|&next| next <= until) {
            self.now = next;
            let heard = self.step();
            self.flush(&mut fate);
            watch(self.now, &self.source, heard.as_ref());
        }
        self.now = until;
    }

    fn next(&self) -> Option<Instant> {
        let event = self.queue.peek().map(|entry| entry.key.0.0);
        [event, self.source.deadline(), self.sink.deadline()]
            .into_iter()
            .flatten()
            .min()
            .map(|next| next.max(self.now))
    }

    fn step(&mut self) -> Option<Feedback> {
        let now = self.now;
        if self.queue.peek().is_some_and(|entry| entry.key.0.0 <= now) {
            let event = self.queue.pop()?.event;
            let answer = match event {
                Event::Data(arrival) => self.sink.on_data(now, &arrival),
                Event::Cause(data, cause) => self.sink.on_cause(now, &data, cause),
                Event::Feedback(feedback) => {
                    self.source.on_feedback(now, &feedback, &mut self.out);
                    return Some(feedback);
                }
            };
            self.tell(answer);
        } else if self.sink.deadline().is_some_and(|due| due <= now) {
            let answer = self.sink.on_deadline(now);
            self.tell(answer);
        } else {
            self.source.on_timer(now, &mut self.out);
        }
        None
    }

    fn tell(&mut self, feedback: Option<Feedback>) {
        let Some(feedback) = feedback else { return };
        self.told.push((self.now, feedback));
        let every = self.path.feedback_loss;
        if every == 0 || !(self.told.len() as u64).is_multiple_of(every) {
            self.push(self.now + self.path.delay, Event::Feedback(feedback));
        }
    }

    fn flush(&mut self, fate: &mut impl FnMut(&Data) -> Fate) {
        for data in std::mem::take(&mut self.out) {
            self.sent += 1;
            let arrives = self.cross(fate(&data), &data);
            if let Some((at, arrival)) = arrives {
                self.push(at, Event::Data(arrival));
            }
        }
    }

    fn cross(&mut self, fate: Fate, data: &Data) -> Option<(Instant, Arrival)> {
        while self
            .departures
            .front()
            .is_some_and(|&done| done <= self.now)
        {
            self.departures.pop_front();
        }
        if self.departures.len() >= self.path.buffer {
            self.dropped += 1;
            self.explain(self.now, data, Cause::Queue);
            return None;
        }
        let time = f64::from(BYTES) / self.path.rate * 1e9;
        self.free = self.free.max(self.now) + Duration::from_nanos(time as u64);
        self.departures.push_back(self.free);
        let at = self.free + self.path.delay;
        if fate == Fate::Lost {
            self.explain(at, data, Cause::Link);
            return None;
        }
        let arrival = Arrival {
            data: *data,
            bytes: BYTES,
            marked: fate == Fate::Marked,
        };
        Some((at, arrival))
    }

    fn explain(&mut self, at: Instant, data: &Data, cause: Cause) {
        if let Some(after) = self.path.causes {
            self.push(at + after, Event::Cause(*data, cause));
        }
    }

    fn push(&mut self, at: Instant, event: Event) {
        self.order += 1;
        let key = Reverse((at, self.order));
        self.queue.push(Entry { key, event });
    }
}

/// Returns a closure that is true with probability `p` at each call.
pub fn random(p: f64, seed: u64) -> impl FnMut() -> bool {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    move || ((random.next_u64() >> 11) as f64 / (1u64 << 53) as f64) < p
}
