//! DualPI2, a coupled dual-queue AQM (RFC 9332, appendix A): packets of scalable congestion controls have a
//! short queue of their own, L; what a PI controller says about the other, C, marks in both.
//!
//! Packets with ECT(1) or CE go to L, others to C. Every `update` (figure 8):
//!
//! ```text
//! delay = the longer of the times that the first packets of C and L have waited; zero without any
//! p'    = p' + alpha (delay - target) + beta (delay - delay before), from 0 to 1
//! p_C   = p'^2             p_CL = coupling p'
//! ```
//!
//! When a packet is to be transmitted (figure 7), one of L or C is chosen, and then:
//!
//! ```text
//! L, p_CL < 1     marked with max(p_CL, ramp), where the ramp rises from 0 to 1 while the packet's wait
//!                 exceeds `step` by up to `ramp`, and is 0 unless more than `step_packets` are in L
//! L, p_CL >= 1    dropped with p_C, else marked: overload
//! C               marked with p_C; dropped if it cannot be marked, or p_C >= 1/coupling^2: overload
//! ```
//!
//! "With p" is not random: each queue adds up its p, and a sum above 1 chooses the packet and loses 1 (figure
//! 4). The scheduler is one of two: `Weighted` counts bytes while both queues have packets (C has its share, L
//! the rest; L first; the count starts again when the link is idle). `TimeShifted` takes the first packet that
//! has waited longer, where those of L count as if they had arrived a while earlier.
//!
//! *Readings.* The packet that is chosen counts in the length of L, as "if the queue is only 1 packet" says;
//! figure 7 takes it out first. In overload, figure 7 adds both p_C and p_CL to the same sum. With p_CL above 1
//! it would grow without bound, and drop more than p_C says; here all that are not dropped are marked, as the
//! text says. The limit is checked as that of the other queues is; figure 3 leaves room for one MTU. Linux does
//! not apply p_C and p_CL while less than two MTU wait, and draws C's packets at random.

mod law;

use self::law::Law;
use super::{Decisions, Discipline, Hold, Limit, Line, Reason, Server, Waiting};
use crate::label::Label;
use crate::random::Random;
use crate::time::Time;

/// The parameters of DualPI2.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DualPi2 {
    /// The acceptable delay of C.
    pub target: Time,
    /// How often the probability is updated; more than zero.
    pub update: Time,
    /// The weight of the delay's distance from the target, in 1/s.
    pub alpha: f64,
    /// The weight of the delay's trend, in 1/s.
    pub beta: f64,
    /// The factor between the probability of a mark in L and the root of that in C; more than zero.
    pub coupling: f64,
    /// Packets of L that have waited longer are marked.
    pub step: Time,
    /// How much longer they must have waited until all of them are; zero for a step.
    pub ramp: Time,
    /// The wait of a packet does not mark it while at most so many packets are in L.
    pub step_packets: u32,
    /// Which queue is next.
    pub scheduler: DualScheduler,
    /// How much both queues together hold at most.
    pub limit: Limit,
}

/// How DualPI2 chooses between its queues.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DualScheduler {
    /// While both have packets, C has this share of the bytes, from 0 to 1.
    Weighted(f64),
    /// The packet that has waited longest, where packets of L count as if they had waited this much longer.
    TimeShifted(Time),
}

impl Hold for DualPi2 {
    type Discipline = Coupled;

    fn limit(&self) -> u32 {
        self.limit.packets()
    }

    fn is_labelled(&self) -> bool {
        true
    }

    fn fault(&self) -> Option<&'static str> {
        let weight = |number: f64| number.is_finite() && number >= 0.0;
        match *self {
            Self {
                update: Time::ZERO, ..
            } => Some("the update interval of DualPI2 must be more than zero"),
            Self { alpha, beta, .. } if !weight(alpha) || !weight(beta) => {
                Some("the weights of DualPI2 must be numbers from 0")
            }
            Self { coupling, .. } if !weight(coupling) || coupling == 0.0 => {
                Some("the coupling of DualPI2 must be more than zero")
            }
            Self {
                scheduler: DualScheduler::Weighted(share),
                ..
            } if !(0.0..=1.0).contains(&share) => {
                Some("the share of DualPI2's classic queue must be from 0 to 1")
            }
            _ => self.limit.fault(),
        }
    }

    fn discipline(&self, _: Random) -> Coupled {
        Coupled {
            dualpi2: *self,
            law: Law::default(),
            next_update: self.update.as_nanos(),
            l4s: Branch::default(),
            classic: Branch::default(),
            credit: 0.0,
        }
    }
}

