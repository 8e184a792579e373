//! CoDel, controlled delay (RFC 8289): packets are dropped or marked while every packet has waited longer
//! than a target for a whole interval, more often the longer that lasts.
//!
//! When a packet is to be transmitted (section 5.5; "above" means that it has waited for `target` or longer,
//! and more than `mtu` bytes wait behind it):
//!
//! ```text
//! not dropping, above for `interval`     drop; dropping; next drop at now + interval / sqrt(count)
//!   count = count - its value at the start of the last dropping, if that is above 1 and the last drop was
//!   due less than 16 intervals ago; else 1
//! dropping, not above                    not dropping
//! dropping, now >= next drop             drop; count += 1; next drop += interval / sqrt(count); repeat
//! ```
//!
//! With `ecn`, a packet of an ECN-capable transport is marked and transmitted instead; nothing more is
//! decided at that departure, as in Linux (the RFC leaves marking open).
//!
//! *Readings.* `mtu` is 1500 bytes (section 5.3 has 512, and says that it should be that of the interface);
//! Linux takes the largest packet seen, ns-3 1500 bytes. Times are whole nanoseconds, rounded down. With `newton`, the
//! root is that of Linux and ns-3: a fraction in 16 bits, brought up to date by one step of Newton's method at each change
//! of the count. The step from 1 to 2 overshoots (0.5 instead of 0.707), and so do those from a count that has jumped back.

use super::{Decisions, Discipline, Hold, Limit, Line, Reason, Server, Waiting};
use crate::label::Label;
use crate::random::Random;
use crate::time::Time;

/// The parameters of CoDel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoDel {
    /// The acceptable time that packets wait.
    pub target: Time,
    /// How long packets must have waited longer before one is dropped: about the round-trip time. More
    /// than zero.
    pub interval: Time,
    /// Nothing is dropped while at most so many bytes wait.
    pub mtu: u32,
    /// If true, packets of an ECN-capable transport are marked instead of dropped.
    pub ecn: bool,
    /// If true, the root of the count is approximated as in Linux.
    pub newton: bool,
    /// How much the queue holds at most.
    pub limit: Limit,
}

impl Hold for CoDel {
    type Discipline = Controlled;

    fn limit(&self) -> u32 {
        self.limit.packets()
    }

    fn is_labelled(&self) -> bool {
        self.ecn
    }

    fn fault(&self) -> Option<&'static str> {
        match self.interval {
            Time::ZERO => Some("the interval of CoDel must be more than zero"),
            _ => self.limit.fault(),
        }
    }

    fn discipline(&self, _: Random) -> Controlled {
        Controlled {
            codel: *self,
            law: Law::default(),
            line: Line::default(),
        }
    }
}

/// The state of CoDel on one link.
#[derive(Clone, Debug)]
pub(crate) struct Controlled {
    codel: CoDel,
    law: Law,
    line: Line,
}

impl Discipline for Controlled {
    fn arrival(&mut self, packet: Waiting, _: &Label, server: &Server, decisions: &mut Decisions) {
        let bytes = packet.bytes();
        if self
            .codel
            .limit
            .is_reached(&self.line, bytes, server, packet.arrived)
        {
            decisions.gone.push((packet, Reason::Full));
        } else {
            self.line.push(packet);
        }
    }

    fn next(&mut self, now: u64, _: &Server, decisions: &mut Decisions) -> Option<Waiting> {
        let line = &mut self.line;
        let take = || line.pop().map(|packet| (packet, line.bytes()));
        self.law.next(&self.codel, now, take, decisions)
    }

    fn len(&self) -> usize {
        self.line.len()
    }

    fn visit(&self, see: &mut dyn FnMut(&Waiting)) {
        self.line.visit(see);
    }
}

/// The control law of CoDel for one queue.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Law {
    /// When packets will have been above the target for an interval; zero while they are not.
    above_at: u64,
    /// When the next packet is dropped.
    drop_at: u64,
    /// Packets dropped since dropping began, or carried over from the last time.
    count: u32,
    /// The count when dropping began.
    count_at_start: u32,
    /// With `newton`, about 2^16 / sqrt(count).
    root: u16,
    dropping: bool,
}

