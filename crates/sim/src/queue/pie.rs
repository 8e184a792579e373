//! PIE, proportional integral controller enhanced (RFC 8033): arriving packets are dropped or marked at random,
//! with a probability that follows the queueing delay and its trend.
//!
//! Every `update` (sections 4.2 and 5.1 to 5.4, and appendix B):
//!
//! ```text
//! p = alpha (delay - target) + beta (delay - delay before), in seconds and 1/s;
//!     divided by 2048, 512, 128, 32, 8, 2 while the probability is below 1e-6, 1e-5, 1e-4, 0.001, 0.01, 0.1;
//!     at most 0.02 while it is 0.1 or more
//! probability += p; then x 0.98 if delay and delay before are zero; from 0 to 1
//! ```
//!
//! An arrival is dropped with that probability, but not during the burst allowance, nor if the delay before is
//! below target/2 and the probability below 0.2, nor while at most two packets of mean size wait. The allowance
//! begins anew at an arrival that finds no congestion: a probability of zero, and delay and delay before below
//! target/2. With `ecn`, packets of an ECN-capable transport are marked while the probability is below 0.1.
//!
//! With `derandomization`, drops are kept apart: none before the probabilities since the last drop add up to 0.85,
//! one at 8.5 at the latest (section 5.4). With `activation`, PIE is active from when a third of `limit` is
//! reached, with a new allowance, until delay and probability are zero (section 5.3).
//!
//! The delay is that of the last packet whose transmission began, and zero once nothing waits behind it; with
//! `estimator`, it is the queue's bytes times the mean time per byte of 16 KiB that depart in one go (section
//! 5.2, appendix B).
//!
//! *Readings.* The delay is zero while nothing waits, as by Little's law (section 4.3), in Linux and in ns-3; appendix
//! A would keep that of the last packet. PIE becomes inactive at an update that finds the queue empty; appendix B says at an arrival, which
//! would undo its becoming active. A mark starts the gap anew, as a drop does. The threshold of a third is in
//! the unit of the limit. The bound of 0.02 (section 5.5) is optional in the RFC and always kept here.

mod law;
mod rate;

use self::law::Law;
use self::rate::{CYCLE, Departures};
use super::{Decisions, Discipline, Hold, Limit, Line, Reason, Server, Waiting};
use crate::label::Label;
use crate::random::Random;
use crate::time::Time;

/// The parameters of PIE.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pie {
    /// The acceptable queueing delay.
    pub target: Time,
    /// How often the probability is updated; more than zero.
    pub update: Time,
    /// The weight of the delay's distance from the target, in 1/s.
    pub alpha: f64,
    /// The weight of the delay's trend, in 1/s.
    pub beta: f64,
    /// For how long nothing is dropped when the queue begins to fill.
    pub burst: Time,
    /// If true, packets of an ECN-capable transport are marked instead of dropped.
    pub ecn: bool,
    /// If true, the delay is estimated from the departure rate, else measured by packets.
    pub estimator: bool,
    /// If true, drops are kept apart: neither soon after each other nor too long.
    pub derandomization: bool,
    /// If true, PIE is inactive until a third of the limit is reached, and after congestion has ended.
    pub activation: bool,
    /// Nothing is dropped while at most two packets of this size wait, in bytes (MEAN_PKTSIZE).
    pub mean_packet: u32,
    /// How much the queue holds at most.
    pub limit: Limit,
}

/// From this probability on, packets are dropped instead of marked (MAX_ECNTH).
const MOST_MARKED: f64 = 0.1;

impl Hold for Pie {
    type Discipline = Controlled;

    fn limit(&self) -> u32 {
        self.limit.packets()
    }

    fn is_labelled(&self) -> bool {
        self.ecn
    }

    fn fault(&self) -> Option<&'static str> {
        let weights = [self.alpha, self.beta];
        if self.update == Time::ZERO {
            Some("the update interval of PIE must be more than zero")
        } else if weights.iter().any(|weight| !(0.0..=1e6).contains(weight)) {
            Some("the weights of PIE must be from 0 to 1,000,000 per second")
        } else {
            self.limit.fault()
        }
    }

    fn discipline(&self, draws: Random) -> Controlled {
        Controlled {
            pie: *self,
            law: Law {
                active: !self.activation,
                burst: self.burst.as_nanos(),
                ..Law::default()
            },
            next_update: self.update.as_nanos(),
            rate: Departures::default(),
            line: Line::default(),
            draws,
        }
    }
}

/// The state of PIE on one link.
#[derive(Clone, Debug)]
pub(crate) struct Controlled {
    pie: Pie,
    law: Law,
    next_update: u64,
    rate: Departures,
    line: Line,
    draws: Random,
}

