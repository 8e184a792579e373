//! The FIFO queue with a limit, computed at arrival.
//!
//! The departure of a packet is known when it arrives, so there is no event at the start or end of a
//! transmission. While all packets in the system have the same size, their departures up to `free_at`
//! are one transmission time apart, and the number in the system follows from `free_at` alone. While
//! sizes are mixed, the departures of the packets in the system are kept in a ring, until the last packet
//! of another size has departed. A packet that departs exactly now is no longer in the system.

use super::Queue;
use super::departures::Departures;
use crate::hint::cold_path;

/// A queue of mixed sizes counts as one of equal sizes after this many packets of one size. After fewer, where two sizes
/// take turns, it would go back and forth.
const ALIKE: usize = 64;

/// No size of a packet.
const NO_SIZE: u32 = u32::MAX;

/// The state that every arrival needs.
#[derive(Clone, Debug)]
pub(crate) struct DropTail {
    /// When the last packet departs, in nanoseconds.
    free_at: u64,
    /// Transmission time of a packet of the current size.
    tx: u64,
    /// A packet of the current size is dropped if it would have to wait longer than this.
    patience: u64,
}

/// The state that is needed only when the packet size changes.
#[derive(Clone, Debug)]
pub(crate) struct Backlog {
    rate: u64,
    limit: u32,
    /// The size of all packets in the system, in bytes, unless they are mixed.
    bytes: u16,
    /// Whether the sizes in the system differ.
    is_mixed: bool,
    /// Whether the number in the system matters: it has a limit, RED uses it, or the link is watched.
    counted: bool,
    /// State that is needed only by links on which sizes have been mixed.
    mixed: Option<Box<Mixed>>,
}

#[derive(Clone, Debug)]
struct Mixed {
    /// Departures of the packets in the system.
    departures: Departures,
    /// The size of the packet that came last, in bytes.
    bytes: u16,
    /// How many packets of that size came since the last one of another size, or since the ring was filled.
    alike: usize,
    /// The two sizes that were new last, and their transmission times.
    known: [(u32, u64); 2],
}

/// An admitted packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Admitted {
    /// When its transmission ends.
    pub departure: u64,
    /// Its transmission time.
    pub tx: u64,
}

impl DropTail {
    pub fn new() -> Self {
        Self {
            free_at: 0,
            tx: 0,
            patience: 0,
        }
    }

    /// Admits a packet that has the current size, which is that of all packets in the system or of the
    /// last one in it; returns `None` if the queue is full.
    #[inline]
    pub fn admit_equal(&mut self, now: u64) -> Option<Admitted> {
        if self.free_at.saturating_sub(now) > self.patience {
            cold_path();
            return None;
        }
        Some(self.accept(self.tx, now))
    }

    /// Admits a packet of any size; returns `None` if the queue is full.
    #[inline(always)]
    pub fn admit(&mut self, backlog: &mut Backlog, bytes: u16, now: u64) -> Option<Admitted> {
        if backlog.is_mixed
            && self.free_at > now
            && let Some(mixed) = &mut backlog.mixed
        {
            let tx = mixed.transmission(u32::from(bytes), backlog.rate);
            if (mixed.alike >= ALIKE)
                & mixed.departures.holds_at_most(mixed.alike)
                & (bytes == mixed.bytes)
            {
                cold_path();
                self.begin_equal(backlog, bytes, tx);
                return self.admit_equal(now);
            }
            let departure = self.free_at.saturating_add(tx);
            if !mixed.departures.admit(departure, backlog.limit, now) {
                cold_path();
                return None;
            }
            mixed.note(bytes);
            self.free_at = departure;
            return Some(Admitted { departure, tx });
        }
        self.admit_rarely(backlog, bytes, now)
    }

    /// All packets in the system have this size.
    fn begin_equal(&mut self, backlog: &mut Backlog, bytes: u16, tx: u64) {
        (backlog.bytes, backlog.is_mixed) = (bytes, false);
        self.tx = tx;
        self.patience = match backlog.limit {
            u32::MAX => u64::MAX,
            limit => tx.saturating_mul(u64::from(limit) - 1),
        };
    }

