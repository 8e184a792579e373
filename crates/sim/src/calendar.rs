//! The calendar: packets in flight in large networks, each at the time when it reaches the end of its link.
//!
//! Time is divided into buckets of 2^`width` ns, each with a list of packets of the pool. The due bucket is
//! sorted into a batch. What comes after it is known long before it is needed: a second hand goes ahead of
//! the first one by some buckets, and what their packets need is fetched.
//!
//! A packet that is too far away, or that might reach the end of its link together with another one, stays
//! in the FIFO of its link. The order of events is the same with and without a calendar.

use crate::pool::{NIL, Pool};
use crate::prefetch::fetch;
use crate::scheduler::Bitmap;

/// No key: later than any other.
const NEVER: u64 = u64::MAX;

/// How many buckets are looked at together before they are due.
const BLOCK: usize = 8;

/// How many buckets' places are fetched ahead when a packet is inserted: two cache lines of them.
const PLACES: usize = 32;

/// The largest number of buckets that the second hand is ahead. Buckets that it has passed are not looked at
/// again when packets are inserted there.
const REACH: u64 = 256;

/// Packets by time. A key is `due << bits | link`, the order of events.
#[derive(Debug)]
pub(crate) struct Calendar {
    width: u32,
    bits: u32,
    /// The key of the first packet of the due bucket, or `NEVER`.
    due: u64,
    /// Its index in the pool.
    index: u32,
    /// The number of the due bucket.
    current: u64,
    /// The other packets of the due bucket, the first one last.
    batch: Vec<(u64, u32)>,
    heads: Box<[u32]>,
    occupied: Bitmap,
    /// The last bucket that was looked at before it is due.
    scanned: u64,
    /// The first packets of the buckets that were looked at last, and before.
    found: [[u32; BLOCK]; 3],
    /// How many of the buckets that were looked at are not due yet.
    pending: usize,
}

impl Calendar {
    /// Makes an empty calendar for links numbered below `links`, for times up to `end`, for packets that
    /// usually stay on a link for up to `longest` nanoseconds, with an event every `gap` nanoseconds;
    /// `None` if a key cannot hold time and link.
    pub fn new(links: u32, end: u64, longest: u64, gap: u64) -> Option<Self> {
        let bits = links.max(2).next_power_of_two().ilog2();
        if end >= NEVER >> bits {
            return None;
        }
        let log = |ns: u64| ns.max(1).ilog2();
        // Few packets in a bucket; where hops are too long for that, wider buckets.
        let width = (log(gap) + 1)
            .max((log(longest) + 1).saturating_sub(Bitmap::LARGEST))
            .clamp(4, 30);
        let buckets =
            1_usize << (log(longest) + 1 - width.min(log(longest) + 1)).clamp(10, Bitmap::LARGEST);
        Some(Self {
            width,
            bits,
            due: NEVER,
            index: NIL,
            current: 0,
            batch: Vec::with_capacity(64),
            heads: vec![NIL; buckets].into(),
            occupied: Bitmap::new(buckets),
            scanned: 0,
            found: [[NIL; BLOCK]; 3],
            pending: 0,
        })
    }

    /// Returns the key that a packet has on a link.
    #[inline]
    pub fn key(&self, link: u32, due: u64) -> u64 {
        due << self.bits | u64::from(link)
    }

    #[inline]
    fn bucket(&self, key: u64) -> u64 {
        key >> self.bits >> self.width
    }

    /// Returns whether a packet with this key is near enough.
    #[inline]
    pub fn reaches(&self, key: u64) -> bool {
        self.bucket(key) - self.current.min(self.bucket(key)) < self.heads.len() as u64
    }

    /// Inserts a packet within reach.
    #[inline]
    pub fn insert<P: Copy>(&mut self, index: u32, key: u64, pool: &mut Pool<P>) {
        let bucket = self.bucket(key);
        if bucket <= self.current {
            return self.insert_now(index, key);
        }
        let position = bucket as usize & (self.heads.len() - 1);
        let packet = pool.packet_mut(index);
        packet.next_due = key;
        packet.next = std::mem::replace(&mut self.heads[position], index);
        // Delays are much alike, so the next packets go to the next places.
        if let Some(next) = self.heads.get(position + PLACES) {
            fetch(next);
        }
        self.occupied.insert(position);
    }

    /// Inserts a packet into the due bucket.
    #[cold]
    fn insert_now(&mut self, mut index: u32, mut key: u64) {
        if key < self.due {
            std::mem::swap(&mut key, &mut self.due);
            std::mem::swap(&mut index, &mut self.index);
        }
        if key != NEVER {
            let place = self.batch.partition_point(|&(other, _)| other > key);
            self.batch.insert(place, (key, index));
        }
    }

    /// Returns the first packet, if it is due at `limit` or earlier: its time, its link and its index.
    #[inline]
    pub fn first<P: Copy>(&mut self, limit: u64, pool: &Pool<P>) -> Option<(u64, u32, u32)> {
        if self.due == NEVER && !self.advance(limit, pool) {
            return None;
        }
        let time = self.due >> self.bits;
        let link = (self.due & ((1 << self.bits) - 1)) as u32;
        (time <= limit).then_some((time, link, self.index))
    }

    /// Removes the first packet.
    #[inline]
    pub fn remove_first(&mut self) {
        (self.due, self.index) = self.batch.pop().unwrap_or((NEVER, NIL));
    }

