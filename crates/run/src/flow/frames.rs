//! The frames of a media flow: its encoder and the queue of its packets at the sender.

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::player::Player;
use dumbbell_media::sender::Supply;
use dumbbell_media::source::{Discarded, Encoder, Fragment, Passed, Queue, Uniform};
use dumbbell_scenario::{Frames, Media};
use dumbbell_sim::Time;
use dumbbell_sim::random::Random;

use super::{FlowReceiver, FlowSender};
use crate::outcome::MediaOutcome;
use crate::time::instant;

/// What a media flow sends, if it does not always have something to send.
pub(crate) struct Feed {
    encoder: Encoder,
    pub(super) queue: Queue,
    random: Draws,
    /// In this time, in seconds, the queue is to be empty.
    drain: f64,
    /// The target of the last frame, in bit/s of payload.
    target: f64,
    /// When it was filled last.
    at: Instant,
}

/// The state of a feed, for probes. Rates are in bit/s of payload.
pub(crate) struct Feeding {
    pub(crate) target: f64,
    pub(crate) encoded: f64,
    /// The bytes that wait at the sender.
    pub(crate) queue: u64,
}

/// What a feed has made so far.
pub(crate) struct Made {
    pub(crate) frames: u64,
    pub(crate) discarded: Discarded,
    pub(crate) passed: Passed,
}

/// What a sender's rate control has to do after the frames that were due.
pub(super) struct Due {
    /// The packets that were added to the queue.
    pub(super) added: u64,
    /// Whether packets were discarded, so that the number of those that wait has to be set anew.
    pub(super) discarded: bool,
}

struct Draws(Random);

impl Uniform for Draws {
    fn positive_uniform(&mut self) -> f64 {
        self.0.positive_uniform()
    }
}

/// Creates the feed of a flow with frames, and its player.
pub(super) fn ends(
    media: &Media,
    frames: &Frames,
    start: Instant,
    random: Random,
) -> (Box<Feed>, Box<Player>) {
    let encoder = Encoder::new(frames.encoder.config(), start);
    let player = Player::new(frames.player.config(), encoder.interval(), start);
    let feed = Feed {
        target: encoder.rate(),
        encoder,
        queue: Queue::new(media.segment.0 as u16, frames.encoder.patience),
        random: Draws(random),
        drain: frames.encoder.drain.as_secs_f64(),
        at: start,
    };
    (Box::new(feed), Box::new(player))
}

/// The results of a flow's frames up to `end`; `None` if it has none.
pub(crate) fn outcome(
    sender: &FlowSender,
    receiver: &FlowReceiver,
    end: Time,
) -> Option<MediaOutcome> {
    let (FlowSender::Media(sender), FlowReceiver::Media(receiver)) = (sender, receiver) else {
        return None;
    };
    let (made, player) = (sender.made()?, receiver.player()?);
    let report = player.report(instant(end));
    let elapsed = (end - sender.start.min(end)).as_secs_f64();
    let passed = made.passed;
    let delay = report.delay;
    Some(MediaOutcome {
        made: made.frames,
        shown: report.shown,
        shown_late: report.shown_late,
        late: report.late,
        undecodable: report.undecodable,
        lost: report.lost,
        discarded: made.discarded.frames,
        requests: report.requests,
        encoded_bps: if elapsed > 0.0 {
            passed.made as f64 * 8.0 / elapsed
        } else {
            0.0
        },
        shown_bps: report.rate,
        shown_variation: report.rate_variation,
        startup_s: report.startup.map(Duration::as_secs_f64),
        played_s: report.played.as_secs_f64(),
        frozen_s: report.frozen.as_secs_f64(),
        freezes: report.freezes,
        delay_mean_s: delay.map(|delay| delay.mean),
        delay_p50_s: delay.map(|delay| delay.p50),
        delay_p95_s: delay.map(|delay| delay.p95),
        delay_p99_s: delay.map(|delay| delay.p99),
        delay_max_s: delay.map(|delay| delay.max),
        waiting_mean_s: (passed.packets > 0)
            .then(|| passed.waited as f64 / passed.packets as f64 / 1e9),
        waiting_max_s: passed.longest.as_secs_f64(),
    })
}

impl Feed {
    /// When the next frame is made.
    pub(super) fn next(&self) -> Instant {
        self.encoder.next()
    }

    /// Makes the frames that are due, if the rate control allows this rate of full packets, in bytes per second, and
    /// discards those that have waited too long.
    pub(super) fn on_timer(&mut self, now: Instant, allowed: f64) -> Due {
        let mut added = 0;
        while self.encoder.next() <= now {
            let waiting = self.queue.bytes() as f64 / self.drain;
            self.target = 8.0 * (allowed * self.queue.fill() - waiting).max(0.0);
            let frame = self.encoder.frame(self.target, &mut self.random);
            added += u64::from(self.queue.push(frame));
        }
        let discarded = self.queue.discard(now);
        Due { added, discarded }
    }

    /// The player asks for a key frame.
    pub(super) fn ask_for_key(&mut self) {
        self.encoder.ask_for_key();
    }

    pub(super) fn state(&self) -> Feeding {
        Feeding {
            target: self.target,
            encoded: self.encoder.rate(),
            queue: self.queue.bytes(),
        }
    }

    pub(super) fn made(&self) -> Made {
        Made {
            frames: u64::from(self.encoder.made()),
            discarded: self.queue.discarded(),
            passed: self.queue.passed(),
        }
    }
}

/// What a rate control that is told the fate of each packet sends: it sets the encoder's target itself, and takes the
/// bytes that wait into account.
impl Supply for Feed {
    type Packet = Option<Fragment>;

    fn fill(&mut self, now: Instant, target_rate: f64) {
        self.at = now;
        while self.encoder.next() <= now {
            self.target = target_rate;
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