impl Discipline for Controlled {
    fn arrival(
        &mut self,
        mut packet: Waiting,
        _: &Label,
        server: &Server,
        decisions: &mut Decisions,
    ) {
        let now = packet.arrived;
        self.catch_up(now);
        if !self.pie.activation && self.law.is_calm(&self.pie) {
            self.law.burst = self.pie.burst.as_nanos();
        }
        let bytes = packet.bytes();
        if self.pie.limit.is_reached(&self.line, bytes, server, now) {
            decisions.gone.push((packet, Reason::Full));
            self.law.accumulated = 0.0;
        } else if self.law.active && self.chooses() && self.law.burst == 0 {
            self.law.accumulated = 0.0;
            if self.pie.ecn && packet.is_ect() && self.law.probability < MOST_MARKED {
                packet = packet.marked();
                decisions.marked += 1;
                self.line.push(packet);
            } else {
                decisions.gone.push((packet, Reason::Early));
            }
        } else {
            self.line.push(packet);
        }
        let law = &mut self.law;
        if self.pie.activation
            && !law.active
            && self.pie.limit.is_a_third_reached(&self.line, server, now)
        {
            *law = Law {
                active: true,
                delay: law.delay,
                burst: self.pie.burst.as_nanos(),
                ..Law::default()
            };
            self.rate = Departures {
                measuring: Some((now, 0)),
                mean: 0.0,
            };
            self.next_update = now.saturating_add(self.pie.update.as_nanos());
        }
    }

    fn next(&mut self, now: u64, _: &Server, _: &mut Decisions) -> Option<Waiting> {
        self.catch_up(now);
        let packet = self.line.pop()?;
        if self.pie.estimator {
            self.rate.depart(packet.bytes(), self.line.bytes(), now);
        } else {
            self.law.delay = match self.line.len() {
                0 => 0.0,
                _ => (now - packet.arrived) as f64 / 1e9,
            };
        }
        Some(packet)
    }

    fn len(&self) -> usize {
        self.line.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.line.visit(see);
    }
}

impl Controlled {
    /// Carries out the updates that are due by now. Nothing has arrived or departed since the last call.
    fn catch_up(&mut self, now: u64) {
        while self.law.active && self.next_update <= now {
            let at = self.next_update;
            if self.pie.estimator {
                self.law.delay = self.line.bytes() as f64 * self.rate.mean / CYCLE as f64;
            }
            self.law.update(&self.pie);
            self.next_update = at.saturating_add(self.pie.update.as_nanos());
            if self.law.is_over() && self.line.len() == 0 {
                if self.pie.activation {
                    self.law.active = false;
                    self.rate.measuring = None;
                } else {
                    // Until the next arrival, which begins the allowance anew, updates change nothing.
                    let left = now.saturating_sub(self.next_update) / self.pie.update.as_nanos();
                    self.next_update += left * self.pie.update.as_nanos();
                }
            }
        }
    }

