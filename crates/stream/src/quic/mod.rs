//! Sessions over QUIC datagrams (RFC 9221), in real time.
//!
//! The packets of a stream are those of UDP, each in a datagram of a connection that is encrypted. The receiver is the
//! connection's server. A sender knows the fingerprint of its certificate, and says its token on a stream, before any
//! datagram is looked at. Datagrams that are lost are not sent again. The rate is the rate control's alone
//! (`window.rs`).
//!
//! Packets are no larger than 1200 bytes, which every path of QUIC carries (RFC 9000, section 14), so no search for the path's MTU
//! adds to what the rate control allows.

mod datagrams;
mod error;
mod receiver;
mod sender;
mod window;

use std::sync::Arc;
use std::time::Duration;

use dumbbell_pinned::Crowd;
use quinn::{TransportConfig, VarInt};

pub use datagrams::Transport;
pub use error::Error;
pub use receiver::{Listener, Tally};
pub use sender::{Peer, send};
pub use window::WINDOW;

/// The protocol's name in the handshake (RFC 7301).
const ALPN: &[u8] = b"dumbbell-stream/1";
/// An end of which nothing is heard for so long is gone.
const SILENCE: Duration = Duration::from_secs(5);
/// A sender that has nothing to say pings so often.
const PING: Duration = Duration::from_secs(1);
/// The datagrams that wait to be sent, in bytes. When there are more, the oldest is dropped.
const OUTGOING: usize = 1 << 16;
/// The datagrams that wait to be read, in bytes. When there are more, the oldest is dropped.
const INCOMING: usize = 1 << 18;
/// The last packets may take this long to leave.
const GOODBYE: Duration = Duration::from_millis(200);
/// The streams that a receiver takes from a connection: the one with the token.
const STREAMS: VarInt = VarInt::from_u32(1);
/// The bytes of a stream that a peer can make an end buffer: a token.
const STREAM: u32 = 128;

/// What a receiver grants.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The connections at a time, with those that have not shown a token yet.
    pub crowd: Crowd,
    /// The handshake, then the token, and then the first packet take at most this long each.
    pub request: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            crowd: Crowd {
                connections: 16,
                per_address: 8,
                validate_from: 4,
            },
            request: Duration::from_secs(5),
        }
    }
}

/// What both ends have in common.
fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport
        .congestion_controller_factory(Arc::new(window::Constant))
        .max_concurrent_bidi_streams(VarInt::from_u32(0))
        .max_concurrent_uni_streams(VarInt::from_u32(0))
        .stream_receive_window(VarInt::from_u32(STREAM))
        .receive_window(VarInt::from_u32(STREAM))
        .datagram_send_buffer_size(OUTGOING)
        .datagram_receive_buffer_size(Some(INCOMING))
        .mtu_discovery_config(None)
        // Packets leave one by one, when the rate control lets them go.
        .enable_segmentation_offload(false)
        .max_idle_timeout(SILENCE.try_into().ok());
    transport
}

/// The threads on which connections live. Sessions run on the caller's: its timers were 0.1 ms late where those of tokio, in
/// whose thread both could live, were 1.2 ms late (they count whole milliseconds).
fn runtime() -> Result<tokio::runtime::Runtime, Error> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("stream-quic")
        .enable_all()
        .build()
        .map_err(|error| Error::Local(format!("cannot start a thread: {error}")))
}
