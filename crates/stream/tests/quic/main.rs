//! Streams over QUIC datagrams: two ends on the loopback, paths with losses, and hostile peers.

mod forger;
mod hostile;
mod relay;
mod setting;
mod stranger;
mod whole;
