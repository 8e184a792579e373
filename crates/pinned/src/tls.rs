//! TLS 1.3 without authorities: the server signs its own certificate, and the client knows its fingerprint.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use quinn::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName, UnixTime};
use rustls::{CertificateError, DigitallySignedStruct, SignatureScheme};

use crate::Unusable;

/// The name in the certificate. Clients go by the fingerprint.
pub const SERVER_NAME: &str = "dumbbell";

/// The SHA-256 fingerprint of a server's certificate: 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin([u8; 32]);

impl Pin {
    fn of(certificate: &CertificateDer<'_>) -> Self {
        let digest = ring::digest::digest(&ring::digest::SHA256, certificate);
        let mut pin = [0; 32];
        pin.copy_from_slice(digest.as_ref());
        Self(pin)
    }
}

impl fmt::Display for Pin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl FromStr for Pin {
    type Err = String;

    /// Reads hexadecimal digits, also with colons between the bytes, as openssl prints them.
    fn from_str(text: &str) -> Result<Self, String> {
        let digits: Vec<u8> = text
            .chars()
            .filter(|c| *c != ':')
            .map(|c| c.to_digit(16).map(|digit| digit as u8))
            .collect::<Option<_>>()
            .ok_or("a fingerprint has hexadecimal digits alone")?;
        if digits.len() != 64 {
            let n = digits.len();
            return Err(format!(
                "a fingerprint has 64 hexadecimal digits, and this one has {n}; the server prints it"
            ));
        }
        let mut pin = [0; 32];
        for (byte, pair) in pin.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(Self(pin))
    }
}

/// A server's key and certificate.
#[derive(Debug)]
pub struct Identity {
    certificate: CertificateDer<'static>,
    key: PrivatePkcs8KeyDer<'static>,
}

impl Identity {
    /// A new key with a certificate that it signs itself.
    ///
    /// # Errors
    /// If the machine has no random numbers.
    pub fn generate() -> Result<Self, Unusable> {
        let signed = rcgen::generate_simple_self_signed([SERVER_NAME.to_owned()])
            .map_err(|error| Unusable(format!("cannot make a certificate: {error}")))?;
        Ok(Self {
            certificate: signed.cert.der().clone(),
            key: PrivatePkcs8KeyDer::from(signed.signing_key.serialize_der()),
        })
    }

    /// The fingerprint by which clients know the server.
    pub fn pin(&self) -> Pin {
        Pin::of(&self.certificate)
    }

    /// The server's side of a protocol with this name in the handshake (RFC 7301).
    ///
    /// # Errors
    /// If the key is none of TLS 1.3.
    pub fn server(&self, protocol: &[u8]) -> Result<Arc<QuicServerConfig>, Unusable> {
        let mut tls = rustls::ServerConfig::builder_with_provider(provider())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .and_then(|tls| {
                tls.with_no_client_auth()
                    .with_single_cert(vec![self.certificate.clone()], self.key.clone_key().into())
            })
            .map_err(unusable)?;
        tls.alpn_protocols = vec![protocol.to_vec()];
        // A request before the handshake ends could be sent again by anyone who saw it.
        tls.max_early_data_size = 0;
        let config = QuicServerConfig::try_from(tls);
        config.map(Arc::new).map_err(unusable)
    }
}

/// A client's side of a protocol with this name in the handshake, for the one server that it knows.
///
/// # Errors
/// If TLS 1.3 cannot be had.
pub fn client(pin: Pin, protocol: &[u8]) -> Result<Arc<QuicClientConfig>, Unusable> {
    let config = QuicClientConfig::try_from(pinned(pin, protocol)?);
    config.map(Arc::new).map_err(unusable)
}

