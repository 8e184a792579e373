//! The sender's memory of its packets: reports are checked against it, and only what is new and possible is passed on.

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};

use super::receiver::unwrap;
use super::{ATO_PER_SECOND, Feedback, MOST_ALLOWED};
use crate::control::{Fate, Known, Report};

/// The packets that have been sent and may still be reported.
///
/// The memory is bounded: it has the last 16,384 packets, a quarter of the sequence numbers, and of those that are no
/// longer in flight the ones of the last 10 s.
#[derive(Clone, Debug, Default)]
pub struct History {
    packets: VecDeque<Packet>,
    /// The number of the first of `packets`.
    first: u64,
    /// The bytes of all packets that were sent.
    bytes: u64,
    /// The number after the highest one that is known to have arrived, and the bytes up to there.
    acked: u64,
    acked_bytes: u64,
    clock: Option<Clock>,
    known: Vec<Known>,
    checks: Checks,
}

/// What was wrong with reports.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks {
    /// Reports with news.
    pub reports: u64,
    /// Reports without news: copies, and reports that others have overtaken.
    pub repeated: u64,
    /// Reports of packets that were never sent, and reports that are too long. Dropped.
    pub impossible: u64,
    /// Reports of a packet that arrived before it was sent, or whose time is more than 10 s off. Dropped.
    pub absurd: u64,
    /// Packets that were reported as received before and are not any more. Ignored.
    pub withdrawn: u64,
    /// Packets that were reported as missing, and later as received.
    pub late: u64,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    sent_at: Instant,
    bytes: u32,
    /// The bytes of all packets up to this one.
    end: u64,
    state: State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Unknown,
    Missing(Instant),
    Arrived,
}

/// The receiver's clock, as its reports show it.
#[derive(Clone, Copy, Debug)]
struct Clock {
    /// When the newest report arrived, by the sender's clock.
    at: Instant,
    /// Its time in 1/65536 s, without the modulus.
    time: u64,
}

/// Units of the receiver's clock in a second.
const UNITS: u64 = 65_536;
/// The first time, so that no offset leads below zero.
const ORIGIN: u64 = 1 << 32;
/// How far a report's time may be off.
const DRIFT: u64 = 10 * UNITS;
/// By how much a packet may seem to have arrived before it was sent: clocks run at slightly different rates.
const SLACK: Duration = Duration::from_millis(5);
/// For how long packets are kept that are no longer in flight.
const KEPT: Duration = Duration::from_secs(10);

impl History {
    /// Notes that a packet is sent now; returns its number.
    pub fn on_sent(&mut self, now: Instant, bytes: u32) -> u64 {
        let number = self.next();
        self.bytes += u64::from(bytes);
        self.packets.push_back(Packet {
            sent_at: now,
            bytes,
            end: self.bytes,
            state: State::Unknown,
        });
        while let Some(oldest) = self.packets.front()
            && (self.packets.len() > MOST_ALLOWED
                || (self.first < self.acked && now.since(oldest.sent_at) > KEPT))
        {
            self.packets.pop_front();
            self.first += 1;
        }
        number
    }

    /// Returns the number of the next packet.
    pub fn next(&self) -> u64 {
        self.first + self.packets.len() as u64
    }

    /// Returns the bytes in flight: those after the highest number that is known to have arrived.
    pub fn in_flight(&self) -> u64 {
        self.bytes - self.acked_bytes
    }

