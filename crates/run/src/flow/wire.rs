//! What TCP puts into the simulator's packets: 20 bytes, and a side store for SACK blocks.

use dumbbell_control::units::Instant;
use dumbbell_sim::{Arrived, Kind};
use dumbbell_tcp::ack_control::Feedback;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::{AckSegment, Arrival, Echo, MAX_SACK_BLOCKS, SackBlock, Segment};

/// Data of a transport.
pub(crate) const DATA: Kind = Kind::new(0);
/// ACKs, and the segments that open a connection.
pub(crate) const ACK: Kind = Kind::new(1);
/// Packets of a source without a transport.
pub(crate) const DATAGRAM: Kind = Kind::new(2);
/// Data of a flow of media.
pub(crate) const MEDIA: Kind = Kind::new(3);

/// A packet's content. Numbers travel as their low 32 bits, as in TCP itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The segment's number, or the cumulative ACK.
    number: u32,
    /// An ACK's trigger, or the stamps option's TSecr.
    word: u32,
    /// Of an ACK, a time in two halves, so that the packet needs no alignment to 8 bytes: when the
    /// trigger arrived. Of a segment, the newest of the receiver's times that its sender has heard, in
    /// microseconds, and the flow.
    time: [u32; 2],
    /// What the packet is: flags, and below them the place of what an ACK says beside its number, or
    /// how many segments the sender of a segment may have outstanding.
    mark: u32,
}

/// Nothing is kept beside the packet.
const PLAIN: u32 = 1 << 31;
/// The segment that opens a connection, or its answer.
const OPEN: u32 = PLAIN | 1 << 30;
/// An ACK with ECE.
const ECE: u32 = 1 << 29;
/// A packet of a flow of media: unlike any ACK with ECE, which opens nothing.
const KEPT: u32 = OPEN | ECE;
/// A data segment, and what it says.
const SEGMENT: u32 = PLAIN | 1 << 28;
const PROBE: u32 = 1 << 27;
const CWR: u32 = 1 << 26;
const FEEDBACK: u32 = 1 << 25;
const ACK_MARKED: u32 = 1 << 24;
/// What is below the flags.
const SENDABLE: u32 = (1 << 24) - 1;
const PLACE: u32 = (1 << 29) - 1;

impl Payload {
    /// The segment that opens a connection, and its answer.
    pub(crate) const OPENING: Self = Self {
        number: 0,
        word: 0,
        time: [0; 2],
        mark: OPEN,
    };

    /// A datagram: nothing to tell.
    pub(crate) const EMPTY: Self = Self {
        number: 0,
        word: 0,
        time: [0; 2],
        mark: PLAIN,
    };

    /// A packet of a flow of media, whose content is kept at a place.
    pub(crate) fn kept(place: u32, flow: u32) -> Self {
        Self {
            number: place,
            word: 0,
            time: [0, flow],
            mark: KEPT,
        }
    }

    /// The place of a media packet's content, and its flow; nothing of other packets.
    pub(crate) fn place(&self) -> Option<(u32, usize)> {
        (self.mark == KEPT).then_some((self.number, self.time[1] as usize))
    }

    pub(crate) fn is_opening(&self) -> bool {
        self.mark == OPEN
    }

    /// A data segment of a flow, with the sender's clock in ticks where the stamps option is in use.
    #[inline]
    pub(crate) fn data(segment: &Segment, ts_value: u32, flow: u32) -> Self {
        let mut mark = SEGMENT;
        let mut heard = 0;
        mark |= (u32::from(segment.probe) * PROBE) | (u32::from(segment.cwr) * CWR);
        if let Some(feedback) = &segment.feedback {
            mark |= FEEDBACK | feedback.sendable.min(SENDABLE);
            if feedback.marked {
                mark |= ACK_MARKED;
            }
            heard = feedback.heard.as_nanos().div_ceil(1000) as u32;
        }
        Self {
            number: segment.seq as u32,
            word: ts_value,
            time: [heard, flow],
            mark,
        }
    }

