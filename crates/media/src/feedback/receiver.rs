//! The receiving end: it notes when packets arrive, and makes reports of it.

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};

use super::{Feedback, MOST_METRICS, Metric};
use crate::control::Ecn;

/// When a report is due. Without new packets there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interval {
    /// This long after the last one (RFC 8698, section 4.2: DELTA).
    Fixed(Duration),
    /// min(50, max(2.5, rate/10000)) times a second at a rate in bit/s (RFC 8298, section 4.2.2): every 20 to 400 ms.
    ByRate,
}

/// So many new packets are reported at once.
const FULL: u64 = MOST_METRICS as u64 / 2;
/// The time over which the receive rate is measured, in seconds.
const RATE_WINDOW: f64 = 0.5;

/// The receiving end of a flow. It answers the first packet at once, and then at its [`Interval`].
///
/// Each packet is in two reports, so that one report may be lost. A packet that arrives after that is not reported: the
/// sender has taken it for lost long ago.
#[derive(Clone, Debug)]
pub struct Receiver {
    interval: Interval,
    /// The packets that are known, from number `first` on.
    packets: VecDeque<Option<Packet>>,
    first: u64,
    /// The first number of the report before, and of the next one.
    previous: u64,
    next: u64,
    news: u64,
    deadline: Option<Instant>,
    reported: Option<Instant>,
    /// The receive rate in bit/s, and the bytes since it was measured.
    rate: f64,
    rated_at: Instant,
    bytes: u64,
    received: u64,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    at: Instant,
    ecn: Ecn,
}

impl Receiver {
    /// Makes a receiver.
    pub fn new(interval: Interval) -> Self {
        Self {
            interval,
            packets: VecDeque::with_capacity(MOST_METRICS),
            first: 0,
            previous: 0,
            next: 0,
            news: 0,
            deadline: None,
            reported: None,
            rate: 0.0,
            rated_at: Instant::ZERO,
            bytes: 0,
            received: 0,
        }
    }

    /// A packet with this sequence number, modulo 2^16, and so many bytes of payload has arrived. Returns its whole
    /// number, as far as a receiver can know it; `None` if it is a copy, or too old to be reported.
    pub fn on_packet(&mut self, now: Instant, sequence: u16, bytes: u32, ecn: Ecn) -> Option<u64> {
        let end = self.first + self.packets.len() as u64;
        if self.received == 0 {
            self.first = u64::from(sequence);
            (self.previous, self.next) = (self.first, self.first);
            self.rated_at = now;
        }
        let newest = end.max(self.first + 1) - 1;
        let number = unwrap(sequence, newest)?;
        if number < self.first {
            return None;
        }
        while self.first + (self.packets.len() as u64) <= number {
            // A jump leaves nothing of the packets before it.
            if number - self.first >= 2 * MOST_METRICS as u64 {
                self.packets.clear();
                self.first = number + 1 - MOST_METRICS as u64;
            }
            if self.packets.len() == MOST_METRICS {
                self.packets.pop_front();
                self.first += 1;
            }
            self.packets.push_back(None);
        }
        let place = &mut self.packets[(number - self.first) as usize];
        if let Some(packet) = place {
            // RFC 8888, section 3.1: of copies, the first arrival counts, and any mark.
            if ecn == Ecn::Ce {
                packet.ecn = ecn;
            }
            return None;
        }
        *place = Some(Packet { at: now, ecn });
        self.received += 1;
        self.bytes += u64::from(bytes);
        self.news += 1;
        self.measure(now);
        let due = match self.reported {
            None => now,
            Some(_) if self.news >= FULL => now,
            Some(last) => (last + self.span()).max(now),
        };
        self.deadline = Some(self.deadline.map_or(due, |earlier| earlier.min(due)));
        Some(number)
    }

    /// Returns when the next report is due, if there is something to report.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// Makes a report if one is due; returns whether it was.
    pub fn report(&mut self, now: Instant, out: &mut Feedback) -> bool {
        if self.deadline.is_none_or(|deadline| deadline > now) {
            return false;
        }
        self.deadline = None;
        self.reported = Some(now);
        self.news = 0;
        let begin = self.previous.max(self.first);
        let end = self.first + self.packets.len() as u64;
        let units = units(now);
        out.reported_at = units as u32;
        out.begin = begin as u16;
        out.metrics.clear();
        let packets = self.packets.iter().skip((begin - self.first) as usize);
        out.metrics.extend(packets.map(|packet| match packet {
            None => Metric::MISSING,
            // Rounded down, so that no packet seems to have arrived before it was sent.
            Some(packet) => {
                Metric::received(packet.ecn, Some((units - self::units(packet.at)) / 64))
            }
        }));
        (self.previous, self.next) = (self.next, end);
        true
    }

    /// Returns the number of packets that arrived, without copies.
    pub fn received(&self) -> u64 {
        self.received
    }

