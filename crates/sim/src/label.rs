//! Labels: what routers may read of a packet, and what they write on it.
//!
//! A router opens no payload. What it needs to know is said in a neutral header, and what it has to
//! say is added to it. Labels are kept beside the packets, and only where a link of the network
//! reads or writes them.

/// The neutral header of a packet, as its sender gives it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Label {
    /// Its transport can be told of congestion: a router marks it instead of dropping it early (RFC
    /// 3168, "ECT").
    pub ect: bool,
    /// It collects the times that it waits at links that stamp (the AQT option of RoVegas).
    pub probe: bool,
    /// It makes packets of the same flow with a smaller number useless: a link that filters may
    /// remove those from its queue. Flow and number; packets without are neither removed nor remove
    /// others.
    pub supersedes: Option<(u32, u64)>,
}

impl Label {
    /// Nothing for a router to know.
    pub const NONE: Self = Self {
        ect: false,
        probe: false,
        supersedes: None,
    };
}

/// A label under way, with what routers have written on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub label: Label,
    /// A router has met congestion.
    pub marked: bool,
    /// The sum of waiting times so far, in microseconds.
    pub queueing: u32,
}

impl Tag {
    /// As it leaves the sender.
    pub fn new(label: Label) -> Self {
        Self {
            label,
            marked: false,
            queueing: 0,
        }
    }

    /// The packet has waited for so many nanoseconds: rounded to the nearest microsecond, half of
    /// one up. The sum stays at its greatest value once it is there.
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
    /// Some link stamps.
    stamps: bool,
}

impl Labels {
    pub fn new(stamps: bool) -> Self {
        Self {
            tags: Vec::new(),
            stamps,
        }
    }

    /// Keeps the tag of the packet at this place of the pool.
    pub fn set(&mut self, index: u32, tag: Tag) {
        let place = index as usize;
        if place >= self.tags.len() {
            self.tags.resize(place + 1, Tag::new(Label::NONE));
        }
        self.tags[place] = tag;
    }

    /// The tag of the packet at this place.
    pub fn tag(&self, index: u32) -> Tag {
        self.tags[index as usize]
    }

    /// The packet at this place has waited for so many nanoseconds at a link that stamps.
    pub fn add_wait(&mut self, index: u32, nanos: u64) {
        self.tags[index as usize].add_wait(nanos);
    }

    /// What a probe has collected; none if nothing could be.
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

    /// Enqueued at 1 s, transmitted from 1.0123456 s on, after 5 us elsewhere.
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
