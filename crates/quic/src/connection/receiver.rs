//! The receiving end: which packets came, and when to say so (RFC 9000, section 13.2).

use dumbbell_control::units::Instant;

use super::config::ReceiverConfig;
use super::data::Pieces;
use super::frame::{AckFrame, MOST_RANGES, Range};

/// How far ahead of the first piece that is missing others may be: what a receiver remembers is bounded.
pub const MOST_AHEAD: u64 = 1 << 24;

/// What follows from a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Response {
    /// An acknowledgement is due.
    Ack,
    /// It waits for another packet, or for the deadline.
    Wait,
}

/// The receiver of a connection.
#[derive(Clone, Debug)]
pub struct Receiver {
    config: ReceiverConfig,
    /// Packets that came, the newest range first.
    ranges: Vec<Range>,
    pieces: Pieces,
    /// When the largest packet came.
    largest_at: Instant,
    /// Packets since the last acknowledgement.
    unreported: u32,
    deadline: Option<Instant>,
    marked: u64,
}

impl Receiver {
    /// A receiver before the first packet.
    pub fn new(config: ReceiverConfig) -> Self {
        Self {
            config,
            ranges: Vec::with_capacity(MOST_RANGES + 1),
            pieces: Pieces::default(),
            largest_at: Instant::ZERO,
            unreported: 0,
            deadline: None,
            marked: 0,
        }
    }

    /// A packet arrives with this number and piece of data. It is ignored if the number is none (RFC 9000, section
    /// 12.3), or if the piece is [`MOST_AHEAD`] or more ahead of the first that is missing, which a receiver's flow
    /// control does not allow.
    pub fn on_packet(&mut self, now: Instant, number: u64, piece: u64, marked: bool) -> Response {
        let expected = self.expected();
        let ahead = piece.saturating_sub(self.pieces.prefix());
        if number >= 1 << 62 || ahead >= MOST_AHEAD || !self.note(number) {
            return Response::Wait;
        }
        if number >= expected {
            self.largest_at = now;
        }
        self.pieces.insert(piece);
        self.marked += u64::from(marked);
        self.unreported += 1;
        // A packet out of order, one after a gap, or a marked one is acknowledged at once (13.2.1).
        let wait = self.config.max_ack_delay;
        if self.unreported >= 2 || number != expected || marked || wait.is_none() {
            return Response::Ack;
        }
        self.deadline = wait.map(|wait| now + wait);
        Response::Wait
    }

    /// Adds a number; `false` if it came before, or so long ago that it is forgotten.
    fn note(&mut self, number: u64) -> bool {
        for place in 0..self.ranges.len() {
            let range = self.ranges[place];
            if number > range.end {
                self.ranges.insert(
                    place,
                    Range {
                        start: number,
                        end: number + 1,
                    },
                );
                self.ranges.truncate(MOST_RANGES);
                return true;
            }
            if number == range.end {
                self.ranges[place].end += 1;
                self.join(place);
                return true;
            }
            if number >= range.start {
                return false;
            }
            if number + 1 == range.start {
                self.ranges[place].start = number;
                self.join(place + 1);
                return true;
            }
        }
        if self.ranges.len() >= MOST_RANGES {
            return false;
        }
        self.ranges.push(Range {
            start: number,
            end: number + 1,
        });
        true
    }

    /// Joins a range with the newer one before it if they touch.
    fn join(&mut self, place: usize) {
        if let Some(newer) = place.checked_sub(1)
            && place < self.ranges.len()
            && self.ranges[newer].start == self.ranges[place].end
        {
            self.ranges[newer].start = self.ranges[place].start;
            self.ranges.remove(place);
        }
    }

    /// The number after the largest packet that came.
    pub fn expected(&self) -> u64 {
        self.ranges.first().map_or(0, |newest| newest.end)
    }

    /// When an acknowledgement is due that waits.
    pub fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The deadline may have come.
    pub fn on_deadline(&self, now: Instant) -> Response {
        match self.deadline {
            Some(deadline) if deadline <= now => Response::Ack,
            _ => Response::Wait,
        }
    }

    /// Makes the acknowledgement.
    pub fn ack(&mut self, now: Instant) -> AckFrame {
        self.unreported = 0;
        self.deadline = None;
        let mut frame = AckFrame::new(&self.ranges);
        frame.delay = now.since(self.largest_at);
        frame.received_at = self.largest_at;
        frame.marked = self.marked;
        frame
    }

    /// Pieces of data that came, from the first on without a hole.
    pub fn delivered(&self) -> u64 {
        self.pieces.prefix()
    }

    /// All pieces of data that came.
    pub fn pieces(&self) -> u64 {
        self.pieces.count()
    }

