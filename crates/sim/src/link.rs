//! A link at run time: a queue, a transmitter and a FIFO of packets in flight.

use crate::ahead::Ahead;
use crate::arq::{Resequencer, Retransmission};
use crate::flight::{Air, Flying};
use crate::label::Tag;
use crate::loss::{Loss, LossProcess};
use crate::packet::{Class, Kind, Kinds};
use crate::pool::NIL;
use crate::queue::{Admitted, Backlog, Detector, DropTail, Holding, OpportunityFifo, Verdict};
use crate::sojourn::Sojourns;
use crate::time::Time;
use crate::topology::{Link, OWN};

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
    /// The low half of the number of packets that reached the end of the link.
    delivered: u32,
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

/// The rest of a link's state: used for few packets, or by few links.
#[derive(Debug)]
pub(crate) struct LinkDetail {
    pub watched: bool,
    /// Whether the link inspects every packet.
    attentive: bool,
    /// Whether it adds the waiting time to the tags of probes.
    pub stamps: bool,
    pub dropped: u64,
    /// What only some links have.
    pub special: Option<Box<Special>>,
    /// What is ahead of the next reading, if one is expected.
    pub ahead: Option<Box<Ahead>>,
    /// Packets that are not stored here but will be in flight when the run ends.
    pub unstored: u32,
    /// Packets that have not departed by the end of the run.
    waiting: u32,
    backlog: Backlog,
    departures: Departures,
    /// The high half of the sum of the times that packets spend in the system.
    queue_integral: u32,
    /// The high half of the number of packets that reached the end of the link.
    delivered: u32,
}

/// The state of links with a loss model, with recorded rates, or with a queue that does more than drop what
/// it has no room for.
#[derive(Debug, Default)]
pub(crate) struct Special {
    loss: Option<LossProcess>,
    /// Decides about early drops.
    detector: Option<Detector>,
    /// The queue, if opportunities drive the transmitter and it does not hold its packets.
    fifo: Option<OpportunityFifo>,
    /// The queue, if it holds its packets until they depart.
    pub holding: Option<Holding>,
    /// Decides about the flight of packets, if the delay is not constant.
    pub flying: Option<Flying>,
    pub counts: Counts,
}

/// Counters that stay zero at most links.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub lost: u64,
    /// The number of dropped packets that a RED queue dropped at random.
    pub early: u64,
    /// Number of packets marked.
    pub marked: u64,
    /// Number of packets removed because a later packet made them useless.
    pub filtered: u64,
    /// The number of times that the link sent a packet again.
    pub retransmitted: u64,
    /// Number of packets that arrive twice.
    pub duplicated: u64,
    /// Number of packets damaged in flight.
    pub corrupted: u64,
}

