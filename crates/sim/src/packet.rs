//! Packets as seen by hosts and as stored in the pool.

/// The kind of a packet: a number from 0 to 3.
///
/// The simulator counts packets by kind, and a loss model may act on some kinds only. The meaning of the
/// numbers (data, ACK ...) is up to the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Kind(u8);

impl Kind {
    /// How many kinds there are.
    pub const COUNT: usize = 4;

    /// Returns the kind with this number.
    ///
    /// # Panics
    ///
    /// If `number` is not below [`Kind::COUNT`]; in a constant expression this is a compile-time error.
    pub const fn new(number: u8) -> Self {
        assert!(
            (number as usize) < Self::COUNT,
            "a kind is a number from 0 to 3"
        );
        Self(number)
    }

    /// Returns its number, 0 to 3: the index into the counters by kind.
    #[inline]
    pub const fn index(self) -> usize {
        // The mask tells the compiler that the number is in range, which `new` has checked.
        (self.0 & 3) as usize
    }
}

/// A set of kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Kinds(u8);

impl Kinds {
    /// Every kind.
    pub const ALL: Self = Self(0b1111);

    /// Returns the set with this kind alone.
    pub const fn only(kind: Kind) -> Self {
        Self(1 << kind.index())
    }

    /// Returns this set with `kind` added.
    pub const fn and(self, kind: Kind) -> Self {
        Self(self.0 | 1 << kind.index())
    }

    /// Returns whether `kind` is in the set.
    #[inline]
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 >> kind.index() & 1 == 1
    }

    pub(crate) const fn none() -> Self {
        Self(0)
    }
}

/// Size and kind of a packet in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Class(u32);

impl Class {
    /// No class: different from the class of any packet.
    pub const NONE: Self = Self(u32::MAX);

    #[inline]
    pub const fn new(bytes: u16, kind: Kind) -> Self {
        Self((kind.0 as u32) << 16 | bytes as u32)
    }

    /// Returns it as a word below 2^18.
    pub const fn word(self) -> u32 {
        self.0
    }

    /// Returns the class in the low bits of a word, whatever is above them.
    pub const fn of_word(word: u32) -> Self {
        Self(word & 0x3_ffff)
    }

    pub const fn bytes(self) -> u16 {
        self.0 as u16
    }

    pub const fn kind(self) -> Kind {
        Kind((self.0 >> 16) as u8 & 3)
    }
}

/// A packet that has reached its endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived<P> {
    /// The payload from the sender.
    pub payload: P,
    /// The size on the wire, in bytes, headers included.
    pub bytes: u16,
    /// The kind given by the sender.
    pub kind: Kind,
    /// A router has met congestion and marked the packet (RFC 3168, "CE").
    pub marked: bool,
    /// The packet is damaged: a real receiver's checksum fails, and it discards the packet.
    pub corrupt: bool,
    /// The time that the packet has waited at links that stamp, in microseconds, each wait rounded to
    /// the nearest microsecond; saturating. `None` if the packet is no probe (see
    /// [`Label`](crate::Label)), or if no link of the network stamps.
    pub queueing: Option<u32>,
}

impl<P> Arrived<P> {
    /// A packet on which no router has written.
    pub(crate) fn unlabelled(payload: P, bytes: u16, kind: Kind) -> Self {
        Self {
            payload,
            bytes,
            kind,
            marked: false,
            corrupt: false,
            queueing: None,
        }
    }

    /// Returns the same packet with another payload.
    pub fn map<Q>(self, change: impl FnOnce(P) -> Q) -> Arrived<Q> {
        Arrived {
            payload: change(self.payload),
            bytes: self.bytes,
            kind: self.kind,
            marked: self.marked,
            corrupt: self.corrupt,
            queueing: self.queueing,
        }
    }
}

/// A packet in the pool: 20 bytes and the payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Packet<P> {
    /// When the next packet of the same link reaches the end of the link, in nanoseconds. (The time of
    /// this packet is in the scheduler or in its predecessor, so the next packet is not accessed before
    /// its time.)
    pub next_due: u64,
    /// The next packet of the same link, or of the free list.
    pub next: u32,
    /// Its next hop: an index into the flat array of all hops or, at the end of its route, the endpoint in
    /// the form of [`Hop::keep`](crate::topology::Hop::keep).
    pub cursor: u32,
    pub bytes: u16,
    pub kind: Kind,
    pub payload: P,
}

impl<P> Packet<P> {
    pub fn class(&self) -> Class {
        Class::new(self.bytes, self.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_with_a_payload_of_20_bytes_takes_40() {
        assert_eq!(size_of::<Packet<[u32; 5]>>(), 40);
    }

    #[test]
    fn kinds_are_sets() {
        let kinds = Kinds::only(Kind::new(0)).and(Kind::new(2));
        let contained = [0, 1, 2, 3].map(|k| kinds.contains(Kind::new(k)));
        assert_eq!(contained, [true, false, true, false]);
        assert!((0..4).all(|k| Kinds::ALL.contains(Kind::new(k))));
        assert!((0..4).all(|k| !Kinds::none().contains(Kind::new(k))));
    }

    #[test]
    #[should_panic(expected = "from 0 to 3")]
    fn there_is_no_fifth_kind() {
        let _ = Kind::new(4);
    }
}
