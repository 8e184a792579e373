//! The encoder, and the queue of its packets.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::sender::Supply;
use dumbbell_media::source::{Encoder, EncoderConfig, Fragment, Queue, Uniform};

use super::SendingConfig;

/// What makes packets, and where they wait until the rate control lets them go.
pub(super) struct Source<R> {
    pub(super) encoder: Encoder,
    pub(super) queue: Queue,
    config: EncoderConfig,
    random: R,
    /// In this time, in seconds, the queue is to be empty.
    drain: f64,
    /// When it was filled last.
    at: Instant,
}

/// What a rate control of TFRC's has to do after the frames that were due.
pub(super) struct Due {
    /// The packets that were added to the queue.
    pub(super) added: u64,
    /// When the first of their frames was made: before now if the timer was late.
    pub(super) since: Instant,
    /// Whether packets were discarded, so that the number of those that wait has to be set anew.
    pub(super) discarded: bool,
}

/// The least time in which the queue is to be empty.
const LEAST_DRAIN: Duration = Duration::from_millis(1);

impl<R: Uniform> Source<R> {
    pub(super) fn new(config: &SendingConfig, random: R, now: Instant) -> Self {
        Self {
            encoder: Encoder::new(config.encoder.clone(), now),
            queue: Queue::new(config.segment, config.patience),
            config: config.encoder.clone(),
            random,
            drain: config.drain.max(LEAST_DRAIN).as_secs_f64(),
            at: now,
        }
    }

    /// The first frame is made now.
    pub(super) fn start(&mut self, now: Instant) {
        self.encoder = Encoder::new(self.config.clone(), now);
    }

    /// Makes the frames that are due if the rate control allows this rate of full packets, in bytes per second, and
    /// discards those that have waited too long.
    pub(super) fn on_timer(&mut self, now: Instant, allowed: f64) -> Due {
        let mut added = 0;
        let since = self.encoder.next().min(now);
        while self.encoder.next() <= now {
            let waiting = self.queue.bytes() as f64 / self.drain;
            let target = 8.0 * (allowed * self.queue.fill() - waiting).max(0.0);
            let frame = self.encoder.frame(target, &mut self.random);
            added += u64::from(self.queue.push(frame));
        }
        let discarded = self.queue.discard(now);
        Due {
            added,
            since,
            discarded,
        }
    }
}

/// What a rate control that is told the fate of each packet sends. It sets the encoder's target itself, and takes the
/// bytes that wait into account.
impl<R: Uniform> Supply for Source<R> {
    type Packet = Option<Fragment>;

    fn fill(&mut self, now: Instant, target_rate: f64) {
        self.at = now;
        while self.encoder.next() <= now {
            let frame = self.encoder.frame(target_rate, &mut self.random);
            self.queue.push(frame);
        }
        self.queue.discard(now);
    }

    fn waiting(&self) -> u64 {
        self.queue.bytes()
    }

    fn next(&self) -> Option<u32> {
        self.queue.first().map(|packet| u32::from(packet.bytes))
    }

    fn take(&mut self) -> Option<(Option<Fragment>, u32)> {
        let packet = self.queue.pop(self.at)?;
        Some((Some(packet), u32::from(packet.bytes)))
    }

    fn pad(&mut self) -> Option<Fragment> {
        None
    }

    fn due(&self, _: f64) -> Option<Instant> {
        Some(self.encoder.next())
    }
}
