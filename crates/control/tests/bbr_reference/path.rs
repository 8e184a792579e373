//! A path: a bottleneck with a queue, a delay, random losses, and a receiver that delays its ACKs.

use std::collections::VecDeque;

pub const MS: u64 = 1_000_000;
pub const SECOND: u64 = 1_000_000_000;
/// The time after which a receiver acknowledges a single packet (RFC 1122's upper bound is 500 ms).
const ACK_DELAY: u64 = 25 * MS;

/// What the application writes.
#[derive(Clone, Copy, Debug)]
pub enum App {
    /// More than the path carries.
    Bulk,
    /// So many segments at a time, with this time between.
    Chunks { segments: u64, every: u64 },
}

/// A path, an application, and for how long they run.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    pub name: &'static str,
    pub seconds: u64,
    pub mss: u64,
    /// Rates of the bottleneck in bytes of payload per second, and from when on, in milliseconds.
    pub rates: &'static [(u64, u64)],
    /// Round trip without queue, in milliseconds.
    pub delay: u64,
    /// Segments that may wait.
    pub queue: usize,
    /// Of a million segments, how many are lost by chance.
    pub loss: u64,
    /// Of a million segments, how many arrive 3 ms later than they should, after their successors.
    pub late: u64,
    /// Times in milliseconds between which everything is lost.
    pub dark: &'static [(u64, u64)],
    /// Segments for which the receiver sends one ACK.
    pub ack_every: usize,
    /// ACKs leave at multiples of this time, in milliseconds; 0 is at once.
    pub hold: u64,
    pub app: App,
    pub seed: u64,
}

impl Scenario {
    /// 10 Mb/s of payload, 40 ms, and more queue than is needed.
    pub const PLAIN: Self = Self {
        name: "plain",
        seconds: 30,
        mss: 1000,
        rates: &[(0, 1_250_000)],
        delay: 40,
        queue: 500,
        loss: 0,
        late: 0,
        dark: &[],
        ack_every: 1,
        hold: 0,
        app: App::Bulk,
        seed: 1,
    };
}

/// The bottleneck and the receiver.
pub struct Path {
    scenario: Scenario,
    random: u64,
    departures: VecDeque<u64>,
    free_at: u64,
    unacked: Vec<u64>,
    ack_due: Option<u64>,
}

impl Path {
    pub fn new(scenario: Scenario) -> Self {
        Self {
            scenario,
            random: scenario.seed,
            departures: VecDeque::new(),
            free_at: 0,
            unacked: Vec::new(),
            ack_due: None,
        }
    }

    fn happens(&mut self, of_a_million: u64) -> bool {
        self.random = self
            .random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.random >> 32) * 1_000_000) >> 32 < of_a_million
    }

    fn rate(&self, now: u64) -> u64 {
        let current = self
            .scenario
            .rates
            .iter()
            .rev()
            .find(|(from, _)| from * MS <= now);
        current.map_or(self.scenario.rates[0].1, |(_, rate)| *rate)
    }

    /// A segment enters the path. Returns when it arrives; `None` if it is lost.
    pub fn send(&mut self, now: u64) -> Option<u64> {
        while self.departures.front().is_some_and(|at| *at <= now) {
            self.departures.pop_front();
        }
        let (lost, late) = (
            self.happens(self.scenario.loss),
            self.happens(self.scenario.late),
        );
        let is_dark = |(from, to): &(u64, u64)| (from * MS..to * MS).contains(&now);
        let is_full = self.departures.len() > self.scenario.queue;
        if lost || is_full || self.scenario.dark.iter().any(is_dark) {
            return None;
        }
        self.free_at = self.free_at.max(now) + self.scenario.mss * SECOND / self.rate(now);
        self.departures.push_back(self.free_at);
        let more = if late { 3 * MS } else { 0 };
        Some(self.free_at + self.scenario.delay * MS / 2 + more)
    }

    /// A segment reaches the receiver. Returns an ACK, or when [`due`](Self::due) is to be called.
    pub fn arrive(&mut self, id: u64, now: u64) -> Result<(u64, Vec<u64>), Option<u64>> {
        self.unacked.push(id);
        if self.unacked.len() >= self.scenario.ack_every {
            return Ok(self.ack(now));
        }
        if self.ack_due.is_some() {
            return Err(None);
        }
        self.ack_due = Some(now + ACK_DELAY);
        Err(self.ack_due)
    }

    /// The timer of the receiver fires; it may have been stopped.
    pub fn due(&mut self, now: u64) -> Option<(u64, Vec<u64>)> {
        (self.ack_due == Some(now)).then(|| self.ack(now))
    }

    /// Returns when the ACK reaches the sender, and what it reports.
    fn ack(&mut self, now: u64) -> (u64, Vec<u64>) {
        self.ack_due = None;
        let hold = (self.scenario.hold * MS).max(1);
        let leaves = now.div_ceil(hold) * hold;
        let arrives = leaves + self.scenario.delay * MS / 2;
        (arrives, std::mem::take(&mut self.unacked))
    }
}
