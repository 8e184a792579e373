//! What differs between noq-proto and quinn-proto.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use bytes::BytesMut;
pub use noq_proto as proto;
use noq_proto::congestion::Controller;
use noq_proto::{FourTuple, PathId};

/// An endpoint that draws these random numbers.
pub fn endpoint(seed: u8, server: Option<proto::ServerConfig>) -> proto::Endpoint {
    let mut config = proto::EndpointConfig::default();
    config.rng_seed(Some([seed; 32]));
    proto::Endpoint::new(Arc::new(config), server.map(Arc::new), false)
}

/// A datagram arrives.
pub fn arrive(
    endpoint: &mut proto::Endpoint,
    now: Instant,
    from: SocketAddr,
    datagram: BytesMut,
    response: &mut Vec<u8>,
) -> Option<proto::DatagramEvent> {
    let path = FourTuple::new(from, None);
    endpoint.handle(now, path, None, datagram, response)
}

/// Whether a datagram leaves.
pub fn leave(connection: &mut proto::Connection, now: Instant, buffer: &mut Vec<u8>) -> bool {
    connection
        .poll_transmit(now, NonZeroUsize::MIN, buffer)
        .is_some()
}

/// The control of a connection.
pub fn control(connection: &proto::Connection) -> &dyn Controller {
    connection
        .congestion_state(PathId::ZERO)
        .expect("the first path")
}
