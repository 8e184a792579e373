//! What the two ends say to each other, beside the bytes of the file.
//!
//! Each request has a stream of its own. A message is its length, two bytes in network order, and that many bytes of
//! JSON.
//!
//! ```text
//! get:  Get ->                     put:  Put ->
//!       <- File, bytes                   <- Have
//!       Received ->                      From, bytes, End ->
//!       <- Samples ..., Sent             <- Stored
//! ```
//!
//! Instead of any answer, [`Message::Refused`] may come.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::statistics::{Sample, Statistics};

/// The protocol's name in the handshake (RFC 7301).
pub(crate) const ALPN: &[u8] = b"dumbbell-transfer/1";
/// The longest message of a client, in bytes.
pub const LONGEST_REQUEST: usize = 2048;
/// The longest message of a server: one with samples.
pub const LONGEST_ANSWER: usize = u16::MAX as usize;
/// Samples in one message.
pub(crate) const SAMPLES: usize = 200;

/// The first bytes of a file that are there already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prefix {
    /// How many.
    pub length: u64,
    /// Their blake3 hash, as hexadecimal digits.
    pub blake3: String,
}

/// A message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Message {
    /// Send me a file.
    Get {
        /// The server's token.
        token: String,
        /// The file's name.
        name: String,
        /// What the client has of it.
        have: Option<Prefix>,
        /// Take a sample every so many milliseconds.
        sample_ms: Option<u32>,
    },
    /// Take a file.
    Put {
        /// The server's token.
        token: String,
        /// The file's name.
        name: String,
        /// Bytes of the whole file.
        size: u64,
    },
    /// The bytes of a file follow, up to its end.
    File {
        /// Bytes of the whole file.
        size: u64,
        /// The first byte that follows.
        from: u64,
    },
    /// The server has so much of the file.
    Have(Prefix),
    /// The bytes of the file follow from here, up to its end.
    From {
        /// The first byte that follows.
        from: u64,
    },
    /// The whole file has this hash.
    End {
        /// As hexadecimal digits.
        blake3: String,
    },
    /// The client has all bytes.
    Received,
    /// Samples of the sender, in order.
    Samples(Vec<Sample>),
    /// The whole file has been sent.
    Sent {
        /// The hash of the whole file, as hexadecimal digits.
        blake3: String,
        /// The sender's.
        sender: Statistics,
    },
    /// What the server has now.
    Stored {
        /// Bytes of the file that are stored.
        length: u64,
        /// Whether it is the whole file with the right hash.
        complete: bool,
    },
    /// The server does not do it.
    Refused(String),
}

/// Bytes that are no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Malformed {
    /// Longer than this end takes.
    TooLong(usize),
    /// Not one of the messages.
    Unknown(String),
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong(bytes) => write!(f, "a message of {bytes} bytes"),
            Self::Unknown(why) => write!(f, "an unknown message: {why}"),
        }
    }
}

impl std::error::Error for Malformed {}

impl Message {
    /// The message with its length before it.
    pub fn encoded(&self) -> Vec<u8> {
        let mut bytes = vec![0, 0];
        // Messages have no maps with other keys than texts, the one thing that JSON cannot write.
        let written = serde_json::to_writer(&mut bytes, self);
        debug_assert!(written.is_ok());
        let length = u16::try_from(bytes.len() - 2).unwrap_or(0);
        debug_assert!(length > 0, "messages are short");
        bytes[..2].copy_from_slice(&length.to_be_bytes());
        bytes
    }

    /// Reads the length of a message, of at most `longest` bytes.
    ///
    /// # Errors
    /// If it is longer.
    pub fn length(bytes: [u8; 2], longest: usize) -> Result<usize, Malformed> {
        let length = usize::from(u16::from_be_bytes(bytes));
        if length > longest {
            return Err(Malformed::TooLong(length));
        }
        Ok(length)
    }

    /// Reads what follows the length.
    ///
    /// # Errors
    /// If it is no message.
    pub fn decoded(bytes: &[u8]) -> Result<Self, Malformed> {
        serde_json::from_slice(bytes).map_err(|why| Malformed::Unknown(why.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_its_length_and_json() {
        let from = Message::From { from: 7 };
        let bytes = from.encoded();
        assert_eq!(bytes, b"\x00\x13{\"from\":{\"from\":7}}");
        assert_eq!(Message::length([0, 19], 19), Ok(19));
        assert_eq!(Message::length([0, 19], 18), Err(Malformed::TooLong(19)));
        assert_eq!(Message::decoded(&bytes[2..]), Ok(from));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        for text in [
            "",
            "{}",
            "7",
            r#"{"from":{"from":-1}}"#,
            r#"{"from":{"from":1,"to":2}}"#,
        ] {
            assert!(Message::decoded(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_full_message_of_samples_fits() {
        let sample = Sample {
            at_s: 12_345.678_901_234_567,
            window_bytes: u64::MAX,
            in_flight_bytes: u64::MAX,
            rtt_s: 0.123_456_789_012_345_67,
            srtt_s: 0.123_456_789_012_345_67,
            sent_packets: u64::MAX,
            lost_packets: u64::MAX,
            acked_bytes: u64::MAX,
        };
        let bytes = Message::Samples(vec![sample; SAMPLES]).encoded();
        assert_eq!(
            Message::length([bytes[0], bytes[1]], LONGEST_ANSWER),
            Ok(bytes.len() - 2)
        );
    }
}
