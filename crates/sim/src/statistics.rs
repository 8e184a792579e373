//! The counters of a link.

use crate::ahead::Ahead;
use crate::ids::LinkId;
use crate::network::Network;
use crate::packet::Kind;
use crate::pool::NIL;
use crate::scheduler::Scheduler;
use crate::sojourn::{Sojourn, Sojourns};
use crate::time::Time;

/// The counters of one link.
///
/// They are exact once the run is over. They then cover its whole duration: nothing that would happen
/// after the end is counted. They are also exact at the moment of an expected reading (see
/// [`Simulation::expect_reading`](crate::Simulation::expect_reading)). Otherwise, during a run, `sent`, `delivered`, `dropped` and `in_flight` are those of
/// the current moment for a link whose packets are not forwarded ahead of time (see
/// [`Options::merge`](crate::Options)). Losses, departures and times are counted as soon as they are
/// certain, which may be slightly early.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkStatistics {
    /// Packets that arrived at the link.
    pub sent: u64,
    /// Packets that reached the end of the link.
    pub delivered: u64,
    /// Packets dropped by the queue, or by a policer before it.
    pub dropped: u64,
    /// Packets lost by the loss model.
    pub lost: u64,
    /// Packets that the queue removed because a later packet made them useless. They count neither as
    /// dropped nor as lost.
    pub filtered: u64,
    /// The number of dropped packets that the queue dropped early, by its rule (RED: at random). The others
    /// were dropped because the queue was full, or, with RED, too long on average.
    pub early: u64,
    /// The number of dropped packets that the policer dropped; the queue has not seen them.
    pub policed: u64,
    /// Packets that the queue marked instead of dropping them early.
    pub marked: u64,
    /// The number of times that the link sent a packet again.
    pub retransmitted: u64,
    /// Copies of packets that arrived twice; `delivered` counts them, too.
    pub duplicated: u64,
    /// Packets that arrived damaged: they are delivered, and their receivers discard them.
    pub corrupted: u64,
    /// Packets in the queue or in flight. Always equal to `sent + duplicated - delivered - dropped -
    /// lost - filtered`, but counted separately.
    pub in_flight: u64,
    /// Packets that left the queue, lost ones included, by kind.
    pub departed: [u64; Kind::COUNT],
    /// Bytes of these packets.
    pub departed_bytes: u64,
    /// Time spent transmitting. If opportunities drive the transmitter, a packet takes the time from the
    /// opportunity with its first byte to the one with its last byte, which is zero if they are the same.
    pub busy: Time,
    /// The bytes of all opportunities in `duration`; `None` if the rate is constant.
    pub offered_bytes: Option<u64>,
    /// The sum of the times that packets spent in the queue and in transmission, in packets times
    /// nanoseconds.
    pub queue_integral: u128,
    /// How long packets waited in the queue; `None` if the link does not measure it (see [`Link::sojourns`](crate::Link)), or if none was
    /// transmitted.
    pub sojourn: Option<Sojourn>,
    /// Of these, the packets of the queue for low latency (L) of [`DualPi2`](crate::DualPi2), those with ECT(1) or CE; `None` with
    /// other queues, or if none was transmitted.
    pub l4s_sojourn: Option<Sojourn>,
    /// The time over which the link has been observed.
    pub duration: Time,
}

impl LinkStatistics {
    /// Returns the number of packets dropped because the queue was full, or too long on average.
    pub fn forced(&self) -> u64 {
        self.dropped - self.early - self.policed
    }

    /// Returns the share of the time spent transmitting; zero if the duration is zero. If opportunities
    /// drive the transmitter, it is the bytes of the packets that left the queue divided by the bytes
    /// that were offered; zero if none were offered.
    pub fn utilisation(&self) -> f64 {
        match self.offered_bytes {
            None => self.mean(self.busy.as_nanos() as f64),
            Some(0) => 0.0,
            Some(offered) => self.departed_bytes as f64 / offered as f64,
        }
    }

    /// Returns the mean number of packets in the system over time, including the one in transmission;
    /// zero if the duration is zero.
    pub fn queue_mean(&self) -> f64 {
        self.mean(self.queue_integral as f64)
    }

    /// Returns the mean time from a packet's arrival to the start of its transmission, or to its removal
    /// by an ACK filter, in seconds, by Little's law; `None` if no packet has been transmitted. Packets
    /// that were still waiting at the end count with the time that they had waited until then.
    pub fn wait_mean(&self) -> Option<f64> {
        let departed: u64 = self.departed.iter().sum();
        let busy = u128::from(self.busy.as_nanos());
        let waited = self.queue_integral.saturating_sub(busy) as f64;
        (departed > 0).then(|| waited / (departed + self.filtered) as f64 / 1e9)
    }

    /// Returns the mean rate of the packets that left the queue, in bits per second; zero if the
    /// duration is zero.
    pub fn rate(&self) -> f64 {
        self.mean(self.departed_bytes as f64 * 8e9)
    }

