//! A timing wheel: the scheduler for more entries, or longer times, than the tree can hold.
//!
//! Time is divided into buckets of 2^`width` ns. Three levels hold the entries of later buckets:
//!
//! * `fine`: one list for each of the next buckets, up to bucket `loaded`;
//! * `coarse`: one list for each group of 1/8 of the fine buckets after that;
//! * `far`: all later entries, in one list that is searched every few thousand groups.
//!
//! The due bucket is taken out of `fine` and sorted into a batch. Entries that are later inserted into
//! the due bucket go into a small heap beside the batch. As the wheel turns, groups move from `coarse`
//! to `fine`. The time of an entry alone determines where it is stored.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Scheduler;
use super::lists::{Lists, NIL, Slots};

/// No key.
const NONE: u64 = u64::MAX;

/// Groups in the coarse level, as a power of two.
const GROUPS: u32 = 12;

/// The number of buckets of a wheel and their width, both as powers of two. They do not affect results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WheelSize {
    /// log2 of the number of buckets, from 6 to 18.
    pub buckets: u32,
    /// log2 of the nanoseconds in a bucket, at most 30.
    pub width: u32,
}

impl WheelSize {
    /// The largest log2 of the number of buckets.
    const LARGEST: u32 = 18;

    pub fn is_valid(self) -> bool {
        (6..=WheelSize::LARGEST).contains(&self.buckets) && self.width <= 30
    }