impl Law {
    /// Returns the packet that is transmitted now, if any is left. `take` takes a packet out of the queue
    /// and returns it with the bytes that still wait.
    #[inline]
    pub fn next(
        &mut self,
        codel: &CoDel,
        now: u64,
        mut take: impl FnMut() -> Option<(Waiting, u64)>,
        decisions: &mut Decisions,
    ) -> Option<Waiting> {
        let Some((packet, behind)) = take() else {
            self.found_empty();
            return None;
        };
        if !self.is_above(codel, now, packet.arrived, behind) {
            self.dropping = false;
            return Some(packet);
        }
        if self.dropping && now < self.drop_at {
            return Some(packet);
        }
        self.drop_or_mark(codel, now, packet, take, decisions)
    }

    /// A drop is due, or dropping begins, as this packet is taken out. Returns the packet that is transmitted.
    #[inline(never)]
    fn drop_or_mark(
        &mut self,
        codel: &CoDel,
        now: u64,
        packet: Waiting,
        mut take: impl FnMut() -> Option<(Waiting, u64)>,
        decisions: &mut Decisions,
    ) -> Option<Waiting> {
        if !self.dropping {
            let next = if codel.ecn && packet.is_ect() {
                Some(marked(packet, decisions))
            } else {
                decisions.gone.push((packet, Reason::Early));
                let (next, _) = self.take_next(codel, now, &mut take);
                next
            };
            self.begin(codel, now);
            return next;
        }
        let mut packet = packet;
        loop {
            self.count = self.count.saturating_add(1);
            self.improve_root();
            if codel.ecn && packet.is_ect() {
                self.drop_at = self.after(codel, self.drop_at);
                return Some(marked(packet, decisions));
            }
            decisions.gone.push((packet, Reason::Early));
            let (next, above) = self.take_next(codel, now, &mut take);
            self.dropping = above;
            if above {
                self.drop_at = self.after(codel, self.drop_at);
            }
            packet = match next {
                Some(next) if above && now >= self.drop_at => next,
                _ => return next,
            };
        }
    }

    /// Takes out a packet behind one that was dropped; returns it, and whether it is above the target.
    fn take_next(
        &mut self,
        codel: &CoDel,
        now: u64,
        take: &mut impl FnMut() -> Option<(Waiting, u64)>,
    ) -> (Option<Waiting>, bool) {
        let Some((packet, behind)) = take() else {
            self.above_at = 0;
            return (None, false);
        };
        let above = self.is_above(codel, now, packet.arrived, behind);
        (Some(packet), above)
    }

    /// The transmitter found the queue empty.
    pub fn found_empty(&mut self) {
        self.above_at = 0;
        self.dropping = false;
    }

    /// Begins to drop.
    fn begin(&mut self, codel: &CoDel, now: u64) {
        let dropped = self.count - self.count_at_start;
        let recently = now.saturating_sub(self.drop_at) / 16 < codel.interval.as_nanos();
        self.dropping = true;
        if dropped > 1 && recently {
            self.count = dropped;
            self.improve_root();
        } else {
            self.count = 1;
            self.root = u16::MAX;
        }
        self.count_at_start = self.count;
        self.drop_at = self.after(codel, now);
    }

    /// Returns whether a packet that has been taken out, with so many bytes behind it, was above the target,
    /// and has been for an interval.
    #[inline]
    fn is_above(&mut self, codel: &CoDel, now: u64, arrived: u64, behind: u64) -> bool {
        let above = now - arrived >= codel.target.as_nanos() && behind > u64::from(codel.mtu);
        if !above {
            self.above_at = 0;
            return false;
        }
        if self.above_at == 0 {
            self.above_at = now.saturating_add(codel.interval.as_nanos());
            return false;
        }
        now >= self.above_at
    }

    /// Returns when the packet after one that is dropped at this moment is dropped: the control law.
    fn after(&self, codel: &CoDel, moment: u64) -> u64 {
        let interval = codel.interval.as_nanos();
        let spacing = match codel.newton {
            true => ((u128::from(interval) * u128::from(self.root)) >> 16) as u64,
            false => (interval as f64 / f64::from(self.count).sqrt()) as u64,
        };
        moment.saturating_add(spacing)
    }

