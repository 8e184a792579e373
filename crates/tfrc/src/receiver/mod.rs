//! The receiver of a TFRC connection (RFC 5348, sections 5 and 6): data packets in, feedback out.
//!
//! | event | action |
//! |---|---|
//! | first packet | feedback with X_recv = 0; also with each packet until one carries a round-trip time |
//! | a loss event begins | immediate feedback |
//! | the timer, a round-trip time after the last feedback | feedback if packets have arrived, otherwise with the next packet |
//! | a packet arrives after it counted as lost, and a loss event changes | immediate feedback |
//!
//! *Readings.* The receive rate covers the last round-trip time, or up to an eighth more (section 6.2
//! allows up to twice as much). It is never less than one packet per round-trip time. The equation of
//! the first loss interval is that of TFRC even if the sender uses another one, because the receiver
//! knows no other.
//!
//! The memory of a receiver is bounded: the last 64 losses can be revoked, and 128 packets that a link
//! is known to have lost are remembered until they are found missing.

mod causes;
mod config;
mod holes;
mod intervals;
mod loss_events;
mod receive_rate;

use dumbbell_control::hint::cold_path;
use dumbbell_control::units::{Duration, Instant};

use crate::equation::RateEquation;
use crate::packet::{Arrival, Cause, Data, Feedback};
use crate::seconds::seconds;

use causes::Told;
pub use config::{
    Causes, DiscountMean, Discounting, FirstTarget, LossClock, ReceiverConfig, Timing,
};
use holes::{Hole, Holes, Place, Seen, Stamp};
pub use intervals::{INTERVALS, Intervals};
use loss_events::{Indication, LossEvents};
use receive_rate::ReceiveRate;

/// The counters of a receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Packets that arrived, without duplicates.
    pub received: u64,
    /// Bytes of these packets.
    pub bytes: u64,
    /// Packets that counted as lost.
    pub lost: u64,
    /// Lost packets that a wireless link is known to have lost.
    pub lost_by_link: u64,
    /// Packets that arrived after they counted as lost.
    pub late: u64,
    /// Packets that arrived again, or so late that their loss is no longer remembered.
    pub duplicates: u64,
    /// Marked packets.
    pub marked: u64,
    /// Loss events, including revoked ones.
    pub loss_events: u64,
    /// Feedback packets sent.
    pub feedback: u64,
}

impl std::ops::Add for Counters {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self {
            received: self.received + other.received,
            bytes: self.bytes + other.bytes,
            lost: self.lost.saturating_add(other.lost),
            lost_by_link: self.lost_by_link + other.lost_by_link,
            late: self.late + other.late,
            duplicates: self.duplicates + other.duplicates,
            marked: self.marked + other.marked,
            loss_events: self.loss_events + other.loss_events,
            feedback: self.feedback + other.feedback,
        }
    }
}

/// The receiving end of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    connection: u32,
    /// `None` before the first packet.
    session: Option<Session>,
    causes: Told,
    counters: Counters,
}

/// The state that exists from the first packet on.
#[derive(Clone, Debug)]
struct Session {
    holes: Holes,
    /// The loss events that determine the reported rate.
    events: LossEvents,
    /// The loss events on the wireless link.
    wireless: Option<LossEvents>,
    rate: ReceiveRate,
    first: u64,
    newest: Data,
    newest_at: Instant,
    rtt: Option<Duration>,
    largest: f64,
    reported: f64,
    feedback_at: Instant,
    news: bool,
    /// Whether the timer expired without anything to report.
    owing: bool,
    deadline: Option<Instant>,
}

impl Receiver {
    /// Makes a receiver that waits for the first packet of a connection.
    pub fn new(connection: u32, config: ReceiverConfig) -> Self {
        Self {
            config,
            connection,
            session: None,
            causes: Told::new(),
            counters: Counters::default(),
        }
    }

    /// Returns when [`on_deadline`](Self::on_deadline) must be called; `None` if the timer is not set.
    #[inline]
    pub fn deadline(&self) -> Option<Instant> {
        self.session.as_ref()?.deadline
    }

    /// Handles a data packet; returns feedback if it must be sent now.
    #[inline(always)]
    pub fn on_data(&mut self, now: Instant, arrival: &Arrival) -> Option<Feedback> {
        if arrival.data.seq == u64::MAX {
            cold_path();
            // No sender reaches this number.
            return None;
        }
        if self.session.is_none() {
            cold_path();
            self.session = Some(Session::new(now, arrival, &self.config));
            return self.on_first(now, arrival);
        }
        let urgent = self.take(now, arrival)?;
        let session = self.session.as_mut()?;
        if session.deadline.is_none() && !session.owing {
            cold_path();
            // This is the first packet that carries a round-trip time.
            session.set_timer(self.config.timing);
        }
        let due = match self.config.timing {
            Timing::Timer => session.owing,
            Timing::Arrivals => session
                .rtt
                .is_some_and(|rtt| now.since(session.feedback_at) >= rtt),
        };
        if urgent || due || session.rtt.is_none() || arrival.data.urgent {
            cold_path();
            return self.report(now);
        }
        None
    }

