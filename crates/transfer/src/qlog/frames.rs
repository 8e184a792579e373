//! The acknowledgements in a packet (RFC 9000, section 19), for qlog.

use serde_json::{Value, json};

/// `ack_delay_exponent` of a peer that does not say otherwise (RFC 9000, section 18.2), as ours do not.
const ACK_DELAY_EXPONENT: u32 = 3;

/// Returns the ACK frames of a packet's content as qlog has them: ranges with their ends, the newest first. It ends at a
/// frame that is not understood.
pub(super) fn acks(content: &[u8]) -> Vec<Value> {
    let mut found = Vec::new();
    let mut reader = Reader(content);
    while let Some(frame) = reader.frame() {
        found.extend(frame);
    }
    found
}

struct Reader<'c>(&'c [u8]);

impl<'c> Reader<'c> {
    fn take(&mut self, length: u64) -> Option<&'c [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    /// A number of variable length (RFC 9000, section 16).
    fn number(&mut self) -> Option<u64> {
        let first = *self.0.first()?;
        let bytes = self.take(1 << (first >> 6))?;
        let number = |so_far, byte: &u8| so_far << 8 | u64::from(*byte);
        Some(bytes[1..].iter().fold(u64::from(first & 0x3f), number))
    }

    fn numbers(&mut self, count: usize) -> Option<()> {
        (0..count).try_for_each(|_| self.number().map(drop))
    }

    /// A length, and as many bytes.
    fn block(&mut self) -> Option<()> {
        let length = self.number()?;
        self.take(length).map(drop)
    }

    /// Reads a frame, and returns it if it is an ACK; `None` at the end, and at a frame that is none.
    fn frame(&mut self) -> Option<Option<Value>> {
        match self.number()? {
            // PADDING, PING, HANDSHAKE_DONE, IMMEDIATE_ACK.
            0x00 | 0x01 | 0x1e | 0x1f => {}
            kind @ (0x02 | 0x03) => {
                let frame = self.ack()?;
                // Counts of ECN.
                self.numbers(if kind == 0x03 { 3 } else { 0 })?;
                return Some(Some(frame));
            }
            // RESET_STREAM, STOP_SENDING.
            0x04 => self.numbers(3)?,
            0x05 => self.numbers(2)?,
            // CRYPTO, NEW_TOKEN.
            0x06 => self.number().and_then(|_| self.block())?,
            0x07 => self.block()?,
            // STREAM: an offset, a length, or all that is left.
            kind @ 0x08..=0x0f => {
                self.numbers(if kind & 4 != 0 { 2 } else { 1 })?;
                match kind & 2 {
                    0 => self.0 = &[],
                    _ => self.block()?,
                }
            }
            // MAX_DATA, MAX_STREAMS, DATA_BLOCKED, STREAMS_BLOCKED, RETIRE_CONNECTION_ID.
            0x10 | 0x12..=0x14 | 0x16 | 0x17 | 0x19 => self.numbers(1)?,
            // MAX_STREAM_DATA, STREAM_DATA_BLOCKED.
            0x11 | 0x15 => self.numbers(2)?,
            // NEW_CONNECTION_ID, with a token.
            0x18 => {
                self.numbers(2)?;
                self.block()?;
                self.take(16)?;
            }
            // PATH_CHALLENGE, PATH_RESPONSE.
            0x1a | 0x1b => self.take(8).map(drop)?,
            // CONNECTION_CLOSE.
            0x1c => self.numbers(2).and_then(|()| self.block())?,
            0x1d => self.numbers(1).and_then(|()| self.block())?,
            _ => return None,
        }
        Some(None)
    }

    /// An ACK after its type (section 19.3).
    fn ack(&mut self) -> Option<Value> {
        let largest = self.number()?;
        let delay_us = self.number()?.saturating_mul(1 << ACK_DELAY_EXPONENT);
        let more = self.number()?;
        let mut start = largest.checked_sub(self.number()?)?;
        let mut ranges = vec![[start, largest]];
        for _ in 0..more {
            let end = start.checked_sub(self.number()?)?.checked_sub(2)?;
            start = end.checked_sub(self.number()?)?;
            ranges.push([start, end]);
        }
        Some(json!({
            "frame_type": "ack",
            "ack_delay": delay_us as f64 / 1e3,
            "acked_ranges": ranges,
        }))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 0x40 0x80 is 128 in two bytes; 125 units of 8 us are a millisecond. Packets 120 to 128 came, 118 and 119 did not.
    #[test]
    fn ranges_are_read_behind_other_frames_with_their_gaps() {
        let content = [
            &[0x00, 0x01][..],                                 // padding, a ping
            &[0x0e, 0x04, 0x08, 0x02, 0xaa, 0xbb],             // two bytes of a stream
            &[0x02, 0x40, 0x80, 0x40, 0x7d, 0x01, 0x08],       // the newest range
            &[0x01, 0x05],                                     // after a gap of two, six packets
            &[0x03, 0x00, 0x00, 0x00, 0x00, 0x01, 0x02, 3],    // packet 0, with counts of ECN
            &[0x08, 0x04, 0x02, 0x02, 0x02, 0x02, 0x02, 0x02], // the rest is a stream's
        ];
        let acks = acks(&content.concat());
        assert_eq!(acks.len(), 2, "{acks:?}");
        assert_eq!(acks[0]["frame_type"], "ack");
        assert_eq!(acks[0]["ack_delay"], 1.0);
        assert_eq!(acks[0]["acked_ranges"], json!([[120, 128], [112, 117]]));
        assert_eq!(acks[1]["acked_ranges"], json!([[0, 0]]));
    }

    #[test]
    fn a_frame_that_is_cut_off_or_unknown_or_impossible_ends_the_list() {
        let whole = [0x02, 0x07, 0x00, 0x00, 0x02];
        for end in 0..whole.len() {
            assert!(acks(&whole[..end]).is_empty(), "{end}");
        }
        assert_eq!(acks(&whole)[0]["acked_ranges"], json!([[5, 7]]));
        assert!(acks(&[&[0x21][..], &whole].concat()).is_empty());
        // Eight packets up to the number 7, and then none before them.
        assert!(acks(&[0x02, 0x07, 0x00, 0x01, 0x07, 0x00, 0x00]).is_empty());
    }

    proptest! {
        #[test]
        fn whatever_comes_is_read(content in prop::collection::vec(any::<u8>(), 0..200)) {
            acks(&content);
        }
    }
}
