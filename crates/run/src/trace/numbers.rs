//! Converts segments, which are counted whole, into bytes of a stream.

use dumbbell_scenario::{Size, Tcp};

/// The byte positions of a connection's segments.
#[derive(Clone, Copy, Debug)]
pub(super) struct Numbers {
    /// Bytes of a full segment.
    payload: u64,
    /// The number of segments and of bytes of the whole transfer, if it is finite.
    end: Option<(u64, u64)>,
}

impl Numbers {
    pub(super) fn of(tcp: &Tcp) -> Self {
        let payload = tcp.payload.0;
        Self {
            payload,
            end: match tcp.size {
                Size::Unlimited => None,
                Size::Bytes(bytes) => Some((bytes.0.div_ceil(payload), bytes.0)),
                Size::Segments(segments) => Some((segments, segments * payload)),
            },
        }
    }

    /// Bytes of a full segment.
    pub(super) fn payload(&self) -> u64 {
        self.payload
    }

    /// The number of bytes before segment `seq`.
    pub(super) fn offset(&self, seq: u64) -> u64 {
        match self.end {
            Some((segments, bytes)) if seq >= segments => bytes,
            _ => seq * self.payload,
        }
    }

    /// The number of bytes of segment `seq`.
    pub(super) fn length(&self, seq: u64) -> u64 {
        self.offset(seq + 1) - self.offset(seq)
    }

    /// Whether segment `seq` is the last one.
    pub(super) fn is_last(&self, seq: u64) -> bool {
        self.end.is_some_and(|(segments, _)| seq + 1 == segments)
    }

    /// Whether all segments are below `seq`.
    pub(super) fn is_end(&self, seq: u64) -> bool {
        self.end.is_some_and(|(segments, _)| seq >= segments)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_segment_may_be_short() {
        let numbers = Numbers {
            payload: 1000,
            end: Some((3, 2001)),
        };
        let offsets: Vec<_> = (0..5).map(|seq| numbers.offset(seq)).collect();
        assert_eq!(offsets, [0, 1000, 2000, 2001, 2001]);
        assert_eq!([0, 1, 2].map(|seq| numbers.length(seq)), [1000, 1000, 1]);
        assert_eq!([1, 2].map(|seq| numbers.is_last(seq)), [false, true]);
        assert_eq!([2, 3].map(|seq| numbers.is_end(seq)), [false, true]);
        let endless = Numbers {
            payload: 1460,
            end: None,
        };
        assert_eq!((endless.offset(3), endless.length(3)), (4380, 1460));
        assert!(!endless.is_last(0) && !endless.is_end(u64::MAX));
    }
}
