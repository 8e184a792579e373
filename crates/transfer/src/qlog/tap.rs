//! What packets say, taken where they are decrypted: quinn tells neither its qlog nor its controls which packets an
//! acknowledgement covers. Keys are wrapped in others, which have the same results.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::BytesMut;
use quinn::crypto::{ClientConfig, CryptoError, PacketKey, ServerConfig};
use serde_json::Value;

use super::frames::acks;
use super::keys::{Change, Changed, Pair};

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
        let change = self.change();
        Arc::new(Changed { inner, change })
    }

    /// Wraps a client's side of TLS, for one connection.
    pub(crate) fn client(&self, inner: Arc<dyn ClientConfig>) -> Arc<dyn ClientConfig> {
        let change = self.change();
        Arc::new(Changed { inner, change })
    }

    fn change(&self) -> Change {
        let heard = self.clone();
        Arc::new(move |pair, kind| Pair {
            local: pair.local,
            remote: Box::new(Key {
                inner: pair.remote,
                kind,
                heard: heard.clone(),
            }),
        })
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
