//! The rest of a link's state, used for few packets or by few links, and its counters.

use crate::ahead::Ahead;
use crate::arq::Resequencer;
use crate::flight::{Air, Flying};
use crate::hint::cold_path;
use crate::loss::LossProcess;
use crate::packet::{Class, Kind};
use crate::queue::{Admitted, Backlog, Detector, Draw, Holding, OpportunityFifo, transmission};
use crate::sojourn::Sojourns;
use crate::time::Time;
use crate::token_bucket::Bucket;
use crate::topology::Link;

/// The rest of a link's state: used for few packets, or by few links.
#[derive(Debug)]
pub(crate) struct LinkDetail {
    pub watched: bool,
    /// Whether the link inspects every packet.
    pub(super) attentive: bool,
    /// Whether it adds the waiting time to the tags of probes.
    pub stamps: bool,
    /// What only some links have.
    pub special: Option<Box<Special>>,
    /// What only some runs need.
    rare: Option<Box<Rare>>,
    /// Packets that are not stored here but will be in flight when the run ends.
    pub unstored: u32,
    pub(super) backlog: Backlog,
    /// The departures of the first class of packets, until another class followed; zero if there are none. After the
    /// packet that opens a connection, most links carry one other class only.
    first: u32,
    first_class: Class,
}

// A network has many links.
const _: () = assert!(size_of::<LinkDetail>() <= 56);

/// What only some runs need.
#[derive(Debug, Default)]
struct Rare {
    /// What is ahead of the next reading, if one is expected.
    ahead: Option<Ahead>,
    /// `None` for a link that drops nothing, and whose packets are all of one class, or of another one at first: the
    /// short counters are enough.
    totals: Option<Totals>,
}

/// Counters that complete the short ones of the link's state.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub departures: Departures,
    pub dropped: u64,
    /// Packets that have not departed by the end of the run.
    pub waiting: u32,
    /// The high half of the sum of the times that packets spend in the system.
    pub queue_integral: u32,
}

/// The state of links with a loss model, with recorded rates, or with a queue that does more than drop what
/// it has no room for.
#[derive(Debug, Default)]
pub(crate) struct Special {
    loss: Option<LossProcess>,
    /// Whether the loss model has lost the burst in transmission, if it loses whole bursts.
    burst_lost: bool,
    /// The tokens of the policer.
    policer: Option<Bucket>,
    /// Decides about early drops.
    pub(super) detector: Option<Detector>,
    /// The queue, if opportunities drive the transmitter and it does not hold its packets.
    pub(super) fifo: Option<OpportunityFifo>,
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
    /// The number of dropped packets that the policer dropped.
    pub policed: u64,
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

impl LinkDetail {
    pub fn new(link: &Link, loss: Option<LossProcess>, detector: Option<Detector>) -> Self {
        Self {
            watched: link.watched,
            attentive: link.stamps
                || detector.is_some()
                || link.policer.is_some()
                || !link.is_steady()
                || link.decides_at_departure(),
            stamps: link.stamps,
            special: Special::new(link, loss, detector).map(Box::new),
            rare: None,
            unstored: 0,
            backlog: Backlog::new(link.rate, link.queue, link.watched),
            first: 0,
            first_class: Class::NONE,
        }
    }

    /// The queue, if it holds its packets until they depart.
    #[inline]
    pub fn holding(&self) -> Option<&Holding> {
        self.special.as_ref()?.holding.as_ref()
    }

    /// The queue, if it holds its packets until they depart.
    #[inline]
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

