//! TLS whose sessions are quinn's, but for the keys of their packets: a function gets each pair, and returns another one.

use std::any::Any;
use std::sync::Arc;

use quinn::crypto::{
    ClientConfig, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey, ServerConfig,
    Session, UnsupportedVersion,
};
use quinn::{ConnectError, ConnectionId, Side};
use quinn_proto::TransportError;
use quinn_proto::transport_parameters::TransportParameters;

/// The keys of both directions.
pub type Pair = KeyPair<Box<dyn PacketKey>>;

/// Returns other keys for those of this type of packets, as qlog names it: initial, handshake or 1RTT.
pub type Change = Arc<dyn Fn(Pair, &'static str) -> Pair + Send + Sync>;

/// One end's TLS.
pub struct Changed<C: ?Sized> {
    pub inner: Arc<C>,
    pub change: Change,
}

impl<C: ?Sized> Changed<C> {
    fn session(&self, inner: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(ChangedSession {
            inner,
            change: Arc::clone(&self.change),
            next: "handshake",
        })
    }
}

impl ServerConfig for Changed<dyn ServerConfig> {
    fn initial_keys(&self, version: u32, id: &ConnectionId) -> Result<Keys, UnsupportedVersion> {
        self.inner.initial_keys(version, id)
    }

    fn retry_tag(&self, version: u32, id: &ConnectionId, packet: &[u8]) -> [u8; 16] {
        self.inner.retry_tag(version, id, packet)
    }

    fn start_session(
        self: Arc<Self>,
        version: u32,
        parameters: &TransportParameters,
    ) -> Box<dyn Session> {
        let session = Arc::clone(&self.inner).start_session(version, parameters);
        self.session(session)
    }
}

impl ClientConfig for Changed<dyn ClientConfig> {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let session = Arc::clone(&self.inner).start_session(version, name, parameters)?;
        Ok(self.session(session))
    }
}

struct ChangedSession {
    inner: Box<dyn Session>,
    change: Change,
    /// The packets of the next keys: those of the handshake, and then all others.
    next: &'static str,
}

impl ChangedSession {
    fn changed(&self, keys: Keys, kind: &'static str) -> Keys {
        Keys {
            header: keys.header,
            packet: (self.change)(keys.packet, kind),
        }
    }
}

impl Session for ChangedSession {
    fn initial_keys(&self, id: &ConnectionId, side: Side) -> Keys {
        self.changed(self.inner.initial_keys(id, side), "initial")
    }

    fn handshake_data(&self) -> Option<Box<dyn Any>> {
        self.inner.handshake_data()
    }

    fn peer_identity(&self) -> Option<Box<dyn Any>> {
        self.inner.peer_identity()
    }

    fn early_crypto(&self) -> Option<(Box<dyn HeaderKey>, Box<dyn PacketKey>)> {
        self.inner.early_crypto()
    }

    fn early_data_accepted(&self) -> Option<bool> {
        self.inner.early_data_accepted()
    }

    fn is_handshaking(&self) -> bool {
        self.inner.is_handshaking()
    }

    fn read_handshake(&mut self, bytes: &[u8]) -> Result<bool, TransportError> {
        self.inner.read_handshake(bytes)
    }

    fn transport_parameters(&self) -> Result<Option<TransportParameters>, TransportError> {
        self.inner.transport_parameters()
    }

    fn write_handshake(&mut self, bytes: &mut Vec<u8>) -> Option<Keys> {
        let keys = self.inner.write_handshake(bytes)?;
        let kind = std::mem::replace(&mut self.next, "1RTT");
        Some(self.changed(keys, kind))
    }

    fn next_1rtt_keys(&mut self) -> Option<Pair> {
        let pair = self.inner.next_1rtt_keys()?;
        Some((self.change)(pair, "1RTT"))
    }

    fn is_valid_retry(&self, id: &ConnectionId, header: &[u8], content: &[u8]) -> bool {
        self.inner.is_valid_retry(id, header, content)
    }

    fn export_keying_material(
        &self,
        out: &mut [u8],
        label: &[u8],
        context: &[u8],
    ) -> Result<(), ExportKeyingMaterialError> {
        self.inner.export_keying_material(out, label, context)
    }
}