    /// The segment's number, of which the receiver expects `near`, and the stamp.
    #[inline]
    pub(crate) fn as_data(&self, near: u64) -> (u64, u32) {
        (widen(near, self.number), self.word)
    }

    /// It is a data segment that says nothing but its number.
    #[inline]
    pub(crate) fn is_plain_segment(&self) -> bool {
        self.mark == SEGMENT
    }

    /// The segment carries an AQT option.
    #[inline]
    pub(crate) fn probes(&self) -> bool {
        self.mark & PROBE != 0 && self.mark & SEGMENT == SEGMENT
    }

    /// The segment says that the window was reduced.
    #[inline]
    pub(crate) fn cwr(&self) -> bool {
        self.mark & CWR != 0 && self.mark & SEGMENT == SEGMENT
    }

    /// The flow of a data segment, and the low half of its number; nothing of other packets.
    pub(crate) fn segment_of(&self) -> Option<(usize, u32)> {
        (self.mark & SEGMENT == SEGMENT && self.mark != OPEN)
            .then_some((self.time[1] as usize, self.number))
    }

    /// What a segment tells the receiver's ACK congestion control at `now`.
    #[inline]
    fn feedback(&self, now: Instant) -> Option<Feedback> {
        if self.mark & FEEDBACK == 0 {
            return None;
        }
        let micros = now.as_nanos().div_ceil(1000);
        let age = (micros as u32).wrapping_sub(self.time[0]);
        Some(Feedback {
            marked: self.mark & ACK_MARKED != 0,
            sendable: self.mark & SENDABLE,
            heard: Instant::from_nanos(micros.saturating_sub(u64::from(age)) * 1000),
        })
    }

    #[inline]
    fn ack(ack: &AckSegment<'_>, mark: u32) -> Self {
        let (word, time) = match ack.echo {
            Echo::Exact {
                trigger,
                received_at,
            } => (trigger as u32, halves(received_at.as_nanos())),
            Echo::Timestamps { value, echo } => (echo, [value, 0]),
        };
        Self {
            number: ack.ack as u32,
            word,
            time,
            mark,
        }
    }

    /// The cumulative ACK and its stamps, at a sender whose oldest segment in flight is `una`.
    #[inline]
    pub(crate) fn as_ack(&self, una: u64, stamps_option: bool) -> (u64, Echo) {
        let echo = if stamps_option {
            Echo::Timestamps {
                value: self.time[0],
                echo: self.word,
            }
        } else {
            Echo::Exact {
                trigger: widen(una, self.word),
                received_at: Instant::from_nanos(
                    u64::from(self.time[1]) << 32 | u64::from(self.time[0]),
                ),
            }
        };
        (widen(una, self.number), echo)
    }

    /// An ACK tells of a mark.
    #[inline]
    pub(crate) fn ece(&self) -> bool {
        self.mark & ECE != 0
    }

    /// Where what an ACK says beside its number is kept, if it says anything.
    #[inline]
    pub(crate) fn board(&self) -> Option<u32> {
        (self.mark < PLAIN).then_some(self.mark & PLACE)
    }
}

/// The segment in a packet that arrives at `now` at a receiver that expects `near`.
#[inline]
pub(crate) fn arrival(packet: &Arrived<Payload>, near: u64, now: Instant) -> Arrival {
    let (seq, ts_value) = packet.payload.as_data(near);
    if packet.payload.mark == SEGMENT {
        // Nothing beside the number, as almost always.
        return Arrival {
            seq,
            ts_value,
            queueing: None,
            marked: packet.marked,
            cwr: false,
            feedback: None,
        };
    }
    Arrival {
        seq,
        ts_value,
        // Routers that do not stamp leave the option as it was.
        queueing: packet
            .payload
            .probes()
            .then(|| packet.queueing.unwrap_or_default()),
        marked: packet.marked,
        cwr: packet.payload.cwr(),
        feedback: packet.payload.feedback(now),
    }
}