    /// Admits a packet while sizes are not mixed, or are not yet.
    #[inline(never)]
    fn admit_rarely(&mut self, backlog: &mut Backlog, bytes: u16, now: u64) -> Option<Admitted> {
        if !backlog.is_mixed && bytes == backlog.bytes {
            return self.admit_equal(now);
        }
        let tx = backlog.transmission(u32::from(bytes));
        if self.free_at <= now {
            self.begin_equal(backlog, bytes, tx);
            return Some(self.accept(tx, now));
        }
        if backlog.counted {
            if !backlog.is_mixed {
                backlog.rebuild(self.free_at, self.tx, now);
            }
            backlog.is_mixed = true;
            let departure = self.free_at.saturating_add(tx);
            let mixed = backlog.mixed.get_or_insert_with(Mixed::boxed);
            if !mixed.departures.admit(departure, backlog.limit, now) {
                return None;
            }
            mixed.note(bytes);
        }
        backlog.is_mixed = true;
        Some(self.accept(tx, now))
    }

    /// Returns the transmission time of a packet of the current size.
    pub fn tx(&self) -> u64 {
        self.tx
    }

    /// Returns the number of packets in the system, including the one in transmission.
    pub fn len(&self, backlog: &mut Backlog, now: u64) -> u32 {
        let wait = self.free_at.saturating_sub(now);
        let len = match (wait, backlog.is_mixed) {
            (0, _) => 0,
            (_, true) => backlog.len(now) as u64,
            _ => wait.div_ceil(self.tx),
        };
        u32::try_from(len).unwrap_or(u32::MAX)
    }

    /// Returns how long the transmitter has been idle; `None` while it is busy.
    pub fn idle(&self, now: u64) -> Option<u64> {
        now.checked_sub(self.free_at)
    }

    #[inline]
    fn accept(&mut self, tx: u64, now: u64) -> Admitted {
        let departure = self.free_at.max(now).saturating_add(tx);
        self.free_at = departure;
        Admitted { departure, tx }
    }
}

impl Backlog {
    /// `rate` is in bits per second and not zero.
    pub fn new(rate: u64, queue: Queue, watched: bool) -> Self {
        let limit = queue.limit();
        Self {
            rate,
            limit,
            bytes: 0,
            is_mixed: true,
            counted: queue.is_counted(watched),
            mixed: None,
        }
    }

    /// Returns the rate in bits per second.
    pub fn rate(&self) -> u64 {
        self.rate
    }

    /// Returns whether all packets in the system have the size of the last one admitted.
    pub fn is_uniform(&self) -> bool {
        !self.is_mixed
    }

    /// Returns the transmission time, rounded to the nearest nanosecond.
    fn transmission(&mut self, bytes: u32) -> u64 {
        match &mut self.mixed {
            Some(mixed) => mixed.transmission(bytes, self.rate),
            None => transmission(bytes, self.rate),
        }
    }

    /// Fills the ring with the departures of equal packets, from now on to the last one at `free_at`.
    fn rebuild(&mut self, free_at: u64, tx: u64, now: u64) {
        let packets = (free_at - now).div_ceil(tx);
        let mixed = self.mixed.get_or_insert_with(Mixed::boxed);
        (mixed.bytes, mixed.alike) = (self.bytes, 0);
        mixed.departures.clear();
        for later in (0..packets).rev() {
            mixed.departures.push(free_at - later * tx);
        }
    }

    fn len(&mut self, now: u64) -> usize {
        let Some(mixed) = &mut self.mixed else {
            return 0;
        };
        mixed.departures.len(now)
    }
}

impl Mixed {
    fn boxed() -> Box<Self> {
        Box::new(Self {
            departures: Departures::default(),
            bytes: 0,
            alike: 0,
            known: [(NO_SIZE, 0); 2],
        })
    }

    /// Notes the size of an admitted packet, without a branch: none could foresee sizes that take turns.
    #[inline(always)]
    fn note(&mut self, bytes: u16) {
        let alike = self.alike + 1;
        self.alike = if bytes == self.bytes { alike } else { 1 };
        self.bytes = bytes;
    }

