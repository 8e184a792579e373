//! NADA's receiver-side algorithm (RFC 8698, section 4.2), computed at the sender from per-packet reports (section 5.3).

use std::collections::VecDeque;

use dumbbell_control::rule::Rule;
use dumbbell_control::units::{Duration, Instant};

use super::losses::Losses;
use super::{Config, rules};
use crate::control::{BaseDelay, Known};

/// The number of delays of which the smallest counts (RFC 8698, section 5.1.1).
const FILTER: usize = 15;
/// The most packets of the window of the statistics.
const MOST: usize = 8192;

/// What the receiver would report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Signal {
    /// x_curr in seconds.
    pub(super) x: f64,
    /// Its parts: the delay, perhaps warped, and the penalties for losses and marks.
    pub(super) delay: f64,
    pub(super) loss: f64,
    pub(super) mark: f64,
    /// rmode 0: the accelerated ramp-up.
    pub(super) accelerated: bool,
    /// r_recv in bit/s.
    pub(super) received: f64,
}

impl Signal {
    /// Returns the rule that names the largest part of x.
    pub(super) fn cause(&self) -> &'static Rule {
        if self.delay >= self.loss && self.delay >= self.mark {
            &rules::QUEUE
        } else if self.loss >= self.mark {
            &rules::LOSSES
        } else {
            &rules::MARKS
        }
    }
}

/// The statistics of packets.
#[derive(Clone, Debug)]
pub(super) struct Observer {
    base: BaseDelay,
    delays: [f64; FILTER],
    next: usize,
    count: usize,
    /// The packets that were sent in the last LOGWIN, in the order of their numbers.
    window: VecDeque<Entry>,
    missing: u32,
    marked: u32,
    losses: Losses,
    /// p_loss, p_mark and d_queue.
    pub(super) loss: f64,
    pub(super) mark: f64,
    pub(super) queueing: f64,
    /// The highest number so far, after it.
    end: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    sent_at: Instant,
    arrived_at: Option<Instant>,
    bytes: u32,
    missing: bool,
    marked: bool,
    /// Whether the filtered delay was QEPS or more.
    queued: bool,
}

impl Observer {
    pub(super) fn new() -> Self {
        Self {
            base: BaseDelay::default(),
            delays: [0.0; FILTER],
            next: 0,
            count: 0,
            window: VecDeque::with_capacity(256),
            missing: 0,
            marked: 0,
            losses: Losses::default(),
            loss: 0.0,
            mark: 0.0,
            queueing: 0.0,
            end: 0,
        }
    }

    /// On receiving a media packet.
    pub(super) fn add(&mut self, now: Instant, packet: &Known, rtt: Duration, config: &Config) {
        // Section 5.1.2: a packet that was overtaken counts as lost, even if it arrives later.
        if packet.sequence < self.end {
            return;
        }
        self.end = packet.sequence + 1;
        if let Some(delay) = self.base.queueing(now, packet) {
            self.delays[self.next] = delay;
            self.next = (self.next + 1) % FILTER;
            self.count = (self.count + 1).min(FILTER);
            self.queueing = self.delays[..self.count]
                .iter()
                .copied()
                .fold(f64::INFINITY, f64::min);
        }
        let missing = packet.is_missing();
        self.losses.add(packet.sent_at, missing, rtt);
        self.push(
            Entry {
                sent_at: packet.sent_at,
                arrived_at: packet.arrived_at(),
                bytes: packet.bytes,
                missing,
                marked: packet.is_marked(),
                queued: !missing && self.queueing >= config.qeps,
            },
            config,
        );
        if !missing {
            // Equation 10, at each packet that is received.
            let total = self.window.len() as f64;
            let smooth =
                |old: &mut f64, now: u32| *old += config.alpha * (f64::from(now) / total - *old);
            smooth(&mut self.loss, self.missing);
            smooth(&mut self.mark, self.marked);
        }
    }

    /// On time to send a feedback report.
    pub(super) fn signal(&self, config: &Config) -> Signal {
        let square = |ratio: f64| ratio * ratio;
        let delay = self.warped(config);
        let mark = config.dmark * square(self.mark / config.pmrref);
        let loss = config.dloss * square(self.loss / config.plrref);
        let x = delay + mark + loss;
        Signal {
            x: x.max(0.0).min(config.xmax),
            delay,
            loss,
            mark,
            accelerated: self.missing == 0 && self.window.iter().all(|packet| !packet.queued),
            received: self.received(config),
        }
    }

    fn push(&mut self, entry: Entry, config: &Config) {
        self.window.push_back(entry);
        self.missing += u32::from(entry.missing);
        self.marked += u32::from(entry.marked);
        while let Some(oldest) = self.window.front()
            && (self.window.len() > MOST
                || entry.sent_at.since(oldest.sent_at).as_secs_f64() > config.logwin)
        {
            self.missing -= u32::from(oldest.missing);
            self.marked -= u32::from(oldest.marked);
            self.window.pop_front();
        }
    }

    /// Equation 1, with the interpolation that the section recommends.
    fn warped(&self, config: &Config) -> f64 {
        let delay = self.queueing;
        let (Some(interval), Some(since)) =
            (self.losses.interval(config.with_open), self.losses.since())
        else {
            return delay;
        };
        let warped = warp(delay, config);
        let expired = (since - config.multiloss * interval) / interval.max(1.0);
        warped + (delay - warped) * expired.clamp(0.0, 1.0)
    }

    /// r_recv (section 5.1.3). A receiver that claims that packets arrived in less time than they were sent in does not
    /// raise it.
    fn received(&self, config: &Config) -> f64 {
        let arrivals = self.window.iter().filter_map(|packet| packet.arrived_at);
        let Some(last) = arrivals.max() else {
            return 0.0;
        };
        let within = |packet: &&Entry| {
            let age = packet.arrived_at.map(|at| last.since(at).as_secs_f64());
            age.is_some_and(|age| age < config.logwin)
        };
        let bytes: u64 = self
            .window
            .iter()
            .filter(within)
            .map(|packet| u64::from(packet.bytes))
            .sum();
        bytes as f64 * 8.0 / config.logwin
    }
}

#[cfg(test)]
impl Observer {
    pub(super) fn bytes_in_window(&self) -> f64 {
        self.window
            .iter()
            .map(|packet| f64::from(packet.bytes))
            .sum()
    }
}

/// The warped delay above QTH (equation 1).
pub(super) fn warp(delay: f64, config: &Config) -> f64 {
    if delay < config.qth {
        delay
    } else {
        config.qth * libm::exp(-config.lambda * (delay - config.qth) / config.qth)
    }
}