    /// Packets that came with a mark.
    pub fn marks(&self) -> u64 {
        self.marked
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_control::units::Duration;

    use super::*;

    fn ms(n: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(n)
    }

    fn numbers(ranges: &[Range]) -> Vec<(u64, u64)> {
        ranges
            .iter()
            .map(|range| (range.start, range.end))
            .collect()
    }

    #[test]
    fn every_second_packet_is_acknowledged_or_the_first_after_a_wait() {
        let mut receiver = Receiver::new(ReceiverConfig::default());
        assert_eq!(receiver.on_packet(ms(1), 0, 0, false), Response::Wait);
        assert_eq!(receiver.deadline(), Some(ms(26)));
        assert_eq!(receiver.on_packet(ms(2), 1, 1, false), Response::Ack);
        let frame = receiver.ack(ms(2));
        assert_eq!(numbers(frame.ranges()), [(0, 2)]);
        assert_eq!((frame.delay, receiver.deadline()), (Duration::ZERO, None));
        assert_eq!(receiver.on_packet(ms(3), 2, 2, false), Response::Wait);
        assert_eq!(receiver.on_deadline(ms(27)), Response::Wait);
        assert_eq!(receiver.on_deadline(ms(28)), Response::Ack);
        assert_eq!(receiver.ack(ms(28)).delay, Duration::from_millis(25));
    }

    #[test]
    fn gaps_late_packets_and_marks_are_acknowledged_at_once() {
        let mut receiver = Receiver::new(ReceiverConfig::default());
        let at = ms(1);
        assert_eq!(receiver.on_packet(at, 0, 0, true), Response::Ack);
        assert_eq!(receiver.ack(at).marked, 1);
        assert_eq!(receiver.on_packet(at, 2, 2, false), Response::Ack);
        assert_eq!(numbers(receiver.ack(at).ranges()), [(2, 3), (0, 1)]);
        // The next after the gap is in order again.
        assert_eq!(receiver.on_packet(at, 3, 3, false), Response::Wait);
        assert_eq!(receiver.on_packet(at, 1, 1, false), Response::Ack);
        assert_eq!(numbers(receiver.ack(at).ranges()), [(0, 4)]);
        assert_eq!(receiver.delivered(), 4);
        // A copy says nothing new.
        assert_eq!(receiver.on_packet(at, 1, 1, false), Response::Wait);
        assert_eq!(receiver.deadline(), None);
    }

    #[test]
    fn ranges_grow_at_both_ends_and_the_oldest_are_forgotten() {
        let mut receiver = Receiver::new(ReceiverConfig::default());
        for number in [5, 7, 6, 3, 4, 9] {
            receiver.on_packet(ms(1), number, number, false);
        }
        assert_eq!(numbers(&receiver.ranges), [(9, 10), (3, 8)]);
        for number in 0..40 {
            receiver.on_packet(ms(1), 100 + 2 * number, 100 + 2 * number, false);
        }
        assert_eq!(receiver.ranges.len(), MOST_RANGES);
        assert_eq!(
            receiver.ranges[0],
            Range {
                start: 178,
                end: 179
            }
        );
        // Nobody can tell whether a forgotten packet came before.
        assert_eq!(receiver.on_packet(ms(2), 1, 1, false), Response::Wait);
    }

    /// A peer that makes numbers up cannot make the receiver remember more and more.
    #[test]
    fn what_no_honest_peer_sends_is_ignored() {
        let mut receiver = Receiver::new(ReceiverConfig::default());
        for (number, piece) in [(u64::MAX, 0), (1 << 62, 0), (0, MOST_AHEAD), (0, u64::MAX)] {
            let response = receiver.on_packet(ms(1), number, piece, true);
            assert_eq!(response, Response::Wait, "{number} {piece}");
        }
        assert_eq!(
            (receiver.expected(), receiver.marks(), receiver.pieces()),
            (0, 0, 0)
        );
        receiver.on_packet(ms(1), (1 << 62) - 1, MOST_AHEAD - 1, false);
        assert_eq!((receiver.expected(), receiver.pieces()), (1 << 62, 1));
    }

    /// What was lost comes in a packet with another number.
    #[test]
    fn data_is_complete_whatever_the_numbers() {
        let mut receiver = Receiver::new(ReceiverConfig::default());
        receiver.on_packet(ms(1), 0, 0, false);
        receiver.on_packet(ms(1), 2, 2, false);
        assert_eq!((receiver.delivered(), receiver.pieces()), (1, 2));
        receiver.on_packet(ms(2), 3, 1, false);
        assert_eq!((receiver.delivered(), receiver.pieces()), (3, 3));
        // A probe that carries what has come already.
        receiver.on_packet(ms(2), 4, 1, false);
        assert_eq!((receiver.delivered(), receiver.pieces()), (3, 3));
    }
}