/// Totals of the packets that left a queue within the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departures {
    pub packets: [u64; Kind::COUNT],
    pub bytes: u64,
    /// Total transmission time.
    pub busy: u64,
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
            delivered: 0,
            run: 0,
            class: Class::NONE,
            lossy: loss.map_or(Kinds::none(), |loss| loss.kinds),
            lane,
        }
    }

    /// Admits an arriving packet; returns `None` if it is dropped, or if its departure is not known yet.
    /// Here and below, the detail is looked up only if it is needed.
    #[inline]
    pub fn admit<'a>(
        &mut self,
        detail: impl FnOnce() -> (&'a mut LinkDetail, &'a mut Tag),
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if self.class == class {
            self.queue.admit_equal(now)
        } else {
            let (detail, tag) = detail();
            self.admit_other(detail, tag, class, now)
        }
    }

    /// Returns what is known about when a packet that arrived at `now` reaches the end of the link.
    #[inline]
    pub fn order(&self, now: u64, admitted: Admitted) -> Order {
        match admitted.tx {
            0 | 1 => Order::Fifo,
            _ if self.lane == OWN => Order::Fifo,
            tx if admitted.departure - tx > now => Order::Waited,
            _ => Order::Prompt,
        }
    }

    /// Counts a packet that arrived at `now` and departs within the run.
    #[inline]
    pub fn count_passage<'a>(
        &mut self,
        detail: impl FnOnce() -> &'a mut LinkDetail,
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
        let detail = detail();
        detail.queue_integral += u32::from(carry);
        self.end_run(detail);
        detail.departures.add(class, 1, admitted.tx);
    }

    /// Counts a packet that has reached the end of the link.
    #[inline]
    pub fn count_delivery<'a>(&mut self, detail: impl FnOnce() -> &'a mut LinkDetail) {
        let (delivered, carry) = self.delivered.overflowing_add(1);
        self.delivered = delivered;
        if carry {
            detail().delivered += 1;
        }
    }

    /// Counts a packet that arrived at `now` and will not have departed at the end of the run.
    pub fn count_tail(&mut self, detail: &mut LinkDetail, now: u64, admitted: Admitted, end: u64) {
        let start = admitted.departure - admitted.tx;
        detail.departures.busy += end.saturating_sub(start);
        detail.waiting += 1;
        let (sum, carry) = self.queue_integral.overflowing_add(end - now);
        self.queue_integral = sum;
        detail.queue_integral += u32::from(carry);
    }

    pub fn departures(&self, detail: &LinkDetail) -> Departures {
        let mut departures = detail.departures;
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
        let undeparted = undecided + u64::from(detail.waiting);
        detail.dropped + detail.counts().filtered + departed + undeparted
    }

    pub fn delivered(&self, detail: &LinkDetail) -> u64 {
        u64::from(detail.delivered) << 32 | u64::from(self.delivered)
    }

    /// Returns the integral of the queue length, in packets times nanoseconds.
    pub fn queue_integral(&self, detail: &LinkDetail) -> u128 {
        u128::from(detail.queue_integral) << 64 | u128::from(self.queue_integral)
    }

    /// Adds to the sum of the times that packets spend in the system, in nanoseconds.
    pub fn add_to_integral(&mut self, detail: &mut LinkDetail, time: u128) {
        let sum = self.queue_integral(detail) + time;
        self.queue_integral = sum as u64;
        detail.queue_integral = (sum >> 64) as u32;
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

    #[inline(never)]
    fn admit_other(
        &mut self,
        detail: &mut LinkDetail,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if detail.attentive {
            return self.admit_attentively(detail, tag, class, now);
        }
        self.end_run(detail);
        let admitted = self.queue.admit(&mut detail.backlog, class.bytes(), now);
        self.class = match detail.backlog.is_uniform() {
            true => class,
            false => Class::NONE,
        };
        admitted
    }

    /// Admits a packet at a link that inspects every packet. Such a link has no class, so every packet
    /// takes this path and other links do not pay for it.
    fn admit_attentively(
        &mut self,
        detail: &mut LinkDetail,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if detail.holding().is_some() {
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
    fn end_run(&mut self, detail: &mut LinkDetail) {
        if self.run > 0 {
            let (packets, tx) = (u64::from(self.run), self.queue.tx());
            detail.departures.add(self.class, packets, tx);
            self.run = 0;
        }
    }
}

impl LinkDetail {
    pub fn new(link: &Link, loss: Option<LossProcess>, detector: Option<Detector>) -> Self {
        Self {
            watched: link.watched,
            attentive: link.stamps
                || detector.is_some()
                || !link.is_steady()
                || link.decides_at_departure(),
            stamps: link.stamps,
            dropped: 0,
            special: Special::new(link, loss, detector).map(Box::new),
            ahead: None,
            unstored: 0,
            waiting: 0,
            backlog: Backlog::new(link.rate, link.queue, link.watched),
            departures: Departures::default(),
            queue_integral: 0,
            delivered: 0,
        }
    }

    /// The queue, if it holds its packets until they depart.
    pub fn holding(&self) -> Option<&Holding> {
        self.special.as_ref()?.holding.as_ref()
    }

    /// The queue, if it holds its packets until they depart.
    pub fn holding_mut(&mut self) -> Option<&mut Holding> {
        self.special.as_mut()?.holding.as_mut()
    }

    /// The measurement of how long packets wait, if there is one.
    pub fn sojourns(&self) -> Option<&Sojourns> {
        self.holding()?.sojourns()
    }

    /// The measurement of how long packets wait, if there is one.
    pub fn sojourns_mut(&mut self) -> Option<&mut Sojourns> {
        self.holding_mut()?.sojourns_mut()
    }

    /// The packets to be sent again, if the link retransmits.
    pub fn retransmission_mut(&mut self) -> Option<&mut Retransmission> {
        self.holding_mut()?.retransmission.as_mut()
    }

    /// The far end, if the link retransmits in order.
    pub fn resequencer_mut(&mut self) -> Option<&mut Resequencer> {
        self.retransmission_mut()?.resequencer.as_mut()
    }

    /// Returns the delay of a packet that departs at this moment, without what is random about it.
    pub fn delay_at(&self, link: &LinkState, departure: u64) -> u64 {
        match self.flying() {
            Some(flying) => flying.delay_at(departure),
            None => link.delay,
        }
    }

    /// The flight of packets, if the delay is not constant.
    pub fn flying_mut(&mut self) -> Option<&mut Flying> {
        self.special.as_mut()?.flying.as_mut()
    }

    /// The packets in flight, if their order may change.
    pub fn air_mut(&mut self) -> Option<&mut Air> {
        self.flying_mut()?.air.as_mut()
    }

    /// The flight of packets, if the delay is not constant.
    pub fn flying(&self) -> Option<&Flying> {
        self.special.as_ref()?.flying.as_ref()
    }

    pub fn counts(&self) -> Counts {
        self.special
            .as_ref()
            .map_or_else(Counts::default, |special| special.counts)
    }

    /// Changes counters that only special links have.
    pub fn count(&mut self, change: impl FnOnce(&mut Counts)) {
        if let Some(special) = &mut self.special {
            change(&mut special.counts);
        }
    }

    /// Counts a repeated attempt, for which a packet leaves the queue at this moment.
    pub fn count_retransmission(&mut self, start: u64) {
        self.count(|counts| counts.retransmitted += 1);
        if let Some(ahead) = self.ahead_at(start) {
            ahead.retransmitted += 1;
        }
    }

    /// Counts the time of a failed attempt that ends within the run.
    pub fn count_failure(&mut self, departure: u64, tx: u64) {
        self.departures.busy += tx;
        if let Some(ahead) = self.ahead_at(departure) {
            ahead.busy += departure - (departure - tx).max(ahead.moment);
        }
    }

    /// Counts a packet that arrives damaged at `due`.
    pub fn count_damage(&mut self, due: u64) {
        self.count(|counts| counts.corrupted += 1);
        if let Some(ahead) = self.ahead_at(due) {
            ahead.corrupted += 1;
        }
    }

    /// Counts a packet that arrives twice.
    pub fn count_copy(&mut self, due: u64) {
        self.count(|counts| counts.duplicated += 1);
        if let Some(ahead) = self.ahead_at(due) {
            ahead.duplicated += 1;
        }
    }

    /// Returns what is ahead of the next reading if this time is.
    pub fn ahead_at(&mut self, at: u64) -> Option<&mut Ahead> {
        self.ahead.as_deref_mut().filter(|ahead| ahead.is_ahead(at))
    }

    /// Counts a packet that reaches the end of the link after the next reading, but within the run.
    pub fn count_ahead(&mut self, class: Class, arrived: u64, admitted: Admitted, merged: bool) {
        if let Some(ahead) = &mut self.ahead {
            ahead.count(class, arrived, admitted, u64::MAX, false);
            ahead.delivered += u64::from(merged);
        }
    }

    /// Returns the bytes of all opportunities up to a moment; `None` if the link has a constant rate.
    pub fn offered(&self, until: Time) -> Option<u64> {
        let fifo = self.special.as_ref().and_then(|all| all.fifo.as_ref());
        match self.holding() {
            Some(holding) => holding.server().offered(until.as_nanos()),
            None => fifo.map(|fifo| fifo.offered(until.as_nanos())),
        }
    }

    /// Returns the queue if opportunities drive the transmitter and departures are known at arrival.
    fn fifo(&mut self) -> Option<&mut OpportunityFifo> {
        self.special.as_mut()?.fifo.as_mut()
    }

    /// Returns whether the loss model loses the packet that departs at this moment.
    #[inline(never)]
    pub fn loses(&mut self, departure: u64) -> bool {
        match self.special.as_mut().and_then(|all| all.loss.as_mut()) {
            // The packet never departs.
            Some(_) if departure == u64::MAX => false,
            Some(process) => process.loses(departure),
            None => false,
        }
    }
}

impl Special {
    /// Returns `None` for most links.
    fn new(link: &Link, loss: Option<LossProcess>, detector: Option<Detector>) -> Option<Self> {
        let decides_at_departure = link.decides_at_departure();
        let computed = !decides_at_departure && !link.is_steady();
        let fifo = computed.then(|| OpportunityFifo::new(link.queue, link.drive(), link.watched));
        let needed = loss.is_some()
            || detector.is_some()
            || fifo.is_some()
            || decides_at_departure
            || link.flight.is_some();
        needed.then(|| Self {
            loss,
            detector,
            fifo,
            ..Self::default()
        })
    }
}

impl Departures {
    fn add(&mut self, class: Class, packets: u64, tx: u64) {
        self.packets[class.kind().index()] += packets;
        self.bytes += packets * u64::from(class.bytes());
        self.busy += packets * tx;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::label::Label;
    use crate::topology::Topology;

    #[test]
    fn a_link_takes_a_cache_line_and_two_for_the_rest() {
        assert_eq!(size_of::<LinkDetail>(), 128);
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
        link.admit(|| (&mut detail, &mut tag), class, 0).unwrap();
        link.run = u32::MAX;
        link.delivered = u32::MAX;
        link.queue_integral = u64::MAX;
        for now in [10_000_000, 20_000_000, 30_000_000] {
            let admitted = link.admit(|| (&mut detail, &mut tag), class, now);
            let admitted = admitted.unwrap();
            link.count_passage(|| &mut detail, class, now, admitted);
            link.count_delivery(|| &mut detail);
        }
        let departures = link.departures(&detail);
        assert_eq!(departures.packets, [0, 0, 4_294_967_298, 0]);
        assert_eq!(departures.bytes, 4_294_967_298_000);
        assert_eq!(departures.busy, 4_294_967_298_000_000);
        assert_eq!(link.sent(&detail), 4_294_967_298);
        assert_eq!(link.delivered(&detail), 4_294_967_298);
        let integral = link.queue_integral(&detail);
        assert_eq!(integral, 18_446_744_073_712_551_615);
        assert!(link.run < 3);
    }
}