    /// Returns whether an arriving packet is chosen at random (`drop_early`).
    fn chooses(&mut self) -> bool {
        let half = self.pie.target.as_nanos() as f64 / 2e9;
        let law = &mut self.law;
        let few = 2 * u64::from(self.pie.mean_packet);
        if law.delay_before < half && law.probability < 0.2 || self.line.bytes() <= few {
            return false;
        }
        if !self.pie.derandomization {
            return self.draws.uniform() < law.probability;
        }
        if law.probability == 0.0 {
            law.accumulated = 0.0;
        }
        law.accumulated += law.probability;
        if law.accumulated < 0.85 {
            return false;
        }
        if law.accumulated >= 8.5 {
            return true;
        }
        let chosen = self.draws.uniform() < law.probability;
        if chosen {
            law.accumulated = 0.0;
        }
        chosen
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::queue::holding::tests::{draws, on_link, packet};

    const MS: u64 = 1_000_000;

    pub const PIE: Pie = Pie {
        target: Time::from_millis(15),
        update: Time::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        burst: Time::from_millis(150),
        ecn: false,
        estimator: false,
        derandomization: false,
        activation: false,
        mean_packet: 1_514,
        limit: Limit::Packets(300),
    };

    /// 12 Mb/s (1500 bytes take 1 ms), and two packets arrive each millisecond. Returns the milliseconds in which
    /// PIE became active and first dropped a packet.
    fn first_drop(pie: Pie) -> (u64, u64) {
        let mut queue = on_link(pie.discipline(draws()), 12_000_000);
        let (mut decisions, mut active) = (Decisions::default(), None);
        for ms in 0..400 {
            while queue.start(ms * MS, &mut decisions).is_some() {}
            for _ in 0..2 {
                queue.arrival(packet(1_500, ms * MS), &Label::NONE, &mut decisions);
            }
            if queue.discipline.law.active {
                active.get_or_insert(ms);
            }
            if let Some((_, reason)) = decisions.gone.first() {
                assert_eq!(*reason, Reason::Early);
                return (active.expect("it is active"), ms);
            }
        }
        panic!("nothing was dropped");
    }

    /// With activation, a third of the limit is reached with 100 packets: in milliseconds 0 to n, 2 (n + 1)
    /// packets have arrived and n + 1 have started, and one is in service. The allowance of 150 ms is over ten
    /// updates later. Without, the probability is zero until the first update, at 15 ms, which finds a delay of 7
    /// or 8 ms and takes the first 15 ms off the allowance; the tenth does so at 150 ms.
    #[test]
    fn nothing_is_dropped_within_the_burst_allowance() {
        let (active, first) = first_drop(PIE);
        assert_eq!(active, 0);
        assert!((150..200).contains(&first), "{first}");
        let activation = Pie {
            activation: true,
            ..PIE
        };
        let (active, first) = first_drop(activation);
        assert!((98..=100).contains(&active), "{active}");
        assert!(first >= active + 150, "{first}");
    }

    /// The allowance begins anew at an arrival that finds no congestion, however long nothing arrived.
    #[test]
    fn an_idle_link_has_the_whole_allowance_again() {
        let mut queue = on_link(PIE.discipline(draws()), 12_000_000);
        let mut decisions = Decisions::default();
        queue.discipline.law.burst = 0;
        queue.arrival(packet(1_500, 3_600_000 * MS), &Label::NONE, &mut decisions);
        assert_eq!(queue.discipline.law.burst, 150 * MS);
        // The next update is the first multiple of 15 ms that is later.
        assert_eq!(queue.discipline.next_update, 3_600_015 * MS);
    }

    /// With a probability of an eighth: at random, packets are dropped one after the other now and then; kept apart,
    /// every 7th at the earliest (0.85 x 8) and every 68th at the latest (8.5 x 8).
    #[test]
    fn drops_are_kept_apart_if_asked() {
        let gaps = |derandomization| {
            let pie = Pie {
                derandomization,
                ..PIE
            };
            let mut state = pie.discipline(draws());
            for _ in 0..10 {
                state.line.push(packet(1_500, 0));
            }
            (state.law.probability, state.law.delay_before) = (0.125, 0.05);
            let chosen: Vec<usize> = (0..20_000)
                .filter(|_| {
                    let chosen = state.chooses();
                    if chosen {
                        state.law.accumulated = 0.0;
                    }
                    chosen
                })
                .collect();
            let gaps = chosen.windows(2).map(|two| two[1] - two[0]);
            (gaps.clone().min().unwrap(), gaps.max().unwrap())
        };
        assert_eq!(gaps(false).0, 1);
        let (least, most) = gaps(true);
        assert!(least >= 7 && most <= 68, "{least} {most}");
    }

    /// Section 4.1: with two packets of mean size waiting nothing is dropped, with one byte more everything is, here.
    #[test]
    fn two_packets_of_mean_size_are_never_dropped() {
        for (mean_packet, dropped) in [(1_500, 0), (1_499, 1)] {
            let pie = Pie { mean_packet, ..PIE };
            let mut state = pie.discipline(draws());
            state.line.push(packet(1_500, 0));
            state.line.push(packet(1_500, 0));
            (state.law.probability, state.law.delay_before) = (1.0, 0.05);
            state.law.burst = 0;
            (state.law.delay, state.next_update) = (0.05, u64::MAX);
            let mut decisions = Decisions::default();
            let server = Server::with_rate(12_000_000);
            state.arrival(packet(1_500, 0), &Label::NONE, &server, &mut decisions);
            assert_eq!(decisions.gone.len(), dropped, "{mean_packet}");
        }
    }

    /// Three packets arrive together, and start at 0, 1 and 2 ms. The delay is that of the packet that starts as long as
    /// another waits behind it, and zero once the last one has started.
    #[test]
    fn there_is_no_delay_once_nothing_waits() {
        let mut queue = on_link(PIE.discipline(draws()), 12_000_000);
        for _ in 0..3 {
            assert_eq!(queue.arrive(packet(1_500, 0)), []);
        }
        for (at, delay) in [(0, 0.0), (MS, 0.001), (2 * MS, 0.0)] {
            assert!(queue.start_by(at).is_some());
            assert_eq!(queue.discipline.law.delay, delay, "{at}");
        }
    }

    #[test]
    fn packets_are_marked_up_to_a_tenth() {
        let ecn = Pie {
            ecn: true,
            derandomization: true,
            ..PIE
        };
        for (probability, marked) in [(0.099, 1), (0.1, 0)] {
            let mut queue = on_link(ecn.discipline(draws()), 12_000_000);
            let mut decisions = Decisions::default();
            for _ in 0..10 {
                queue.arrival(packet(1_500, 0), &Label::NONE, &mut decisions);
            }
            queue.discipline.law = Law {
                active: true,
                probability,
                accumulated: 8.5,
                delay: 0.05,
                delay_before: 0.05,
                burst: 0,
            };
            let ect = packet(1_500, 1).with_ecn(true, false);
            queue.arrival(ect, &Label::NONE, &mut decisions);
            assert_eq!(decisions.marked, marked);
            assert_eq!(decisions.gone.len() as u64, 1 - marked);
        }
    }
}
