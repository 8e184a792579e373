//! The datagrams of a connection, between its tasks and the thread of a session.

use std::sync::mpsc::{SyncSender, TrySendError};

use quinn::Connection;
use quinn::SendDatagramError;

use crate::drive::{Arrived, Clock};

/// What the connection of a stream did, in numbers since its begin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Transport {
    /// QUIC packets that were sent, with those of the handshake.
    pub sent_packets: u64,
    /// Those of them that QUIC declared lost. Their datagrams are not sent again.
    pub lost_packets: u64,
    /// The UDP payload sent, in bytes.
    pub sent_bytes: u64,
    /// Datagrams given to the connection.
    pub datagrams: u64,
    /// Those of them that were dropped before they left, for want of room or because they were too large.
    pub withheld: u64,
    /// The most bytes that waited to leave at a time.
    pub most_waiting: usize,
    /// The round-trip time of the connection in seconds.
    pub rtt: f64,
}

/// The way out, which counts what it cannot carry.
pub(super) struct Outgoing {
    connection: Connection,
    room: usize,
    datagrams: u64,
    withheld: u64,
    most_waiting: usize,
}

impl Outgoing {
    pub(super) fn new(connection: Connection) -> Self {
        Self {
            room: connection.datagram_send_buffer_space(),
            connection,
            datagrams: 0,
            withheld: 0,
            most_waiting: 0,
        }
    }

    pub(super) fn send(&mut self, bytes: &[u8]) {
        self.datagrams += 1;
        let space = self.connection.datagram_send_buffer_space();
        self.most_waiting = self.most_waiting.max(self.room.saturating_sub(space));
        self.withheld += u64::from(space < bytes.len());
        match self.connection.send_datagram(bytes.to_vec().into()) {
            // The session's thread learns from the channel that the connection is lost.
            Ok(()) | Err(SendDatagramError::ConnectionLost(_)) => {}
            Err(_) => self.withheld += 1,
        }
    }

    /// Whether all has left that was to be sent.
    pub(super) fn is_empty(&self) -> bool {
        self.connection.datagram_send_buffer_space() >= self.room
    }

    pub(super) fn transport(&self) -> Transport {
        let stats = self.connection.stats();
        Transport {
            sent_packets: stats.path.sent_packets,
            lost_packets: stats.path.lost_packets,
            sent_bytes: stats.udp_tx.bytes,
            datagrams: self.datagrams,
            withheld: self.withheld,
            most_waiting: self.most_waiting,
            rtt: stats.path.rtt.as_secs_f64(),
        }
    }
}

/// Hands datagrams to a session until the connection, or the session, ends. With a full channel, they are dropped.
pub(super) async fn forward(connection: Connection, clock: Clock, to: SyncSender<Arrived>) {
    let from = connection.remote_address();
    while let Ok(datagram) = connection.read_datagram().await {
        let arrived = (from, clock.now(), datagram.to_vec());
        if let Err(TrySendError::Disconnected(_)) = to.try_send(arrived) {
            break;
        }
    }
}
