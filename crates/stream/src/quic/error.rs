//! Why a stream over QUIC fails.

use std::fmt;

use dumbbell_pinned::Cause;
use quinn::{ConnectError, ConnectionError, VarInt};

/// Why a stream cannot begin, or breaks off.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// What the caller gave is wrong; the text says what is right.
    Input(String),
    /// The receiver refused: a wrong token or fingerprint, another sender.
    Refused(String),
    /// The connection broke, or could not be made.
    Lost(String),
    /// The socket, keys or threads of this machine.
    Local(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Input(text) | Self::Refused(text) | Self::Lost(text) | Self::Local(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Error {}

impl From<dumbbell_pinned::Unusable> for Error {
    fn from(error: dumbbell_pinned::Unusable) -> Self {
        Self::Local(error.to_string())
    }
}

impl From<ConnectError> for Error {
    fn from(error: ConnectError) -> Self {
        Self::Input(format!("cannot connect: {error}"))
    }
}

impl From<ConnectionError> for Error {
    fn from(error: ConnectionError) -> Self {
        match Cause::from(error) {
            Cause::Closed(close) => match Closed::of(close.error_code) {
                Some(Closed::Token) => {
                    Self::Refused("the token is not the receiver's (--token)".to_owned())
                }
                Some(Closed::Busy) => {
                    Self::Refused("the receiver plays another stream".to_owned())
                }
                Some(Closed::Slow) => {
                    Self::Lost("the receiver gave up: nothing came in time".to_owned())
                }
                Some(Closed::Done) | None => {
                    Self::Lost("the other end closed the connection".to_owned())
                }
            },
            Cause::Full => {
                Self::Refused("the receiver has as many connections as it takes".to_owned())
            }
            Cause::Silent => Self::Lost("the other end no longer answers".to_owned()),
            Cause::OtherPin => Self::Refused(
                "the receiver's certificate has another fingerprint than --pin says: it is another one, or was started again"
                    .to_owned(),
            ),
            Cause::Distrusted => Self::Refused(
                "the sender knows another fingerprint than this receiver's (--pin)".to_owned(),
            ),
            Cause::Broken(why) => Self::Lost(format!("the connection is lost: {why}")),
        }
    }
}

/// Why an end closes a connection: the application's error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// The stream is over.
    Done = 0,
    /// The token is wrong.
    Token = 1,
    /// No token, or no stream, came in time.
    Slow = 2,
    /// Another stream is played.
    Busy = 3,
}

impl Closed {
    fn of(code: VarInt) -> Option<Self> {
        let all = [Self::Done, Self::Token, Self::Slow, Self::Busy];
        all.into_iter().find(|closed| closed.code() == code)
    }

    pub(super) fn code(self) -> VarInt {
        VarInt::from_u32(self as u32)
    }
}
