//! What the first SACK blocks of ACKs have reported.

use core::ops::Range;

/// The first block of an ACK mostly begins like that of the ACK before, and has grown at its end. This remembers the
/// block, so that each segment of it is visited once.
///
/// It relies on two rules of a scoreboard: a SACKed segment stays SACKed while it is above the cumulative ACK, and blocks
/// come without their segments up to there.
#[derive(Clone, Debug, Default)]
pub(super) struct Reported(Range<u64>);

impl Reported {
    /// Returns the segments of a first block that the one before did not have. All of them must then be marked.
    #[inline]
    pub fn unseen(&mut self, block: Range<u64>) -> Range<u64> {
        let Self(before) = self;
        let start = if before.contains(&block.start) {
            before.end
        } else {
            block.start
        };
        let unseen = start..block.end;
        if !unseen.is_empty() {
            *before = block;
        }
        unseen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_visited_where_the_one_before_did_not_reach() {
        let mut reported = Reported::default();
        assert_eq!(reported.unseen(10..12), 10..12);
        assert_eq!(reported.unseen(10..13), 12..13);
        // the cumulative ACK has come up to it
        assert_eq!(reported.unseen(11..15), 13..15);
        assert!(reported.unseen(12..14).is_empty());
        // a filled hole joins it with segments below
        assert_eq!(reported.unseen(8..15), 8..15);
        // a block of its own, and back to the former one
        assert_eq!(reported.unseen(20..21), 20..21);
        assert_eq!(reported.unseen(8..16), 8..16);
        assert!(reported.unseen(30..30).is_empty());
        assert_eq!(reported.unseen(8..17), 16..17);
    }
}