    /// Handles an expired [`deadline`](Self::deadline); returns feedback if it must be sent now.
    pub fn on_deadline(&mut self, now: Instant) -> Option<Feedback> {
        let session = self.session.as_mut()?;
        if session.deadline.is_none_or(|deadline| now < deadline) {
            return None;
        }
        if session.news {
            return self.report(now);
        }
        session.owing = true;
        session.deadline = None;
        None
    }

    /// Handles the cause of the loss of a packet of this connection, which may be reported before or
    /// after the packet is found missing; returns feedback if it must be sent now. Only
    /// [`Causes::Agent`] and [`Causes::AccessPoint`] use causes. They should be reported in the order of
    /// the packets.
    pub fn on_cause(&mut self, now: Instant, seq: u64, cause: Cause) -> Option<Feedback> {
        let heeds = matches!(self.config.causes, Causes::Agent | Causes::AccessPoint);
        if cause != Cause::Link || !heeds || seq == u64::MAX {
            return None;
        }
        let Some(session) = &mut self.session else {
            self.causes.insert(seq);
            return None;
        };
        if session.holes.is_open(seq) {
            self.causes.insert(seq);
            return None;
        }
        let lost_at = session.events.time_of(seq)?;
        self.counters.lost_by_link += 1;
        if self.config.causes == Causes::Agent {
            if session.events.take_back(seq) {
                return self.report(now);
            }
        } else {
            session.on_wireless(Indication {
                seq,
                at: lost_at,
                rtt: session.rtt,
                round: session.newest.round,
                marked: false,
            });
        }
        None
    }

    /// Returns the loss event rate as it would be reported now, 0 to 1.
    pub fn loss_event_rate(&self) -> f64 {
        self.session.as_ref().map_or(0.0, Session::loss_event_rate)
    }

    /// Returns the last reported receive rate, in bytes per second.
    pub fn x_recv(&self) -> f64 {
        self.session
            .as_ref()
            .map_or(0.0, |session| session.reported)
    }

    /// Returns the closed loss intervals; `None` before the first packet.
    pub fn intervals(&self) -> Option<&Intervals> {
        Some(self.session.as_ref()?.events.intervals())
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        self.counters
    }

    #[cold]
    #[inline(never)]
    fn on_first(&mut self, now: Instant, arrival: &Arrival) -> Option<Feedback> {
        self.take(now, arrival);
        self.report(now)
    }

    /// Processes a packet; returns whether it requires immediate feedback, or `None` if it carries
    /// nothing new.
    #[inline(always)]
    fn take(&mut self, now: Instant, arrival: &Arrival) -> Option<bool> {
        let session = self.session.as_mut()?;
        let data = &arrival.data;
        let at = match self.config.loss_clock {
            LossClock::Arrival => now,
            LossClock::Sending => data.sent_at,
        };
        let seen = Seen {
            stamp: Stamp { seq: data.seq, at },
            rtt: data.rtt,
            round: data.round,
        };
        let place = session.holes.on_arrival(&seen);
        let mut urgent = false;
        match place {
            Place::New => session.on_newest(now, data),
            Place::Filling => {}
            Place::Old => {
                cold_path();
                if session.events.time_of(data.seq).is_none() {
                    self.counters.duplicates += 1;
                    return None;
                }
                self.counters.late += 1;
                urgent = session.events.take_back(data.seq);
            }
        }
        self.counters.received += 1;
        self.counters.bytes += u64::from(arrival.bytes);
        session.news = true;
        session.rate.on_arrival(now, arrival.bytes, session.rtt);
        let waits = !arrival.marked || {
            cold_path();
            self.config.causes == Causes::Ecn
        };
        while let Some(hole) = self.take_lost(waits) {
            cold_path();
            urgent |= self.on_lost(now, &hole);
        }
        if arrival.marked {
            cold_path();
            urgent |= self.on_mark(now, &seen);
        }
        Some(urgent)
    }

    #[inline]
    fn take_lost(&mut self, waits: bool) -> Option<Hole> {
        self.session.as_mut()?.holes.take_lost(waits)
    }

    #[cold]
    fn on_lost(&mut self, now: Instant, hole: &Hole) -> bool {
        let Some(session) = &mut self.session else {
            return false;
        };
        let by_link = self.causes.within(hole.first, hole.end).count() as u64;
        self.counters.lost = self.counters.lost.saturating_add(hole.end - hole.first);
        self.counters.lost_by_link += by_link;
        let agent = self.config.causes == Causes::Agent;
        let causes = &self.causes;
        let first_interval = session.first_interval(now, &self.config);
        let began = self.config.causes != Causes::Ecn
            && session
                .events
                .on_hole(hole, |seq| agent && causes.contains(seq), || first_interval);
        if self.config.causes == Causes::AccessPoint {
            for seq in self.causes.within(hole.first, hole.end) {
                session.on_wireless(Indication {
                    seq,
                    at: hole.time_of(seq),
                    rtt: hole.rtt,
                    round: hole.round,
                    marked: false,
                });
            }
        }
        self.counters.loss_events += u64::from(began);
        began
    }

