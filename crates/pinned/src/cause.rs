//! What it means for a user that a connection ended, or could not be made.

use quinn::{ApplicationClose, ConnectionError, TransportErrorCode};

/// Why a connection ended, or was not made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The other end closed it, with a code of its protocol.
    Closed(ApplicationClose),
    /// The server has as many connections as it takes.
    Full,
    /// The other end no longer answers, or never did.
    Silent,
    /// The server's certificate is not the one that the client knows.
    OtherPin,
    /// The client knows another certificate than the server's.
    Distrusted,
    /// Anything else.
    Broken(ConnectionError),
}

impl From<ConnectionError> for Cause {
    fn from(error: ConnectionError) -> Self {
        match error {
            ConnectionError::ApplicationClosed(close) => Self::Closed(close),
            // A server under its limits answers with CONNECTION_REFUSED (RFC 9000, section 20.1).
            ConnectionError::ConnectionClosed(close)
                if close.error_code == TransportErrorCode::CONNECTION_REFUSED =>
            {
                Self::Full
            }
            ConnectionError::ConnectionClosed(close) if is_distrust(close.error_code) => {
                Self::Distrusted
            }
            ConnectionError::TimedOut => Self::Silent,
            ConnectionError::TransportError(why)
                if why.code == bad_certificate() || why.reason.contains("certificate") =>
            {
                Self::OtherPin
            }
            other => Self::Broken(other),
        }
    }
}

/// Whether the client said by TLS that it does not take the certificate. rustls says so for one that it was not told to trust.
fn is_distrust(code: TransportErrorCode) -> bool {
    [
        rustls::AlertDescription::BadCertificate,
        rustls::AlertDescription::CertificateUnknown,
        rustls::AlertDescription::UnknownCA,
        rustls::AlertDescription::AccessDenied,
    ]
    .into_iter()
    .any(|alert| code == TransportErrorCode::crypto(alert.into()))
}

/// What TLS says when the client does not like the certificate.
fn bad_certificate() -> TransportErrorCode {
    TransportErrorCode::crypto(rustls::AlertDescription::BadCertificate.into())
}