    /// Returns a size for hops that usually take up to `longest` nanoseconds, and for events that are
    /// `gap` nanoseconds apart on average when the network is busy.
    pub fn fitting(longest: u64, gap: u64) -> Self {
        let log = |ns: u64| ns.max(1).ilog2();
        let longest = log(longest) + 1;
        // One or two events per bucket. If the hops are too long for that, wider buckets cost less than a
        // detour through the coarse level.
        let width = (log(gap) + 1)
            .clamp(6, 24)
            .max(longest.saturating_sub(Self::LARGEST))
            .min(30);
        Self {
            buckets: (longest.saturating_sub(width) + 1).clamp(10, Self::LARGEST),
            width,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Wheel {
    width: u32,
    /// log2 of the buckets in a group.
    group: u32,
    /// The number of the due bucket.
    current: u64,
    /// The first of its entries, or `NONE`: `offset in the bucket << 32 | entry`.
    due: u64,
    /// The other entries of the due bucket, the least one last.
    batch: Vec<u64>,
    /// Entries that were inserted after the batch was sorted.
    late: BinaryHeap<Reverse<u64>>,
    /// Buckets after `current` and below this one are in `fine`. The number is a whole number of groups
    /// and at most the length of the fine level ahead of `current`.
    loaded: u64,
    /// Groups from `loaded` on and below this one are in `coarse`.
    far_from: u64,
    fine: Lists,
    coarse: Lists,
    far: Vec<u32>,
    slots: Slots,
}

impl Wheel {
    /// Makes an empty wheel for entries below `entries`.
    pub fn new(entries: u32, size: WheelSize) -> Self {
        debug_assert!(size.is_valid());
        Self {
            width: size.width,
            group: size.buckets - 3,
            current: 0,
            due: NONE,
            batch: Vec::with_capacity(64),
            late: BinaryHeap::with_capacity(64),
            loaded: 1 << size.buckets,
            far_from: 1 << GROUPS,
            fine: Lists::new(size.buckets),
            coarse: Lists::new(GROUPS),
            far: Vec::new(),
            slots: Slots::new(entries),
        }
    }

    /// Returns the key of an entry within the due bucket.
    #[inline]
    fn key(&self, entry: u32, time: u64) -> u64 {
        debug_assert!(time >> self.width == self.current);
        (time - (self.current << self.width)) << 32 | u64::from(entry)
    }

    /// Makes the next bucket with entries the due one, if it begins at `limit` or earlier.
    fn advance(&mut self, limit: u64) -> bool {
        let from = self.current + 1;
        let Some(ahead) = self.fine.distance(from) else {
            return self.jump(limit) && self.advance(limit);
        };
        let bucket = from + ahead;
        if bucket << self.width > limit {
            return false;
        }
        self.current = bucket;
        let entry = self.fine.take(bucket);
        let (time, next) = (self.slots.time(entry), self.slots.next(entry));
        self.due = self.key(entry, time);
        if next != NIL {
            self.fill_batch(next);
        }
        if self.loaded - bucket + self.group_size() <= self.fine.len() {
            self.turn();
        }
        true
    }

    /// Sorts into the batch the entry in `due` and the list of entries that begins with `entry`.
    fn fill_batch(&mut self, mut entry: u32) {
        self.batch.push(self.due);
        while entry != NIL {
            let (time, next) = (self.slots.time(entry), self.slots.next(entry));
            let key = self.key(entry, time);
            self.batch.push(key);
            entry = next;
        }
        self.batch.sort_unstable_by(|a, b| b.cmp(a));
        self.next_due();
    }

    /// Removes the first entry of the due bucket, which has been handled.
    #[inline]
    fn next_due(&mut self) {
        self.due = self.batch.last().copied().unwrap_or(NONE);
        if let Some(&Reverse(late)) = self.late.peek()
            && late < self.due
        {
            self.due = late;
            self.late.pop();
        } else {
            self.batch.pop();
        }
    }

    /// Inserts an entry into the due bucket.
    #[inline(never)]
    fn insert_late(&mut self, mut key: u64) {
        if key < self.due {
            std::mem::swap(&mut key, &mut self.due);
        }
        if key != NONE {
            self.late.push(Reverse(key));
        }
    }

    /// Loads the groups that have come within reach of the fine level.
    fn turn(&mut self) {
        while self.loaded - self.current + self.group_size() <= self.fine.len() {
            self.load();
        }
    }

    /// Moves the next group from the coarse to the fine level.
    fn load(&mut self) {
        let mut entry = self.coarse.take(self.loaded >> self.group);
        self.loaded += self.group_size();
        while entry != NIL {
            let next = self.slots.next(entry);
            let bucket = self.slots.time(entry) >> self.width;
            self.fine.insert(bucket, entry, &mut self.slots);
            entry = next;
        }
        let group = self.loaded >> self.group;
        // Half the groups may pass before the far list is searched.
        if self.far_from - group <= self.coarse.len() / 2 {
            self.sort_far(group);
        }
    }

    /// Called when the fine level is empty: goes to the next group with entries, unless all of them are
    /// later than `limit`.
    fn jump(&mut self, limit: u64) -> bool {
        let mut group = self.loaded >> self.group;
        match self.coarse.distance(group) {
            Some(ahead) => {
                group += ahead;
                let mut earliest = u64::MAX;
                let mut entry = self.coarse.head(group);
                while entry != NIL {
                    earliest = earliest.min(self.slots.time(entry));
                    entry = self.slots.next(entry);
                }
                if earliest >> self.width << self.width > limit {
                    return false;
                }
            }
            None => {
                let times = self.far.iter().map(|&entry| self.slots.time(entry));
                let Some(earliest) = times.min() else {
                    return false;
                };
                if earliest >> self.width << self.width > limit {
                    return false;
                }
                group = earliest >> self.width >> self.group;
                self.sort_far(group);
            }
        }
        self.loaded = group << self.group;
        self.current = self.loaded - 1;
        self.load();
        true
    }

    /// Moves entries that have come within reach from the far list to the coarse level, which begins at
    /// `group`.
    fn sort_far(&mut self, group: u64) {
        self.far_from = group + self.coarse.len();
        let mut far = std::mem::take(&mut self.far);
        far.retain(|&entry| {
            let group = self.slots.time(entry) >> self.width >> self.group;
            let stays = group >= self.far_from;
            if !stays {
                self.coarse.insert(group, entry, &mut self.slots);
            }
            stays
        });
        self.far = far;
    }

    fn group_size(&self) -> u64 {
        1 << self.group
    }
}

impl Scheduler for Wheel {
    fn free(&mut self) {
        self.slots = Slots::new(0);
    }

    #[inline]
    fn first(&mut self, limit: u64) -> Option<(u64, u32)> {
        if self.due == NONE && !self.advance(limit) {
            return None;
        }
        let time = (self.current << self.width) + (self.due >> 32);
        (time <= limit).then_some((time, self.due as u32))
    }

    #[inline]
    fn replace_first(&mut self, time: u64) {
        let entry = self.due as u32;
        self.next_due();
        self.insert(entry, time);
    }

    #[inline]
    fn remove_first(&mut self) {
        self.next_due();
    }

    #[inline]
    fn insert(&mut self, entry: u32, time: u64) {
        let bucket = time >> self.width;
        self.slots.set_time(entry, time);
        if bucket <= self.current {
            self.insert_late(self.key(entry, time));
        } else if bucket < self.loaded {
            self.fine.insert(bucket, entry, &mut self.slots);
        } else {
            let group = bucket >> self.group;
            if group < self.far_from {
                self.coarse.insert(group, entry, &mut self.slots);
            } else {
                self.far.push(entry);
            }
        }
    }

    fn remove(&mut self, entry: u32, time: u64) {
        let bucket = time >> self.width;
        if bucket <= self.current {
            let key = self.key(entry, time);
            if key == self.due {
                self.next_due();
            } else {
                self.batch.retain(|&other| other != key);
                self.late.retain(|&Reverse(other)| other != key);
            }
        } else if bucket < self.loaded {
            self.fine.remove(bucket, entry, &mut self.slots);
        } else {
            let group = bucket >> self.group;
            if group < self.far_from {
                self.coarse.remove(group, entry, &mut self.slots);
            } else {
                self.far.retain(|&other| other != entry);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: WheelSize = WheelSize {
        buckets: 6,
        width: 4,
    };

    #[test]
    fn an_entry_for_the_due_bucket_overtakes_the_batch() {
        let mut wheel = Wheel::new(4, SIZE);
        wheel.insert(0, 100);
        wheel.insert(1, 102);
        assert_eq!(wheel.first(200), Some((100, 0)));
        wheel.replace_first(103);
        wheel.insert(2, 101);
        wheel.insert(3, 102);
        let mut order = Vec::new();
        while let Some(first) = wheel.first(200) {
            order.push(first);
            wheel.remove_first();
        }
        assert_eq!(order, [(101, 2), (102, 1), (102, 3), (103, 0)]);
    }

    /// 64 buckets of 16 ns cover 1 us; 4,096 groups of 8 buckets cover 0.5 ms.
    #[test]
    fn every_level_is_reached_and_left() {
        let mut wheel = Wheel::new(8, SIZE);
        let times = [
            3,
            500,
            1_100,
            100_000,
            600_000,
            5_000_000,
            5_000_001,
            1 << 57,
        ];
        for (entry, &time) in times.iter().enumerate().rev() {
            wheel.insert(entry as u32, time);
        }
        assert_eq!(wheel.far.len(), 4);
        for (entry, &time) in times.iter().enumerate() {
            assert_eq!(wheel.first(time - 1), None);
            assert_eq!(wheel.first(time), Some((time, entry as u32)));
            wheel.remove_first();
        }
        assert_eq!(wheel.first(1 << 57), None);
    }

    #[test]
    fn after_a_limit_before_the_next_entry_earlier_ones_may_be_inserted() {
        let mut wheel = Wheel::new(2, SIZE);
        wheel.insert(0, 1_000_000);
        assert_eq!(wheel.first(999), None);
        wheel.insert(1, 1_000);
        assert_eq!(wheel.first(2_000_000), Some((1_000, 1)));
        wheel.remove_first();
        assert_eq!(wheel.first(2_000_000), Some((1_000_000, 0)));
    }

    #[test]
    fn sizes_fit_the_network() {
        // Hops of 60 ms, an event every 200 ns: buckets of 256 ns. 2^18 of them, the largest number, cover
        // 67 ms.
        let size = WheelSize::fitting(60_000_000, 200);
        assert_eq!((size.buckets, size.width), (18, 8));
        // Hops of 1 s with an event every millisecond.
        let size = WheelSize::fitting(1_000_000_000, 1_000_000);
        assert_eq!((size.buckets, size.width), (11, 20));
        // Hops of 10 s, an event every 10 ns: the longest hop determines the width.
        let size = WheelSize::fitting(10_000_000_000, 10);
        assert_eq!((size.buckets, size.width), (18, 16));
    }
}
