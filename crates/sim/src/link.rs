//! A link at work: a queue, a transmitter and a FIFO of packets on their way.

use crate::label::Tag;
use crate::loss::{Loss, LossProcess};
use crate::packet::{Class, Kind, Kinds};
use crate::pool::NIL;
use crate::queue::{Admitted, Backlog, Detector, DropTail, Filter, OpportunityFifo, Verdict};
use crate::time::Time;
use crate::topology::Link;

/// What every packet touches: one cache line.
///
/// Packets of the same size and kind as the one before only increase `run`; what they add to the
/// counters is worked out when the next of another class comes, or when somebody asks.
#[derive(Debug)]
#[repr(align(64))]
pub(crate) struct LinkState {
    /// In nanoseconds.
    pub delay: u64,
    queue: DropTail,
    /// The low half of the sum of times in the system.
    queue_integral: u64,
    /// The first of the packets on their way that are stored here, or `NIL`. Only this one is
    /// scheduled.
    pub head: u32,
    /// The last of them; meaningless if there is none.
    pub tail: u32,
    /// The low half of the number of packets that reached the other end.
    delivered: u32,
    /// Departures of packets of the present class that are not in the other counters yet.
    run: u32,
    /// The class of the last packet if all in the system have its size, else `Class::NONE`; always
    /// `Class::NONE` if the link looks at every packet.
    class: Class,
    /// The kinds that the loss model acts on.
    pub lossy: Kinds,
    /// The lane that it shares with others, or `ALONE`.
    pub lane: u8,
}

/// The rest of a link: touched by few packets, or by those of few links.
#[derive(Debug)]
pub(crate) struct LinkDetail {
    pub watched: bool,
    /// Whether it looks at every packet.
    attentive: bool,
    /// Whether it adds to the tags of probes how long they wait.
    pub stamps: bool,
    pub dropped: u64,
    pub lost: u64,
    /// Those of the dropped packets that a RED queue dropped by chance.
    pub early: u64,
    /// Packets marked.
    pub marked: u64,
    /// Packets removed by others.
    pub filtered: u64,
    /// What only some of the links have that look at every packet.
    special: Option<Box<Special>>,
    /// The queue, if it decides at departure.
    pub filter: Option<Box<Filter>>,
    /// Packets that are not stored here but will be in flight when the run ends.
    pub unstored: u64,
    backlog: Backlog,
    loss: Option<Box<LossProcess>>,
    departures: Departures,
    /// Packets that have not departed at the end of the run.
    waiting: u64,
    /// The high half of the sum of times in the system.
    queue_integral: u32,
    /// The high half of the number of packets that reached the other end.
    delivered: u32,
}

/// What RED queues and recorded rates need.
#[derive(Debug)]
struct Special {
    /// What decides about early drops.
    detector: Option<Detector>,
    /// The queue, if opportunities drive the transmitter and it does not decide at departure.
    fifo: Option<OpportunityFifo>,
}