/// The number of a segment near `near`, by the low half of it.
pub(crate) fn segment_near(near: u64, low: u32) -> u64 {
    widen(near, low)
}

/// The number nearest to `near` whose low 32 bits are `low`.
#[inline]
fn widen(near: u64, low: u32) -> u64 {
    let step = low.wrapping_sub(near as u32) as i32;
    near.saturating_add_signed(i64::from(step))
}

fn halves(x: u64) -> [u32; 2] {
    [x as u32, (x >> 32) as u32]
}

/// The SACK blocks and the AQT options of the ACKs under way, in places that are used again.
#[derive(Debug, Default)]
pub(crate) struct Boards {
    boards: Vec<Board>,
    free: Vec<u32>,
    /// Where the next ACK writes its blocks.
    room: [SackBlock; MAX_SACK_BLOCKS],
}

/// What an ACK says beside its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board {
    blocks: [SackBlock; MAX_SACK_BLOCKS],
    count: usize,
    /// AQT-echo, in an ACK with the option.
    echo: Option<u32>,
}

impl Board {
    /// Its SACK blocks.
    pub(crate) fn blocks(&self) -> &[SackBlock] {
        &self.blocks[..self.count]
    }

    /// Its AQT option after so long in queues.
    pub(crate) fn aqt(&self, queueing: Option<u32>) -> Option<Aqt> {
        self.echo.map(|echo| Aqt {
            queueing: queueing.unwrap_or_default(),
            echo,
        })
    }
}

/// An ACK ready to go.
pub(crate) struct Written {
    pub(crate) payload: Payload,
    /// The cumulative ACK.
    pub(crate) number: u64,
    /// It carries an AQT option.
    pub(crate) probe: bool,
    /// It says nothing but its number: a later one says all that it does.
    pub(crate) pure: bool,
}

impl Boards {
    /// The payload of an ACK that is given room for its blocks.
    #[inline(always)]
    pub(crate) fn write(
        &mut self,
        ack: impl FnOnce(&mut [SackBlock; MAX_SACK_BLOCKS]) -> AckSegment<'_>,
    ) -> Written {
        let mut ack = ack(&mut self.room);
        let count = std::mem::take(&mut ack.blocks).len();
        let echo = ack.aqt.map(|aqt| aqt.echo);
        let flag = if ack.ece { ECE } else { 0 };
        let mut payload = Payload::ack(&ack, PLAIN | flag);
        let number = ack.ack;
        if count > 0 || echo.is_some() {
            payload.mark = self.keep(count, echo) | flag;
        }
        Written {
            payload,
            number,
            probe: echo.is_some(),
            pure: count == 0 && flag == 0,
        }
    }

    /// Keeps what is written in the room.
    fn keep(&mut self, count: usize, echo: Option<u32>) -> u32 {
        let board = Board {
            blocks: self.room,
            count,
            echo,
        };
        if let Some(place) = self.free.pop() {
            self.boards[place as usize] = board;
            return place;
        }
        self.boards.push(board);
        self.boards.len() as u32 - 1
    }

    /// What is kept at a place.
    pub(crate) fn at(&self, place: u32) -> &Board {
        &self.boards[place as usize]
    }

