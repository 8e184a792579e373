//! The packets of a stream as bytes. Numbers are big endian.
//!
//! | byte | content |
//! |---|---|
//! | 0 to 7 | the session's number |
//! | 8 | the kind: 1 hello, 2 welcome, 3 frame, 4 feedback, 5 key request, 6 end, 7 numbered frame, 8 report, 9 padding |
//! | 9 to | hello: the frame interval in ns (8), the segment size (2), what the receiver answers (1): 0 TFRC's feedback, 1 that of several connections, 2 reports by the rate, 3 reports at an interval in ns, which follows (8) |
//! | | frame: TFRC's header (`dumbbell_tfrc::wire`), the frame's number (4), place (2) and number of packets (2), 1 for a key frame (1), when it was made (8), the payload |
//! | | feedback: that of `dumbbell_tfrc::wire` |
//! | | numbered frame: an RTP header (`dumbbell_media::wire`), and all that a frame has after TFRC's |
//! | | report: that of RFC 8888 (`dumbbell_media::wire`) |
//! | | padding: an RTP header, zeros |
//!
//! The RTP header has the payload type 96, the marker on a frame's last packet, and the time at which the frame was made
//! by a clock of 90 kHz; that of padding has neither. The SSRC of the stream is the lower half of the session's number, that of the reports' sender the
//! upper half.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::feedback::{Feedback as Report, Interval};
use dumbbell_media::source::{Fragment, MOST_PACKETS};
use dumbbell_media::wire::{RTP_BYTES, Rtp};
use dumbbell_tfrc::packet::{Data, Feedback};

/// The bytes of a packet of a frame that are not payload, at most: those with TFRC's header.
pub const HEADER: usize = PREFIX + dumbbell_tfrc::wire::DATA_BYTES + FRAGMENT;
/// The bytes of a packet of a numbered frame that are not payload.
pub const NUMBERED_HEADER: usize = PREFIX + RTP_BYTES + FRAGMENT;
const PREFIX: usize = 9;
const FRAGMENT: usize = 17;
/// The intervals of frames that a receiver accepts.
const INTERVALS: std::ops::RangeInclusive<u64> = 1_000_000..=1_000_000_000;
/// The intervals of reports that a receiver accepts.
const REPORTS: std::ops::RangeInclusive<u64> = 1_000_000..=60_000_000_000;
/// The first payload type without a fixed meaning (RFC 3551, section 6).
const PAYLOAD_TYPE: u8 = 96;

/// A packet.
#[derive(Clone, Debug, PartialEq)]
pub enum Packet {
    /// The sender begins.
    Hello(Hello),
    /// The receiver is there.
    Welcome,
    /// A part of a frame at the rate of TFRC or a variant.
    Frame(Data, Fragment),
    /// What TFRC's receiver says.
    Feedback(Feedback),
    /// The player asks for a key frame.
    KeyRequest,
    /// The sender ends.
    End,
    /// A part of a frame with its number modulo 2^16.
    Numbered(u16, Fragment),
    /// What became of numbered packets.
    Report(Report),
    /// A packet without content, with its number and its payload in bytes: a probe of the path.
    Padding(u16, u16),
}

/// What a receiver has to know about a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The time between two frames, 1 ms to 1 s.
    pub interval: Duration,
    /// The payload of a full packet in bytes, at least 1.
    pub segment: u16,
    /// What the receiver answers.
    pub answer: Answer,
}

/// What a receiver answers to packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// TFRC's feedback.
    One,
    /// TFRC's feedback for several connections.
    Several,
    /// Reports on each packet (RFC 8888); a fixed interval has 1 ms to 60 s.
    Each(Interval),
}

