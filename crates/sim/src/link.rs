//! A link at run time: a queue, a transmitter and a FIFO of packets in flight.

mod detail;

pub(crate) use self::detail::{Departures, LinkDetail, Totals};
use std::slice::from_mut;

use crate::hint::cold_path;
use crate::label::Tag;
use crate::loss::Loss;
use crate::packet::{Class, Kinds};
use crate::pool::NIL;
use crate::queue::{Admitted, DropTail, Verdict};
use crate::topology::OWN;

/// The state of a link that every packet touches: one cache line.
///
/// A packet of the same size and kind as the one before only increments `run`. Its contribution to the
/// counters is worked out when a packet of another class arrives, or when the counters are read.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct LinkState {
    /// Propagation delay in nanoseconds.
    pub delay: u64,
    queue: DropTail,
    /// The low half of the sum of the times that packets spend in the system.
    queue_integral: u64,
    /// The first of the packets in flight that are stored here, or `NIL`. Only this one is scheduled.
    pub head: u32,
    /// The last of them; meaningless if there are none.
    pub tail: u32,
    /// Departures of packets of the current class that are not yet in the other counters.
    run: u32,
    /// The class of the last packet if all packets in the system have its size, else `Class::NONE`;
    /// always `Class::NONE` if the link inspects every packet.
    class: Class,
    /// The kinds of packets on which the loss model acts.
    pub lossy: Kinds,
    /// The lane that this link shares with others, or `ALONE`, or `OWN`.
    pub lane: u8,
}

/// What is known about when a packet reaches the end of a link.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    /// Perhaps together with the one before it: it must stay in the FIFO of the link.
    Fifo,
    /// Later than every packet before it, after waiting for the link.
    Waited,
    /// Later than every packet before it; it did not wait.
    Prompt,
}

/// The delay of a link that decides about the flight of each packet: longer than any run, so that all packets
/// take the path of those that do not arrive before its end.
pub(crate) const FLIGHT: u64 = u64::MAX;

impl LinkState {
    pub fn new(delay: u64, lane: u8, loss: Option<&Loss>) -> Self {
        Self {
            delay,
            queue: DropTail::new(),
            queue_integral: 0,
            head: NIL,
            tail: NIL,
            run: 0,
            class: Class::NONE,
            lossy: loss.map_or(Kinds::none(), |loss| loss.kinds),
            lane,
        }
    }

    /// Admits an arriving packet; returns `None` if it is dropped, or if its departure is not known yet.
    /// Here and below, the detail is looked up, by its number, only if it is needed.
    #[inline]
    pub fn admit(
        &mut self,
        details: &mut [LinkDetail],
        number: usize,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if self.class == class {
            self.queue.admit_equal(now)
        } else {
            cold_path();
            self.admit_other(&mut details[number], tag, class, now)
        }
    }

    /// Returns what is known about when a packet that arrived at `now` reaches the end of the link.
    #[inline]
    pub fn order(&self, now: u64, admitted: Admitted) -> Order {
        match admitted.tx {
            0 | 1 => {
                cold_path();
                Order::Fifo
            }
            _ if self.lane == OWN => Order::Fifo,
            tx if admitted.departure - tx > now => Order::Waited,
            _ => Order::Prompt,
        }
    }

    /// Counts a packet that arrived at `now` and departs within the run.
    #[inline]
    pub fn count_passage_of(
        &mut self,
        details: &mut [LinkDetail],
        number: usize,
        class: Class,
        now: u64,
        admitted: Admitted,
    ) {
        let (run, full) = self.run.overflowing_add(1);
        let (sum, carry) = self
            .queue_integral
            .overflowing_add(admitted.departure - now);
        self.queue_integral = sum;
        if self.class == class && !full && !carry {
            self.run = run;
            return;
        }
        cold_path();
        self.count_apart(&mut details[number], class, carry, admitted.tx);
    }

    /// The same with the detail at hand.
    #[inline]
    pub fn count_passage(
        &mut self,
        detail: &mut LinkDetail,
        class: Class,
        now: u64,
        admitted: Admitted,
    ) {
        self.count_passage_of(from_mut(detail), 0, class, now, admitted);
    }

