//! What does not fit into the 20 bytes of an ACK: its SACK blocks, and its AQT option.

use dumbbell_control::hint::cold_path;
use dumbbell_tcp::option::Aqt;
use dumbbell_tcp::segment::{AckSegment, MAX_SACK_BLOCKS, SackBlock};

use super::{ECE, PLAIN, Payload};

/// The SACK blocks and the AQT options of the ACKs in flight, in slots that are reused.
#[derive(Debug, Default)]
pub(crate) struct Boards {
    boards: Vec<Board>,
    free: Vec<u32>,
    /// The buffer into which the next ACK writes its blocks.
    room: [SackBlock; MAX_SACK_BLOCKS],
}

/// The content of an ACK apart from its number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Board {
    blocks: [SackBlock; MAX_SACK_BLOCKS],
    count: usize,
    /// The echo of an AQT option, if the ACK carries that option.
    echo: Option<u32>,
    /// The number of marked segments so far, if the ACK has it.
    marks: Option<u64>,
    /// The connection of a workload that the ACK belongs to.
    connection: u32,
}

impl Board {
    pub(super) fn connection(&self) -> u32 {
        self.connection
    }

    /// The ACK's SACK blocks.
    pub(crate) fn blocks(&self) -> &[SackBlock] {
        &self.blocks[..self.count]
    }

    /// The ACK's number of marked segments so far.
    pub(crate) fn marks(&self) -> Option<u64> {
        self.marks
    }

    /// The ACK's AQT option after this time in queues.
    pub(crate) fn aqt(&self, queueing: Option<u32>) -> Option<Aqt> {
        self.echo.map(|echo| Aqt {
            queueing: queueing.unwrap_or_default(),
            echo,
        })
    }
}

/// An ACK that is ready to be sent.
pub(crate) struct Written {
    pub(crate) payload: Payload,
    /// The cumulative ACK.
    pub(crate) number: u64,
    /// Whether it carries an AQT option.
    pub(crate) probe: bool,
    /// Whether it carries only its number, so that a later ACK makes it redundant.
    pub(crate) pure: bool,
}

/// What is sent of an ACK whose blocks are in the buffer.
pub(crate) struct Content {
    payload: Payload,
    number: u64,
    blocks: usize,
    ece: bool,
    echo: Option<u32>,
    marks: Option<u64>,
}

impl Content {
    /// Always inlined, as the receiver's part is: otherwise each ACK is written to memory and read again.
    #[inline(always)]
    pub(crate) fn of(ack: &AckSegment<'_>) -> Self {
        Self {
            payload: Payload::ack(ack, PLAIN),
            number: ack.ack,
            blocks: ack.blocks.len(),
            ece: ack.ece,
            echo: ack.aqt.map(|aqt| aqt.echo),
            marks: ack.marks,
        }
    }
}

impl Boards {
    /// The buffer for the blocks of the next ACK.
    #[inline]
    pub(crate) fn room(&mut self) -> &mut [SackBlock; MAX_SACK_BLOCKS] {
        &mut self.room
    }

    /// Creates the payload of an ACK whose blocks are in the buffer.
    #[inline(always)]
    pub(crate) fn write(&mut self, content: Content) -> Written {
        let Content {
            mut payload,
            number,
            blocks,
            ece,
            echo,
            marks,
        } = content;
        let flag = if ece { ECE } else { 0 };
        payload.mark |= flag;
        if blocks > 0 || echo.is_some() || marks.is_some() {
            cold_path();
            payload.mark = self.keep(blocks, echo, marks) | flag;
        }
        Written {
            payload,
            number,
            probe: echo.is_some(),
            pure: blocks == 0 && flag == 0,
        }
    }

    /// Stores the blocks in the buffer.
    #[inline(always)]
    fn keep(&mut self, count: usize, echo: Option<u32>, marks: Option<u64>) -> u32 {
        let board = Board {
            blocks: self.room,
            count,
            echo,
            marks,
            connection: 0,
        };
        self.store(board)
    }

    fn store(&mut self, board: Board) -> u32 {
        if let Some(place) = self.free.pop() {
            self.boards[place as usize] = board;
            return place;
        }
        self.boards.push(board);
        self.boards.len() as u32 - 1
    }

    /// Copies the content of a slot into another one, and returns that.
    pub(crate) fn copy(&mut self, place: u32) -> u32 {
        let board = self.boards[place as usize];
        self.store(board)
    }

    pub(super) fn of_connection(&mut self, place: u32, connection: u32) {
        self.boards[place as usize].connection = connection;
    }

    /// The content of a slot.
    pub(crate) fn at(&self, place: u32) -> &Board {
        &self.boards[place as usize]
    }

    /// Returns the content of a slot and frees the slot.
    #[inline(always)]
    pub(crate) fn take(&mut self, place: u32) -> &Board {
        self.free.push(place);
        &self.boards[place as usize]
    }
}
