//! Schedulers: they find the entry that is due next.
//!
//! An entry is a link with packets in flight, a link that schedules departures, or a timer. It is in the
//! scheduler at most once, with the time at which it is due. Every scheduler returns entries in the
//! order of (time, entry); the choice and the size of the scheduler affect only the speed of a
//! simulation.

mod bitmap;
mod lists;
mod tree;
mod wheel;

pub(crate) use self::bitmap::Bitmap;
pub(crate) use self::tree::Tree;
pub(crate) use self::wheel::{Wheel, WheelSize};

/// Times of a simulation are below this: 2^58 ns are nine years.
pub(crate) const TIME_LIMIT: u64 = 1 << 58;

/// A queue of entries ordered by (time, entry).
///
/// `replace_first` and `remove_first` act on the entry that the last call of `first` returned; nothing
/// may be inserted or removed between the two calls. No inserted time may be earlier than the last time
/// that `first` returned or was limited to.
pub(crate) trait Scheduler {
    /// Returns the least entry, if it is due at `limit` or earlier. The entry stays in the scheduler.
    fn first(&mut self, limit: u64) -> Option<(u64, u32)>;

    /// Changes the time of the first entry to `time`, which must not be earlier.
    fn replace_first(&mut self, time: u64);

    /// Removes the first entry.
    fn remove_first(&mut self);

    /// Inserts an entry that is not in the scheduler.
    fn insert(&mut self, entry: u32, time: u64);

    /// Removes an entry that was inserted with this time.
    fn remove(&mut self, entry: u32, time: u64);

    /// Frees memory. The scheduler must not be used again.
    fn free(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, Random, stream};
    use std::collections::BTreeSet;

    /// The reference scheduler: a sorted set.
    #[derive(Default)]
    struct Model(BTreeSet<(u64, u32)>);

    impl Model {
        fn first(&self, limit: u64) -> Option<(u64, u32)> {
            self.0.first().copied().filter(|&(time, _)| time <= limit)
        }
    }

    /// Returns a delay from 0 to 2^`magnitude` ns, of random order of magnitude, often a round number so
    /// that times coincide.
    fn delay(random: &mut Random, magnitude: u64) -> u64 {
        let bits = random.next_u64() % (magnitude + 1);
        let delay = random.next_u64() & ((1 << bits) - 1);
        if random.next_u64().is_multiple_of(2) {
            delay >> (bits / 2) << (bits / 2)
        } else {
            delay
        }
    }

    fn compare_with_model(mut scheduler: impl Scheduler, entries: u32, magnitude: u64, seed: u32) {
        let mut random = stream(11, Component::host(0, seed));
        let mut model = Model::default();
        let mut times = vec![None; entries as usize];
        let mut now = 0;
        for _ in 0..20_000 {
            let entry = (random.next_u64() % u64::from(entries)) as u32;
            match (random.next_u64() % 8, times[entry as usize]) {
                (0..4, None) => {
                    let time = now + delay(&mut random, magnitude);
                    scheduler.insert(entry, time);
                    model.0.insert((time, entry));
                    times[entry as usize] = Some(time);
                }
                (0, Some(time)) => {
                    scheduler.remove(entry, time);
                    model.0.remove(&(time, entry));
                    times[entry as usize] = None;
                }
                _ => {
                    let limit = now + delay(&mut random, magnitude + 1);
                    let first = scheduler.first(limit);
                    assert_eq!(first, model.first(limit));
                    let Some((time, entry)) = first else {
                        now = limit;
                        continue;
                    };
                    now = time;
                    model.0.remove(&(time, entry));
                    times[entry as usize] = None;
                    if random.next_u64().is_multiple_of(2) {
                        let time = now + delay(&mut random, magnitude);
                        scheduler.replace_first(time);
                        model.0.insert((time, entry));
                        times[entry as usize] = Some(time);
                    } else {
                        scheduler.remove_first();
                    }
                }
            }
        }
        while let Some((time, entry)) = model.0.pop_first() {
            assert_eq!(scheduler.first(time), Some((time, entry)));
            scheduler.remove_first();
        }
        assert_eq!(scheduler.first(now + 1), None);
    }

    #[test]
    fn the_tree_is_a_priority_queue() {
        for (seed, entries) in [1, 2, 3, 7, 8, 9, 64, 1_000].into_iter().enumerate() {
            let tree = Tree::new(entries, 1 << 50).unwrap();
            compare_with_model(tree, entries, 34, seed as u32);
        }
    }

    #[test]
    fn the_wheel_is_a_priority_queue() {
        let sizes = [
            (6, 0),
            (6, 10),
            (7, 4),
            (10, 2),
            (12, 9),
            (13, 0),
            (17, 10),
            (18, 9),
        ];
        for (seed, (buckets, width)) in sizes.into_iter().enumerate() {
            let size = WheelSize { buckets, width };
            for (entries, magnitude) in [(3, 44), (300, 12), (300, 20), (2_000, 30), (300, 44)] {
                let wheel = Wheel::new(entries, size);
                compare_with_model(wheel, entries, magnitude, seed as u32);
            }
        }
    }
}