/// The state of DualPI2 on one link.
#[derive(Clone, Debug)]
pub(crate) struct Coupled {
    dualpi2: DualPi2,
    law: Law,
    next_update: u64,
    l4s: Branch,
    classic: Branch,
    /// The bytes by which C is behind its share.
    credit: f64,
}

/// One of the two queues.
#[derive(Clone, Debug, Default)]
struct Branch {
    line: Line,
    /// The sum of the probabilities, less the packets chosen.
    sum: f64,
}

impl Discipline for Coupled {
    fn arrival(&mut self, packet: Waiting, _: &Label, server: &Server, decisions: &mut Decisions) {
        let now = packet.arrived;
        self.catch_up(now);
        if self.len() == 0 && !server.is_busy(now) {
            self.credit = 0.0;
        }
        let bytes = self.l4s.line.bytes() + self.classic.line.bytes();
        let bytes = bytes + u64::from(packet.bytes());
        let limit = self.dualpi2.limit;
        if limit.is_exceeded(self.len() + 1, bytes, server, now) {
            decisions.gone.push((packet, Reason::Full));
        } else if packet.is_l4s() {
            self.l4s.line.push(packet);
        } else {
            self.classic.line.push(packet);
        }
    }

    fn next(&mut self, now: u64, _: &Server, decisions: &mut Decisions) -> Option<Waiting> {
        self.catch_up(now);
        loop {
            let both = self.l4s.line.len() > 0 && self.classic.line.len() > 0;
            let is_l4s = self.is_l4s_next(now);
            let (packet, verdict) = match is_l4s {
                true => self.next_l4s(now)?,
                false => self.next_classic()?,
            };
            if verdict == Verdict::Drop {
                decisions.gone.push((packet, Reason::Early));
                continue;
            }
            let marked = verdict == Verdict::Mark;
            decisions.marked += u64::from(marked);
            if let (true, DualScheduler::Weighted(share)) = (both, self.dualpi2.scheduler) {
                let bytes = f64::from(packet.bytes());
                self.credit += match is_l4s {
                    true => share * bytes,
                    false => (share - 1.0) * bytes,
                };
            }
            return Some(match marked {
                true => packet.marked(),
                false => packet,
            });
        }
    }

    fn len(&self) -> usize {
        self.l4s.line.len() + self.classic.line.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.l4s.line.visit(see);
        self.classic.line.visit(see);
    }
}

/// What happens to a packet that is next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Pass,
    Mark,
    Drop,
}

impl Coupled {
    /// Carries out the updates that are due by now. Nothing has arrived or departed since the last call.
    fn catch_up(&mut self, now: u64) {
        let first = [&self.l4s, &self.classic].map(|branch| branch.line.first());
        let since = first.into_iter().flatten().map(|first| first.arrived).min();
        let update = self.dualpi2.update.as_nanos();
        while self.next_update <= now {
            let delay = since.map_or(0, |since| self.next_update.saturating_sub(since));
            let before = self.law;
            self.law.update(&self.dualpi2, delay as f64 / 1e9);
            self.next_update += update;
            if since.is_none() && self.law == before {
                // Nothing changes until a packet arrives.
                self.next_update += now.saturating_sub(self.next_update) / update * update;
            }
        }
    }

    /// Returns whether the next packet is one of L.
    fn is_l4s_next(&self, now: u64) -> bool {
        let (Some(l4s), Some(classic)) = (self.l4s.line.first(), self.classic.line.first()) else {
            return self.classic.line.len() == 0;
        };
        match self.dualpi2.scheduler {
            DualScheduler::Weighted(_) => self.credit <= 0.0,
            DualScheduler::TimeShifted(shift) => {
                (now - l4s.arrived).saturating_add(shift.as_nanos()) >= now - classic.arrived
            }
        }
    }

    /// Takes the first packet out of L.
    fn next_l4s(&mut self, now: u64) -> Option<(Waiting, Verdict)> {
        let len = self.l4s.line.len();
        let packet = self.l4s.line.pop()?;
        let coupled = self.law.coupled(&self.dualpi2);
        if coupled >= 1.0 {
            return Some(match self.l4s.chooses(self.law.classic()) {
                true => (packet, Verdict::Drop),
                false => (packet, Verdict::Mark),
            });
        }
        let native = match len > self.dualpi2.step_packets as usize {
            true => self.dualpi2.native(now - packet.arrived),
            false => 0.0,
        };
        Some(match self.l4s.chooses(native.max(coupled)) {
            true => (packet, Verdict::Mark),
            false => (packet, Verdict::Pass),
        })
    }