    /// What is kept at a place, which is free from now on.
    pub(crate) fn take(&mut self, place: u32) -> &Board {
        self.free.push(place);
        &self.boards[place as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_survive_their_low_half() {
        for (near, number) in [
            (0, 0),
            (0, 5),
            (5, 0),
            (1 << 32, (1 << 32) - 1),
            ((1 << 40) - 3, (1 << 40) + 9),
        ] {
            assert_eq!(widen(near, number as u32), number);
        }
    }

    #[test]
    fn a_payload_takes_20_bytes_and_no_more_than_4_of_alignment() {
        assert_eq!((size_of::<Payload>(), align_of::<Payload>()), (20, 4));
    }

    #[test]
    fn an_ack_arrives_as_it_left() {
        let blocks = [
            SackBlock { start: 9, end: 11 },
            SackBlock { start: 5, end: 7 },
        ];
        let ack = AckSegment {
            ack: (1 << 33) + 3,
            echo: Echo::Exact {
                trigger: (1 << 33) + 10,
                received_at: Instant::from_nanos(1 << 41),
            },
            blocks: &blocks,
            ece: true,
            aqt: Some(Aqt {
                queueing: 0,
                echo: 77,
            }),
            marked: false,
        };
        let mut boards = Boards::default();
        let write = |boards: &mut Boards| {
            boards.write(|room| {
                room[..2].copy_from_slice(&blocks);
                AckSegment {
                    blocks: &room[..2],
                    ..ack
                }
            })
        };
        let Written {
            payload,
            number,
            probe,
            pure,
        } = write(&mut boards);
        assert_eq!((number, probe, pure), (ack.ack, true, false));
        assert_eq!(payload.as_ack((1 << 33) - 1, false), (ack.ack, ack.echo));
        assert!(payload.ece() && !payload.is_opening() && payload.segment_of().is_none());
        let board = boards.take(payload.board().expect("it has blocks"));
        assert_eq!(board.blocks(), blocks);
        let aqt = Aqt {
            queueing: 5,
            echo: 77,
        };
        assert_eq!(board.aqt(Some(5)), Some(aqt));
        let again = write(&mut boards).payload;
        assert_eq!(again.board(), Some(0), "places are used again");
    }

    #[test]
    fn a_plain_ack_is_kept_nowhere_and_a_later_one_says_all_that_it_does() {
        let mut ack = AckSegment {
            ack: 9,
            echo: Echo::Timestamps { value: 1, echo: 2 },
            blocks: &[],
            ece: false,
            aqt: None,
            marked: false,
        };
        let mut boards = Boards::default();
        let plain = boards.write(|_| ack);
        assert!(plain.pure && !plain.probe && plain.payload.board().is_none());
        ack.ece = true;
        let echo = boards.write(|_| ack);
        assert!(!echo.pure && echo.payload.board().is_none() && echo.payload.ece());
        assert!(!echo.payload.is_opening());
    }

    #[test]
    fn a_segment_arrives_as_it_left() {
        // 80 minutes: more than 2^32 microseconds.
        let heard = Instant::from_nanos(4_800_000_000_123);
        let segment = Segment {
            seq: (1 << 32) + 7,
            retransmission: false,
            sent_at: Instant::ZERO,
            probe: true,
            ect: true,
            cwr: true,
            feedback: Some(Feedback {
                marked: true,
                sendable: 20,
                heard,
            }),
        };
        let mut packet = Arrived {
            payload: Payload::data(&segment, 5, 3),
            bytes: 1052,
            kind: DATA,
            marked: true,
            queueing: None,
        };
        assert_eq!(packet.payload.segment_of(), Some((3, 7)));
        assert_eq!(
            (packet.payload.board(), packet.payload.is_opening()),
            (None, false)
        );
        let now = Instant::from_nanos(4_800_100_000_000);
        let arrived = arrival(&packet, (1 << 32) + 7, now);
        let expected = Arrival {
            seq: (1 << 32) + 7,
            ts_value: 5,
            queueing: Some(0),
            marked: true,
            cwr: true,
            feedback: Some(Feedback {
                marked: true,
                sendable: 20,
                // To the next microsecond.
                heard: Instant::from_nanos(4_800_000_001_000),
            }),
        };
        assert_eq!(arrived, expected);
        packet.queueing = Some(12);
        assert_eq!(arrival(&packet, 0, now).queueing, Some(12));
        for other in [Payload::EMPTY, Payload::OPENING] {
            assert!(!other.probes() && !other.cwr() && other.segment_of().is_none());
            assert_eq!(other.board(), None);
        }
    }
}
