//! What TCP puts into the simulator's packets: 20 bytes, and a side store for SACK blocks.

use dumbbell_control::units::Instant;
use dumbbell_sim::Kind;
use dumbbell_tcp::segment::{AckSegment, Echo, MAX_SACK_BLOCKS, SackBlock, Segment};

/// Data of a transport.
pub(super) const DATA: Kind = Kind::new(0);
/// ACKs, and the segments that open a connection.
pub(super) const ACK: Kind = Kind::new(1);
/// Packets of a source without a transport.
pub(super) const DATAGRAM: Kind = Kind::new(2);

/// A packet's content. Numbers travel as their low 32 bits, as in TCP itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Payload {
    /// The segment's number, or the cumulative ACK.
    number: u32,
    /// An ACK's trigger, or the stamps option's TSecr.
    word: u32,
    /// A time in two halves, so that the packet needs no alignment to 8 bytes: when the trigger arrived.
    time: [u32; 2],
    /// What the packet is: [`PLAIN`], [`OPEN`], or the place of its SACK blocks.
    mark: u32,
}

const PLAIN: u32 = u32::MAX;
const OPEN: u32 = u32::MAX - 1;

impl Payload {
    /// The segment that opens a connection, and its answer.
    pub(super) const OPENING: Self = Self {
        number: 0,
        word: 0,
        time: [0; 2],
        mark: OPEN,
    };

    /// A datagram: nothing to tell.
    pub(super) const EMPTY: Self = Self {
        number: 0,
        word: 0,
        time: [0; 2],
        mark: PLAIN,
    };

    pub(super) fn is_opening(&self) -> bool {
        self.mark == OPEN
    }

    /// A data segment, with the sender's clock in ticks where the stamps option is in use.
    #[inline]
    pub(super) fn data(segment: &Segment, ts_value: u32) -> Self {
        Self {
            number: segment.seq as u32,
            word: ts_value,
            time: [0; 2],
            mark: PLAIN,
        }
    }

    /// The segment's number, of which the receiver expects `near`, and the stamp.
    #[inline]
    pub(super) fn as_data(&self, near: u64) -> (u64, u32) {
        (widen(near, self.number), self.word)
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
    pub(super) fn as_ack(&self, una: u64, stamps_option: bool) -> (u64, Echo) {
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

    /// Where its SACK blocks are kept, if it has any.
    #[inline]
    pub(super) fn board(&self) -> Option<u32> {
        (self.mark < OPEN).then_some(self.mark)
    }
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

/// The SACK blocks of the ACKs under way, in places that are used again.
#[derive(Debug, Default)]
pub(super) struct Boards {
    boards: Vec<Board>,
    free: Vec<u32>,
    /// Where the next ACK writes its blocks.
    room: [SackBlock; MAX_SACK_BLOCKS],
}

#[derive(Clone, Copy, Debug)]
struct Board {
    blocks: [SackBlock; MAX_SACK_BLOCKS],
    count: usize,
}

impl Boards {
    /// The payload of an ACK that is given room for its blocks.
    #[inline(always)]
    pub(super) fn write(
        &mut self,
        ack: impl FnOnce(&mut [SackBlock; MAX_SACK_BLOCKS]) -> AckSegment<'_>,
    ) -> Payload {
        let mut ack = ack(&mut self.room);
        let count = std::mem::take(&mut ack.blocks).len();
        let payload = Payload::ack(&ack, PLAIN);
        if count == 0 {
            return payload;
        }
        Payload {
            mark: self.keep(count),
            ..payload
        }
    }

    /// Keeps what is written in the room.
    fn keep(&mut self, count: usize) -> u32 {
        let board = Board {
            blocks: self.room,
            count,
        };
        if let Some(place) = self.free.pop() {
            self.boards[place as usize] = board;
            return place;
        }
        self.boards.push(board);
        self.boards.len() as u32 - 1
    }

    /// The blocks kept at a place.
    pub(super) fn at(&self, place: u32) -> &[SackBlock] {
        let board = &self.boards[place as usize];
        &board.blocks[..board.count]
    }

    /// The blocks kept at a place, which is free from now on.
    pub(super) fn take(&mut self, place: u32) -> &[SackBlock] {
        self.free.push(place);
        let board = &self.boards[place as usize];
        &board.blocks[..board.count]
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
        let payload = write(&mut boards);
        assert_eq!(payload.as_ack((1 << 33) - 1, false), (ack.ack, ack.echo));
        assert_eq!(boards.take(payload.board().expect("it has blocks")), blocks);
        assert_eq!(write(&mut boards).board(), Some(0), "places are used again");
    }
}
