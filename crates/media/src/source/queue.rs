//! The packets that wait at the sender until its rate control lets them go.

use std::collections::VecDeque;

use dumbbell_control::units::{Duration, Instant};

use super::fragment::{Fragment, Frame};

/// The queue between an encoder and its rate control. It is empty of whole frames that have waited too long, so it
/// takes a bounded amount of memory.
#[derive(Clone, Debug)]
pub struct Queue {
    packets: VecDeque<Fragment>,
    bytes: u64,
    segment: u16,
    patience: Duration,
    /// The frame of which a packet has left last.
    begun: Option<u32>,
    discarded: Discarded,
    passed: Passed,
    /// The mean part of a packet's room that is used.
    fill: f64,
}

/// What a sender has discarded, because it had waited too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Discarded {
    /// Whole frames.
    pub frames: u64,
    /// Their packets.
    pub packets: u64,
}

/// What has passed through a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Passed {
    /// The bytes of all frames that were added, discarded ones included.
    pub made: u64,
    /// Packets that were taken.
    pub packets: u64,
    /// The sum of the times from the making of a frame to the taking of each of its packets, in nanoseconds.
    pub waited: u64,
    /// The longest of these times.
    pub longest: Duration,
}

/// The weight of a new frame in the mean part of packets that is used.
const WEIGHT: f64 = 1.0 / 16.0;
/// The packets for which there is room at first.
const ROOM: usize = 64;

impl Queue {
    /// Makes a queue of packets of at most `segment` bytes, from which frames are discarded that are older than
    /// `patience` before a packet of theirs was sent.
    pub fn new(segment: u16, patience: Duration) -> Self {
        Self {
            packets: VecDeque::with_capacity(ROOM),
            bytes: 0,
            segment: segment.max(1),
            patience,
            begun: None,
            discarded: Discarded::default(),
            passed: Passed::default(),
            fill: 1.0,
        }
    }

    /// Adds a frame; returns the number of its packets.
    pub fn push(&mut self, frame: Frame) -> u16 {
        let before = self.packets.len();
        self.packets.extend(frame.fragments(self.segment));
        let packets = (self.packets.len() - before) as u16;
        let room = u64::from(packets) * u64::from(self.segment);
        let bytes = u64::from(frame.bytes).min(room);
        self.bytes += bytes;
        self.passed.made += bytes;
        self.fill += WEIGHT * (bytes as f64 / room as f64 - self.fill);
        packets
    }

    /// Takes the next packet, which is sent now.
    pub fn pop(&mut self, now: Instant) -> Option<Fragment> {
        let packet = self.packets.pop_front()?;
        let waited = now.since(packet.made_at);
        self.passed.packets += 1;
        self.passed.waited += waited.as_nanos();
        self.passed.longest = self.passed.longest.max(waited);
        self.bytes -= u64::from(packet.bytes);
        self.begun = Some(packet.frame);
        Some(packet)
    }

    /// Returns the next packet.
    pub fn first(&self) -> Option<&Fragment> {
        self.packets.front()
    }

    /// Discards the whole frames that have waited too long; returns whether there were any. A frame of which a packet
    /// has left is sent to its end.
    pub fn discard(&mut self, now: Instant) -> bool {
        // The rest of a frame that has begun stays before those that have not.
        let begun = self.packets.iter();
        let kept = begun
            .take_while(|one| Some(one.frame) == self.begun)
            .count();
        let mut end = kept;
        let mut frames = 0;
        while let Some(first) = self.packets.get(end)
            && now.since(first.made_at) > self.patience
        {
            end += usize::from(first.count);
            frames += 1;
        }
        let gone = self.packets.drain(kept..end);
        self.discarded.packets += gone.len() as u64;
        self.bytes -= gone.map(|one| u64::from(one.bytes)).sum::<u64>();
        self.discarded.frames += frames;
        frames > 0
    }

    /// Returns the number of packets that wait.
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// Returns whether no packet waits.
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Returns the bytes that wait.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns what has been discarded.
    pub fn discarded(&self) -> Discarded {
        self.discarded
    }

    /// Returns what has passed through it.
    pub fn passed(&self) -> Passed {
        self.passed
    }

    /// Returns how much of the packets' room the frames of about the last half second use, above 0 and up to 1. A rate
    /// control that counts packets (TFRC) lets this part of its rate be payload.
    pub fn fill(&self) -> f64 {
        self.fill
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(number: u32, ms: u64, bytes: u32) -> Frame {
        Frame {
            number,
            made_at: Instant::from_nanos(ms * 1_000_000),
            bytes,
            key: false,
        }
    }

    fn at(ms: u64) -> Instant {
        Instant::from_nanos(ms * 1_000_000)
    }

    #[test]
    fn frames_that_have_waited_too_long_are_discarded_whole() {
        let mut queue = Queue::new(1000, Duration::from_millis(100));
        assert_eq!(queue.push(frame(0, 0, 2500)), 3);
        assert_eq!(queue.push(frame(1, 10, 1500)), 2);
        assert_eq!(queue.push(frame(2, 60, 900)), 1);
        assert_eq!(queue.bytes(), 4900);
        assert_eq!(
            queue.pop(at(100)).map(|one| (one.frame, one.bytes)),
            Some((0, 834))
        );
        assert!(!queue.discard(at(110)));
        // Frame 0 has begun and is sent to its end; frame 1 is too old.
        assert!(queue.discard(at(111)));
        let discarded = Discarded {
            frames: 1,
            packets: 2,
        };
        assert_eq!(
            (queue.discarded(), queue.bytes(), queue.len()),
            (discarded, 2566, 3)
        );
        let rest: Vec<u32> = std::iter::from_fn(|| queue.pop(at(120)))
            .map(|one| one.frame)
            .collect();
        assert_eq!(rest, [0, 0, 2]);
        // The packets waited for 100, 120, 120 and 60 ms.
        let passed = Passed {
            made: 4900,
            packets: 4,
            waited: 400_000_000,
            longest: Duration::from_millis(120),
        };
        assert_eq!(queue.passed(), passed);
        assert_eq!(queue.bytes(), 0);
    }

    /// By hand: a frame of 1500 B takes two packets of 1000 B, of which three quarters are used; after the first frame
    /// the mean is 1 - 0.25/16.
    #[test]
    fn the_part_of_packets_that_is_used_is_a_moving_mean() {
        let mut queue = Queue::new(1000, Duration::MAX);
        queue.push(frame(0, 0, 1500));
        assert_eq!(queue.fill(), 0.984_375);
        for number in 1..200 {
            queue.push(frame(number, 0, 1500));
        }
        assert!((queue.fill() - 0.75).abs() < 1e-4);
    }
}