    /// Returns what was wrong with reports so far.
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// Checks a report; returns its news. `None` if it is dropped, or has none.
    pub fn on_feedback(&mut self, now: Instant, feedback: &Feedback) -> Option<Report<'_>> {
        let Some(begin) = self.place(feedback) else {
            self.checks.impossible += 1;
            return None;
        };
        let Some(clock) = self.check(now, begin, feedback) else {
            self.checks.absurd += 1;
            return None;
        };
        let received = feedback.metrics.iter().rposition(|one| one.is_received());
        let highest = received.map_or(0, |at| begin + at as u64 + 1);
        let acked = highest.max(self.acked);
        self.known.clear();
        let mut rtt = None;
        for (number, metric) in (begin..).zip(&feedback.metrics) {
            let place = number.checked_sub(self.first);
            let Some(packet) = place.and_then(|at| self.packets.get_mut(at as usize)) else {
                continue;
            };
            let fate = match (metric.is_received(), packet.state) {
                (true, State::Arrived) => continue,
                (true, before) => {
                    let missing_since = match before {
                        State::Missing(since) => Some(since),
                        State::Unknown | State::Arrived => None,
                    };
                    self.checks.late += u64::from(missing_since.is_some());
                    packet.state = State::Arrived;
                    let offset = metric.offset();
                    if let Some(offset) = offset {
                        let age = now.since(packet.sent_at);
                        rtt = Some(age.saturating_sub(span(offset)));
                    }
                    Fate::Arrived {
                        at: offset.map(|offset| clock.before(offset)),
                        ecn: metric.ecn(),
                        missing_since,
                    }
                }
                (false, State::Arrived) => {
                    self.checks.withdrawn += 1;
                    continue;
                }
                (false, State::Missing(_)) => continue,
                (false, State::Unknown) if number >= acked => continue,
                (false, State::Unknown) => {
                    packet.state = State::Missing(now);
                    Fate::Missing
                }
            };
            self.known.push(Known {
                sequence: number,
                sent_at: packet.sent_at,
                bytes: packet.bytes,
                fate,
            });
        }
        if self.known.is_empty() {
            self.checks.repeated += 1;
            return None;
        }
        self.checks.reports += 1;
        if self.clock.is_none_or(|before| clock.time > before.time) {
            self.clock = Some(clock);
        }
        let before = self.acked_bytes;
        if acked > self.acked {
            self.acked = acked;
            self.acked_bytes = self.packets[(acked - 1 - self.first) as usize].end;
        }
        Some(Report {
            now,
            packets: &self.known,
            rtt,
            newly_acked: self.acked_bytes - before,
            in_flight: self.bytes - self.acked_bytes,
        })
    }

    /// Returns the number of the report's first packet; `None` if it is of packets that were never sent.
    fn place(&self, feedback: &Feedback) -> Option<u64> {
        let newest = self.next().checked_sub(1)?;
        let begin = unwrap(feedback.begin, newest)?;
        let end = begin + feedback.metrics.len() as u64;
        let sent = end <= self.next() && feedback.metrics.len() <= MOST_ALLOWED;
        sent.then_some(begin)
    }

    /// Returns the receiver's clock at the report; `None` if its times are impossible.
    fn check(&self, now: Instant, begin: u64, feedback: &Feedback) -> Option<Clock> {
        let time = match self.clock {
            None => ORIGIN + u64::from(feedback.reported_at),
            Some(clock) => {
                let passed = u128::from(now.since(clock.at).as_nanos()) * u128::from(UNITS);
                let expected = clock.time + (passed / 1_000_000_000) as u64;
                let ahead = feedback.reported_at.wrapping_sub(expected as u32) as i32;
                let near = u64::from(ahead.unsigned_abs()) <= DRIFT;
                near.then(|| expected.saturating_add_signed(ahead.into()))?
            }
        };
        let possible = (begin..).zip(&feedback.metrics).all(|(number, metric)| {
            let place = number.checked_sub(self.first);
            let packet = place.and_then(|at| self.packets.get(at as usize));
            match (packet, metric.offset()) {
                (Some(packet), Some(offset)) => {
                    span(offset).saturating_sub(SLACK) <= now.since(packet.sent_at)
                }
                _ => true,
            }
        });
        possible.then_some(Clock { at: now, time })
    }
}

impl Clock {
    /// Returns the time so many 1/1024 s before the report.
    fn before(self, offset: u32) -> Instant {
        let units = self.time - u64::from(offset) * (UNITS / u64::from(ATO_PER_SECOND));
        Instant::from_nanos((u128::from(units) * 1_000_000_000 / u128::from(UNITS)) as u64)
    }
}

