//! Packets of workloads, whose hosts have many connections: each carries the number of its own.

use dumbbell_sim::{Arrived, Time};
use dumbbell_tcp::config::Stamping;
use dumbbell_tcp::segment::Arrival;

use super::{Boards, OPEN, Payload, timestamp, widen};

/// What the hosts of a workload exchange besides data and ACKs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// Opens a connection.
    Open,
    /// The reply to that.
    Reply,
    /// Requests the response with this number.
    Request(u32),
}

/// The bits of the number of a connection that are in the flags of an ACK; the others are in the top byte of
/// its time, which has 52 bits.
const LOW_BITS: u32 = 24;
const LOW: u32 = (1 << LOW_BITS) - 1;

impl Payload {
    /// A packet without data or ACK, of a connection of a workload.
    pub(crate) fn call(connection: u32, call: Call) -> Self {
        let (word, request) = match call {
            Call::Open => (0, 0),
            Call::Reply => (1, 0),
            Call::Request(number) => (2, number),
        };
        Self {
            number: connection,
            word,
            time: [request, 0],
            mark: OPEN,
        }
    }

    /// The connection and the meaning of such a packet; `None` for others.
    pub(crate) fn as_call(&self) -> Option<(u32, Call)> {
        let call = match self.word {
            0 => Call::Open,
            1 => Call::Reply,
            _ => Call::Request(self.time[0]),
        };
        (self.mark == OPEN).then_some((self.number, call))
    }

    /// The same data segment with the number of its connection in the place of its timestamp.
    #[inline]
    pub(crate) fn of_connection(self, connection: u32) -> Self {
        Self {
            word: connection,
            ..self
        }
    }

    /// The connection of such a segment.
    #[inline]
    pub(crate) fn connection(&self) -> u32 {
        self.word
    }

    /// The same ACK with the number of its connection.
    #[inline]
    pub(crate) fn ack_of_connection(mut self, connection: u32, boards: &mut Boards) -> Self {
        match self.board() {
            Some(place) => boards.of_connection(place, connection),
            None => {
                self.mark |= connection & LOW;
                self.time[1] |= connection & !LOW;
            }
        }
        self
    }

    /// The connection of such an ACK, and the ACK without its number.
    #[inline]
    pub(crate) fn connection_of_ack(mut self, boards: &Boards) -> (u32, Self) {
        let connection = match self.board() {
            Some(place) => boards.at(place).connection(),
            None => {
                let number = self.mark & LOW | self.time[1] & !LOW;
                self.mark &= !LOW;
                self.time[1] &= LOW;
                number
            }
        };
        (connection, self)
    }
}

/// The segment in a packet of a workload that arrives at `now` from a sender with this stamping, given that the
/// receiver expects `near`.
#[inline]
pub(crate) fn arrival_of_connection(
    packet: &Arrived<Payload>,
    near: u64,
    now: Time,
    stamping: Stamping,
) -> Arrival {
    let payload = &packet.payload;
    let age = payload.age(now).as_nanos();
    Arrival {
        seq: widen(near, payload.number),
        ts_value: timestamp(stamping, now.as_nanos().saturating_sub(age)),
        sent_at: payload.sent_at(now),
        queueing: payload
            .probes()
            .then(|| packet.queueing.unwrap_or_default()),
        marked: packet.marked,
        cwr: payload.cwr(),
        push: payload.pushes(),
        feedback: None,
    }
}

#[cfg(test)]
mod tests {
    use dumbbell_control::units::Instant;
    use dumbbell_tcp::segment::{AckSegment, Echo, SackBlock};

    use super::super::{Content, Stamp};
    use super::*;

    /// With SACK blocks and without, with either stamps; the time is that of 30 days.
    #[test]
    fn the_connection_of_a_packet_arrives_unchanged() {
        let blocks = [SackBlock { start: 9, end: 11 }];
        let exact = Echo::Exact {
            trigger: 10,
            received_at: Instant::from_nanos(30 * 24 * 3600 * 1_000_000_000),
        };
        let stamps = Echo::Timestamps {
            value: u32::MAX,
            echo: 7,
        };
        let mut boards = Boards::default();
        for (echo, count) in [(exact, 0), (exact, 1), (stamps, 0), (stamps, 1)] {
            for connection in [0, 1, u32::MAX, 0xabcd_ef01] {
                boards.room()[0] = blocks[0];
                let written = boards.write(Content::of(&AckSegment {
                    ack: 3,
                    echo,
                    blocks: &blocks[..count],
                    ece: connection == 1,
                    marks: None,
                    aqt: None,
                    marked: false,
                }));
                let sent = written.payload.ack_of_connection(connection, &mut boards);
                assert!(sent.as_call().is_none() && sent.segment_of().is_none());
                assert!(sent.source_of().is_none() && sent.place().is_none());
                let (found, ack) = sent.connection_of_ack(&boards);
                assert_eq!((found, ack), (connection, written.payload));
                let stamp = match echo == stamps {
                    true => Stamp::Clocks,
                    false => Stamp::Received,
                };
                assert_eq!(ack.as_ack(0, stamp), (3, echo));
                if let Some(place) = ack.board() {
                    let _ = boards.take(place);
                }
            }
        }
        for call in [Call::Open, Call::Reply, Call::Request(9)] {
            let sent = Payload::call(0xabcd_ef01, call);
            assert_eq!(sent.as_call(), Some((0xabcd_ef01, call)));
            assert!(sent.segment_of().is_none() && sent.board().is_none());
        }
    }
}
