//! Packets as bytes: RTP headers (RFC 3550, section 5.1) and reports (RFC 8888, section 3.1). Numbers are big endian.
//!
//! A report is an RTCP packet with one report block:
//!
//! | byte | content |
//! |---|---|
//! | 0 | 0x8B: version 2, no padding, FMT 11 |
//! | 1 | 205 |
//! | 2 to 3 | the packet's 32-bit words, less one |
//! | 4 to 7 | the SSRC of the report's sender |
//! | 8 to 11 | the SSRC of the stream |
//! | 12 to 13 | begin_seq |
//! | 14 to 15 | num_reports, the number of metrics |
//! | 16 on | the metrics, 16 bits each, and 16 zero bits if their number is odd |
//! | last 4 | the report's time |
//!
//! *Reading*: section 3.1 says that the metrics are of the packets "begin_seq to begin_seq+num_reports inclusive", which
//! would be one more than `num_reports`, and that a `num_reports` of 0 means that there are none. As other
//! implementations do, we take `num_reports` for the number.

use core::fmt;

use crate::feedback::{Feedback, MOST_ALLOWED, Metric};

/// The size of an RTP header without a list of contributors, in bytes.
pub const RTP_BYTES: usize = 12;

/// An RTP header of ours: version 2, no padding, no extension, no contributors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rtp {
    /// Whether the packet is the last one of a frame.
    pub marker: bool,
    /// The payload type, below 128.
    pub payload_type: u8,
    /// The sequence number, modulo 2^16.
    pub sequence: u16,
    /// The media time.
    pub timestamp: u32,
    /// The stream.
    pub ssrc: u32,
}

/// Why bytes are not a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// There are too few or too many bytes.
    Length(usize),
    /// The first byte is not that of version 2 with what is supported.
    Version(u8),
    /// It is another RTCP packet.
    Kind(u8),
    /// It is a report on another stream.
    Stream(u32),
    /// There are more than 16,384 metrics.
    Metrics(usize),
    /// The padding is not zero, or the bits of a packet that is missing are not.
    Padding,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(found) => {
                write!(f, "{found} bytes are not a packet: its length does not fit")
            }
            Self::Version(found) => write!(f, "the packet begins with {found:#04x}"),
            Self::Kind(found) => write!(f, "the packet is of the unknown type {found}"),
            Self::Stream(found) => write!(f, "the report is on the stream {found:#010x}"),
            Self::Metrics(found) => write!(f, "the report has {found} metrics, more than 16384"),
            Self::Padding => write!(f, "bits that must be zero are not"),
        }
    }
}

impl core::error::Error for WireError {}

impl Rtp {
    /// Returns the header's bytes.
    pub fn encode(&self) -> [u8; RTP_BYTES] {
        let [s0, s1] = self.sequence.to_be_bytes();
        let [t0, t1, t2, t3] = self.timestamp.to_be_bytes();
        let [i0, i1, i2, i3] = self.ssrc.to_be_bytes();
        let kind = self.payload_type & 0x7f | u8::from(self.marker) << 7;
        [0x80, kind, s0, s1, t0, t1, t2, t3, i0, i1, i2, i3]
    }

    /// Reads a header; returns it with the bytes that follow.
    ///
    /// # Errors
    /// If the bytes do not begin with a header of this kind.
    pub fn decode(bytes: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let Some((&head, rest)) = bytes.split_first_chunk() else {
            return Err(WireError::Length(bytes.len()));
        };
        let [first, kind, s0, s1, t0, t1, t2, t3, i0, i1, i2, i3]: [u8; RTP_BYTES] = head;
        if first != 0x80 {
            return Err(WireError::Version(first));
        }
        let header = Self {
            marker: kind & 0x80 != 0,
            payload_type: kind & 0x7f,
            sequence: u16::from_be_bytes([s0, s1]),
            timestamp: u32::from_be_bytes([t0, t1, t2, t3]),
            ssrc: u32::from_be_bytes([i0, i1, i2, i3]),
        };
        Ok((header, rest))
    }
}

impl Feedback {
    /// Appends the report's bytes. `by` is the SSRC of its sender, `on` that of the stream.
    ///
    /// # Errors
    /// If it has more metrics than a report may have.
    pub fn encode(&self, by: u32, on: u32, out: &mut Vec<u8>) -> Result<(), WireError> {
        if self.metrics.len() > MOST_ALLOWED {
            return Err(WireError::Metrics(self.metrics.len()));
        }
        let words = self.bytes() / 4 - 1;
        out.extend([0x8b, 205]);
        out.extend((words as u16).to_be_bytes());
        out.extend(by.to_be_bytes());
        out.extend(on.to_be_bytes());
        out.extend(self.begin.to_be_bytes());
        out.extend((self.metrics.len() as u16).to_be_bytes());
        for metric in &self.metrics {
            out.extend(metric.bits().to_be_bytes());
        }
        if self.metrics.len() % 2 == 1 {
            out.extend([0, 0]);
        }
        out.extend(self.reported_at.to_be_bytes());
        Ok(())
    }

