//! The losses that begin a loss event (RFC 5348, section 5.2), and the number of packets between events
//! (section 5.3).
//!
//! | item | rule |
//! |---|---|
//! | new event | a loss later than a round-trip time after the first loss of the last event |
//! | interval | from the first loss of an event to that of the next |
//! | open interval | from the first loss of the last event to the highest packet received, both included |
//! | a lost packet arrives late, or its loss does not count | the event begins with the next of its losses; an event without losses is revoked |
//!
//! *Readings.* The sender's round-trip time is that in the packet after the hole. If no packet has
//! carried one yet, all losses belong to one event. If the first event is revoked, the artificial
//! interval before it stays, lengthened by the packets since then.

use dumbbell_control::units::{Duration, Instant};

use super::config::Discounting;
use super::holes::Hole;
use super::intervals::{INTERVALS, Intervals};

/// Events whose first loss is known: one more than the number of closed intervals.
const EVENTS: usize = INTERVALS + 1;
/// The number of losses that can be revoked.
const RECENT: usize = 64;
/// In a hole longer than this, packets are not examined one by one, and none of its losses can be
/// revoked.
const LONG: u64 = 1024;

/// The loss events of a connection.
#[derive(Clone, Debug)]
pub struct LossEvents {
    intervals: Intervals,
    /// The known events, the newest first.
    events: [Event; EVENTS],
    known: usize,
    total: u32,
    serial: u64,
    recent: [Lost; RECENT],
    next: usize,
    round_test: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Event {
    id: u64,
    first: u64,
    at: Instant,
    round: u32,
    losses: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Lost {
    seq: u64,
    at: Instant,
    /// The identifier of the event; zero means none.
    event: u64,
    /// Whether it was a mark: the packet has arrived, and the mark cannot be revoked.
    marked: bool,
}

/// A congestion indication: a loss or a mark.
#[derive(Clone, Copy, Debug)]
pub struct Indication {
    /// The packet's number.
    pub seq: u64,
    /// When the packet arrived or would have arrived.
    pub at: Instant,
    /// The sender's round-trip time at that time.
    pub rtt: Option<Duration>,
    /// The sender's round at that time.
    pub round: u32,
    /// Whether it is a mark, which cannot be revoked.
    pub marked: bool,
}

impl LossEvents {
    /// Makes a state without losses.
    pub fn new(discounting: Option<Discounting>, round_test: bool) -> Self {
        Self {
            intervals: Intervals::new(discounting),
            events: [Event::default(); EVENTS],
            known: 0,
            total: 0,
            serial: 0,
            recent: [Lost::default(); RECENT],
            next: 0,
            round_test,
        }
    }

    /// Returns the number of events so far, including revoked ones, modulo 2^32.
    pub fn total(&self) -> u32 {
        self.total
    }

    /// Returns whether there is any event.
    pub fn is_any(&self) -> bool {
        self.known > 0
    }

    /// Returns the first loss of the newest event.
    pub fn newest(&self) -> Option<u64> {
        self.events[..self.known].first().map(|event| event.first)
    }

    /// Returns the closed intervals.
    pub fn intervals(&self) -> &Intervals {
        &self.intervals
    }

    /// Returns the loss event rate if `highest` is the highest packet received.
    pub fn rate(&self, highest: u64) -> f64 {
        let Some(first) = self.newest() else {
            return 0.0;
        };
        let open = highest.saturating_sub(first).saturating_add(1);
        self.intervals.loss_event_rate(open as f64)
    }

    /// Handles a loss or a mark; returns whether an event begins with it. `first` gives the length of
    /// the interval before the very first event.
    pub fn on_indication(&mut self, one: Indication, first: impl FnOnce() -> f64) -> bool {
        let begins = self.begins(&one);
        if begins {
            self.begin(&one, first);
        }
        self.join(&one);
        begins
    }

    /// Handles the loss of the packets of a hole, except those for which `excused` is true; returns
    /// whether an event begins.
    pub fn on_hole(
        &mut self,
        hole: &Hole,
        excused: impl Fn(u64) -> bool,
        mut first: impl FnMut() -> f64,
    ) -> bool {
        if hole.end - hole.first > LONG {
            return self.on_long_hole(hole, first);
        }
        let mut began = false;
        for seq in (hole.first..hole.end).filter(|&seq| !excused(seq)) {
            began |= self.on_indication(lost_in(hole, seq), &mut first);
        }
        began
    }

    /// Revokes a loss, because the packet has arrived or the cause of its loss does not count. Returns
    /// whether an event or an interval has changed.
    pub fn take_back(&mut self, seq: u64) -> bool {
        let Some(place) = self.place_of(seq) else {
            return false;
        };
        let id = self.recent[place].event;
        self.recent[place].event = 0;
        let Some(index) = self.events[..self.known]
            .iter()
            .position(|event| event.id == id)
        else {
            return false;
        };
        self.events[index].losses -= 1;
        if self.events[index].losses == 0 {
            self.intervals.merge(index);
            self.events[index..self.known].rotate_left(1);
            self.known -= 1;
            return true;
        }
        self.events[index].first == seq && self.begin_later(index)
    }

    /// Returns the time of a loss that can be revoked.
    pub fn time_of(&self, seq: u64) -> Option<Instant> {
        self.place_of(seq).map(|place| self.recent[place].at)
    }

    fn place_of(&self, seq: u64) -> Option<usize> {
        self.recent
            .iter()
            .position(|lost| lost.event > 0 && lost.seq == seq && !lost.marked)
    }

    fn begins(&self, one: &Indication) -> bool {
        let Some(last) = self.events[..self.known].first() else {
            return true;
        };
        one.seq > last.first
            && one.rtt.is_some_and(|rtt| one.at > last.at + rtt)
            && (!self.round_test || one.round > last.round)
    }

    fn begin(&mut self, one: &Indication, first: impl FnOnce() -> f64) {
        let length = match self.newest() {
            Some(last) => (one.seq - last) as f64,
            None => first(),
        };
        self.intervals.close(length);
        self.serial += 1;
        self.total = self.total.wrapping_add(1);
        self.events.rotate_right(1);
        self.known = (self.known + 1).min(EVENTS);
        self.events[0] = Event {
            id: self.serial,
            first: one.seq,
            at: one.at,
            round: one.round,
            losses: 0,
        };
    }

    fn join(&mut self, one: &Indication) {
        let event = &mut self.events[0];
        event.losses += 1;
        self.recent[self.next] = Lost {
            seq: one.seq,
            at: one.at,
            event: event.id,
            marked: one.marked,
        };
        self.next = (self.next + 1) % RECENT;
    }

    /// Adds the events of a hole without examining each loss. The times of its packets are equally
    /// spaced, and so are its events; if there are very many, only the last ones matter.
    #[cold]
    fn on_long_hole(&mut self, hole: &Hole, mut first: impl FnMut() -> f64) -> bool {
        let before = self.total;
        let mut seq = hole.first;
        let mut begun: Option<u64> = None;
        for step in 0.. {
            let one = match self.events[..self.known].first() {
                None => lost_in(hole, seq),
                Some(last) => {
                    let Some(edge) = hole.rtt.map(|rtt| last.at + rtt) else {
                        break;
                    };
                    match hole.first_after(edge, seq) {
                        Some(seq) => lost_in(hole, seq),
                        None => break,
                    }
                }
            };
            if !self.begins(&one) {
                break;
            }
            self.begin(&one, &mut first);
            self.events[0].losses = LONG;
            let spacing = begun.map_or(1, |last| one.seq - last);
            begun = Some(one.seq);
            seq = one.seq + 1;
            if step == EVENTS {
                // Only the last intervals are stored, so earlier events can be skipped.
                let left = (hole.end - one.seq) / spacing;
                let skipped = left.saturating_sub(2 * EVENTS as u64);
                self.skip(hole, one.seq + skipped * spacing, skipped);
                seq = self.events[0].first + 1;
            }
        }
        if self.known > 0 {
            self.events[0].losses = self.events[0].losses.saturating_add(LONG);
        }
        self.total != before
    }

    /// Moves the newest event to packet `seq`, as if `events` further events had begun.
    fn skip(&mut self, hole: &Hole, seq: u64, events: u64) {
        self.total = self.total.wrapping_add(events as u32);
        self.events[0].first = seq;
        self.events[0].at = hole.time_of(seq);
    }

    /// Moves the start of an event to its next known loss.
    fn begin_later(&mut self, index: usize) -> bool {
        let event = self.events[index];
        let next = self
            .recent
            .iter()
            .filter(|lost| lost.event == event.id && lost.seq > event.first)
            .min_by_key(|lost| lost.seq);
        let Some(&next) = next else {
            return false;
        };
        let later = (next.seq - event.first) as f64;
        self.intervals.delay(index, later);
        self.events[index].first = next.seq;
        self.events[index].at = next.at;
        true
    }
}

fn lost_in(hole: &Hole, seq: u64) -> Indication {
    Indication {
        seq,
        at: hole.time_of(seq),
        rtt: hole.rtt,
        round: hole.round,
        marked: false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::holes::{Holes, Seen, Stamp};
    use super::*;

    const RTT: Duration = Duration::from_millis(100);

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn loss(seq: u64, at: u64) -> Indication {
        Indication {
            seq,
            at: ms(at),
            rtt: Some(RTT),
            round: 0,
            marked: false,
        }
    }

    fn events() -> LossEvents {
        LossEvents::new(None, false)
    }

    fn hole(before: (u64, u64), after: (u64, u64)) -> Hole {
        let seen = |(seq, at)| Seen {
            stamp: Stamp { seq, at: ms(at) },
            rtt: Some(RTT),
            round: 0,
        };
        let mut holes = Holes::new(1, seen(before).stamp, None);
        holes.on_arrival(&seen(before));
        holes.on_arrival(&seen(after));
        holes.take_lost(true).unwrap()
    }

    #[test]
    fn losses_within_a_round_trip_are_one_event() {
        // Packets 11 to 13 are missing: they were due at 1.015, 1.03 and 1.045 s.
        let gap = hole((10, 1_000), (14, 1_060));
        let mut events = self::events();
        assert!(events.on_indication(loss(5, 950), || 1.0));
        assert!(!events.on_hole(&gap, |_| false, || unreachable!()));
        let mut events = self::events();
        events.on_indication(loss(5, 900), || 1.0);
        assert!(events.on_hole(&gap, |_| false, || unreachable!()));
        assert_eq!((events.newest(), events.total()), (Some(11), 2));
        assert_eq!(events.intervals().length(0), Some(6.0));
    }

    #[test]
    fn an_event_ends_after_a_round_trip_and_not_at_it() {
        let mut events = events();
        events.on_indication(loss(1, 1_000), || 10.0);
        assert!(!events.on_indication(loss(2, 1_100), || unreachable!()));
        assert!(events.on_indication(loss(3, 1_101), || unreachable!()));
    }

    #[test]
    fn a_round_has_at_most_one_event() {
        let mut events = LossEvents::new(None, true);
        events.on_indication(loss(1, 1_000), || 10.0);
        assert!(!events.on_indication(loss(2, 1_200), || unreachable!()));
        let next = Indication {
            round: 1,
            ..loss(3, 1_200)
        };
        assert!(events.on_indication(next, || unreachable!()));
    }

    #[test]
    fn without_a_round_trip_time_all_losses_are_one_event() {
        let mut events = events();
        let unknown = |seq, at| Indication {
            rtt: None,
            ..loss(seq, at)
        };
        assert!(events.on_indication(unknown(1, 0), || 10.0));
        assert!(!events.on_indication(unknown(2, 60_000), || unreachable!()));
    }

    #[test]
    fn the_open_interval_counts_both_ends() {
        let mut events = events();
        events.on_indication(loss(100, 0), || 1.0);
        // Packets 100 to 149: fifty.
        assert_eq!(events.rate(149), 1.0 / 50.0);
        assert_eq!(events.rate(100), 1.0);
    }

    #[test]
    fn an_event_without_losses_is_revoked() {
        let mut events = events();
        events.on_indication(loss(10, 0), || 40.0);
        events.on_indication(loss(30, 200), || unreachable!());
        events.on_indication(loss(90, 400), || unreachable!());
        assert_eq!(events.intervals().length(0), Some(60.0));
        assert!(events.take_back(30));
        assert_eq!(events.intervals().length(0), Some(80.0));
        assert_eq!(events.intervals().length(1), Some(40.0));
        assert!(events.take_back(90));
        assert_eq!(events.newest(), Some(10));
        assert!(events.take_back(10));
        assert_eq!(events.rate(1_000), 0.0);
        assert!(!events.take_back(10));
    }

    #[test]
    fn an_event_begins_with_its_first_loss_that_is_not_revoked() {
        let mut events = events();
        events.on_indication(loss(10, 0), || 40.0);
        for seq in [30, 31, 35] {
            events.on_indication(loss(seq, 170 + seq), || unreachable!());
        }
        assert!(!events.take_back(31));
        assert!(events.take_back(30));
        assert_eq!(events.newest(), Some(35));
        assert_eq!(events.intervals().length(0), Some(25.0));
        // The event now lasts until 100 ms after packet 35 was due, at 205 ms.
        assert!(!events.on_indication(loss(36, 305), || unreachable!()));
        assert!(events.on_indication(loss(37, 306), || unreachable!()));
    }

    #[test]
    fn a_mark_cannot_be_revoked() {
        let mut events = events();
        let mark = Indication {
            marked: true,
            ..loss(10, 0)
        };
        assert!(events.on_indication(mark, || 40.0));
        assert!(!events.take_back(10));
        assert_eq!(events.newest(), Some(10));
        // A loss before it in the same event is revoked: the event begins with the mark.
        events.on_indication(loss(20, 200), || unreachable!());
        events.on_indication(Indication { seq: 25, ..mark }, || unreachable!());
        assert!(events.take_back(20));
        assert_eq!(events.newest(), Some(25));
    }

    #[test]
    fn excused_losses_do_not_count() {
        let gap = hole((10, 1_000), (14, 1_060));
        let mut events = events();
        assert!(!events.on_hole(&gap, |_| true, || 1.0));
        assert!(!events.is_any());
        assert!(events.on_hole(&gap, |seq| seq == 11, || 1.0));
        assert_eq!(events.newest(), Some(12));
    }

    #[test]
    fn a_long_hole_gives_the_same_events_as_single_losses() {
        // A packet was due every millisecond: an event is 101 packets long.
        let mut long = events();
        let first = || 7.0;
        assert!(long.on_hole(&hole((0, 0), (100_000, 100_000)), |_| false, first));
        assert_eq!(long.newest(), Some(1 + 101 * 990));
        assert_eq!(long.total(), 991);
        for index in 0..INTERVALS {
            assert_eq!(long.intervals().length(index), Some(101.0));
        }
        let mut short = events();
        for seq in 1..100_000 {
            short.on_indication(loss(seq, seq), first);
        }
        assert_eq!(short.newest(), long.newest());
        assert_eq!(short.total(), long.total());
    }

    #[test]
    fn the_longest_hole_costs_no_more_than_others() {
        let mut events = events();
        let gap = hole((0, 0), (u64::MAX - 1, 3_000_000_000));
        assert!(events.on_hole(&gap, |_| false, || 1.0));
        let rate = events.rate(u64::MAX - 1);
        assert!(rate > 0.0 && rate < 1e-9, "{rate}");
    }
}