    fn measure(&mut self, now: Instant) {
        let span = now.since(self.rated_at).as_secs_f64();
        if span >= RATE_WINDOW {
            self.rate = self.bytes as f64 * 8.0 / span;
            self.rated_at = now;
            self.bytes = 0;
        }
    }

    fn span(&self) -> Duration {
        match self.interval {
            Interval::Fixed(span) => span.max(Duration::from_micros(100)),
            Interval::ByRate => {
                let per_second = (self.rate / 10_000.0).clamp(2.5, 50.0);
                Duration::from_nanos((1e9 / per_second) as u64)
            }
        }
    }
}

/// Returns the time in 1/65536 s.
fn units(at: Instant) -> u64 {
    (u128::from(at.as_nanos()) * 65_536 / 1_000_000_000) as u64
}

/// Returns the number with these low 16 bits that is nearest to `near`; `None` if there is none.
pub(super) fn unwrap(sequence: u16, near: u64) -> Option<u64> {
    let ahead = sequence.wrapping_sub(near as u16) as i16;
    near.checked_add_signed(ahead.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    fn fixed() -> Receiver {
        Receiver::new(Interval::Fixed(Duration::from_millis(100)))
    }

    /// By hand: at 0.5 s the time is 32768/65536 s. Number 2 arrived 250 ms before that, so 256/1024 s.
    #[test]
    fn a_report_has_what_arrived_and_when() {
        let (mut receiver, mut report) = (fixed(), Feedback::with_room());
        assert_eq!(receiver.on_packet(ms(0), 0, 1000, Ecn::Ect0), Some(0));
        assert!(receiver.report(ms(0), &mut report));
        assert_eq!(report.metrics, [Metric::received(Ecn::Ect0, Some(0))]);
        assert!(!receiver.report(ms(400), &mut report));
        receiver.on_packet(ms(250), 2, 1000, Ecn::Ce);
        assert_eq!(receiver.deadline(), Some(ms(250)));
        assert!(receiver.report(ms(500), &mut report));
        let arrived = Metric::received(Ecn::Ce, Some(256));
        assert_eq!((report.reported_at, report.begin), (32_768, 0));
        assert_eq!(report.metrics[1..], [Metric::MISSING, arrived]);
    }

    #[test]
    fn each_packet_is_in_two_reports() {
        let (mut receiver, mut report) = (fixed(), Feedback::with_room());
        let mut seen = [0; 20];
        for number in 0..20 {
            receiver.on_packet(ms(u64::from(number) * 60), number, 1000, Ecn::NotEct);
            if receiver.report(ms(u64::from(number) * 60), &mut report) {
                for at in 0..report.metrics.len() {
                    seen[report.begin as usize + at] += 1;
                }
            }
        }
        assert!(seen[..16].iter().all(|&times| times == 2), "{seen:?}");
    }

    /// RFC 8888, section 3.1: the first copy's arrival, and the mark of any.
    #[test]
    fn copies_add_only_a_mark() {
        let (mut receiver, mut report) = (fixed(), Feedback::with_room());
        receiver.on_packet(ms(0), 7, 1000, Ecn::Ect0);
        assert_eq!(receiver.on_packet(ms(50), 7, 1000, Ecn::Ce), None);
        assert!(receiver.report(ms(125), &mut report));
        assert_eq!(report.metrics, [Metric::received(Ecn::Ce, Some(128))]);
        assert_eq!(receiver.received(), 1);
    }

    /// RFC 8298, section 4.2.2, by hand: 400 ms at up to 25 kb/s, 100 ms at 100 kb/s, 20 ms from 500 kb/s on.
    #[test]
    fn scream_reports_more_often_at_higher_rates() {
        for (rate, span) in [
            (0.0, 400),
            (25e3, 400),
            (100e3, 100),
            (500e3, 20),
            (9e9, 20),
        ] {
            let mut receiver = Receiver::new(Interval::ByRate);
            receiver.rate = rate;
            assert_eq!(receiver.span(), Duration::from_millis(span), "{rate}");
        }
    }

    #[test]
    fn jumps_and_floods_keep_the_memory_bounded() {
        let (mut receiver, mut report) = (fixed(), Feedback::with_room());
        let mut number = 0_u16;
        for step in 0..10_000_u64 {
            number = number.wrapping_add((step * step % 30_011) as u16);
            receiver.on_packet(ms(step / 100), number, 1000, Ecn::NotEct);
            receiver.report(ms(step / 100), &mut report);
            assert!(receiver.packets.len() <= MOST_METRICS && report.metrics.len() <= MOST_METRICS);
        }
        assert_eq!(report.metrics.capacity(), MOST_METRICS);
    }

    #[test]
    fn numbers_are_those_nearest_to_the_newest() {
        assert_eq!(unwrap(3, 65_535), Some(65_539));
        assert_eq!(unwrap(65_535, 65_540), Some(65_535));
        assert_eq!(unwrap(65_535, 2), None);
        assert_eq!(unwrap(0x8000, 0), None);
        assert_eq!(unwrap(0x7fff, 0), Some(0x7fff));
    }
}