    /// Returns the counters since an earlier reading of the same link. `in_flight`, `sojourn` and `l4s_sojourn` are no
    /// differences: they remain what they are. For the latter, see
    /// [`Simulation::sojourn_since_reading`](crate::Simulation::sojourn_since_reading).
    pub fn since(&self, earlier: &Self) -> Self {
        let mut departed = self.departed;
        for (count, before) in departed.iter_mut().zip(earlier.departed) {
            *count -= before;
        }
        let offered = self.offered_bytes.zip(earlier.offered_bytes);
        Self {
            sent: self.sent - earlier.sent,
            delivered: self.delivered - earlier.delivered,
            dropped: self.dropped - earlier.dropped,
            lost: self.lost - earlier.lost,
            filtered: self.filtered - earlier.filtered,
            early: self.early - earlier.early,
            policed: self.policed - earlier.policed,
            marked: self.marked - earlier.marked,
            retransmitted: self.retransmitted - earlier.retransmitted,
            duplicated: self.duplicated - earlier.duplicated,
            corrupted: self.corrupted - earlier.corrupted,
            in_flight: self.in_flight,
            departed,
            departed_bytes: self.departed_bytes - earlier.departed_bytes,
            busy: self.busy - earlier.busy,
            offered_bytes: offered.map(|(now, before)| now - before),
            queue_integral: self.queue_integral - earlier.queue_integral,
            sojourn: self.sojourn,
            l4s_sojourn: self.l4s_sojourn,
            duration: self.duration - earlier.duration,
        }
    }

    /// Takes away what is ahead of a reading at `ahead.moment`.
    fn without(&mut self, ahead: &Ahead) {
        self.sent -= ahead.sent;
        self.delivered -= ahead.delivered;
        self.dropped -= ahead.dropped;
        self.lost -= ahead.lost;
        self.filtered -= ahead.filtered;
        self.early -= ahead.early;
        self.policed -= ahead.policed;
        self.marked -= ahead.marked;
        self.retransmitted -= ahead.retransmitted;
        self.duplicated -= ahead.duplicated;
        self.corrupted -= ahead.corrupted;
        for (count, ahead) in self.departed.iter_mut().zip(ahead.departed) {
            *count -= ahead;
        }
        self.departed_bytes -= ahead.departed_bytes;
        self.busy = self.busy - Time::from_nanos(ahead.busy);
        self.queue_integral -= ahead.queue_integral;
        let arrived = self.sent + self.duplicated;
        self.in_flight = arrived - self.delivered - self.dropped - self.lost - self.filtered;
    }

    fn mean(&self, sum: f64) -> f64 {
        match self.duration.as_nanos() {
            0 => 0.0,
            duration => sum / duration as f64,
        }
    }
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Returns the number of packets of each link that are not in its own FIFO.
    pub fn in_lanes(&self) -> Vec<u64> {
        let mut counts = vec![0; self.links.len()];
        if let Some(lanes) = &self.lanes {
            lanes.count(&self.pool, &mut counts);
        }
        if let Some(calendar) = &self.calendar {
            calendar.count(&self.pool, &mut counts);
        }
        for &(link, _) in &self.later {
            counts[link as usize] += 1;
        }
        counts
    }

    /// Returns the counters of a link. `in_lanes` is the result of [`Self::in_lanes`].
    pub fn statistics(&self, id: LinkId, over: bool, in_lanes: &[u64]) -> LinkStatistics {
        let number = self.numbers[id.index()] as usize;
        let (link, detail) = (&self.links[number], &self.details[number]);
        let mut in_flight = u64::from(detail.unstored) + in_lanes[number];
        let counts = detail.counts();
        let mut index = link.head;
        while index != NIL {
            in_flight += 1;
            index = self.pool.packet(index).next;
        }
        if let Some(air) = detail.flying().and_then(|flying| flying.air.as_ref()) {
            in_flight += air.len() as u64;
        }
        let until = if over { self.end } else { self.now };
        let mut queue_integral = link.queue_integral(detail);
        if let Some(holding) = detail.holding() {
            in_flight += (holding.waiting() + holding.held()) as u64;
            holding.visit_arrivals(|arrived| {
                queue_integral += u128::from(until.saturating_sub(arrived));
            });
        }
        let departures = link.departures(detail);
        let sent = link.sent(detail);
        let gone = detail.totals().dropped + counts.lost + counts.filtered;
        let mut statistics = LinkStatistics {
            sent,
            // Nothing counts deliveries: of most packets, that would be the only reason to touch the link again.
            delivered: sent + counts.duplicated - gone - in_flight,
            dropped: detail.totals().dropped,
            lost: counts.lost,
            filtered: counts.filtered,
            early: counts.early,
            policed: counts.policed,
            marked: counts.marked,
            retransmitted: counts.retransmitted,
            duplicated: counts.duplicated,
            corrupted: counts.corrupted,
            in_flight,
            departed: departures.packets,
            departed_bytes: departures.bytes,
            busy: Time::from_nanos(departures.busy),
            offered_bytes: detail.offered(Time::from_nanos(until)),
            queue_integral,
            sojourn: detail.sojourns().and_then(Sojourns::summary),
            l4s_sojourn: detail
                .sojourns()
                .and_then(Sojourns::l4s)
                .and_then(Sojourns::summary),
            duration: Time::from_nanos(until),
        };
        if let Some(ahead) = detail.ahead().filter(|a| a.moment == self.now) {
            if let Some(holding) = detail.holding() {
                let later = &mut statistics.sent;
                holding.visit_arrivals(|arrived| *later -= u64::from(ahead.is_ahead(arrived)));
            }
            statistics.without(ahead);
        }
        statistics
    }
}
