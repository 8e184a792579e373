//! A byte format for packets. RFC 5348 leaves the format to the transport. This one is short, has a
//! fixed size except for optional fields, and is exact: whatever can be encoded is decoded to the same
//! value. Numbers are big endian, times are in nanoseconds, and rates are IEEE 754 doubles.
//!
//! | byte | feedback | byte | data |
//! |---|---|---|---|
//! | 0 | 0xF5 | 0 | 0xDA |
//! | 1 | flags: 1 the wireless rate is present | 1 | flags: 1 the round-trip time is present, 2 urgent |
//! | 2 to 5 | connection | 2 to 5 | connection |
//! | 6 to 13 | t_recvdata | 6 to 13 | sequence number |
//! | 14 to 21 | t_delay | 14 to 21 | sending time |
//! | 22 to 29 | X_recv | 22 to 25 | round |
//! | 30 to 37 | p | 26 to 33 | round-trip time, if present |
//! | 38 to 41 | loss events | | |
//! | 42 to 49 | p of the wireless link, if present | | |
//!
//! Feedback is a complete packet: further bytes are an error. Data is a header: the bytes after it are
//! the content.
//!
//! ```
//! use dumbbell_tfrc::packet::Data;
//!
//! let data = Data { seq: 7, ..Data::default() };
//! let mut packet = data.encode().as_ref().to_vec();
//! packet.extend(b"a frame");
//! assert_eq!(Data::decode(&packet), Ok((data, &b"a frame"[..])));
//! ```

use core::fmt;

use dumbbell_control::units::{Duration, Instant};

use crate::packet::{Data, Feedback};

/// The largest size of feedback, in bytes.
pub const FEEDBACK_BYTES: usize = 50;
/// The largest size of the header of a data packet, in bytes.
pub const DATA_BYTES: usize = 34;

const FEEDBACK: u8 = 0xf5;
const DATA: u8 = 0xda;
const FOLLOWS: u8 = 1;
const URGENT: u8 = 2;

/// Why bytes are not a valid packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// There are too few or too many bytes.
    Length {
        /// The number of bytes.
        found: usize,
        /// The expected number of bytes.
        expected: usize,
    },
    /// The first byte is that of another kind of packet.
    Kind(u8),
    /// An unknown flag is set.
    Flags(u8),
    /// A rate is NaN, infinite, or negative.
    Rate,
    /// A loss event rate is not between 0 and 1.
    LossEventRate,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { found, expected } => {
                write!(f, "the packet has {found} bytes instead of {expected}")
            }
            Self::Kind(kind) => write!(f, "the packet is of the unknown kind {kind:#04x}"),
            Self::Flags(flags) => write!(f, "the packet has unknown flags: {flags:#04x}"),
            Self::Rate => write!(f, "the receive rate is not a finite number from 0 on"),
            Self::LossEventRate => write!(f, "the loss event rate is not between 0 and 1"),
        }
    }
}

impl core::error::Error for WireError {}

/// The bytes of a packet, stored without heap allocation.
#[derive(Clone, Copy, Debug)]
pub struct Encoded<const N: usize> {
    bytes: [u8; N],
    length: usize,
}

impl<const N: usize> Encoded<N> {
    const fn new() -> Self {
        Self {
            bytes: [0; N],
            length: 0,
        }
    }

    fn push<const M: usize>(&mut self, bytes: [u8; M]) {
        self.bytes[self.length..self.length + M].copy_from_slice(&bytes);
        self.length += M;
    }
}

impl<const N: usize> AsRef<[u8]> for Encoded<N> {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

impl Feedback {
    /// Encodes the packet as bytes.
    ///
    /// # Errors
    /// If a rate is invalid, so that [`decode`](Self::decode) would reject it.
    pub fn encode(&self) -> Result<Encoded<FEEDBACK_BYTES>, WireError> {
        self.check()?;
        let mut out = Encoded::new();
        out.push([FEEDBACK, u8::from(self.p_wireless.is_some()) * FOLLOWS]);
        out.push(self.connection.to_be_bytes());
        out.push(self.t_recvdata.as_nanos().to_be_bytes());
        out.push(self.t_delay.as_nanos().to_be_bytes());
        out.push(self.x_recv.to_be_bytes());
        out.push(self.p.to_be_bytes());
        out.push(self.loss_events.to_be_bytes());
        if let Some(p) = self.p_wireless {
            out.push(p.to_be_bytes());
        }
        Ok(out)
    }

