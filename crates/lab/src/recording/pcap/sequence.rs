//! Losses from the sequence numbers of TCP: what was missing when later data came was lost (or overtaken)
//! before the capture, and what came again was lost behind it (or taken for lost).

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;

use super::packets::Packet;
use crate::recording::Losses;

/// A jump of this many bytes is another connection of the same addresses, or a damaged packet.
const JUMP: u32 = 1 << 24;

/// The connections of a direction, as far as their data have been seen.
#[derive(Default)]
pub(super) struct Sequences {
    connections: HashMap<(SocketAddr, SocketAddr), Connection>,
    sent: u64,
    missing: u64,
    repeated: u64,
    runs: u64,
}

struct Connection {
    /// The position after the last byte seen, which does not start over.
    next: u64,
    /// Where bytes are missing: where each gap begins and ends.
    gaps: BTreeMap<u64, u64>,
    /// The largest segment seen.
    largest: u32,
}

impl Sequences {
    /// Takes note of a packet in the direction of the data.
    pub(super) fn send(&mut self, packet: &Packet) {
        let Some(tcp) = packet.tcp.filter(|tcp| tcp.length > 0) else {
            return;
        };
        self.sent += 1;
        let key = (packet.source, packet.destination);
        let fresh = || Connection {
            // Far from 0, so that positions before it are positive, too.
            next: (1 << 32) + u64::from(tcp.sequence),
            gaps: BTreeMap::new(),
            largest: 1,
        };
        let connection = self.connections.entry(key).or_insert_with(fresh);
        connection.largest = connection.largest.max(tcp.length);
        // How far ahead of what is expected it is; from -2^31 to 2^31 - 1.
        let ahead = tcp.sequence.wrapping_sub(connection.next as u32) as i32;
        if ahead.unsigned_abs() > JUMP {
            *connection = fresh();
        }
        let ahead = i64::from(tcp.sequence.wrapping_sub(connection.next as u32) as i32);
        let start = connection.next.saturating_add_signed(ahead);
        let end = start + u64::from(tcp.length);
        if start > connection.next {
            connection.gaps.insert(connection.next, start);
            self.missing += (start - connection.next).div_ceil(u64::from(connection.largest));
            self.runs += 1;
        } else if end <= connection.next && !connection.fills(start, end) {
            self.repeated += 1;
            self.runs += 1;
        }
        connection.next = connection.next.max(end);
    }

    pub(super) fn missing(&self) -> u64 {
        self.missing
    }

    pub(super) fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Returns all losses, on both sides of the capture.
    pub(super) fn losses(&self) -> Losses {
        Losses {
            // Those that were missing were sent, too.
            sent: self.sent + self.missing,
            lost: self.missing + self.repeated,
            runs: self.runs,
            interval: 0,
        }
    }
}

impl Connection {
    /// Whether bytes were missing, which then no longer are.
    fn fills(&mut self, start: u64, end: u64) -> bool {
        let gap = self.gaps.range(..end).next_back();
        let Some((&from, &to)) = gap.filter(|(_, to)| **to > start) else {
            return false;
        };
        self.gaps.remove(&from);
        if from < start {
            self.gaps.insert(from, start);
        }
        if end < to {
            self.gaps.insert(end, to);
        }
        true
    }
}