/// Converts 1/1024 s.
fn span(offset: u32) -> Duration {
    Duration::from_nanos(u64::from(offset) * 1_000_000_000 / u64::from(ATO_PER_SECOND))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::Ecn;
    use crate::feedback::Metric;

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    /// Ten packets of 1000 bytes, sent every 10 ms from 1 s on.
    fn history() -> History {
        let mut history = History::default();
        for number in 0..10 {
            assert_eq!(history.on_sent(ms(1000 + 10 * number), 1000), number);
        }
        history
    }

    /// A report at 1.5 s of the receiver's clock.
    fn report(begin: u16, received: &[Option<u64>]) -> Feedback {
        let metric = |offset: &Option<u64>| match offset {
            None => Metric::MISSING,
            Some(offset) => Metric::received(Ecn::Ect0, Some(*offset)),
        };
        Feedback {
            reported_at: 98_304,
            begin,
            metrics: received.iter().map(metric).collect(),
        }
    }

    /// By hand: packet 0 arrived 64/1024 s = 62.5 ms before the report, which came 200 ms after it was sent.
    #[test]
    fn a_report_tells_what_is_new() {
        let mut history = history();
        let first = report(0, &[Some(64), None, Some(32)]);
        let news = history.on_feedback(ms(1200), &first).unwrap();
        let fates: Vec<bool> = news.packets.iter().map(Known::is_missing).collect();
        assert_eq!(fates, [false, true, false]);
        let apart = news.packets[2]
            .arrived_at()
            .unwrap()
            .since(news.packets[0].arrived_at().unwrap());
        assert_eq!(apart, Duration::from_micros(31_250));
        // Packet 2: 180 ms - 31.25 ms.
        assert_eq!(news.rtt, Some(Duration::from_micros(148_750)));
        assert_eq!((news.newly_acked, news.in_flight), (3000, 7000));
        assert_eq!(history.on_feedback(ms(1200), &first), None);
        assert_eq!(history.checks().repeated, 1);
        // Packet 1 was only late.
        let later = report(1, &[Some(0), Some(32), None]);
        let news = history.on_feedback(ms(1210), &later).unwrap();
        assert_eq!((news.packets.len(), news.newly_acked), (1, 0));
        let Fate::Arrived { missing_since, .. } = news.packets[0].fate else {
            panic!("{news:?}");
        };
        assert_eq!(missing_since, Some(ms(1200)));
        assert_eq!(history.checks().late, 1);
    }

    #[test]
    fn packets_that_were_never_sent_are_not_believed() {
        let mut history = history();
        for begin in [1, 10, 30_000, 40_000, 65_535] {
            assert_eq!(
                history.on_feedback(ms(1200), &report(begin, &[Some(1); 10])),
                None
            );
        }
        assert_eq!(
            (history.checks().impossible, history.in_flight()),
            (5, 10_000)
        );
        assert_eq!(
            History::default().on_feedback(ms(1), &report(0, &[Some(1)])),
            None
        );
    }

    #[test]
    fn absurd_times_are_not_believed() {
        let mut history = history();
        // Packet 0 would have arrived 300 ms before the report, and is 200 ms old.
        assert_eq!(
            history.on_feedback(ms(1200), &report(0, &[Some(307)])),
            None
        );
        assert!(
            history
                .on_feedback(ms(1200), &report(0, &[Some(0)]))
                .is_some()
        );
        // An hour later by the receiver's clock, 10 ms by ours.
        let mut later = report(1, &[Some(0)]);
        later.reported_at += 3600 * 65_536;
        assert_eq!(history.on_feedback(ms(1210), &later), None);
        assert_eq!(history.checks().absurd, 2);
    }

    #[test]
    fn what_was_acknowledged_stays_so() {
        let mut history = history();
        assert!(
            history
                .on_feedback(ms(1200), &report(0, &[Some(9); 4]))
                .is_some()
        );
        assert_eq!(
            history.on_feedback(ms(1200), &report(0, &[None, None, None, None])),
            None
        );
        assert_eq!((history.checks().withdrawn, history.in_flight()), (4, 6000));
    }

    /// The receiver's clock wraps every 18.2 hours.
    #[test]
    fn the_clocks_may_wrap() {
        let mut history = history();
        let mut first = report(0, &[Some(0)]);
        first.reported_at = u32::MAX - 65_536;
        let before = history.on_feedback(ms(1200), &first).unwrap().packets[0].arrived_at();
        let mut second = report(1, &[Some(0)]);
        second.reported_at = 65_535;
        let after = history.on_feedback(ms(3200), &second).unwrap().packets[0].arrived_at();
        assert_eq!(
            after.unwrap().since(before.unwrap()),
            Duration::from_secs(2)
        );
    }

    #[test]
    fn the_memory_is_bounded() {
        let mut history = History::default();
        for number in 0..100_000 {
            history.on_sent(ms(number / 1000), 1000);
        }
        assert_eq!(history.packets.len(), MOST_ALLOWED);
        assert_eq!(history.in_flight(), 100_000_000);
    }
}