    /// The far end, if the link retransmits in order.
    pub fn resequencer_mut(&mut self) -> Option<&mut Resequencer> {
        self.holding_mut()?.resequencer_mut()
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

    /// Returns the counters that complete the short ones.
    pub fn totals(&self) -> Totals {
        let rare = self.rare.as_ref();
        let mut totals = rare.and_then(|rare| rare.totals).unwrap_or_default();
        if self.first > 0 {
            let (class, packets) = (self.first_class, u64::from(self.first));
            let tx = transmission(u32::from(class.bytes()), self.backlog.rate());
            totals.departures.add(class, packets, tx);
        }
        totals
    }

    /// Counts the departures of a class of packets, which another class follows.
    pub(super) fn count_run(&mut self, class: Class, packets: u32, tx: u64) {
        let rare = self.rare.as_ref();
        if self.first == 0 && rare.is_none_or(|rare| rare.totals.is_none()) {
            (self.first_class, self.first) = (class, packets);
        } else {
            let departures = &mut self.totals_mut().departures;
            departures.add(class, u64::from(packets), tx);
        }
    }

    /// Returns the counters that complete the short ones, without the first departures, to change them.
    #[inline]
    pub fn totals_mut(&mut self) -> &mut Totals {
        let rare = self.rare.get_or_insert_with(Rare::boxed);
        rare.totals.get_or_insert_default()
    }

    /// Returns the same if anything is counted there yet.
    #[inline]
    pub fn totals_if_any(&mut self) -> Option<&mut Totals> {
        self.rare.as_mut()?.totals.as_mut()
    }

    /// What is ahead of the next reading, if one is expected.
    pub fn ahead(&self) -> Option<&Ahead> {
        self.rare.as_ref()?.ahead.as_ref()
    }

    /// What is ahead of the next reading, if one is expected.
    #[inline]
    pub fn ahead_mut(&mut self) -> Option<&mut Ahead> {
        self.rare.as_mut()?.ahead.as_mut()
    }

    /// A reading is expected at this moment, or none.
    pub fn expect_reading(&mut self, moment: Option<u64>) {
        if moment.is_some() || self.rare.is_some() {
            let rare = self.rare.get_or_insert_with(Rare::boxed);
            rare.ahead = moment.map(Ahead::of);
        }
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

    /// Returns whether the link has a policer.
    #[inline]
    pub fn has_policer(&self) -> bool {
        (self.special.as_ref()).is_some_and(|special| special.policer.is_some())
    }

    /// Returns whether the policer, if there is one, drops a packet of this size that arrives at this moment, and
    /// counts it as policed. It must be counted as dropped, too.
    pub fn polices(&mut self, bytes: u16, at: u64) -> bool {
        let Some(special) = &mut self.special else {
            return false;
        };
        let Some(bucket) = &mut special.policer else {
            return false;
        };
        if bucket.take_if_filled(u32::from(bytes), at) {
            return false;
        }
        special.counts.policed += 1;
        if let Some(ahead) = self.ahead_at(at) {
            ahead.policed += 1;
        }
        true
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
        self.totals_mut().departures.busy += tx;
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
        self.ahead_mut().filter(|ahead| ahead.is_ahead(at))
    }

    /// Counts a packet that reaches the end of the link after the next reading, but within the run.
    pub fn count_ahead(&mut self, class: Class, arrived: u64, admitted: Admitted, merged: bool) {
        if let Some(ahead) = self.ahead_mut() {
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
    pub(super) fn fifo(&mut self) -> Option<&mut OpportunityFifo> {
        self.special.as_mut()?.fifo.as_mut()
    }

    /// Returns whether the loss model loses the packet that departs at this moment.
    #[inline(never)]
    pub fn loses(&mut self, departure: u64) -> bool {
        match self.special.as_mut().and_then(|all| all.loss.as_mut()) {
            // The packet never departs.
            Some(process) if departure < u64::MAX => process.loses(departure),
            _ => {
                cold_path();
                false
            }
        }
    }
}

impl LinkDetail {
    /// Returns whether the burst is lost to which a packet belongs that departs at this moment.
    pub fn loses_burst(&mut self, departure: u64, draw: Draw) -> bool {
        if draw == Draw::First {
            let lost = self.loses(departure);
            if let Some(special) = &mut self.special {
                special.burst_lost = lost;
            }
        }
        self.special.as_ref().is_some_and(|all| all.burst_lost)
    }
}

impl Rare {
    #[cold]
    fn boxed() -> Box<Self> {
        Box::default()
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
            || link.policer.is_some()
            || decides_at_departure
            || link.flight.is_some();
        needed.then(|| Self {
            loss,
            policer: link.policer.map(|policer| policer.bucket()),
            detector,
            fifo,
            ..Self::default()
        })
    }
}

impl Departures {
    #[inline]
    pub(super) fn add_one(&mut self, class: Class, tx: u64) {
        self.packets[class.kind().index()] += 1;
        self.bytes += u64::from(class.bytes());
        self.busy += tx;
    }

    pub(super) fn add(&mut self, class: Class, packets: u64, tx: u64) {
        self.packets[class.kind().index()] += packets;
        self.bytes += packets * u64::from(class.bytes());
        self.busy += packets * tx;
    }
}
