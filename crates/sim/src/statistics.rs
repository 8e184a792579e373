//! What a link has done.

use crate::ids::LinkId;
use crate::network::Network;
use crate::packet::Kind;
use crate::pool::NIL;
use crate::scheduler::Scheduler;
use crate::time::Time;

/// The counters of one link.
///
/// They are exact once the run is over, and then they are those of its whole duration: what
/// would happen after the end is not counted. During a run, `sent`, `delivered`, `dropped` and
/// `in_flight` are those of this moment for a link whose packets are not forwarded ahead of time
/// (see [`Options::merge`](crate::Options)); a loss, a departure and a time are
/// counted as soon as they are certain, which may be a little ahead.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkStatistics {
    /// Packets that arrived at the link.
    pub sent: u64,
    /// Packets that reached its other end.
    pub delivered: u64,
    /// Packets dropped by the queue.
    pub dropped: u64,
    /// Packets lost by the loss model.
    pub lost: u64,
    /// Packets that others have made useless, removed by the queue. They count neither as dropped
    /// nor as lost.
    pub filtered: u64,
    /// Those of the dropped packets that a RED queue dropped by chance. It dropped the others because
    /// it was too long on average, or full.
    pub early: u64,
    /// Packets that a RED queue marked instead, counted when they were let in.
    pub marked: u64,
    /// Packets in the queue or on their way. Always
    /// `sent - delivered - dropped - lost - filtered`, but counted by itself.
    pub in_flight: u64,
    /// Packets that left the queue, lost ones included, by kind.
    pub departed: [u64; Kind::COUNT],
    /// Bytes of these packets.
    pub departed_bytes: u64,
    /// Time spent transmitting. Where opportunities drive the transmitter, a packet takes the time
    /// from the one with its first byte to the one with its last, which is none if they are the same.
    pub busy: Time,
    /// What the opportunities offered in `duration`, in bytes; none where the rate is constant.
    pub offered_bytes: Option<u64>,
    /// The sum of the times that packets spent in the queue and in transmission, in packets
    /// times nanoseconds.
    pub queue_integral: u128,
    /// How long the link has been observed.
    pub duration: Time,
}

impl LinkStatistics {
    /// The packets dropped by force: because the queue was full, or too long on average.
    pub fn forced(&self) -> u64 {
        self.dropped - self.early
    }

    /// The share of the time spent transmitting; zero for no time. Where opportunities drive the
    /// transmitter, the bytes of the packets that left the queue over those that were offered; zero
    /// for no offer.
    pub fn utilisation(&self) -> f64 {
        match self.offered_bytes {
            None => self.mean(self.busy.as_nanos() as f64),
            Some(0) => 0.0,
            Some(offered) => self.departed_bytes as f64 / offered as f64,
        }
    }

    /// The mean number of packets in the system over time, the one in transmission included;
    /// zero for no time.
    pub fn queue_mean(&self) -> f64 {
        self.mean(self.queue_integral as f64)
    }

    /// The mean time from a packet's arrival to the beginning of its transmission, or to its removal
    /// by an ACK filter, in seconds, by Little's law; none if no packet has been transmitted. Packets that still waited at the end count with what
    /// they had waited until then.
    pub fn wait_mean(&self) -> Option<f64> {
        let departed: u64 = self.departed.iter().sum();
        let busy = u128::from(self.busy.as_nanos());
        let waited = self.queue_integral.saturating_sub(busy) as f64;
        (departed > 0).then(|| waited / (departed + self.filtered) as f64 / 1e9)
    }

    /// The mean rate of what left the queue, in bits a second; zero for no time.
    pub fn rate(&self) -> f64 {
        self.mean(self.departed_bytes as f64 * 8e9)
    }

    fn mean(&self, sum: f64) -> f64 {
        match self.duration.as_nanos() {
            0 => 0.0,
            duration => sum / duration as f64,
        }
    }
}

impl<P: Copy, S: Scheduler> Network<P, S> {
    /// Packets in the lanes, by link.
    pub fn in_lanes(&self) -> Vec<u64> {
        let mut counts = vec![0; self.links.len()];
        if let Some(lanes) = &self.lanes {
            lanes.count(&self.pool, &mut counts);
        }
        counts
    }

    /// The counters of a link. `in_lanes` is what [`Self::in_lanes`] answers.
    pub fn statistics(&self, id: LinkId, over: bool, in_lanes: &[u64]) -> LinkStatistics {
        let number = self.numbers[id.index()] as usize;
        let (link, detail) = (&self.links[number], &self.details[number]);
        let mut in_flight = detail.unstored + in_lanes[number];
        let mut index = link.head;
        while index != NIL {
            in_flight += 1;
            index = self.pool.packet(index).next;
        }
        let until = if over { self.end } else { self.now };
        let mut queue_integral = link.queue_integral(detail);
        if let Some(filter) = &detail.filter {
            in_flight += filter.arrivals().len() as u64;
            for arrived in filter.arrivals() {
                queue_integral += u128::from(until.saturating_sub(arrived));
            }
        }
        let departures = link.departures(detail);
        LinkStatistics {
            sent: link.sent(detail),
            delivered: link.delivered(detail),
            dropped: detail.dropped,
            lost: detail.lost,
            filtered: detail.filtered,
            early: detail.early,
            marked: detail.marked,
            in_flight,
            departed: departures.packets,
            departed_bytes: departures.bytes,
            busy: Time::from_nanos(departures.busy),
            offered_bytes: detail.offered(Time::from_nanos(until)),
            queue_integral,
            duration: Time::from_nanos(until),
        }
    }
}
