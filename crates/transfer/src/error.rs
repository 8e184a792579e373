//! Why a transfer fails.

use std::fmt;
use std::io;
use std::path::Path;

use dumbbell_pinned::Cause;
use quinn::{ConnectError, ConnectionError, ReadError, WriteError};

/// Why a transfer cannot begin, or does not end.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// What the caller gave is wrong; the text says what is right.
    Input(String),
    /// The other end refused: a wrong token, a file that is not there.
    Refused(String),
    /// The connection broke, or could not be made. What has arrived is kept.
    Lost(String),
    /// The other end said what the protocol does not have.
    Protocol(String),
    /// A file or the socket.
    Local(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Input(text)
        | Self::Refused(text)
        | Self::Lost(text)
        | Self::Protocol(text)
        | Self::Local(text)) = self;
        f.write_str(text)
    }
}

impl std::error::Error for Error {}

impl Error {
    /// A failed operation on a file.
    pub(crate) fn file(path: &Path, error: &io::Error) -> Self {
        Self::Local(format!("{}: {error}", path.display()))
    }

    /// The other end does not speak the protocol.
    pub(crate) fn protocol(what: impl fmt::Display) -> Self {
        Self::Protocol(format!("the other end broke the protocol: {what}"))
    }
}

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
            Cause::Closed(close) => match Closed::of(close.error_code.into()) {
                Some(why) => why.into(),
                None => Self::Lost(format!("the other end closed the connection: {close}")),
            },
            Cause::Full => Self::Refused(
                "the server has as many connections as it takes; try again".to_owned(),
            ),
            Cause::Silent => Self::Lost("the other end no longer answers".to_owned()),
            Cause::OtherPin => Self::Refused(
                "the server's certificate has another fingerprint than --pin says: it is another server, or was started again"
                    .to_owned(),
            ),
            Cause::Distrusted => Self::Refused(
                "the client knows another fingerprint than this server's (--pin)".to_owned(),
            ),
            Cause::Broken(why) => Self::Lost(format!("the connection is lost: {why}")),
        }
    }
}

impl From<ReadError> for Error {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::ConnectionLost(error) => error.into(),
            ReadError::Reset(code) => match Closed::of(code.into()) {
                Some(why) => why.into(),
                None => Self::Lost(format!("the other end stopped with code {code}")),
            },
            other => Self::Lost(other.to_string()),
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::ConnectionLost(error) => error.into(),
            WriteError::Stopped(code) => match Closed::of(code.into()) {
                Some(why) => why.into(),
                None => Self::Lost(format!("the other end stopped with code {code}")),
            },
            other => Self::Lost(other.to_string()),
        }
    }
}

/// Why an end closes a connection, or stops a stream: the application's error codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// All is done.
    Done = 0,
    /// The token is wrong.
    Token = 1,
    /// The peer was silent or slow for too long.
    Slow = 2,
    /// The peer sent what the protocol does not have.
    Protocol = 3,
    /// The sender stops here; the rest may follow another time.
    Stopped = 4,
    /// The file changed while it was sent, or could not be read.
    Changed = 5,
    /// A newer transfer puts the same file.
    Replaced = 6,
}

impl Closed {
    fn of(code: u64) -> Option<Self> {
        let all = [
            Self::Done,
            Self::Token,
            Self::Slow,
            Self::Protocol,
            Self::Stopped,
            Self::Changed,
            Self::Replaced,
        ];
        all.into_iter().find(|closed| *closed as u64 == code)
    }

    pub(crate) fn code(self) -> quinn::VarInt {
        quinn::VarInt::from_u32(self as u32)
    }
}

impl From<Closed> for Error {
    fn from(why: Closed) -> Self {
        match why {
            Closed::Token => Self::Refused("the token is not the server's (--token)".to_owned()),
            Closed::Done => Self::Lost("the other end closed the connection".to_owned()),
            Closed::Slow => {
                Self::Lost("the other end gave up: nothing moved for too long".to_owned())
            }
            Closed::Protocol => {
                Self::Lost("the other end did not understand the request".to_owned())
            }
            Closed::Stopped => Self::Lost("the other end stopped the transfer".to_owned()),
            Closed::Replaced => {
                Self::Lost("another transfer puts the same file, and goes on with it".to_owned())
            }
            Closed::Changed => Self::Lost(
                "the file changed while it was sent, or could not be read; start again".to_owned(),
            ),
        }
    }
}
