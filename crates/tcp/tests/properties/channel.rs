//! A path that loses, delays, reorders, duplicates and marks packets.

use dumbbell_control::units::{Duration, Instant};

/// Random numbers: Steele, Lea and Flood's SplitMix64.
#[derive(Clone, Debug)]
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound
    }
}

/// The parameters of a path. After some time it stops misbehaving.
#[derive(Clone, Copy, Debug)]
pub struct Channel {
    /// Propagation delay of each way, in microseconds.
    pub delay: u64,
    /// The most additional delay, in microseconds, at random: packets overtake one another.
    pub jitter: u64,
    /// Transmission time of a data packet, in microseconds.
    pub service: u64,
    /// The number of data packets that may wait.
    pub queue: u64,
    /// Losses of data and of ACKs, per mille.
    pub loss: u64,
    pub ack_loss: u64,
    /// Packets that arrive twice, per mille.
    pub twice: u64,
    /// Packets that are marked, per mille.
    pub marks: u64,
    /// When the path stops misbehaving, in milliseconds.
    pub behaves_after: u64,
}

/// The state of a path.
#[derive(Debug)]
pub struct Path {
    channel: Channel,
    draw: Draw,
    behaves: Instant,
    free: Instant,
}

impl Path {
    pub fn new(channel: Channel, start: Instant, seed: u64) -> Self {
        Self {
            channel,
            draw: Draw::new(seed),
            behaves: start + Duration::from_millis(channel.behaves_after),
            free: start,
        }
    }

    /// Whether a packet sent at `now` is marked; only if `ect`.
    pub fn marks(&mut self, now: Instant, ect: bool) -> bool {
        ect && now < self.behaves && self.draw.below(1000) < self.channel.marks
    }

    /// The arrival times of a data packet, which arrives never, once or twice.
    pub fn data(&mut self, now: Instant) -> [Option<Instant>; 2] {
        let service = Duration::from_micros(self.channel.service);
        let backlog = self.free.since(now).as_nanos();
        let full = backlog > service.as_nanos() * self.channel.queue;
        if full && now < self.behaves {
            return [None, None];
        }
        self.free = self.free.max(now) + service;
        self.arrivals(now, self.free, self.channel.loss)
    }

    /// The arrival times of an ACK.
    pub fn ack(&mut self, now: Instant) -> [Option<Instant>; 2] {
        self.arrivals(now, now, self.channel.ack_loss)
    }

    fn arrivals(&mut self, now: Instant, from: Instant, loss: u64) -> [Option<Instant>; 2] {
        let delay = Duration::from_micros(self.channel.delay);
        if now >= self.behaves {
            return [Some(from + delay), None];
        }
        if self.draw.below(1000) < loss {
            return [None, None];
        }
        let twice = self.draw.below(1000) < self.channel.twice;
        let mut arrival = || {
            let jitter = self.draw.below(self.channel.jitter + 1);
            from + delay + Duration::from_micros(jitter)
        };
        [Some(arrival()), twice.then(arrival)]
    }
}