    #[cold]
    fn on_mark(&mut self, now: Instant, seen: &Seen) -> bool {
        self.counters.marked += 1;
        let Some(session) = &mut self.session else {
            return false;
        };
        let first_interval = session.first_interval(now, &self.config);
        let mark = Indication {
            seq: seen.stamp.seq,
            at: seen.stamp.at,
            rtt: seen.rtt,
            round: seen.round,
            marked: true,
        };
        let began = session.events.on_indication(mark, || first_interval);
        self.counters.loss_events += u64::from(began);
        began
    }

    fn report(&mut self, now: Instant) -> Option<Feedback> {
        let session = self.session.as_mut()?;
        let first = self.counters.feedback == 0;
        self.counters.feedback += 1;
        let x_recv = if first {
            0.0
        } else {
            session.receive_rate(now)
        };
        session.reported = x_recv;
        session.largest = session.largest.max(x_recv);
        session.rate.mark(now);
        session.news = false;
        session.owing = false;
        session.feedback_at = now;
        session.set_timer(self.config.timing);
        let highest = session.holes.highest();
        Some(Feedback {
            connection: self.connection,
            t_recvdata: session.newest.sent_at,
            t_delay: now.since(session.newest_at),
            x_recv,
            p: session.loss_event_rate(),
            p_wireless: session.wireless.as_ref().map(|events| events.rate(highest)),
            loss_events: session.events.total(),
        })
    }
}

impl Session {
    fn new(now: Instant, arrival: &Arrival, config: &ReceiverConfig) -> Self {
        let at = match config.loss_clock {
            LossClock::Arrival => now,
            LossClock::Sending => arrival.data.sent_at,
        };
        let stamp = Stamp {
            seq: arrival.data.seq,
            at,
        };
        let events = || LossEvents::new(config.discounting, config.round_test);
        Self {
            holes: Holes::new(config.reordering_tolerance, stamp, config.first),
            events: events(),
            wireless: (config.causes == Causes::AccessPoint).then(events),
            rate: ReceiveRate::new(now),
            first: config.first.unwrap_or(stamp.seq),
            newest: arrival.data,
            newest_at: now,
            rtt: None,
            largest: 0.0,
            reported: 0.0,
            feedback_at: now,
            news: false,
            owing: false,
            deadline: None,
        }
    }

    #[inline]
    fn on_newest(&mut self, now: Instant, data: &Data) {
        self.newest = *data;
        self.newest_at = now;
        if data.rtt.is_some() {
            self.rtt = data.rtt;
        }
    }

    /// Sets the timer, which runs from the last feedback on, once a round-trip time is known.
    fn set_timer(&mut self, timing: Timing) {
        self.deadline = self.rtt.map(|rtt| {
            let wait = match timing {
                Timing::Timer => rtt,
                Timing::Arrivals => Duration::from_nanos(rtt.as_nanos().saturating_mul(3) / 2),
            };
            self.feedback_at + wait.max(Duration::from_nanos(1))
        });
    }

    fn loss_event_rate(&self) -> f64 {
        self.events.rate(self.holes.highest())
    }

    /// Returns the receive rate; if no round-trip time is known, the rate since the last report.
    fn receive_rate(&self, now: Instant) -> f64 {
        let since = now.since(self.feedback_at);
        self.rate.rate(now, self.rtt.unwrap_or(since))
    }

    /// Returns the length of the interval before the first loss event: the length for which the equation
    /// gives the rate that the connection had then (RFC 5348, section 6.3.1).
    fn first_interval(&self, now: Instant, config: &ReceiverConfig) -> f64 {
        if self.events.is_any() {
            return 1.0;
        }
        // With a timeout of four round-trip times, half a packet per round-trip time corresponds to the same
        // loss rate for every round-trip time.
        let rtt = self.rtt.map_or(1.0, seconds).max(1e-9);
        let segment = f64::from(config.segment.max(1));
        let measured = match (self.rtt, config.first_target) {
            (None, _) => 0.0,
            (Some(_), FirstTarget::LargestReported) => self.largest,
            (Some(_), FirstTarget::Current) => self.receive_rate(now),
        };
        let target = measured.max(0.5 * segment / rtt);
        let equation = RateEquation {
            min1: config.min1,
            ..RateEquation::tfrc(segment, rtt)
        };
        let p = equation.loss_for(target).unwrap_or_else(|far| far.nearest);
        1.0 / p
    }

    /// Handles a loss by the link. If it began the very first loss event, the link gets the same first
    /// interval; otherwise the difference of the two rates would be wrongly attributed to congestion.
    fn on_wireless(&mut self, lost: Indication) {
        let same = self.events.newest() == Some(lost.seq) && self.events.total() == 1;
        let before = if same {
            self.events.intervals().length(0)
        } else {
            None
        };
        let packets = lost.seq.saturating_sub(self.first).max(1) as f64;
        if let Some(wireless) = &mut self.wireless {
            wireless.on_indication(lost, || before.unwrap_or(packets));
        }
    }
}

#[cfg(test)]
mod tests;
