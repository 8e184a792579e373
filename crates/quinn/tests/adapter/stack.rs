//! What differs between quinn-proto and its descendants.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
pub use quinn_proto as proto;
use quinn_proto::congestion::Controller;

/// An endpoint that draws these random numbers.
pub fn endpoint(seed: u8, server: Option<proto::ServerConfig>) -> proto::Endpoint {
    let mut config = proto::EndpointConfig::default();
    config.rng_seed(Some([seed; 32]));
    proto::Endpoint::new(Arc::new(config), server.map(Arc::new), false, None)
}

/// A datagram arrives.
pub fn arrive(
    endpoint: &mut proto::Endpoint,
    now: Instant,
    from: SocketAddr,
    datagram: BytesMut,
    response: &mut Vec<u8>,
) -> Option<proto::DatagramEvent> {
    endpoint.handle(now, from, None, None, datagram, response)
}

/// Whether a datagram leaves.
pub fn leave(connection: &mut proto::Connection, now: Instant, buffer: &mut Vec<u8>) -> bool {
    connection.poll_transmit(now, 1, buffer).is_some()
}

/// The control of a connection.
pub fn control(connection: &proto::Connection) -> &dyn Controller {
    connection.congestion_state()
}

/// Packets that the connection has declared lost.
pub fn lost(connection: &mut proto::Connection) -> u64 {
    connection.stats().path.lost_packets
}