    /// The same for a link without a run of equal packets.
    #[inline(always)]
    pub fn count_departure(
        &mut self,
        detail: &mut LinkDetail,
        class: Class,
        now: u64,
        admitted: Admitted,
    ) {
        let (sum, carry) = self
            .queue_integral
            .overflowing_add(admitted.departure - now);
        self.queue_integral = sum;
        match detail.totals_if_any() {
            Some(totals) if !carry => totals.departures.add_one(class, admitted.tx),
            _ => self.count_end_of_run(detail, class, carry, admitted.tx),
        }
    }

    /// Counts a packet that does not continue the run of equal packets.
    #[inline(never)]
    fn count_apart(&mut self, detail: &mut LinkDetail, class: Class, carry: bool, tx: u64) {
        if self.run == 0
            && !carry
            && let Some(totals) = detail.totals_if_any()
        {
            return totals.departures.add_one(class, tx);
        }
        self.count_end_of_run(detail, class, carry, tx);
    }

    /// Counts a packet that ends the run of equal packets, or with which a short counter overflows.
    #[cold]
    #[inline(never)]
    fn count_end_of_run(&mut self, detail: &mut LinkDetail, class: Class, carry: bool, tx: u64) {
        let totals = detail.totals_mut();
        self.end_run(totals);
        totals.queue_integral += u32::from(carry);
        totals.departures.add(class, 1, tx);
    }

    /// Counts a packet that arrived at `now` and will not have departed at the end of the run.
    pub fn count_tail(&mut self, detail: &mut LinkDetail, now: u64, admitted: Admitted, end: u64) {
        let start = admitted.departure - admitted.tx;
        let totals = detail.totals_mut();
        totals.departures.busy += end.saturating_sub(start);
        totals.waiting += 1;
        let (sum, carry) = self.queue_integral.overflowing_add(end - now);
        self.queue_integral = sum;
        totals.queue_integral += u32::from(carry);
    }

    pub fn departures(&self, detail: &LinkDetail) -> Departures {
        let mut departures = detail.totals().departures;
        if self.run > 0 {
            departures.add(self.class, u64::from(self.run), self.queue.tx());
        }
        departures
    }

    /// Returns the number of packets that have arrived: those dropped or removed, those that depart
    /// within the run, those that do not, and those for which this is not known yet.
    pub fn sent(&self, detail: &LinkDetail) -> u64 {
        let departed: u64 = self.departures(detail).packets.iter().sum();
        let undecided = detail.holding().map_or(0, |queue| queue.waiting() as u64);
        let undeparted = undecided + u64::from(detail.totals().waiting);
        detail.totals().dropped + detail.counts().filtered + departed + undeparted
    }

    /// Returns the integral of the queue length, in packets times nanoseconds.
    pub fn queue_integral(&self, detail: &LinkDetail) -> u128 {
        u128::from(detail.totals().queue_integral) << 64 | u128::from(self.queue_integral)
    }

    /// Adds to the sum of the times that packets spend in the system, in nanoseconds.
    pub fn add_to_integral(&mut self, detail: &mut LinkDetail, time: u128) {
        let sum = self.queue_integral(detail) + time;
        self.queue_integral = sum as u64;
        detail.totals_mut().queue_integral = (sum >> 64) as u32;
    }

    /// Returns the delay of a packet that departs at this moment, without what is random about it.
    pub fn delay_at(&self, detail: &LinkDetail, departure: u64) -> u64 {
        match detail.flying() {
            Some(flying) => flying.delay_at(departure),
            None => self.delay,
        }
    }

    /// Returns the number of packets in the queue, including the one in transmission.
    pub fn queue_len(&self, detail: &mut LinkDetail, now: u64) -> u32 {
        if let Some(queue) = detail.holding() {
            return queue.len(now);
        }
        match detail.fifo() {
            Some(fifo) => fifo.len(now),
            None => self.queue.len(&mut detail.backlog, now),
        }
    }

    // The three ways of admitting are apart, so that this one only jumps.
    #[inline(never)]
    fn admit_other(
        &mut self,
        detail: &mut LinkDetail,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if detail.attentive {
            cold_path();
            return match &detail.special {
                // It decides later.
                Some(special) if special.holding.is_some() => None,
                Some(_) => self.admit_attentively(detail, tag, class, now),
                None => self.admit_stamping(detail, tag, class, now),
            };
        }
        self.admit_change(detail, class, now)
    }

    /// Admits a packet of another class than the one before, or while the sizes in the system differ.
    #[inline(never)]
    fn admit_change(
        &mut self,
        detail: &mut LinkDetail,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if self.run > 0 {
            cold_path();
            detail.count_run(self.class, self.run, self.queue.tx());
            self.run = 0;
        }
        let admitted = self.queue.admit(&mut detail.backlog, class.bytes(), now);
        self.class = match detail.backlog.is_uniform() {
            true => class,
            false => Class::NONE,
        };
        admitted
    }

