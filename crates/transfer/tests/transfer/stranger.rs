//! A QUIC client that says whatever a test wants.

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use dumbbell_transfer::{LONGEST_ANSWER, Message};
use quinn::crypto::rustls::QuicClientConfig;
use quinn::{Connection, Endpoint, RecvStream, SendStream};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};

/// Connects without any interest in whom it meets.
pub async fn connect(to: SocketAddr) -> Result<Connection, quinn::ConnectionError> {
    let endpoint = Endpoint::client("127.0.0.1:0".parse().expect("an address")).expect("a port");
    let connecting = endpoint.connect_with(config(), to, "dumbbell");
    in_time(connecting.expect("an address")).await
}

fn config() -> quinn::ClientConfig {
    let tls = QuicClientConfig::try_from(tls()).expect("TLS 1.3");
    quinn::ClientConfig::new(Arc::new(tls))
}

/// TLS that believes everyone.
pub fn tls() -> rustls::ClientConfig {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .expect("TLS 1.3")
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Anyone))
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"dumbbell-transfer/1".to_vec()];
    tls
}

/// Opens a stream and writes these bytes.
pub async fn write(connection: &Connection, bytes: &[u8]) -> (SendStream, RecvStream) {
    let (mut send, recv) = connection.open_bi().await.expect("one stream");
    send.write_all(bytes).await.expect("it is open");
    (send, recv)
}

/// Reads a message.
pub async fn read(stream: &mut RecvStream) -> Message {
    in_time(async {
        let mut length = [0; 2];
        stream.read_exact(&mut length).await.expect("a length");
        let length = Message::length(length, LONGEST_ANSWER).expect("a length");
        let mut bytes = vec![0; length];
        stream.read_exact(&mut bytes).await.expect("a message");
        Message::decoded(&bytes).expect("a message")
    })
    .await
}

/// Waits for at most a minute, so that an end that never answers fails a test, and does not stop it.
pub async fn in_time<T>(work: impl Future<Output = T>) -> T {
    let minute = Duration::from_secs(60);
    let done = tokio::time::timeout(minute, work).await;
    done.expect("the other end answers within a minute")
}

/// The first datagrams of this many connections, which go on no further: their peers are silent, or never were there.
pub async fn beginnings(count: usize) -> Vec<Vec<u8>> {
    let hole = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let to = hole.local_addr().expect("bound");
    let any = "127.0.0.1:0".parse().expect("an address");
    let endpoint = Endpoint::client(any).expect("a port");
    let mut found = BTreeMap::new();
    hole.set_nonblocking(true).expect("ours");
    let start = Instant::now();
    for number in 1..=count {
        let connecting = endpoint.connect_with(config(), to, "dumbbell");
        let connecting = connecting.expect("an address");
        while found.len() < number {
            assert!(start.elapsed() < Duration::from_secs(600), "{number}");
            tokio::task::yield_now().await;
            let mut datagram = vec![0; 2000];
            while let Ok(length) = hole.recv(&mut datagram) {
                // Flags, a version, and then the connection's identifier with its length (RFC 9000, section 17.2).
                let id = datagram[6..6 + usize::from(datagram[5])].to_vec();
                // What is sent again, and the goodbyes, are of the same connections.
                found
                    .entry(id)
                    .or_insert_with(|| datagram[..length].to_vec());
            }
        }
        drop(connecting);
    }
    found.into_values().collect()
}

#[derive(Debug)]
struct Anyone;

impl ServerCertVerifier for Anyone {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let provider = rustls::crypto::ring::default_provider();
        provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