    /// Of two sizes in turns, which no branch can foresee, the time is selected without one.
    #[inline(always)]
    fn transmission(&mut self, bytes: u32, rate: u64) -> u64 {
        let [first, second] = self.known;
        let is_first = first.0 == bytes;
        if is_first | (second.0 == bytes) {
            return if is_first { first.1 } else { second.1 };
        }
        cold_path();
        let tx = transmission(bytes, rate);
        self.known = [(bytes, tx), first];
        tx
    }
}

/// Returns the nanoseconds to transmit `bytes` at `rate` bits per second, rounded to the nearest.
pub(crate) fn transmission(bytes: u32, rate: u64) -> u64 {
    // `bytes` is at most 65,535, so the product stays below 2^49.
    (u64::from(bytes) * 8_000_000_000 + rate / 2) / rate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Component, stream};

    fn system(limit: u32) -> (DropTail, Backlog) {
        // 8 Mb/s: one microsecond per byte.
        let queue = Queue::DropTail { limit };
        (DropTail::new(), Backlog::new(8_000_000, queue, true))
    }

    #[test]
    fn forty_packets_at_once_into_a_limit_of_fifteen() {
        for sizes in [[1_000, 1_000], [1_000, 40]] {
            let (mut queue, mut backlog) = system(15);
            let passed = (0..40)
                .filter(|k| queue.admit(&mut backlog, sizes[k % 2], 5_000).is_some())
                .count();
            assert_eq!(passed, 15);
            assert_eq!(queue.len(&mut backlog, 5_000), 15);
        }
    }

    #[test]
    fn a_packet_that_departs_now_has_left() {
        let (mut queue, mut backlog) = system(1);
        let first = queue.admit(&mut backlog, 1_000, 0);
        assert_eq!(first.map(|packet| packet.departure), Some(1_000_000));
        assert_eq!(queue.admit(&mut backlog, 1_000, 999_999), None);
        assert_eq!(queue.len(&mut backlog, 999_999), 1);
        assert_eq!(queue.len(&mut backlog, 1_000_000), 0);
        let second = queue.admit(&mut backlog, 40, 1_000_000);
        assert_eq!(second.map(|packet| packet.departure), Some(1_040_000));
    }

    /// 1000 bytes depart at 1 and 2 ms, 500 at 2.5, 1000 at 3.5 ms.
    #[test]
    fn a_change_of_size_keeps_count() {
        let (mut queue, mut backlog) = system(4);
        let sizes = [1_000, 1_000, 500, 1_000];
        let departures = sizes.map(|bytes| {
            let admitted = queue.admit(&mut backlog, bytes, 0);
            admitted.map(|packet| packet.departure / 1_000)
        });
        assert_eq!(departures, [1_000, 2_000, 2_500, 3_500].map(Some));
        assert_eq!(queue.admit(&mut backlog, 40, 999_999), None);
        let lengths = [1_000, 2_000, 2_499, 2_500, 3_499, 3_500]
            .map(|us| queue.len(&mut backlog, us * 1_000));
        assert_eq!(lengths, [3, 2, 2, 1, 1, 0]);
        // Idle again: equal sizes are counted from `free_at`.
        assert!(queue.admit(&mut backlog, 1_000, 4_000_000).is_some());
        assert!(queue.admit(&mut backlog, 1_000, 4_500_000).is_some());
        assert_eq!(queue.len(&mut backlog, 4_999_999), 2);
        assert_eq!(queue.len(&mut backlog, 5_000_000), 1);
    }

    /// 10,000 bytes depart at 10 ms, 199 packets of 40 bytes behind them, 40 us apart.
    #[test]
    fn sizes_are_equal_again_when_the_last_other_has_departed() {
        let (mut queue, mut backlog) = system(200);
        assert!(queue.admit(&mut backlog, 10_000, 0).is_some());
        for _ in 0..199 {
            assert!(queue.admit(&mut backlog, 40, 0).is_some());
        }
        assert_eq!(queue.admit(&mut backlog, 40, 9_999_999), None);
        assert!(!backlog.is_uniform());
        assert!(queue.admit(&mut backlog, 40, 10_000_000).is_some());
        assert_eq!(queue.admit(&mut backlog, 40, 10_000_000), None);
        assert!(backlog.is_uniform());
        assert_eq!(queue.len(&mut backlog, 10_000_000), 200);
        assert_eq!(queue.len(&mut backlog, 10_040_000), 199);
    }

    /// Sizes that change seldom or often, at a link that is busy now and then.
    #[test]
    fn it_counts_as_a_list_of_departures_does() {
        let mut random = stream(5, Component::host(0, 0));
        let mut draw = |below: u64| random.next_u64() % below;
        let mut became_equal = 0;
        for limit in [2, 70, 300, 1_000] {
            let (mut queue, mut backlog) = system(limit);
            let (mut departures, mut free_at, mut now) = (Vec::new(), 0, 0);
            let (mut size, mut change, mut pause) = (1_000, 2, 900);
            for _ in 0..50_000 {
                if draw(1_000) == 0 {
                    change = [2, 20, 400, 2_000][draw(4) as usize];
                    pause = [300, 900, 1_500][draw(3) as usize];
                }
                if draw(change) == 0 {
                    size = [40, 576, 1_000][draw(3) as usize];
                }
                now += draw(2 * u64::from(size)) * pause;
                departures.retain(|&at| at > now);
                let was_mixed = !backlog.is_uniform();
                let admitted = queue.admit(&mut backlog, size, now);
                let expected = (departures.len() < limit as usize).then(|| {
                    free_at = now.max(free_at) + u64::from(size) * 1_000;
                    departures.push(free_at);
                    free_at
                });
                assert_eq!(admitted.map(|packet| packet.departure), expected);
                assert_eq!(queue.len(&mut backlog, now), departures.len() as u32);
                became_equal +=
                    u32::from(was_mixed && backlog.is_uniform() && departures.len() > 1);
            }
        }
        assert!(became_equal > 20, "{became_equal}");
    }

    /// A drop of another size must not lose the count of the equal packets in the system.
    #[test]
    fn a_dropped_packet_of_another_size() {
        let (mut queue, mut backlog) = system(2);
        assert!(queue.admit(&mut backlog, 1_000, 0).is_some());
        assert!(queue.admit(&mut backlog, 1_000, 0).is_some());
        assert_eq!(queue.admit(&mut backlog, 500, 0), None);
        assert_eq!(queue.admit(&mut backlog, 1_000, 0), None);
        assert_eq!(queue.len(&mut backlog, 0), 2);
        let third = queue.admit(&mut backlog, 1_000, 1_000_000);
        assert_eq!(third.map(|packet| packet.departure), Some(3_000_000));
    }

    #[test]
    fn without_a_limit_nothing_is_dropped_or_kept() {
        let mut backlog = Backlog::new(8_000_000, Queue::Unlimited, false);
        let mut queue = DropTail::new();
        for k in 0..10_000 {
            assert!(queue.admit(&mut backlog, 40 + k % 2, 0).is_some());
        }
        assert!(backlog.mixed.is_none());
        // 5,000 of 40 bytes and 5,000 of 41.
        assert_eq!(queue.free_at, 405_000_000);
    }

    #[test]
    fn transmission_times_round_to_the_nearest() {
        // 12000 bits at 7 Mb/s take 1714285.71 ns; 320 bits at 1 Tb/s 0.32 ns.
        assert_eq!(transmission(1_500, 7_000_000), 1_714_286);
        assert_eq!(transmission(40, 1_000_000_000_000), 0);
        assert_eq!(transmission(65_535, 1), 524_280_000_000_000);
        assert_eq!(transmission(65_535, u64::MAX), 0);
    }

    #[test]
    fn a_transmission_may_take_no_time() {
        let queue = Queue::DropTail { limit: 2 };
        let mut backlog = Backlog::new(1_000_000_000_000, queue, true);
        let mut queue = DropTail::new();
        for bytes in [40, 40, 41, 40] {
            let admitted = queue.admit(&mut backlog, bytes, 7);
            assert_eq!(
                admitted,
                Some(Admitted {
                    departure: 7,
                    tx: 0
                })
            );
        }
        assert_eq!(queue.len(&mut backlog, 7), 0);
    }
}
