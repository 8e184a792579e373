//! A client whose acknowledgements lie: they name packets that the server never sent. Its keys are wrapped, and what they
//! encrypt is changed before.

use std::any::Any;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::crypto::{
    ClientConfig, CryptoError, ExportKeyingMaterialError, HeaderKey, KeyPair, Keys, PacketKey,
    Session,
};
use quinn::{ConnectError, Connection, ConnectionError, ConnectionId, Endpoint, Side, VarInt};
use quinn_proto::TransportError;
use quinn_proto::transport_parameters::TransportParameters;
use tokio::time::timeout;

use crate::stranger::tls;

/// The packets after the handshake that do not lie: the request is in them.
const HONEST: u64 = 5;

/// Connects, and lies in each acknowledgement after the first packets.
pub async fn connect(to: SocketAddr) -> Result<Connection, ConnectionError> {
    let tls = QuicClientConfig::try_from(tls()).expect("TLS 1.3");
    let mut config = quinn::ClientConfig::new(Arc::new(Lying(Arc::new(tls))));
    let mut transport = quinn::TransportConfig::default();
    transport.max_idle_timeout(Some(VarInt::from_u32(3000).into()));
    config.transport_config(Arc::new(transport));
    let endpoint = Endpoint::client("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let connecting = endpoint.connect_with(config, to, "dumbbell");
    connecting.expect("an address").await
}

/// Returns the code of the transport error with which the server ends the connection; `None` if that was lost, and the server
/// knows the connection no more.
pub async fn caught(connection: &Connection) -> Option<u64> {
    match timeout(Duration::from_secs(60), connection.closed()).await {
        Ok(ConnectionError::ConnectionClosed(close)) => Some(close.error_code.into()),
        Ok(ConnectionError::Reset | ConnectionError::TimedOut) => None,
        other => panic!("{other:?}"),
    }
}

/// Makes the largest packet that an ACK frame at the beginning names the largest that takes as many bytes (RFC 9000,
/// sections 16 and 19.3).
fn lie(content: &mut [u8]) {
    if let [0x02 | 0x03, first, ..] = *content {
        let bytes = 1 << (first >> 6);
        content[1] |= 0x3f;
        content[2..=bytes].fill(0xff);
    }
}

#[test]
fn a_lie_is_a_larger_packet_number_of_the_same_length() {
    let lied = |frame: &[u8]| {
        let mut frame = frame.to_vec();
        lie(&mut frame);
        frame
    };
    assert_eq!(lied(&[0x02, 0x07, 1, 0, 7]), [0x02, 0x3f, 1, 0, 7]);
    assert_eq!(lied(&[0x03, 0x41, 0x07, 1]), [0x03, 0x7f, 0xff, 1]);
    assert_eq!(lied(&[0x08, 0x07, 1]), [0x08, 0x07, 1]);
}

struct Lying(Arc<QuicClientConfig>);

impl ClientConfig for Lying {
    fn start_session(
        self: Arc<Self>,
        version: u32,
        name: &str,
        parameters: &TransportParameters,
    ) -> Result<Box<dyn Session>, ConnectError> {
        let inner = Arc::clone(&self.0).start_session(version, name, parameters)?;
        let is_established = false;
        Ok(Box::new(LyingSession {
            inner,
            is_established,
        }))
    }
}

struct LyingSession {
    inner: Box<dyn Session>,
    /// Whether the next keys are those after the handshake.
    is_established: bool,
}

impl Session for LyingSession {
    fn write_handshake(&mut self, bytes: &mut Vec<u8>) -> Option<Keys> {
        let mut keys = self.inner.write_handshake(bytes)?;
        if std::mem::replace(&mut self.is_established, true) {
            keys.packet.local = Box::new(LyingKey(keys.packet.local));
        }
        Some(keys)
    }

    fn initial_keys(&self, id: &ConnectionId, side: Side) -> Keys {
        self.inner.initial_keys(id, side)
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

    fn next_1rtt_keys(&mut self) -> Option<KeyPair<Box<dyn PacketKey>>> {
        self.inner.next_1rtt_keys()
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

struct LyingKey(Box<dyn PacketKey>);

impl PacketKey for LyingKey {
    fn encrypt(&self, number: u64, packet: &mut [u8], header: usize) {
        let end = packet.len() - self.0.tag_len();
        if number >= HONEST {
            lie(&mut packet[header..end]);
        }
        self.0.encrypt(number, packet, header);
    }

    fn decrypt(
        &self,
        number: u64,
        header: &[u8],
        content: &mut bytes::BytesMut,
    ) -> Result<(), CryptoError> {
        self.0.decrypt(number, header, content)
    }

    fn tag_len(&self) -> usize {
        self.0.tag_len()
    }

    fn confidentiality_limit(&self) -> u64 {
        self.0.confidentiality_limit()
    }

    fn integrity_limit(&self) -> u64 {
        self.0.integrity_limit()
    }
}
