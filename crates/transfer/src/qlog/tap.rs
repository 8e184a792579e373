//! What packets say, taken where they are decrypted: quinn tells neither its qlog nor its controls which packets an
//! acknowledgement covers. Keys are wrapped in others, which have the same results.

use std::any::Any;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::BytesMut;
use quinn::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey,
    ServerConfig, Session, UnsupportedVersion,
};
use quinn::{ConnectError, ConnectionId, Side};
use quinn_proto::TransportError;
use quinn_proto::transport_parameters::TransportParameters;
use serde_json::Value;

use super::frames::acks;

/// Packets of which nothing was written yet. quinn writes of a packet as soon as it has read it, or never.
const MOST: usize = 16;

/// A packet that came.
#[derive(Debug)]
pub(super) struct Packet {
    kind: &'static str,
    number: u64,
    /// Its bytes, with header and tag.
    pub length: usize,
    pub acks: Vec<Value>,
}

/// The packets that came to one connection. Its clones are the same.
#[derive(Clone, Debug, Default)]
pub(crate) struct Heard(Arc<Mutex<VecDeque<Packet>>>);

impl Heard {
    fn add(&self, packet: Packet) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.pop_front();
        }
        all.push_back(packet);
    }

    /// Returns a packet by its type, as in qlog, and its number, and forgets it and those before it.
    pub(super) fn take(&self, kind: &str, number: u64) -> Option<Packet> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all
            .iter()
            .position(|it| it.number == number && it.kind == kind)?;
        all.drain(..=place).next_back()
    }

    /// Wraps a server's side of TLS, for one connection.
    pub(crate) fn server(&self, inner: Arc<dyn ServerConfig>) -> Arc<dyn ServerConfig> {
        Arc::new(Tapped {
            inner,
            heard: self.clone(),
        })
    }

    /// Wraps a client's side of TLS, for one connection.
    pub(crate) fn client(&self, inner: Arc<dyn ClientConfig>) -> Arc<dyn ClientConfig> {
        Arc::new(Tapped {
            inner,
            heard: self.clone(),
        })
    }

    fn key(&self, inner: Box<dyn PacketKey>, kind: &'static str) -> Box<dyn PacketKey> {
        Box::new(Key {
            inner,
            kind,
            heard: self.clone(),
        })
    }

    fn keys(&self, keys: Keys, kind: &'static str) -> Keys {
        Keys {
            header: keys.header,
            packet: KeyPair {
                local: keys.packet.local,
                remote: self.key(keys.packet.remote, kind),
            },
        }
    }

    fn session(&self, inner: Box<dyn Session>) -> Box<dyn Session> {
        Box::new(TappedSession {
            inner,
            heard: self.clone(),
            next: "handshake",
        })
    }
}

struct Tapped<C: ?Sized> {
    inner: Arc<C>,
    heard: Heard,
}

impl ServerConfig for Tapped<dyn ServerConfig> {
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
        self.heard.session(session)
    }
}

impl ClientConfig for Tapped<dyn ClientConfig> {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let session = Arc::clone(&self.inner).start_session(version, name, parameters)?;
        Ok(self.heard.session(session))
    }
}

struct TappedSession {
    inner: Box<dyn Session>,
    heard: Heard,
    /// The packets of the next keys: those of the handshake, and then all others.
    next: &'static str,
}

impl Session for TappedSession {
    fn initial_keys(&self, id: &ConnectionId, side: Side) -> Keys {
        let keys = self.inner.initial_keys(id, side);
        self.heard.keys(keys, "initial")
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
        Some(self.heard.keys(keys, kind))
    }

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        let pair = self.inner.next_1rtt_keys()?;
        Some(KeyPair {
            local: pair.local,
            remote: self.heard.key(pair.remote, "1RTT"),
        })
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

struct Key {
    inner: Box<dyn PacketKey>,
    kind: &'static str,
    heard: Heard,
}

impl PacketKey for Key {
    fn encrypt(&self, number: u64, packet: &mut [u8], header: usize) {
        self.inner.encrypt(number, packet, header);
    }

    fn decrypt(
        &self,
        number: u64,
        header: &[u8],
        content: &mut BytesMut,
    ) -> Result<(), CryptoError> {
        let length = header.len() + content.len();
        self.inner.decrypt(number, header, content)?;
        self.heard.add(Packet {
            kind: self.kind,
            number,
            length,
            acks: acks(content),
        });
        Ok(())
    }

    fn tag_len(&self) -> usize {
        self.inner.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.inner.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.inner.integrity_limit()
    }
}
