//! Reads traces.

use std::collections::BTreeMap;
use std::str::FromStr;

use etherparse::{Ipv4HeaderSlice, TcpHeaderSlice, UdpHeaderSlice};

/// A line of a CSV trace, by column. No name in these tests contains a comma.
pub struct Row(BTreeMap<String, String>);

impl Row {
    /// Returns a field.
    pub fn text(&self, column: &str) -> &str {
        &self.0[column]
    }

    /// Returns a number, or `None` if the field is empty.
    pub fn find<T: FromStr>(&self, column: &str) -> Option<T> {
        let field = self.text(column);
        let number = || {
            field
                .parse()
                .unwrap_or_else(|_| panic!("{column} = {field}"))
        };
        (!field.is_empty()).then(number)
    }

    /// Returns a number that must be present.
    pub fn number<T: FromStr>(&self, column: &str) -> T {
        self.find(column)
            .unwrap_or_else(|| panic!("no {column} in {:?}", self.0))
    }

    /// Returns a time in nanoseconds.
    pub fn nanos(&self, column: &str) -> Option<u64> {
        let field = self.text(column);
        let (seconds, nanos) = field.split_once('.')?;
        assert_eq!(nanos.len(), 9, "{field}");
        let [seconds, nanos]: [u64; 2] = [seconds, nanos].map(|n| n.parse().expect("digits"));
        Some(seconds * 1_000_000_000 + nanos)
    }

    /// Returns the time of the line.
    pub fn time(&self) -> u64 {
        self.nanos("time_s").expect("every line has a time")
    }

    /// The SACK blocks.
    pub fn sack(&self) -> Vec<(u64, u64)> {
        let block = |text: &str| {
            let (start, end) = text.split_once('-').expect("two numbers");
            (start.parse().expect("digits"), end.parse().expect("digits"))
        };
        self.text("sack").split_whitespace().map(block).collect()
    }
}

/// Parses the lines of a CSV trace.
pub fn rows(bytes: &[u8]) -> Vec<Row> {
    let text = std::str::from_utf8(bytes).expect("it is text");
    assert!(text.ends_with('\n'));
    let mut lines = text.lines();
    let columns: Vec<_> = lines.next().expect("a header").split(',').collect();
    let row = |line: &str| {
        let fields: Vec<_> = line.split(',').collect();
        assert_eq!(fields.len(), columns.len(), "{line}");
        let pairs = columns.iter().zip(fields);
        Row(pairs.map(|(c, f)| (c.to_string(), f.to_owned())).collect())
    };
    lines.map(row).collect()
}

/// A packet of a capture.
#[derive(Debug)]
pub struct Frame {
    /// Its time in nanoseconds from the start of the run.
    pub time: u64,
    /// Its length on the wire.
    pub length: usize,
    /// Its bytes, padded with zeros to its length.
    pub bytes: Vec<u8>,
}

impl Frame {
    pub fn ip(&self) -> Ipv4HeaderSlice<'_> {
        Ipv4HeaderSlice::from_slice(&self.bytes).expect("IPv4")
    }

    pub fn tcp(&self) -> TcpHeaderSlice<'_> {
        TcpHeaderSlice::from_slice(&self.bytes[self.ip().slice().len()..]).expect("TCP")
    }

    pub fn udp(&self) -> UdpHeaderSlice<'_> {
        UdpHeaderSlice::from_slice(&self.bytes[20..]).expect("UDP")
    }

    /// Bytes of a TCP segment's payload.
    pub fn payload(&self) -> usize {
        usize::from(self.ip().total_len()) - self.ip().slice().len() - self.tcp().slice().len()
    }

    /// Whether it leaves a sender.
    pub fn leaves(&self) -> bool {
        self.ip().source()[1] < 128
    }
}

fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes[at..at + 4].try_into().expect("four bytes");
    u32::from_le_bytes(word)
}

/// Parses the packets of a capture.
pub fn frames(capture: &[u8]) -> Vec<Frame> {
    assert_eq!(word(capture, 0), 0xa1b2_3c4d, "nanoseconds");
    assert_eq!(word(capture, 4), 4 << 16 | 2);
    assert_eq!((word(capture, 8), word(capture, 12)), (0, 0));
    assert_eq!(word(capture, 20), 101, "IP without a link's header");
    let most = word(capture, 16) as usize;
    let mut rest = &capture[24..];
    let mut frames = Vec::new();
    while !rest.is_empty() {
        let [seconds, nanos, stored, length] = [0, 4, 8, 12].map(|at| word(rest, at) as usize);
        assert!(nanos < 1_000_000_000 && stored <= length && stored <= most);
        let mut bytes = rest[16..16 + stored].to_vec();
        let total = usize::from(u16::from_be_bytes([bytes[2], bytes[3]]));
        assert!(stored <= total && total <= length);
        bytes.resize(total, 0);
        frames.push(Frame {
            time: (seconds as u64 - 1_000_000_000) * 1_000_000_000 + nanos as u64,
            length,
            bytes,
        });
        rest = &rest[16 + stored..];
    }
    frames
}
