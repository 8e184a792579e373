//! The client: it gets files from a server, and puts files there.

mod get;
mod put;

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use dumbbell_pinned::{Pin, SERVER_NAME};
use quinn::{Connection, ConnectionError, Endpoint, VarInt};
use tokio::time::timeout;

use crate::control::Control;
use crate::error::{Closed, Error};
use crate::limits::Patience;
use crate::message::ALPN;
use crate::qlog;
use crate::statistics::{End, Progress, Samples};
use crate::watch::{Record, Watching};

pub use get::get;
pub use put::put;

/// A server, as a client knows it.
#[derive(Clone, Debug)]
pub struct Peer {
    /// Its address.
    pub address: SocketAddr,
    /// The fingerprint of its certificate.
    pub pin: Pin,
    /// Its token.
    pub token: String,
}

/// How a client transfers.
#[derive(Clone, Debug)]
pub struct Options {
    /// The control of what it sends.
    pub control: Control,
    /// Samples of the sender, at this distance: [`Report::sender`](crate::Report::sender) has them.
    pub sample_every: Option<Duration>,
    /// A qlog file of the connection.
    pub qlog: Option<PathBuf>,
    /// Stop after this time. What has arrived is kept.
    pub stop_after: Option<Duration>,
    /// How long to wait for a server that is silent or slow.
    pub patience: Patience,
}

impl Options {
    /// With this control, and nothing else.
    pub fn new(control: Control) -> Self {
        Self {
            control,
            sample_every: None,
            qlog: None,
            stop_after: None,
            patience: Patience::default(),
        }
    }
}

/// What is called while a transfer goes on, about ten times a second.
pub type Tell<'t> = &'t mut (dyn FnMut(Progress) + Send);

/// How long a server may compare what the client has with its file.
const COMPARISON: Duration = Duration::from_secs(600);
/// How long a server may take to answer the first packets.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Bytes of a file that a client buffers at most.
const WINDOW: u32 = 16 << 20;

/// A connection to a server.
struct Link {
    endpoint: Endpoint,
    end: End,
}

impl Link {
    async fn connect(peer: &Peer, options: &Options, title: &str) -> Result<Self, Error> {
        let record = Record::default();
        let mut transport = quinn::TransportConfig::default();
        transport
            .congestion_controller_factory(Arc::new(Watching {
                inner: options.control.factory(),
                record: record.clone(),
            }))
            .max_concurrent_bidi_streams(VarInt::from_u32(0))
            .max_concurrent_uni_streams(VarInt::from_u32(0))
            .datagram_receive_buffer_size(None)
            .stream_receive_window(WINDOW.into())
            .receive_window(WINDOW.into())
            .send_window(WINDOW.into())
            .max_idle_timeout(options.patience.span.try_into().ok())
            // While one end computes a hash, nothing moves.
            .keep_alive_interval(Some(options.patience.span / 4));
        let mut tls: Arc<dyn quinn::crypto::ClientConfig> =
            dumbbell_pinned::client(peer.pin, ALPN)?;
        if let Some(path) = &options.qlog {
            let heard = qlog::Heard::default();
            let stream = qlog::at(path, title, qlog::Vantage::Client, &heard)?;
            transport.qlog_stream(Some(stream));
            tls = heard.client(tls);
        }
        let mut config = quinn::ClientConfig::new(tls);
        config.transport_config(Arc::new(transport));
        let any = match peer.address {
            SocketAddr::V4(_) => SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0)),
            SocketAddr::V6(_) => SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)),
        };
        let cannot = |error| Error::Local(format!("cannot open a socket: {error}"));
        let endpoint = Endpoint::client(any).map_err(cannot)?;
        let connecting = endpoint.connect_with(config, peer.address, SERVER_NAME)?;
        let connection = timeout(options.patience.span.min(HANDSHAKE), connecting).await;
        let connection: Connection = match connection {
            Ok(Ok(connection)) => connection,
            Ok(Err(ConnectionError::TimedOut)) | Err(_) => return Err(silent(peer)),
            Ok(Err(error)) => return Err(error.into()),
        };
        let end = End {
            connection,
            record,
            control: options.control.name().to_owned(),
            began: Instant::now(),
        };
        Ok(Self { endpoint, end })
    }

    /// Says goodbye, and waits until it is sent.
    async fn close(self) {
        self.end.connection.close(Closed::Done.code(), b"");
        self.endpoint.wait_idle().await;
    }
}

fn samples(options: &Options, now: Instant) -> Option<Samples> {
    options.sample_every.map(|every| Samples::new(every, now))
}

fn silent(peer: &Peer) -> Error {
    let address = peer.address;
    Error::Lost(format!("no server answers at {address} (UDP)"))
}