    /// Decodes a packet from its bytes.
    ///
    /// # Errors
    /// If the bytes are not a valid feedback packet.
    pub fn decode(bytes: &[u8]) -> Result<Self, WireError> {
        let mut input = Input::new(bytes, FEEDBACK, FOLLOWS, |flags| {
            FEEDBACK_BYTES - if flags & FOLLOWS == 0 { 8 } else { 0 }
        })?;
        if bytes.len() != input.length {
            return Err(WireError::Length {
                found: bytes.len(),
                expected: input.length,
            });
        }
        let feedback = Self {
            connection: u32::from_be_bytes(input.take()),
            t_recvdata: Instant::from_nanos(u64::from_be_bytes(input.take())),
            t_delay: Duration::from_nanos(u64::from_be_bytes(input.take())),
            x_recv: f64::from_be_bytes(input.take()),
            p: f64::from_be_bytes(input.take()),
            loss_events: u32::from_be_bytes(input.take()),
            p_wireless: (input.flags & FOLLOWS != 0).then(|| f64::from_be_bytes(input.take())),
        };
        feedback.check()?;
        Ok(feedback)
    }

    fn check(&self) -> Result<(), WireError> {
        if !self.x_recv.is_finite() || self.x_recv.is_sign_negative() {
            return Err(WireError::Rate);
        }
        let is_rate = |p: f64| p <= 1.0 && p.is_sign_positive();
        if !is_rate(self.p) || self.p_wireless.is_some_and(|p| !is_rate(p)) {
            return Err(WireError::LossEventRate);
        }
        Ok(())
    }
}

impl Data {
    /// Encodes the header as bytes.
    pub fn encode(&self) -> Encoded<DATA_BYTES> {
        let mut out = Encoded::new();
        let follows = u8::from(self.rtt.is_some()) * FOLLOWS;
        out.push([DATA, follows | (u8::from(self.urgent) * URGENT)]);
        out.push(self.connection.to_be_bytes());
        out.push(self.seq.to_be_bytes());
        out.push(self.sent_at.as_nanos().to_be_bytes());
        out.push(self.round.to_be_bytes());
        if let Some(rtt) = self.rtt {
            out.push(rtt.as_nanos().to_be_bytes());
        }
        out
    }

    /// Decodes the header at the beginning of the bytes; returns it with the bytes that follow it.
    ///
    /// # Errors
    /// If the bytes do not begin with a valid header.
    pub fn decode(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let mut input = Input::new(bytes, DATA, FOLLOWS | URGENT, |flags| {
            DATA_BYTES - if flags & FOLLOWS == 0 { 8 } else { 0 }
        })?;
        let data = Self {
            connection: u32::from_be_bytes(input.take()),
            seq: u64::from_be_bytes(input.take()),
            sent_at: Instant::from_nanos(u64::from_be_bytes(input.take())),
            round: u32::from_be_bytes(input.take()),
            rtt: (input.flags & FOLLOWS != 0)
                .then(|| Duration::from_nanos(u64::from_be_bytes(input.take()))),
            urgent: input.flags & URGENT != 0,
        };
        Ok((data, &bytes[input.length..]))
    }
}

/// The bytes of a packet whose length has been checked.
struct Input<'a> {
    flags: u8,
    length: usize,
    rest: &'a [u8],
}

impl<'a> Input<'a> {
    /// Checks a packet of this kind with these known flags; `length` returns the packet's length for its
    /// flags.
    fn new(
        bytes: &'a [u8],
        kind: u8,
        known: u8,
        length: impl Fn(u8) -> usize,
    ) -> Result<Self, WireError> {
        let &[found, flags, ref rest @ ..] = bytes else {
            return Err(WireError::Length {
                found: bytes.len(),
                expected: length(0),
            });
        };
        if found != kind {
            return Err(WireError::Kind(found));
        }
        if flags & !known != 0 {
            return Err(WireError::Flags(flags));
        }
        let length = length(flags);
        if bytes.len() < length {
            return Err(WireError::Length {
                found: bytes.len(),
                expected: length,
            });
        }
        Ok(Self {
            flags,
            length,
            rest,
        })
    }