impl Packet {
    /// Writes the packet of this session in place of what is in `out`.
    pub fn encode(&self, session: u64, out: &mut Vec<u8>) {
        if let Self::Report(report) = self {
            return encode_report(report, session, out);
        }
        out.clear();
        out.extend(session.to_be_bytes());
        out.push(self.kind());
        match self {
            Self::Welcome | Self::KeyRequest | Self::End | Self::Report(_) => {}
            Self::Hello(hello) => hello.encode(out),
            Self::Frame(data, fragment) => {
                out.extend(data.encode().as_ref());
                encode_fragment(fragment, out);
            }
            Self::Numbered(number, fragment) => {
                out.extend(rtp(session, *number, fragment).encode());
                encode_fragment(fragment, out);
            }
            Self::Padding(number, length) => {
                out.extend(padding(session, *number).encode());
                out.resize(out.len() + usize::from(*length), 0);
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
        let session = u64::from_be_bytes(*session);
        let (kind, rest) = rest.split_first()?;
        let packet = match kind {
            1 => Self::Hello(Hello::decode(rest)?),
            2 if rest.is_empty() => Self::Welcome,
            3 => {
                let (data, rest) = Data::decode(rest).ok()?;
                Self::Frame(data, decode_fragment(rest)?)
            }
            4 => Self::Feedback(Feedback::decode(rest).ok()?),
            5 if rest.is_empty() => Self::KeyRequest,
            6 if rest.is_empty() => Self::End,
            7 => {
                let (header, rest) = Rtp::decode(rest).ok()?;
                let fragment = decode_fragment(rest)?;
                let known = header == rtp(session, header.sequence, &fragment);
                known.then_some(Self::Numbered(header.sequence, fragment))?
            }
            8 => {
                let mut report = Report::default();
                let by = report.decode(lower(session), rest).ok()?;
                (by == upper(session)).then_some(Self::Report(report))?
            }
            9 => {
                let (header, rest) = Rtp::decode(rest).ok()?;
                let known = header == padding(session, header.sequence)
                    && rest.iter().all(|byte| *byte == 0);
                let length = u16::try_from(rest.len()).ok().filter(|_| known)?;
                Self::Padding(header.sequence, length)
            }
            _ => return None,
        };
        Some((session, packet))
    }

    fn kind(&self) -> u8 {
        match self {
            Self::Hello(_) => 1,
            Self::Welcome => 2,
            Self::Frame(..) => 3,
            Self::Feedback(_) => 4,
            Self::KeyRequest => 5,
            Self::End => 6,
            Self::Numbered(..) => 7,
            Self::Report(_) => REPORT,
            Self::Padding(..) => 9,
        }
    }
}

const REPORT: u8 = 8;

/// Writes a report as a packet of this session, in place of what is in `out`.
pub(crate) fn encode_report(report: &Report, session: u64, out: &mut Vec<u8>) {
    out.clear();
    out.extend(session.to_be_bytes());
    out.push(REPORT);
    // A receiver's own reports are short; one that is too long is not sent.
    if report.encode(upper(session), lower(session), out).is_err() {
        out.clear();
    }
}

fn upper(session: u64) -> u32 {
    (session >> 32) as u32
}

fn lower(session: u64) -> u32 {
    session as u32
}

/// The header of a packet.
fn rtp(session: u64, sequence: u16, fragment: &Fragment) -> Rtp {
    Rtp {
        marker: fragment.index + 1 == fragment.count,
        payload_type: PAYLOAD_TYPE,
        sequence,
        timestamp: (u128::from(fragment.made_at.as_nanos()) * 9 / 100_000) as u32,
        ssrc: lower(session),
    }
}

/// The header of a packet without content.
fn padding(session: u64, sequence: u16) -> Rtp {
    Rtp {
        marker: false,
        payload_type: PAYLOAD_TYPE,
        sequence,
        timestamp: 0,
        ssrc: lower(session),
    }
}

impl Hello {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.interval.as_nanos().to_be_bytes());
        out.extend(self.segment.to_be_bytes());
        match self.answer {
            Answer::One => out.push(0),
            Answer::Several => out.push(1),
            Answer::Each(Interval::ByRate) => out.push(2),
            Answer::Each(Interval::Fixed(span)) => {
                out.push(3);
                out.extend(span.as_nanos().to_be_bytes());
            }
        }
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (interval, rest) = bytes.split_first_chunk()?;
        let (segment, rest) = rest.split_first_chunk()?;
        let answer = match rest {
            [0] => Answer::One,
            [1] => Answer::Several,
            [2] => Answer::Each(Interval::ByRate),
            [3, span @ ..] => {
                let span = u64::from_be_bytes(span.try_into().ok()?);
                let fixed = Interval::Fixed(Duration::from_nanos(span));
                REPORTS.contains(&span).then_some(Answer::Each(fixed))?
            }
            _ => return None,
        };
        let (interval, segment) = (u64::from_be_bytes(*interval), u16::from_be_bytes(*segment));
        let valid = INTERVALS.contains(&interval) && segment > 0;
        valid.then_some(Self {
            interval: Duration::from_nanos(interval),
            segment,
            answer,
        })
    }
}

fn encode_fragment(fragment: &Fragment, out: &mut Vec<u8>) {
    out.extend(fragment.frame.to_be_bytes());
    out.extend(fragment.index.to_be_bytes());
    out.extend(fragment.count.to_be_bytes());
    out.push(u8::from(fragment.key));
    out.extend(fragment.made_at.as_nanos().to_be_bytes());
    out.resize(out.len() + usize::from(fragment.bytes), 0);
}

fn decode_fragment(bytes: &[u8]) -> Option<Fragment> {
    let (frame, rest) = bytes.split_first_chunk()?;
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
    valid.then_some(fragment)
}
