//! The far end of a link that retransmits, where packets wait for those before them.

use std::collections::VecDeque;

/// What has become of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is under way.
    Open,
    /// It has arrived, or will at this time.
    Arrived { index: u32, due: u64 },
    /// It will not arrive, as is known at the far end at this time.
    Gone { due: u64 },
}

/// The packets from the first one that has not been settled on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Resequencer {
    fates: VecDeque<Fate>,
    /// The number of the first of them.
    first: u64,
    /// When the last packet left.
    last: u64,
    /// How many of them have arrived.
    held: usize,
}

impl Resequencer {
    /// A new packet is sent.
    pub fn expect(&mut self) {
        self.fates.push_back(Fate::Open);
    }

    /// Notes the fate of the packet with this number.
    pub fn settle(&mut self, number: u64, fate: Fate) {
        self.held += usize::from(matches!(fate, Fate::Arrived { .. }));
        if let Some(entry) = self.fates.get_mut((number - self.first) as usize) {
            *entry = fate;
        }
    }

    /// Takes out the next packet that leaves, and returns its index and when it leaves: not before the one
    /// before it, and not before those between them were given up.
    pub fn release(&mut self) -> Option<(u32, u64)> {
        loop {
            let fate = *self.fates.front()?;
            let (Fate::Arrived { due, .. } | Fate::Gone { due }) = fate else {
                return None;
            };
            self.fates.pop_front();
            self.first += 1;
            self.last = self.last.max(due);
            if let Fate::Arrived { index, .. } = fate {
                self.held -= 1;
                return Some((index, self.last));
            }
        }
    }

    /// Returns the number of packets that wait for others.
    pub fn held(&self) -> usize {
        self.held
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Packets 0 to 4: 1 arrives before 0 and waits for it; 2 is given up; 4 waits for 3, which comes later.
    #[test]
    fn packets_leave_in_order() {
        let mut end = Resequencer::default();
        (0..5).for_each(|_| end.expect());
        let arrived = |index, due| Fate::Arrived { index, due };
        end.settle(1, arrived(11, 50));
        assert_eq!((end.release(), end.held()), (None, 1));
        end.settle(0, arrived(10, 80));
        assert_eq!(
            (end.release(), end.release()),
            (Some((10, 80)), Some((11, 80)))
        );
        assert_eq!((end.release(), end.held()), (None, 0));
        end.settle(4, arrived(14, 90));
        end.settle(3, arrived(13, 95));
        assert_eq!(end.release(), None);
        end.settle(2, Fate::Gone { due: 120 });
        assert_eq!(
            (end.release(), end.release()),
            (Some((13, 120)), Some((14, 120)))
        );
        assert_eq!((end.release(), end.held()), (None, 0));
    }
}