    fn take<const N: usize>(&mut self) -> [u8; N] {
        let mut taken = [0; N];
        if let Some((first, rest)) = self.rest.split_first_chunk() {
            taken = *first;
            self.rest = rest;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn feedback() -> Feedback {
        Feedback {
            connection: 0x0102_0304,
            t_recvdata: Instant::from_nanos(0x1112_1314_1516_1718),
            t_delay: Duration::from_nanos(0x2122_2324_2526_2728),
            x_recv: 1.0,
            p: 0.5,
            p_wireless: None,
            loss_events: 0x3132_3334,
        }
    }

    #[test]
    fn the_bytes_of_feedback() {
        let bytes = feedback().encode().unwrap();
        let expected = [
            0xf5, 0, 1, 2, 3, 4, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x21, 0x22, 0x23,
            0x24, 0x25, 0x26, 0x27, 0x28, 0x3f, 0xf0, 0, 0, 0, 0, 0, 0, 0x3f, 0xe0, 0, 0, 0, 0, 0,
            0, 0x31, 0x32, 0x33, 0x34,
        ];
        assert_eq!(bytes.as_ref(), expected);
        let wireless = Feedback {
            p_wireless: Some(0.25),
            ..feedback()
        };
        let bytes = wireless.encode().unwrap();
        assert_eq!(bytes.as_ref().len(), FEEDBACK_BYTES);
        assert_eq!(bytes.as_ref()[42..], [0x3f, 0xd0, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn invalid_feedback_is_rejected() {
        let good = feedback().encode().unwrap();
        let good = good.as_ref();
        let length = |found, expected| Err(WireError::Length { found, expected });
        for end in 0..good.len() {
            assert_eq!(Feedback::decode(&good[..end]), length(end, 42));
        }
        let longer = [good, &[0]].concat();
        assert_eq!(Feedback::decode(&longer), length(43, 42));
        let with = |at: usize, bytes: &[u8]| {
            let mut changed = good.to_vec();
            changed[at..at + bytes.len()].copy_from_slice(bytes);
            Feedback::decode(&changed)
        };
        assert_eq!(with(0, &[DATA]), Err(WireError::Kind(DATA)));
        assert_eq!(with(1, &[2]), Err(WireError::Flags(2)));
        assert_eq!(with(1, &[1]), length(42, 50));
        for rate in [f64::NAN, f64::INFINITY, -1.0, -0.0] {
            assert_eq!(with(22, &rate.to_be_bytes()), Err(WireError::Rate));
        }
        for p in [f64::NAN, f64::INFINITY, -0.0, 1.000_001] {
            let error = Err(WireError::LossEventRate);
            assert_eq!(with(30, &p.to_be_bytes()), error);
            let wireless = Feedback {
                p_wireless: Some(p),
                ..feedback()
            };
            assert_eq!(wireless.encode().err(), error.err());
        }
    }

    #[test]
    fn errors_describe_what_is_wrong() {
        let error = Feedback::decode(&[0xf5]).unwrap_err();
        assert_eq!(error.to_string(), "the packet has 1 bytes instead of 42");
        let error = Data::decode(&[7, 7]).unwrap_err();
        assert_eq!(error.to_string(), "the packet is of the unknown kind 0x07");
    }

    proptest! {
        #[test]
        fn feedback_survives_encoding_and_decoding(
            connection: u32,
            times: (u64, u64),
            x_recv in 0.0..1e300,
            p in 0.0..=1.0,
            p_wireless in proptest::option::of(0.0..=1.0),
            loss_events: u32,
        ) {
            let feedback = Feedback {
                connection,
                t_recvdata: Instant::from_nanos(times.0),
                t_delay: Duration::from_nanos(times.1),
                x_recv,
                p,
                p_wireless,
                loss_events,
            };
            let bytes = feedback.encode().unwrap();
            prop_assert_eq!(Feedback::decode(bytes.as_ref()), Ok(feedback));
        }

        #[test]
        fn data_survives_encoding_and_decoding(
            connection: u32,
            seq: u64,
            sent_at: u64,
            rtt in proptest::option::of(any::<u64>()),
            round: u32,
            urgent: bool,
            content: Vec<u8>,
        ) {
            let data = Data {
                connection,
                seq,
                sent_at: Instant::from_nanos(sent_at),
                rtt: rtt.map(Duration::from_nanos),
                round,
                urgent,
            };
            let bytes = [data.encode().as_ref(), &content].concat();
            prop_assert_eq!(Data::decode(&bytes), Ok((data, &content[..])));
        }

        #[test]
        fn decoded_packets_encode_to_the_same_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(feedback) = Feedback::decode(&bytes) {
                let encoded = feedback.encode().unwrap();
                prop_assert_eq!(encoded.as_ref(), &bytes[..]);
            }
            if let Ok((data, rest)) = Data::decode(&bytes) {
                let encoded = [data.encode().as_ref(), rest].concat();
                prop_assert_eq!(encoded, bytes);
            }
        }
    }
}