/// What has left a queue within the run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Departures {
    pub packets: [u64; Kind::COUNT],
    pub bytes: u64,
    /// Time of transmission.
    pub busy: u64,
}

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

    /// A packet arrives; none if it is dropped, or if its departure is not known yet. The detail is
    /// looked up only if needed, here and below.
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

    /// Counts a packet that has reached the other end.
    #[inline]
    pub fn count_delivery<'a>(&mut self, detail: impl FnOnce() -> &'a mut LinkDetail) {
        let (delivered, carry) = self.delivered.overflowing_add(1);
        self.delivered = delivered;
        if carry {
            detail().delivered += 1;
        }
    }

    /// Counts a packet that arrived at `now` and has not departed at the end of the run.
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

    /// Packets that have arrived: dropped and removed ones, those that depart within the run and
    /// those that do not, and those that may still do either.
    pub fn sent(&self, detail: &LinkDetail) -> u64 {
        let departed: u64 = self.departures(detail).packets.iter().sum();
        let queue = detail.filter.as_ref();
        let undecided = queue.map_or(0, |queue| queue.arrivals().len() as u64);
        detail.dropped + detail.filtered + departed + detail.waiting + undecided
    }

    pub fn delivered(&self, detail: &LinkDetail) -> u64 {
        u64::from(detail.delivered) << 32 | u64::from(self.delivered)
    }

    /// In packets times nanoseconds.
    pub fn queue_integral(&self, detail: &LinkDetail) -> u128 {
        u128::from(detail.queue_integral) << 64 | u128::from(self.queue_integral)
    }

    /// Adds to the sum of times in the system, in nanoseconds.
    pub fn add_to_integral(&mut self, detail: &mut LinkDetail, time: u128) {
        let sum = self.queue_integral(detail) + time;
        self.queue_integral = sum as u64;
        detail.queue_integral = (sum >> 64) as u32;
    }

    /// Packets in the queue, the one in transmission included.
    pub fn queue_len(&self, detail: &mut LinkDetail, now: u64) -> u32 {
        if let Some(queue) = &detail.filter {
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

    /// The same for a link that looks at every packet. It has no class, so that every packet comes
    /// here and the others pay nothing.
    fn admit_attentively(
        &mut self,
        detail: &mut LinkDetail,
        tag: &mut Tag,
        class: Class,
        now: u64,
    ) -> Option<Admitted> {
        if detail.filter.is_some() {
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
                Verdict::Early if detector.marks() && tag.label.ect => early = true,
                Verdict::Early => {
                    detail.early += 1;
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
            detail.marked += 1;
        }
        if detail.stamps {
            tag.add_wait(admitted.departure - admitted.tx - now);
        }
        Some(admitted)
    }

    /// Adds the run to the counters.
    fn end_run(&mut self, detail: &mut LinkDetail) {
        detail.departures = self.departures(detail);
        self.run = 0;
    }
}

impl LinkDetail {
    pub fn new(link: &Link, loss: Option<LossProcess>, detector: Option<Detector>) -> Self {
        Self {
            watched: link.watched,
            attentive: link.stamps
                || detector.is_some()
                || link.opportunities.is_some()
                || link.queue.decides_at_departure(),
            stamps: link.stamps,
            dropped: 0,
            lost: 0,
            early: 0,
            marked: 0,
            filtered: 0,
            special: Special::new(link, detector).map(Box::new),
            filter: None,
            unstored: 0,
            backlog: Backlog::new(link.rate, link.queue, link.watched),
            loss: loss.map(Box::new),
            departures: Departures::default(),
            waiting: 0,
            queue_integral: 0,
            delivered: 0,
        }
    }

    /// The bytes of all opportunities up to a moment, if there are opportunities.
    pub fn offered(&self, until: Time) -> Option<u64> {
        let fifo = self.special.as_ref().and_then(|all| all.fifo.as_ref());
        let schedule = match &self.filter {
            Some(filter) => filter.schedule(),
            None => fifo.map(OpportunityFifo::schedule),
        };
        schedule.map(|all| all.offered(until))
    }

    /// The queue, if opportunities drive the transmitter and departures are known at arrival.
    fn fifo(&mut self) -> Option<&mut OpportunityFifo> {
        self.special.as_mut()?.fifo.as_mut()
    }

    /// Whether the loss model takes the packet that departs at this moment.
    #[inline(never)]
    pub fn loses(&mut self, departure: u64) -> bool {
        match &mut self.loss {
            Some(process) => process.loses(departure),
            None => false,
        }
    }
}

impl Special {
    /// Nothing for most links.
    fn new(link: &Link, detector: Option<Detector>) -> Option<Self> {
        let schedule = match link.queue.decides_at_departure() {
            true => None,
            false => link.opportunities.clone(),
        };
        let fifo = schedule.map(|all| OpportunityFifo::new(all, link.queue, link.watched));
        (detector.is_some() || fifo.is_some()).then_some(Self { detector, fifo })
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
    fn a_link_takes_a_cache_line() {
        assert_eq!(size_of::<LinkState>(), 64);
        assert_eq!(align_of::<LinkState>(), 64);
    }

    /// Counters one short of full, and three packets of 1000 bytes, a microsecond a byte.
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
