//! The packets of a stream as bytes. Numbers are big endian.
//!
//! | byte | content |
//! |---|---|
//! | 0 to 7 | the session's number |
//! | 8 | the kind: 1 hello, 2 welcome, 3 frame, 4 feedback, 5 key request, 6 end |
//! | 9 to | hello: the frame interval in ns (8), the segment size (2), 1 for several connections (1) |
//! | | frame: TFRC's header (`dumbbell_tfrc::wire`), the frame's number (4), place (2) and number of packets (2), 1 for a key frame (1), when it was made (8), the payload |
//! | | feedback: that of `dumbbell_tfrc::wire` |

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::source::{Fragment, MOST_PACKETS};
use dumbbell_tfrc::packet::{Data, Feedback};

/// The bytes of a packet of a frame that are not payload, at most.
pub const HEADER: usize = PREFIX + dumbbell_tfrc::wire::DATA_BYTES + FRAGMENT;
const PREFIX: usize = 9;
const FRAGMENT: usize = 17;
/// The intervals of frames that a receiver accepts.
const INTERVALS: std::ops::RangeInclusive<u64> = 1_000_000..=1_000_000_000;

/// A packet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Packet {
    /// The sender begins.
    Hello(Hello),
    /// The receiver is there.
    Welcome,
    /// A part of a frame.
    Frame(Data, Fragment),
    /// A report of the receiver.
    Feedback(Feedback),
    /// The player asks for a key frame.
    KeyRequest,
    /// The sender ends.
    End,
}

/// What a receiver has to know about a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The time between two frames, 1 ms to 1 s.
    pub interval: Duration,
    /// The payload of a full packet in bytes, at least 1.
    pub segment: u16,
    /// Whether the rate control has several connections.
    pub several: bool,
}

impl Packet {
    /// Writes the packet of this session in place of what is in `out`.
    pub fn encode(&self, session: u64, out: &mut Vec<u8>) {
        out.clear();
        out.extend(session.to_be_bytes());
        out.push(self.kind());
        match self {
            Self::Welcome | Self::KeyRequest | Self::End => {}
            Self::Hello(hello) => {
                out.extend(hello.interval.as_nanos().to_be_bytes());
                out.extend(hello.segment.to_be_bytes());
                out.push(u8::from(hello.several));
            }
            Self::Frame(data, fragment) => {
                out.extend(data.encode().as_ref());
                out.extend(fragment.frame.to_be_bytes());
                out.extend(fragment.index.to_be_bytes());
                out.extend(fragment.count.to_be_bytes());
                out.push(u8::from(fragment.key));
                out.extend(fragment.made_at.as_nanos().to_be_bytes());
                out.resize(out.len() + usize::from(fragment.bytes), 0);
            }
            Self::Feedback(feedback) => match feedback.encode() {
                Ok(bytes) => out.extend(bytes.as_ref()),
                // A receiver's own reports are sound; one that is not is not sent.
                Err(_) => out.clear(),
            },
        }
    }

    /// Reads a packet and the number of its session; `None` if it is none.
    pub fn decode(bytes: &[u8]) -> Option<(u64, Self)> {
        let (session, rest) = bytes.split_first_chunk()?;
        let (kind, rest) = rest.split_first()?;
        let packet = match kind {
            1 => Self::Hello(hello(rest)?),
            2 if rest.is_empty() => Self::Welcome,
            3 => frame(rest)?,
            4 => Self::Feedback(Feedback::decode(rest).ok()?),
            5 if rest.is_empty() => Self::KeyRequest,
            6 if rest.is_empty() => Self::End,
            _ => return None,
        };
        Some((u64::from_be_bytes(*session), packet))
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Hello(_) => 1,
            Self::Welcome => 2,
            Self::Frame(..) => 3,
            Self::Feedback(_) => 4,
            Self::KeyRequest => 5,
            Self::End => 6,
        }
    }
}

fn hello(bytes: &[u8]) -> Option<Hello> {
    let (interval, rest) = bytes.split_first_chunk()?;
    let (segment, rest) = rest.split_first_chunk()?;
    let &[several @ 0..=1] = rest else {
        return None;
    };
    let (interval, segment) = (u64::from_be_bytes(*interval), u16::from_be_bytes(*segment));
    let valid = INTERVALS.contains(&interval) && segment > 0;
    valid.then_some(Hello {
        interval: Duration::from_nanos(interval),
        segment,
        several: several == 1,
    })
}

fn frame(bytes: &[u8]) -> Option<Packet> {
    let (data, rest) = Data::decode(bytes).ok()?;
    let (frame, rest) = rest.split_first_chunk()?;
    let (index, rest) = rest.split_first_chunk()?;
    let (count, rest) = rest.split_first_chunk()?;
    let (&key @ 0..=1, rest) = rest.split_first()? else {
        return None;
    };
    let (made, payload) = rest.split_first_chunk()?;
    let (index, count) = (u16::from_be_bytes(*index), u16::from_be_bytes(*count));
    let fragment = Fragment {
        frame: u32::from_be_bytes(*frame),
        index,
        count,
        bytes: u16::try_from(payload.len()).ok()?,
        key: key == 1,
        made_at: Instant::from_nanos(u64::from_be_bytes(*made)),
    };
    let valid = index < count && count <= MOST_PACKETS;
    valid.then_some(Packet::Frame(data, fragment))
}
