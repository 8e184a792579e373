//! A client whose acknowledgements lie: they name packets that the server never sent. Its keys are wrapped, and what they
//! encrypt is changed before.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use quinn::crypto::rustls::QuicClientConfig;
use quinn::crypto::{ClientConfig, CryptoError, PacketKey};
use quinn::{Connection, ConnectionError, Endpoint, VarInt};
use tokio::time::timeout;

use crate::keys::{Changed, Pair};
use crate::stranger::tls;

/// The packets after the handshake that do not lie: the request is in them.
const HONEST: u64 = 5;

/// Connects, and lies in each acknowledgement after the first packets.
pub async fn connect(to: SocketAddr) -> Result<Connection, ConnectionError> {
    let tls = QuicClientConfig::try_from(tls()).expect("TLS 1.3");
    let inner: Arc<dyn ClientConfig> = Arc::new(tls);
    let change = Arc::new(lying);
    let mut config = quinn::ClientConfig::new(Arc::new(Changed { inner, change }));
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

fn lying(pair: Pair, kind: &'static str) -> Pair {
    match kind {
        "1RTT" => Pair {
            local: Box::new(LyingKey(pair.local)),
            remote: pair.remote,
        },
        _ => pair,
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
