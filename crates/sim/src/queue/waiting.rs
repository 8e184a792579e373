//! Packets that wait in a queue that holds them, and what is decided about them.

use std::num::NonZeroU32;

use crate::packet::Class;

/// A waiting packet, in 16 bytes: queues move many of them. What only some queues need to know of its label is told
/// to them at its arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waiting {
    pub arrived: u64,
    /// Its index in the pool.
    pub index: u32,
    /// Its class with flags above it. It is never zero, so an optional packet takes no more than 16 bytes, too.
    word: NonZeroU32,
}

const _: () = assert!(size_of::<Option<Waiting>>() == 16);

/// In every word.
const PRESENT: NonZeroU32 = NonZeroU32::new(1 << 31).unwrap();
const ECT: u32 = 30;
const L4S: u32 = 29;
const MARKED: u32 = 28;

impl Waiting {
    /// A packet that may not be marked.
    #[inline]
    pub fn new(index: u32, class: Class, arrived: u64) -> Self {
        Self {
            arrived,
            index,
            word: PRESENT | class.word(),
        }
    }

    /// The same packet with what its ECN codepoint says: `ect` is whether it may be marked, `l4s` whether it carries
    /// ECT(1) or CE (RFC 9331, section 5.1).
    #[inline]
    pub fn with_ecn(self, ect: bool, l4s: bool) -> Self {
        let flags = u32::from(ect) << ECT | u32::from(l4s) << L4S;
        Self {
            word: self.word | flags,
            ..self
        }
    }

    /// The same packet, marked here.
    #[inline]
    pub fn marked(self) -> Self {
        Self {
            word: self.word | 1 << MARKED,
            ..self
        }
    }

    #[inline]
    pub fn class(&self) -> Class {
        Class::of_word(self.word.get())
    }

    #[inline]
    pub fn bytes(&self) -> u16 {
        self.class().bytes()
    }

    /// Returns whether it may be marked.
    #[inline]
    pub fn is_ect(&self) -> bool {
        self.has(ECT)
    }

    /// Returns whether it carries ECT(1) or CE.
    #[inline]
    pub fn is_l4s(&self) -> bool {
        self.has(L4S)
    }

    /// Returns whether it has been marked here.
    #[inline]
    pub fn is_marked(&self) -> bool {
        self.has(MARKED)
    }

    #[inline]
    fn has(&self, flag: u32) -> bool {
        self.word.get() >> flag & 1 == 1
    }
}

/// Why a packet goes without being transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    /// The queue is full, or too long.
    Full,
    /// Dropped early, by the rule of the queue.
    Early,
    /// A later packet makes it useless.
    Useless,
}

/// What a discipline has decided about packets, apart from which one is next.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Decisions {
    /// Packets that will never be transmitted.
    pub gone: Vec<(Waiting, Reason)>,
    /// The number of packets marked.
    pub marked: u64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::Kind;

    /// The largest and the smallest packet of each kind, with every combination of flags.
    #[test]
    fn class_and_flags_do_not_touch_each_other() {
        for kind in 0..4 {
            for bytes in [0, 1, 1_500, u16::MAX] {
                let class = Class::new(bytes, Kind::new(kind));
                for (ect, l4s) in [(false, false), (true, false), (false, true), (true, true)] {
                    let packet = Waiting::new(7, class, 9).with_ecn(ect, l4s);
                    for (packet, marked) in [(packet, false), (packet.marked(), true)] {
                        assert_eq!((packet.class(), packet.bytes()), (class, bytes));
                        let flags = [packet.is_ect(), packet.is_l4s(), packet.is_marked()];
                        assert_eq!(flags, [ect, l4s, marked]);
                        assert_eq!((packet.index, packet.arrived), (7, 9));
                    }
                }
            }
        }
    }
}