    /// One step of Newton's method towards 1 / sqrt(count): root (3 - count root^2) / 2, in fractions of 2^32.
    fn improve_root(&mut self) {
        let root = u64::from(self.root) << 16;
        let square = (root * root) >> 32;
        let rest = (3_u64 << 32).saturating_sub(u64::from(self.count).saturating_mul(square));
        self.root = (((rest >> 2) * root) >> 47) as u16;
    }
}

/// Returns a packet marked, and counts it.
fn marked(packet: Waiting, decisions: &mut Decisions) -> Waiting {
    decisions.marked += 1;
    packet.marked()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::queue::Holding;
    use crate::queue::holding::tests::{draws, on_link, packet};

    const MS: u64 = 1_000_000;

    const CODEL: CoDel = CoDel {
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1_500,
        ecn: false,
        newton: false,
        limit: Limit::Packets(10_000),
    };

    /// A queue at 12 Mb/s (1500 bytes take 1 ms), in which `packets` arrive at the start.
    fn filled(codel: CoDel, packets: usize, ect: bool) -> Holding<Controlled> {
        let mut queue = on_link(codel.discipline(draws()), 12_000_000);
        for _ in 0..packets {
            let packet = packet(1_500, 0).with_ecn(ect, false);
            assert_eq!(queue.arrive(packet), []);
        }
        queue
    }

    /// Transmits until a moment; returns the times in microseconds at which packets were dropped or marked.
    fn decided(queue: &mut Holding<Controlled>, until: u64) -> Vec<u64> {
        let mut decisions = Decisions::default();
        let mut times = Vec::new();
        while let Some((at, _)) = queue.start(until, &mut decisions) {
            let decided = decisions.gone.drain(..).count() as u64 + decisions.marked;
            decisions.marked = 0;
            times.extend((0..decided).map(|_| at / 1_000));
        }
        times
    }

    /// RFC 8289, sections 5.5 and 5.6. The packet at 5 ms is the first one above the target; so the first
    /// drop is at 105 ms. The next ones are due 100 ms, then 100/sqrt(2) = 70.711 ms, 100/sqrt(3) = 57.735
    /// ms, 50 ms, 44.721 ms, 40.825 ms later; a packet starts at every whole millisecond.
    #[test]
    fn drops_are_spaced_by_the_inverse_of_the_square_root() {
        let times = decided(&mut filled(CODEL, 1_000, false), 480 * MS);
        let due = [105.0, 205.0, 275.711, 333.446, 383.446, 428.167, 468.992];
        let expected = due.map(|ms: f64| ms.ceil() as u64 * 1_000);
        assert_eq!(times, expected);
    }

    /// The roots of the counts 1 to 5, by hand: 1; 1 (3 - 2)/2 = 0.5; 0.5 (3 - 3/4)/2 = 0.5625; 0.5625 (3 - 4 x 0.3164)/2
    /// = 0.4878; 0.4878 (3 - 5 x 0.2379)/2 = 0.4416. So after the first drop, at 105 ms, the others are due 100, 50, 56.25,
    /// 48.78 and 44.16 ms later (less what 16 bits cut off): the third comes 50 ms after the second, instead of 71.
    #[test]
    fn the_root_of_linux_overshoots_at_first() {
        let newton = CoDel {
            newton: true,
            ..CODEL
        };
        let times = decided(&mut filled(newton, 1_000, false), 420 * MS);
        assert_eq!(times, [105, 205, 255, 312, 361, 405].map(|ms| ms * 1_000));
    }

    /// Dropping begins again with 30 after a count of 50, whose root is 0.1414: 0.1414 (3 - 30 x 0.02)/2 = 0.1697, and the
    /// next drop is due after 16.97 ms (18.26 with the exact root).
    #[test]
    fn the_root_of_linux_follows_a_count_that_has_jumped_back() {
        let newton = CoDel {
            newton: true,
            ..CODEL
        };
        let mut law = Law {
            drop_at: 1_000 * MS,
            count: 50,
            count_at_start: 20,
            root: 9_268,
            above_at: 1_000 * MS,
            ..Law::default()
        };
        let mut left = vec![(packet(1_500, 0), 9_000); 2];
        let next = law.next(
            &newton,
            1_300 * MS,
            || left.pop(),
            &mut Decisions::default(),
        );
        assert!(next.is_some());
        assert_eq!((law.drop_at - 1_300 * MS) / 10_000, 1_696);
    }

    #[test]
    fn packets_of_an_ecn_capable_transport_are_marked_instead() {
        let ecn = CoDel { ecn: true, ..CODEL };
        let mut queue = filled(ecn, 1_000, true);
        assert_eq!(
            decided(&mut queue, 350 * MS),
            [105, 205, 276, 334].map(|ms| ms * 1_000)
        );
        assert_eq!(queue.waiting(), 1_000 - 351);
        // Those of other transports are dropped, as before.
        let mut queue = filled(ecn, 1_000, false);
        assert_eq!(
            decided(&mut queue, 350 * MS),
            [105, 205, 276, 334].map(|ms| ms * 1_000)
        );
        assert_eq!(queue.waiting(), 1_000 - 351 - 4);
    }

    /// With 3000 bytes behind it a packet is dropped, with 1500 (the MTU) behind it it is not.
    #[test]
    fn the_last_bytes_are_not_dropped() {
        let mut law = Law::default();
        let mut decisions = Decisions::default();
        let mut once = |now, behind| {
            let mut left = vec![(packet(1_500, 0), behind), (packet(1_500, 0), behind)];
            law.next(&CODEL, now, || left.pop(), &mut decisions);
            decisions.gone.drain(..).count()
        };
        assert_eq!(once(10 * MS, 3_000), 0);
        assert_eq!(once(120 * MS, 1_500), 0);
        // It went below: the interval begins again.
        assert_eq!(once(130 * MS, 3_000), 0);
        assert_eq!(once(229 * MS, 3_000), 0);
        assert_eq!(once(230 * MS, 1_501), 1);
    }

    /// Section 5.5: dropping ended with a count of 5 and begins again soon: it goes on with 5 - 1 = 4, and
    /// the second drop is due 100/sqrt(4) = 50 ms after the first. 16 intervals later or more, it begins
    /// with 1.
    #[test]
    fn a_dropping_that_begins_again_soon_goes_on_where_it_was() {
        let soon = [300 * MS, 1_600 * MS - 1].map(|pause| (pause, 4, 50));
        let late = [1_600 * MS, 1_700 * MS].map(|pause| (pause, 1, 100));
        for (pause, count, spacing) in soon.into_iter().chain(late) {
            let mut law = Law {
                drop_at: 1_000 * MS,
                count: 5,
                count_at_start: 1,
                ..Law::default()
            };
            let start = 1_000 * MS + pause;
            law.above_at = start;
            let mut left = vec![(packet(1_500, 0), 9_000); 2];
            let mut decisions = Decisions::default();
            let next = law.next(&CODEL, start, || left.pop(), &mut decisions);
            assert!(next.is_some());
            assert_eq!(decisions.gone.len(), 1);
            assert_eq!((law.count, law.count_at_start), (count, count));
            assert_eq!(law.drop_at, start + spacing * MS);
        }
    }

    /// If several drops are due, several packets are dropped at once.
    #[test]
    fn drops_that_are_overdue_happen_together() {
        let mut queue = filled(CODEL, 1_000, false);
        queue.discipline.law = Law {
            above_at: 1,
            drop_at: 10 * MS,
            count: 10_000,
            count_at_start: 1,
            root: 0,
            dropping: true,
        };
        // Each is due 100/sqrt(10,000) = 1 ms (less 50 to 250 ns) after the one before: until 14 ms, the
        // ones of 10 (less nothing), 11, 12, 13 and 14 ms.
        let mut decisions = Decisions::default();
        let taken = queue
            .discipline
            .next(14 * MS, &Server::with_rate(1), &mut decisions);
        assert!(taken.is_some());
        assert_eq!(decisions.gone.len(), 5);
    }

    #[test]
    fn a_full_queue_drops_what_arrives() {
        let small = CoDel {
            limit: Limit::Bytes(4_500),
            ..CODEL
        };
        let mut queue = filled(small, 3, false);
        let late = packet(100, 0);
        assert_eq!(queue.arrive(late), [(late, Reason::Full)]);
    }
}
