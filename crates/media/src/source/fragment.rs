//! A frame of an encoder, and the packets into which it is cut.

use dumbbell_control::units::Instant;

/// The most packets of a frame. A larger frame is cut off.
pub const MOST_PACKETS: u16 = 1024;

/// A frame as the encoder makes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Its number, from 0.
    pub number: u32,
    /// When it was made, by the sender's clock.
    pub made_at: Instant,
    /// Its size in bytes, at least 1.
    pub bytes: u32,
    /// Whether it can be decoded without the frames before it.
    pub key: bool,
}

/// A packet of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// The number of the frame.
    pub frame: u32,
    /// The packet's place in its frame, from 0.
    pub index: u16,
    /// The packets of the frame, at least 1.
    pub count: u16,
    /// The payload in bytes.
    pub bytes: u16,
    /// Whether the frame is a key frame.
    pub key: bool,
    /// When the frame was made, by the sender's clock.
    pub made_at: Instant,
}

impl Frame {
    /// Returns the number of packets with at most `segment` bytes, at least 1.
    pub fn packets(&self, segment: u16) -> u16 {
        let packets = self.bytes.div_ceil(u32::from(segment.max(1)));
        packets.clamp(1, u32::from(MOST_PACKETS)) as u16
    }

    /// Returns the packets with at most `segment` bytes: as few as possible, the larger ones first.
    pub fn fragments(self, segment: u16) -> impl Iterator<Item = Fragment> {
        let count = self.packets(segment);
        let bytes = self.bytes.min(u32::from(count) * u32::from(segment.max(1)));
        let (each, larger) = (bytes / u32::from(count), bytes % u32::from(count));
        (0..count).map(move |index| {
            let bytes = each + u32::from(u32::from(index) < larger);
            Fragment {
                frame: self.number,
                index,
                count,
                bytes: bytes as u16,
                key: self.key,
                made_at: self.made_at,
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(bytes: u32, segment: u16) -> Vec<u16> {
        let frame = Frame {
            number: 3,
            made_at: Instant::ZERO,
            bytes,
            key: false,
        };
        let fragments: Vec<Fragment> = frame.fragments(segment).collect();
        assert!(
            fragments
                .iter()
                .all(|one| one.count as usize == fragments.len())
        );
        assert!((0..).zip(&fragments).all(|(at, one)| one.index == at));
        fragments.iter().map(|one| one.bytes).collect()
    }

    #[test]
    fn a_frame_is_cut_into_as_few_packets_as_possible() {
        assert_eq!(sizes(1000, 1000), [1000]);
        assert_eq!(sizes(1001, 1000), [501, 500]);
        assert_eq!(sizes(2500, 1000), [834, 833, 833]);
        assert_eq!(sizes(1, 1000), [1]);
        assert_eq!(sizes(9_999_999, 1000), [1000; 1024]);
    }
}
