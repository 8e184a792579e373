//! Labels: the part of a packet that routers may read and write.
//!
//! A router does not open payloads. The sender puts what routers need to know into a neutral header, and
//! routers add their information to it. Labels are stored beside the packets, and only if some link of
//! the network reads or writes them.

/// The neutral header of a packet, set by its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// The flow to which the packet belongs: packets with the same number are in the same flow, as packets
    /// with the same addresses and ports are.
    pub flow: u32,
    /// Whether the transport is ECN-capable, and how: then a router marks the packet instead of dropping
    /// it early.
    pub ecn: Ecn,
    /// The packet collects the time that it waits at links that stamp (the AQT option of RoVegas).
    pub probe: bool,
    /// The packet makes packets of the same flow with a smaller number useless: a link that filters may
    /// remove those from its queue. The pair is (flow, number). A packet without this field is never
    /// removed and removes no other packet.
    pub supersedes: Option<(u32, u64)>,
}

impl Label {
    /// The empty label, which tells routers nothing.
    pub const NONE: Self = Self {
        flow: 0,
        ecn: Ecn::NotEct,
        probe: false,
        supersedes: None,
    };
}

/// The ECN codepoint that a sender sets (RFC 3168, section 5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ecn {
    /// Not ECN-capable: routers drop the packet where they would mark another one.
    #[default]
    NotEct,
    /// ECT(0): ECN-capable; a mark means what a loss means.
    Ect0,
    /// ECT(1): ECN-capable, of a scalable congestion control (L4S, RFC 9331).
    Ect1,
}

impl Ecn {
    /// Returns whether routers may mark the packet.
    pub fn is_capable(self) -> bool {
        self != Self::NotEct
    }
}

/// The label of a packet in flight, with what routers have written on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub label: Label,
    /// A router has met congestion and marked the packet.
    pub marked: bool,
    /// The packet is damaged.
    pub corrupt: bool,
    /// The sum of waiting times so far, in microseconds.
    pub queueing: u32,
}

impl Tag {
    /// The tag of a packet as it leaves the sender.
    pub const fn new(label: Label) -> Self {
        Self {
            label,
            marked: false,
            corrupt: false,
            queueing: 0,
        }
    }

    /// Adds a waiting time in nanoseconds, rounded to the nearest microsecond (halves are rounded up).
    /// The sum saturates.
    pub fn add_wait(&mut self, nanos: u64) {
        if self.label.probe {
            let micros = u32::try_from(nanos.saturating_add(500) / 1_000).unwrap_or(u32::MAX);
            self.queueing = self.queueing.saturating_add(micros);
        }
    }
}

/// The tags of all packets in the pool.
#[derive(Debug)]
pub(crate) struct Labels {
    tags: Vec<Tag>,
    /// Whether any link stamps.
    stamps: bool,
}

impl Labels {
    pub fn new(stamps: bool) -> Self {
        Self {
            tags: Vec::new(),
            stamps,
        }
    }

    /// Stores the tag of the packet at this index of the pool.
    #[inline]
    pub fn set(&mut self, index: u32, tag: &Tag) {
        match self.tags.get_mut(index as usize) {
            Some(place) => *place = *tag,
            None => self.set_first(index, tag),
        }
    }

    #[cold]
    #[inline(never)]
    fn set_first(&mut self, index: u32, tag: &Tag) {
        let place = index as usize;
        self.tags.resize(place + 1, Tag::new(Label::NONE));
        self.tags[place] = *tag;
    }

    /// Returns the tag of the packet at this index of the pool.
    #[inline]
    pub fn of(&self, index: u32) -> &Tag {
        &self.tags[index as usize]
    }

    /// Returns the tag of the packet at this index of the pool.
    pub fn tag(&self, index: u32) -> Tag {
        self.tags[index as usize]
    }

    /// Marks the packet at this index of the pool as damaged.
    pub fn corrupt(&mut self, index: u32) {
        self.tags[index as usize].corrupt = true;
    }

    /// Marks the packet at this index.
    pub fn mark(&mut self, index: u32) {
        self.tags[index as usize].marked = true;
    }

    /// Adds the nanoseconds that the packet at this index has waited at a link that stamps.
    pub fn add_wait(&mut self, index: u32, nanos: u64) {
        self.tags[index as usize].add_wait(nanos);
    }

    /// Returns the waiting time that a probe has collected; `None` if the packet is no probe or no link
    /// stamps.
    pub fn queueing(&self, tag: Tag) -> Option<u32> {
        (self.stamps && tag.label.probe).then_some(tag.queueing)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probe(queueing: u32) -> Tag {
        let label = Label {
            probe: true,
            ..Label::NONE
        };
        Tag {
            queueing,
            ..Tag::new(label)
        }
    }

    /// The packet was enqueued at 1 s, is transmitted from 1.0123456 s on, and had waited 5 us
    /// elsewhere.
    #[test]
    fn waits_are_rounded_and_added() {
        let mut tag = probe(5);
        tag.add_wait(1_012_345_600 - 1_000_000_000);
        assert_eq!(tag.queueing, 12_351);
        tag.add_wait(499);
        assert_eq!(tag.queueing, 12_351);
        tag.add_wait(500);
        assert_eq!(tag.queueing, 12_352);
    }

    #[test]
    fn the_sum_saturates() {
        let mut tag = probe(4_294_967_290);
        tag.add_wait(100_000);
        assert_eq!(tag.queueing, 4_294_967_295);
        let mut tag = probe(7);
        tag.add_wait(u64::MAX);
        assert_eq!(tag.queueing, 4_294_967_295);
    }

    #[test]
    fn only_probes_collect() {
        let mut tag = Tag::new(Label::NONE);
        tag.add_wait(1_000_000);
        assert_eq!(tag.queueing, 0);
    }
}
