//! Round-trip times from TCP's timestamps (RFC 7323), as Nichols' pping takes them: from the first data
//! segment with a time of the sender to the first ACK that echoes it. They begin and end where the capture
//! was made.

use std::collections::HashMap;
use std::net::SocketAddr;

use super::packets::Packet;

/// A sender, a receiver and a time of the sender.
type Key = (SocketAddr, SocketAddr, u32);

/// Round-trip times as they are found.
#[derive(Default)]
pub(super) struct RoundTrips {
    sent: HashMap<Key, u64>,
    /// When each answer came, and half the round-trip time, in nanoseconds (whole microseconds).
    samples: Vec<(u64, u64)>,
}

impl RoundTrips {
    /// Takes note of a packet in the direction of the data.
    pub(super) fn send(&mut self, packet: &Packet) {
        let Some(tcp) = packet.tcp.filter(|tcp| tcp.length > 0) else {
            return;
        };
        if let Some((own, _)) = tcp.timestamps {
            let key = (packet.source, packet.destination, own);
            self.sent.entry(key).or_insert(packet.at);
        }
    }

    /// Takes note of a packet in the other direction.
    pub(super) fn answer(&mut self, packet: &Packet) {
        let Some(tcp) = packet.tcp.filter(|tcp| tcp.is_ack) else {
            return;
        };
        let Some((_, echo)) = tcp.timestamps else {
            return;
        };
        let key = (packet.destination, packet.source, echo);
        // Taken away, so that later ACKs with the same echo do not count.
        if let Some(sent) = self.sent.remove(&key) {
            let half = (packet.at - sent) / 2;
            self.samples.push((packet.at, half / 1000 * 1000));
        }
    }

    pub(super) fn samples(&self) -> &[(u64, u64)] {
        &self.samples
    }
}