    /// Admits a packet at a link that inspects every packet only to add how long it waits.
    #[inline(never)]
    fn admit_stamping(
        &mut self,
        detail: &mut LinkDetail,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        let admitted = self.queue.admit(&mut detail.backlog, class.bytes(), now)?;
        if detail.stamps {
            tag.add_wait(admitted.departure - admitted.tx - now);
        }
        Some(admitted)
    }

    /// Admits a packet at a link that inspects every packet. Such a link has no class, so every packet
    /// takes this path and other links do not pay for it.
    #[inline(never)]
    fn admit_attentively(
        &mut self,
        detail: &mut LinkDetail,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if detail.polices(class.bytes(), now) {
            return None;
        }
        let mut early = false;
        if let Some(special) = &mut detail.special
            && let Some(detector) = &mut special.detector
        {
            let (len, idle) = match &mut special.fifo {
                Some(fifo) => (fifo.len(now), fifo.wasted(now)),
                None => (
                    self.queue.len(&mut detail.backlog, now),
                    self.queue.idle(now),
                ),
            };
            match detector.arrival(len.saturating_sub(1), idle) {
                Verdict::Pass => {}
                Verdict::Early if detector.marks() && tag.label.ecn.is_capable() => early = true,
                Verdict::Early => {
                    special.counts.early += 1;
                    if let Some(ahead) = detail.ahead_at(now) {
                        ahead.early += 1;
                    }
                    return None;
                }
                Verdict::Forced => return None,
            }
        }
        let admitted = match detail.fifo() {
            Some(fifo) => fifo.admit(class.bytes(), now)?,
            None => self.queue.admit(&mut detail.backlog, class.bytes(), now)?,
        };
        if early {
            tag.marked = true;
            detail.count(|counts| counts.marked += 1);
            if let Some(ahead) = detail.ahead_at(now) {
                ahead.marked += 1;
            }
        }
        if detail.stamps {
            tag.add_wait(admitted.departure - admitted.tx - now);
        }
        Some(admitted)
    }

    /// Adds the current run of equal packets to the counters.
    #[inline]
    fn end_run(&mut self, totals: &mut Totals) {
        if self.run > 0 {
            let (packets, tx) = (u64::from(self.run), self.queue.tx());
            totals.departures.add(self.class, packets, tx);
            self.run = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Label;
    use crate::packet::Kind;
    use crate::time::Time;
    use crate::topology::{Link, Topology};

    #[test]
    fn a_link_takes_a_cache_line_and_less_for_the_rest() {
        assert_eq!(size_of::<LinkDetail>(), 56);
        assert_eq!(size_of::<LinkState>(), 64);
        assert_eq!(align_of::<LinkState>(), 64);
    }

    /// Counters start just below the overflow of their low half; then three packets of 1000 bytes pass,
    /// at a microsecond per byte.
    #[test]
    fn counters_carry() {
        let mut link = LinkState::new(0, u8::MAX, None);
        let mut topology = Topology::new();
        let (a, b) = (topology.node(), topology.node());
        let described = Link::new("l", a, b, 8_000_000, Time::ZERO);
        let mut detail = LinkDetail::new(&described, None, None);
        let mut tag = Tag::new(Label::NONE);
        let class = Class::new(1_000, Kind::new(2));
        link.admit(from_mut(&mut detail), 0, &mut tag, class, 0)
            .unwrap();
        link.run = u32::MAX;
        link.queue_integral = u64::MAX;
        for now in [10_000_000, 20_000_000, 30_000_000] {
            let admitted = link.admit(from_mut(&mut detail), 0, &mut tag, class, now);
            let admitted = admitted.unwrap();
            link.count_passage(&mut detail, class, now, admitted);
        }
        let departures = link.departures(&detail);
        assert_eq!(departures.packets, [0, 0, 4_294_967_298, 0]);
        assert_eq!(departures.bytes, 4_294_967_298_000);
        assert_eq!(departures.busy, 4_294_967_298_000_000);
        assert_eq!(link.sent(&detail), 4_294_967_298);
        let integral = link.queue_integral(&detail);
        assert_eq!(integral, 18_446_744_073_712_551_615);
        assert!(link.run < 3);
    }
}