    /// Makes the next bucket with packets the due one, if it begins at `limit` or earlier.
    fn advance<P: Copy>(&mut self, limit: u64, pool: &Pool<P>) -> bool {
        let Some(bucket) = self.next_after(self.current) else {
            return false;
        };
        if bucket << self.width > limit {
            return false;
        }
        self.current = bucket;
        self.pending = self.pending.saturating_sub(1);
        let position = bucket as usize & (self.heads.len() - 1);
        self.occupied.remove(position);
        let mut index = std::mem::replace(&mut self.heads[position], NIL);
        while index != NIL {
            let packet = pool.packet(index);
            self.batch.push((packet.next_due, index));
            index = packet.next;
        }
        if self.batch.len() > 1 {
            self.batch.sort_unstable_by(|a, b| b.cmp(a));
        }
        self.remove_first();
        true
    }

    /// Returns the next bucket with packets after this one.
    #[inline]
    fn next_after(&self, bucket: u64) -> Option<u64> {
        let mask = self.heads.len() as u64 - 1;
        let from = (bucket + 1) & mask;
        let next = self.occupied.next_around(from as usize)? as u64;
        Some(bucket + 1 + (next.wrapping_sub(from) & mask))
    }

    /// Returns whether it is the turn to look ahead: once for some buckets.
    #[inline]
    pub fn is_turn(&self) -> bool {
        self.pending <= BLOCK || self.scanned <= self.current
    }

    /// Looks at some more buckets ahead, and fetches their packets. `look` is called with the number of a
    /// step and the cursor of a packet that was found some buckets ago.
    #[inline(always)]
    pub fn look_ahead<P: Copy>(&mut self, pool: &Pool<P>, look: impl Fn(usize, u32)) {
        if self.scanned <= self.current {
            self.scanned = self.current;
            self.pending = 0;
        }
        while self.pending < 4 * BLOCK {
            let mut found = [NIL; BLOCK];
            for index in &mut found {
                if let Some(bucket) = self.next_after(self.scanned)
                    && bucket - self.current <= REACH
                {
                    self.scanned = bucket;
                    self.pending += 1;
                    *index = self.heads[bucket as usize & (self.heads.len() - 1)];
                    fetch(pool.packet(*index));
                }
            }
            if found[0] == NIL {
                return;
            }
            for step in (0..3).rev() {
                for index in self.found[step] {
                    if index != NIL {
                        let packet = pool.packet(index);
                        look(step, packet.cursor);
                        // The others of the bucket are read together when it is due.
                        if step == 0 && packet.next != NIL {
                            fetch(pool.packet(packet.next));
                        }
                    }
                }
            }
            let [first, second, _] = self.found;
            self.found = [found, first, second];
        }
    }

    /// Adds the number of packets of each link to `counts`.
    pub fn count<P: Copy>(&self, pool: &Pool<P>, counts: &mut [u64]) {
        let mut add = |key: u64| counts[(key & ((1 << self.bits) - 1)) as usize] += 1;
        if self.due != NEVER {
            add(self.due);
        }
        self.batch.iter().for_each(|&(key, _)| add(key));
        for &head in &self.heads {
            let mut index = head;
            while index != NIL {
                let packet = pool.packet(index);
                add(packet.next_due);
                index = packet.next;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{Kind, Packet};
    use crate::random::{Component, stream};
    use std::collections::BTreeSet;

    /// Buckets of 64 ns, 1,024 of them, on a network of four links.
    fn calendar() -> (Calendar, Pool<u32>) {
        let calendar = Calendar::new(4, 1 << 40, 50_000, 40).unwrap();
        assert_eq!((calendar.width, calendar.heads.len()), (6, 1_024));
        (calendar, Pool::new())
    }

    fn insert(calendar: &mut Calendar, pool: &mut Pool<u32>, due: u64, link: u32) -> u32 {
        let index = pool.insert(Packet {
            next_due: 0,
            next: NIL,
            cursor: 0,
            bytes: 40,
            kind: Kind::new(0),
            payload: 0,
        });
        calendar.insert(index, calendar.key(link, due), pool);
        index
    }

    #[test]
    fn packets_come_out_in_the_order_of_time_and_link() {
        let mut random = stream(3, Component::host(0, 0));
        let (mut calendar, mut pool) = calendar();
        let (mut model, mut now) = (BTreeSet::new(), 0);
        for _ in 0..20_000 {
            let draw = random.next_u64();
            let (due, link) = (now + (draw >> 8) % 60_000, (draw >> 4) as u32 % 4);
            if draw % 16 < 8 && model.insert((due, link)) {
                assert!(calendar.reaches(calendar.key(link, due)));
                insert(&mut calendar, &mut pool, due, link);
            }
            calendar.look_ahead(&pool, |_, cursor| assert_eq!(cursor, 0));
            let limit = now + (draw >> 40) % 2_000;
            let first = calendar.first(limit, &pool);
            let expected = model.first().copied().filter(|&(due, _)| due <= limit);
            assert_eq!(first.map(|(due, link, _)| (due, link)), expected);
            if let Some((due, _, index)) = first {
                calendar.remove_first();
                model.pop_first();
                pool.free(index);
                now = due;
            }
        }
        assert!(model.len() > 50, "{}", model.len());
        let mut counts = vec![0; 4];
        calendar.count(&pool, &mut counts);
        assert_eq!(counts.iter().sum::<u64>(), model.len() as u64);
    }

    #[test]
    fn what_is_too_far_away_is_not_within_reach() {
        let (mut calendar, mut pool) = calendar();
        let near = calendar.key(0, 1_023 << 6);
        let far = calendar.key(0, 1_024 << 6);
        assert!(calendar.reaches(near) && !calendar.reaches(far));
        insert(&mut calendar, &mut pool, 100, 0);
        assert!(calendar.first(200, &pool).is_some());
        assert!(calendar.reaches(far), "the due bucket is the second");
    }
}