/// TLS 1.3 that believes the certificate with this fingerprint alone.
fn pinned(pin: Pin, protocol: &[u8]) -> Result<rustls::ClientConfig, Unusable> {
    let provider = provider();
    let pinned = Arc::new(Pinned {
        pin,
        provider: Arc::clone(&provider),
    });
    let mut tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .map_err(unusable)?
        .dangerous()
        .with_custom_certificate_verifier(pinned)
        .with_no_client_auth();
    tls.alpn_protocols = vec![protocol.to_vec()];
    Ok(tls)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn unusable(error: impl fmt::Display) -> Unusable {
    Unusable(format!("TLS cannot be set up: {error}"))
}

/// Accepts the certificate with one fingerprint, whatever is in it, and no other. The handshake's signature shows that
/// the server has its key.
#[derive(Debug)]
struct Pinned {
    pin: Pin,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if Pin::of(certificate) == self.pin {
            return Ok(ServerCertVerified::assertion());
        }
        Err(CertificateError::ApplicationVerificationFailure.into())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signature, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signature, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let algorithms = &self.provider.signature_verification_algorithms;
        algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use rustls::sign::{CertifiedKey, SingleCertAndKey};
    use rustls::{ClientConnection, Connection, ServerConnection};

    use super::*;

    /// A handshake with a server that shows the certificate of one identity and signs with the key of another, for a client
    /// that knows the certificate.
    fn handshake(shows: &Identity, signs: &Identity) -> Result<(), rustls::Error> {
        let client = pinned(shows.pin(), b"test").expect("TLS 1.3");
        let name = ServerName::try_from(SERVER_NAME).expect("a name");
        let client = ClientConnection::new(Arc::new(client), name)?;
        let provider = provider();
        let key = provider.key_provider;
        let key = key.load_private_key(signs.key.clone_key().into())?;
        let shown = CertifiedKey::new(vec![shows.certificate.clone()], key);
        let mut server = rustls::ServerConfig::builder_with_provider(provider)
            .with_protocol_versions(&[&rustls::version::TLS13])?
            .with_no_client_auth()
            .with_cert_resolver(Arc::new(SingleCertAndKey::from(shown)));
        server.alpn_protocols = vec![b"test".to_vec()];
        let server = ServerConnection::new(Arc::new(server))?;
        let (mut client, mut server) = (Connection::from(client), Connection::from(server));
        while client.is_handshaking() || server.is_handshaking() {
            pass(&mut client, &mut server)?;
            pass(&mut server, &mut client)?;
        }
        Ok(())
    }

    /// Hands over what one end has to say.
    fn pass(from: &mut Connection, to: &mut Connection) -> Result<(), rustls::Error> {
        let mut wire = Vec::new();
        while from.wants_write() {
            from.write_tls(&mut wire).expect("memory takes it");
        }
        let mut rest = &wire[..];
        while !rest.is_empty() {
            to.read_tls(&mut rest).expect("memory gives it");
            to.process_new_packets()?;
        }
        Ok(())
    }

    /// Everybody who has connected once has the certificate. What makes it the server's is the signature of the handshake
    /// (RFC 8446, section 4.4.3).
    #[test]
    fn a_certificate_without_its_key_is_not_enough() {
        let server = Identity::generate().expect("a key");
        let thief = Identity::generate().expect("a key");
        assert_eq!(handshake(&server, &server), Ok(()));
        let why = handshake(&server, &thief).expect_err("it has another key");
        let bad = CertificateError::BadSignature;
        assert_eq!(why, rustls::Error::InvalidCertificate(bad));
    }

    #[test]
    fn a_fingerprint_is_read_as_it_is_printed_and_as_openssl_prints_it() {
        let pin = Identity::generate().expect("a key").pin();
        assert_eq!(pin.to_string().parse(), Ok(pin));
        let colons: Vec<_> = pin.0.iter().map(|byte| format!("{byte:02X}")).collect();
        assert_eq!(colons.join(":").parse(), Ok(pin));
        for wrong in ["", "00", &"g".repeat(64), &"0".repeat(66)] {
            assert!(wrong.parse::<Pin>().is_err(), "{wrong}");
        }
    }

    /// The digest of three bytes is the first example of FIPS 180-2, appendix B.1.
    #[test]
    fn a_fingerprint_is_sha_256() {
        let pin = Pin::of(&CertificateDer::from(&b"abc"[..]));
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(pin.to_string(), abc);
    }
}