    /// Reads a report on the stream `on` into `self`, whose room it uses again; returns the SSRC of its sender.
    ///
    /// # Errors
    /// If the bytes are not one report on that stream. `self` is then unchanged.
    pub fn decode(&mut self, on: u32, bytes: &[u8]) -> Result<u32, WireError> {
        let length = Err(WireError::Length(bytes.len()));
        let Some((
            &[
                first,
                kind,
                w0,
                w1,
                b0,
                b1,
                b2,
                b3,
                o0,
                o1,
                o2,
                o3,
                s0,
                s1,
                n0,
                n1,
            ],
            rest,
        )) = bytes.split_first_chunk()
        else {
            return length;
        };
        if first != 0x8b {
            return Err(WireError::Version(first));
        }
        if kind != 205 {
            return Err(WireError::Kind(kind));
        }
        let stream = u32::from_be_bytes([o0, o1, o2, o3]);
        if stream != on {
            return Err(WireError::Stream(stream));
        }
        let metrics = usize::from(u16::from_be_bytes([n0, n1]));
        if metrics > MOST_ALLOWED {
            return Err(WireError::Metrics(metrics));
        }
        let words = usize::from(u16::from_be_bytes([w0, w1]));
        let expected = 20 + 2 * metrics.next_multiple_of(2);
        if bytes.len() != expected || 4 * (words + 1) != expected {
            return length;
        }
        let (blocks, time) = rest.split_at(rest.len() - 4);
        let (pairs, padding) = blocks.split_at(2 * metrics);
        let missing = |pair: &[u8]| pair[0] < 0x80 && pair != [0, 0];
        if padding.iter().any(|&byte| byte != 0) || pairs.chunks_exact(2).any(missing) {
            return Err(WireError::Padding);
        }
        self.begin = u16::from_be_bytes([s0, s1]);
        self.reported_at = time.iter().fold(0, |sum, &byte| sum << 8 | u32::from(byte));
        self.metrics.clear();
        let bits = pairs
            .chunks_exact(2)
            .map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
        self.metrics.extend(bits.map(Metric::from_bits));
        Ok(u32::from_be_bytes([b0, b1, b2, b3]))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::control::Ecn;

    fn report() -> Feedback {
        Feedback {
            reported_at: 0x0102_0304,
            begin: 0xfffe,
            metrics: vec![
                Metric::received(Ecn::Ce, Some(512)),
                Metric::MISSING,
                Metric::received(Ecn::NotEct, None),
            ],
        }
    }

    /// Figure 1 of RFC 8888, by hand: 28 bytes are 7 words, less one.
    #[test]
    fn the_bytes_of_a_report() {
        let mut bytes = Vec::new();
        report()
            .encode(0x1112_1314, 0x2122_2324, &mut bytes)
            .unwrap();
        let expected = [
            0x8b, 0xcd, 0, 6, 0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24, 0xff, 0xfe, 0, 3,
            0xe2, 0, 0, 0, 0x9f, 0xff, 0, 0, 1, 2, 3, 4,
        ];
        assert_eq!(bytes, expected);
        assert_eq!(bytes.len(), report().bytes());
    }

    #[test]
    fn other_bytes_are_refused_and_change_nothing() {
        let mut good = Vec::new();
        report().encode(1, 2, &mut good).unwrap();
        let mut read = Feedback::default();
        for end in 0..good.len() {
            assert_eq!(read.decode(2, &good[..end]), Err(WireError::Length(end)));
        }
        let mut with = |at: usize, byte: u8| {
            let mut changed = good.clone();
            changed[at] = byte;
            read.decode(2, &changed)
        };
        assert_eq!(with(0, 0xab), Err(WireError::Version(0xab)));
        assert_eq!(with(1, 206), Err(WireError::Kind(206)));
        assert_eq!(with(3, 7), Err(WireError::Length(28)));
        assert_eq!(with(11, 3), Err(WireError::Stream(3)));
        assert_eq!(with(14, 0x80), Err(WireError::Metrics(0x8003)));
        assert_eq!(with(15, 5), Err(WireError::Length(28)));
        assert_eq!(with(18, 1), Err(WireError::Padding));
        assert_eq!(with(23, 1), Err(WireError::Padding));
        assert_eq!(read, Feedback::default());
        assert_eq!(read.decode(2, &good), Ok(1));
        assert_eq!(read, report());
    }

    #[test]
    fn the_bytes_of_a_header() {
        let header = Rtp {
            marker: true,
            payload_type: 96,
            sequence: 0x0102,
            timestamp: 0x1112_1314,
            ssrc: 0x2122_2324,
        };
        let bytes = [
            0x80, 0xe0, 1, 2, 0x11, 0x12, 0x13, 0x14, 0x21, 0x22, 0x23, 0x24,
        ];
        assert_eq!(header.encode(), bytes);
        let packet = [&bytes[..], b"frame"].concat();
        assert_eq!(Rtp::decode(&packet), Ok((header, &b"frame"[..])));
        assert_eq!(Rtp::decode(&bytes[..11]), Err(WireError::Length(11)));
        assert_eq!(Rtp::decode(&[0x90; 12]), Err(WireError::Version(0x90)));
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_as_the_same_bytes(
            metrics in proptest::collection::vec(any::<u16>(), 0..40),
            noise in proptest::collection::vec((0_usize..100, any::<u8>()), 0..3),
            begin: u16,
            reported_at: u32,
        ) {
            let metrics = metrics.into_iter().map(Metric::from_bits).collect();
            let report = Feedback { reported_at, begin, metrics };
            let mut bytes = Vec::new();
            report.encode(7, 9, &mut bytes).unwrap();
            let mut read = Feedback::default();
            prop_assert_eq!(read.decode(9, &bytes), Ok(7));
            prop_assert_eq!(&read, &report);
            let length = bytes.len();
            for (at, byte) in noise {
                bytes[at % length] = byte;
            }
            if let Ok(by) = read.decode(9, &bytes) {
                let mut again = Vec::new();
                read.encode(by, 9, &mut again).unwrap();
                prop_assert_eq!(again, bytes);
            }
        }
    }
}