    /// Takes the first packet out of C.
    fn next_classic(&mut self) -> Option<(Waiting, Verdict)> {
        let packet = self.classic.line.pop()?;
        let probability = self.law.classic();
        if !self.classic.chooses(probability) {
            return Some((packet, Verdict::Pass));
        }
        let overload =
            probability >= (1.0 / (self.dualpi2.coupling * self.dualpi2.coupling)).min(1.0);
        Some(match packet.is_ect() && !overload {
            true => (packet, Verdict::Mark),
            false => (packet, Verdict::Drop),
        })
    }
}

impl Branch {
    /// Returns whether the next packet is chosen, with this probability (`recur`).
    fn chooses(&mut self, probability: f64) -> bool {
        self.sum += probability;
        let chosen = self.sum > 1.0;
        if chosen {
            self.sum -= 1.0;
        }
        chosen
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::queue::holding::tests::{draws, on_link, packet};

    const MS: u64 = 1_000_000;

    pub const DUALPI2: DualPi2 = DualPi2 {
        target: Time::from_millis(15),
        update: Time::from_millis(15),
        alpha: 0.15,
        beta: 3.0,
        coupling: 2.0,
        step: Time::from_micros(800),
        ramp: Time::from_micros(400),
        step_packets: 1,
        scheduler: DualScheduler::Weighted(1.0 / 16.0),
        limit: Limit::Packets(10_000),
    };

    const SERVER: fn() -> Server = || Server::with_rate(8_000_000);

    /// A packet of 1000 bytes that arrives at this moment, of L or of C.
    fn arriving(l4s: bool, ect: bool, at: u64) -> Waiting {
        packet(1_000, at).with_ecn(ect, l4s)
    }

    /// Both queues with so many packets that arrived at the start, and p'.
    fn filled(dualpi2: DualPi2, base: f64, packets: &[(bool, bool)]) -> Coupled {
        let mut queue = dualpi2.discipline(draws());
        let mut decisions = Decisions::default();
        for &(l4s, ect) in packets {
            let packet = arriving(l4s, ect, 0);
            queue.arrival(packet, &Label::NONE, &SERVER(), &mut decisions);
        }
        assert_eq!(decisions, Decisions::default());
        queue.law.base = base;
        queue
    }

    /// Takes out packets at this moment; returns `L`, `C` or, if they are marked, `l`, `c`; `x` for drops.
    fn taken(queue: &mut Coupled, count: usize, now: u64) -> String {
        let mut decisions = Decisions::default();
        let mut letters = String::new();
        for _ in 0..count {
            let packet = queue.next(now, &SERVER(), &mut decisions);
            letters.extend(decisions.gone.drain(..).map(|(_, reason)| {
                assert_eq!(reason, Reason::Early);
                'x'
            }));
            letters.extend(
                packet.map(|packet| match (packet.is_l4s(), packet.is_marked()) {
                    (true, false) => 'L',
                    (true, true) => 'l',
                    (false, false) => 'C',
                    (false, true) => 'c',
                }),
            );
        }
        letters
    }

    /// At 2 ms all packets of L are over the step: the sum is 1, 2 - 1, 2 - 1 ...: all but the first are
    /// marked, and the last one, which is alone. At 0.5 ms none are. C is not marked.
    #[test]
    fn packets_that_wait_longer_than_the_step_are_marked() {
        let mut queue = filled(DUALPI2, 0.0, &[(true, true); 5]);
        assert_eq!(taken(&mut queue, 6, 2 * MS), "LlllL");
        let mut queue = filled(DUALPI2, 0.0, &[(true, true); 5]);
        assert_eq!(taken(&mut queue, 5, MS / 2), "LLLLL");
        let mut queue = filled(DUALPI2, 0.0, &[(false, true); 3]);
        assert_eq!(taken(&mut queue, 3, 2 * MS), "CCC");
    }

    /// With p' = 0.125 L is marked with 0.25: the sum is above 1 at the fifth packet and at each fourth one
    /// after it (figure 4). With p' = 0.375, C is chosen with 0.140625: at the eighth packet.
    #[test]
    fn probabilities_are_added_up() {
        let mut queue = filled(DUALPI2, 0.125, &[(true, true); 13]);
        assert_eq!(taken(&mut queue, 13, 0), "LLLLlLLLlLLLl");
        for (ect, chosen) in [(true, "CCCCCCCcC"), (false, "CCCCCCCxCC")] {
            let mut queue = filled(DUALPI2, 0.375, &[(false, ect); 10]);
            assert_eq!(taken(&mut queue, 9, 0), chosen);
        }
    }

    /// Figure 7. With p' = 0.5 and a coupling of 2, p_CL = 1 and p_C = 1/4 = 1/coupling^2: both queues drop a
    /// fourth, ECN-capable or not, and L marks the rest. Just below, nothing that can be marked is dropped.
    #[test]
    fn overload_drops_in_both_queues() {
        let mut queue = filled(DUALPI2, 0.5, &[(true, true); 9]);
        assert_eq!(taken(&mut queue, 8, 0), "llllxlllx");
        let mut queue = filled(DUALPI2, 0.5, &[(false, true); 9]);
        assert_eq!(taken(&mut queue, 8, 0), "CCCCxCCCx");
        let mut queue = filled(DUALPI2, 0.499, &[(true, true); 9]);
        assert_eq!(taken(&mut queue, 9, 0), "Lllllllll");
        let mut queue = filled(DUALPI2, 0.499, &[(false, true); 9]);
        assert_eq!(taken(&mut queue, 9, 0), "CCCCcCCCc");
    }

    /// A packet of L gives C a credit of 1000/16 = 62.5 bytes, one of C costs 937.5: after the first, C has one
    /// packet in sixteen. Alone, either queue is served at once.
    #[test]
    fn a_weighted_scheduler_gives_the_classic_queue_its_share() {
        let packets: Vec<(bool, bool)> = (0..70).map(|k| (k % 2 == 0, true)).collect();
        let mut queue = filled(DUALPI2, 0.0, &packets);
        let order = taken(&mut queue, 36, 0);
        let turn = format!("{}C", "L".repeat(15));
        assert_eq!(order, format!("LC{turn}{turn}LL"));
        let mut queue = filled(DUALPI2, 0.0, &[(false, true), (false, true), (true, true)]);
        assert_eq!(taken(&mut queue, 3, 0), "LCC");
    }

    /// The packet of C arrived at 0. One of L that arrived at 10 ms or earlier goes first at any time: 50 ms
    /// are added to its wait.
    #[test]
    fn a_time_shifted_scheduler_takes_what_has_waited_longest() {
        let shifted = DualPi2 {
            scheduler: DualScheduler::TimeShifted(Time::from_millis(50)),
            target: Time::from_secs(1),
            step_packets: 9,
            ..DUALPI2
        };
        for (at, order) in [(50, "LC"), (51, "CL")] {
            let mut queue = filled(shifted, 0.0, &[(false, true)]);
            let mut decisions = Decisions::default();
            let packet = arriving(true, true, at * MS);
            queue.arrival(packet, &Label::NONE, &SERVER(), &mut decisions);
            assert_eq!(taken(&mut queue, 2, 60 * MS), order);
        }
    }

    /// A packet waits at 8 kb/s behind one that takes 1 s. Its delay is 15 ms at the first update, then 30 ms:
    /// p' = 0.15 x 0 + 3 x 0.015 = 0.045; then 0.15 x 0.015 + 3 x 0.015 = 0.04725 more. Once all have left,
    /// the next update takes 0.15 x 0.015 + 3 x 0.03 = 0.09225 away: nothing is left.
    #[test]
    fn the_delay_is_that_of_the_packet_that_has_waited_longest() {
        for l4s in [true, false] {
            let mut queue = on_link(DUALPI2.discipline(draws()), 8_000);
            assert_eq!(queue.arrive(arriving(l4s, true, 0)), []);
            assert!(queue.start_by(0).is_some());
            assert_eq!(queue.arrive(arriving(l4s, true, 0)), []);
            for (ms, base) in [(14, 0.0), (15, 0.045), (30, 0.092_25)] {
                queue.discipline.catch_up(ms * MS);
                let found = queue.discipline.law.base;
                assert!((found - base).abs() < 1e-12, "{ms} {found}");
            }
            queue.discipline.l4s.line.pop();
            queue.discipline.classic.line.pop();
            queue.discipline.catch_up(45 * MS);
            assert!(queue.discipline.law.base < 1e-12);
            assert_eq!(queue.discipline.law.delay_before, 0.0);
        }
    }

    /// Updates that change nothing are skipped, and the next one is due where it would have been.
    #[test]
    fn an_idle_queue_keeps_the_times_of_its_updates() {
        let mut queue = DUALPI2.discipline(draws());
        queue.catch_up(1_000_000_007 * MS);
        assert_eq!(queue.next_update, 1_000_000_020 * MS);
    }

    #[test]
    fn both_queues_share_the_limit() {
        let small = DualPi2 {
            limit: Limit::Packets(2),
            ..DUALPI2
        };
        let mut queue = on_link(small.discipline(draws()), 8_000_000);
        assert_eq!(queue.arrive(arriving(true, true, 0)), []);
        assert!(queue.start_by(0).is_some());
        assert_eq!(queue.arrive(arriving(false, true, 0)), []);
        let late = arriving(true, true, 0);
        assert_eq!(queue.arrive(late), [(late, Reason::Full)]);
    }
}
