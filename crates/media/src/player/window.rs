//! The frames of which a player has heard, and that may still be shown or completed.

use std::ops::Range;

use dumbbell_control::units::{Duration, Instant};

use crate::source::{Fragment, MOST_PACKETS};

/// Frames with consecutive numbers, the newest of which something was heard is the last.
#[derive(Clone, Debug)]
pub(super) struct Window {
    slots: Box<[Slot]>,
    /// The number after the newest frame's.
    end: u64,
}

/// A frame.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    /// When it was made, by the player's clock.
    pub(super) made: Instant,
    pub(super) due: Instant,
    /// When it was complete.
    pub(super) completed: Instant,
    pub(super) bytes: u32,
    pub(super) key: bool,
    pub(super) status: Status,
    /// Its packets; 0 if nothing was heard of it.
    count: u16,
    received: u16,
    /// Which of them have arrived.
    arrived: [u64; MOST_PACKETS as usize / 64],
}

/// What has become of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// It may be shown.
    Open,
    /// A newer frame was shown before it was complete.
    Passed,
    /// It is counted as shown, late or undecodable.
    Counted,
}

const NOTHING: Slot = Slot {
    made: Instant::ZERO,
    due: Instant::ZERO,
    completed: Instant::ZERO,
    bytes: 0,
    key: false,
    status: Status::Open,
    count: 0,
    received: 0,
    arrived: [0; MOST_PACKETS as usize / 64],
};

/// The frames beside those of the longest delay.
const MORE: u64 = 64;
/// The most frames.
const MOST: u64 = 4096;

impl Slot {
    pub(super) fn is_complete(&self) -> bool {
        self.count > 0 && self.received == self.count
    }
}

impl Window {
    /// Makes a window that holds the frames of the longest delay, and some more.
    pub(super) fn new(longest: Duration, interval: Duration) -> Self {
        let frames = longest.as_nanos() / interval.as_nanos().max(1) + MORE;
        let slots = vec![NOTHING; frames.min(MOST) as usize];
        Self {
            slots: slots.into(),
            end: 0,
        }
    }

    pub(super) fn is_newest(&self, number: u64) -> bool {
        number >= self.end
    }

    /// Whether a frame between the newest and this one, or the newest itself, is incomplete.
    pub(super) fn is_gap_before(&self, number: u64) -> bool {
        let newest = self.end.checked_sub(1).map(|newest| self.slot(newest));
        number > self.end || newest.is_some_and(|newest| !newest.is_complete())
    }

    /// Makes room for the frame with this number, if it is newer than the others. Returns the first frame for which there
    /// still is room, and how many of those that had to go were neither counted nor complete.
    pub(super) fn slide_to(&mut self, number: u64) -> Option<(u64, u64)> {
        if number < self.end {
            return None;
        }
        let size = self.slots.len() as u64;
        let (old, new) = (self.first(), (number + 1).saturating_sub(size));
        let leaving = old..new.min(self.end).max(old);
        // Frames between those that leave and the new first one were never in the window.
        let skipped = new.saturating_sub(self.end.max(old));
        let lost = leaving
            .map(|number| u64::from(self.slot(number).status != Status::Counted))
            .sum::<u64>();
        for fresh in self.end.max(new)..=number {
            *self.slot_mut(fresh) = NOTHING;
        }
        self.end = number + 1;
        Some((new, lost + skipped))
    }

    /// Notes a packet; returns its frame, or `None` if the packet is a duplicate, impossible, or too old. `schedule` returns
    /// when the frame was made and when it is due; it is called for a frame's first packet.
    pub(super) fn hear(
        &mut self,
        fragment: &Fragment,
        schedule: impl FnOnce() -> (Instant, Instant),
    ) -> Option<&mut Slot> {
        let number = u64::from(fragment.frame);
        let Fragment {
            index,
            count,
            bytes,
            key,
            ..
        } = *fragment;
        let possible = index < count && count <= MOST_PACKETS;
        if !possible || !(self.first()..self.end).contains(&number) {
            return None;
        }
        let slot = self.slot_mut(number);
        if slot.count == 0 {
            (slot.made, slot.due) = schedule();
            (slot.count, slot.key) = (count, key);
        }
        let (word, bit) = (usize::from(index / 64), 1 << (index % 64));
        if slot.count != count || slot.arrived[word] & bit != 0 {
            return None;
        }
        slot.arrived[word] |= bit;
        slot.received += 1;
        slot.bytes += u32::from(bytes);
        Some(slot)
    }

    /// Returns the first complete frame from `cursor` on.
    pub(super) fn complete_from(&mut self, cursor: u64) -> Option<(u64, &mut Slot)> {
        let from = cursor.max(self.first());
        let number = (from..self.end).find(|number| self.slot(*number).is_complete())?;
        Some((number, self.slot_mut(number)))
    }

    /// A newer frame is shown than these.
    pub(super) fn pass(&mut self, numbers: Range<u64>) {
        for number in numbers.start.max(self.first())..numbers.end {
            self.slot_mut(number).status = Status::Passed;
        }
    }

    /// Returns the number of incomplete frames older than the newest.
    pub(super) fn incomplete(&self) -> u64 {
        let older = self.first()..self.end.saturating_sub(1);
        older
            .filter(|number| !self.slot(*number).is_complete())
            .count() as u64
    }

    fn first(&self) -> u64 {
        self.end.saturating_sub(self.slots.len() as u64)
    }

    fn slot(&self, number: u64) -> &Slot {
        &self.slots[(number % self.slots.len() as u64) as usize]
    }

    fn slot_mut(&mut self, number: u64) -> &mut Slot {
        let place = number % self.slots.len() as u64;
        &mut self.slots[place as usize]
    }
}
