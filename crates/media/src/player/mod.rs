//! A player: packets of frames in, a picture that moves or stands still.
//!
//! | event | rule |
//! |---|---|
//! | a frame's first packet | it is due `delay` after it was made |
//! | a complete frame is due | it is shown, unless a newer one has been |
//! | it is complete only after that | `late`: shown at once, or not at all |
//! | a newer complete frame is due first | the picture skips the incomplete one; with `lost = freeze`, it then stands still until a key frame is due, for which the player asks |
//! | one frame interval after a frame was shown | the picture is frozen until the next one is shown |
//!
//! So from the first picture on, played and frozen time add up to the time. A frame is counted once: as shown, as late, as
//! undecodable (complete, but it builds on a frame that is missing), or as lost; until then it is under way. A frame is
//! lost if it is incomplete and a packet of a newer one has arrived, because a sender sends frames in order.
//!
//! A player takes a bounded amount of memory, whatever arrives. It needs no timer: all that happens at times is
//! worked out when the next packet arrives, or a [`Report`] is asked for.

mod delays;
mod playout;
mod screen;
mod window;

use dumbbell_control::units::{Duration, Instant};

use crate::source::Fragment;
use delays::Delays;
use playout::Playout;
use screen::Screen;
use window::{Status, Window};

pub use delays::DelaySummary;
pub use playout::{Clock, Delay};

/// The properties of a player.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlayerConfig {
    /// How long after it was made a frame is due.
    pub delay: Delay,
    /// What becomes of frames that are complete too late.
    pub late: Late,
    /// What follows a frame that is missing.
    pub lost: Lost,
    /// What is known of the sender's clock.
    pub clock: Clock,
}

/// What becomes of a frame that is complete only after it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Late {
    /// It is shown at once, unless a newer one has been shown.
    Show,
    /// It is not shown. Other frames can build on it.
    Skip,
}

/// What follows a frame that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lost {
    /// The next complete frame is shown, with the errors that a decoder can hide.
    Skip,
    /// The picture stands still until the next key frame, for which the player asks.
    Freeze,
}

/// A player. Its host gives it the packets of frames in the order in which they arrive.
#[derive(Clone, Debug)]
pub struct Player {
    config: PlayerConfig,
    playout: Playout,
    window: Window,
    screen: Screen,
    /// The first frame that may still be shown.
    cursor: u64,
    /// Whether the picture stands still until a key frame.
    broken: bool,
    /// Whether a key frame is needed that has not been heard of, and when it was last asked for.
    wants_key: bool,
    asked_at: Option<Instant>,
    counts: Counts,
    delays: Box<Delays>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    shown: u64,
    shown_late: u64,
    late: u64,
    undecodable: u64,
    lost: u64,
    payload: u64,
    requests: u64,
}

/// What a player has shown up to a moment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Frames that were shown, late ones included.
    pub shown: u64,
    /// Those of them that were shown late.
    pub shown_late: u64,
    /// Frames that were complete too late to be shown.
    pub late: u64,
    /// Frames that were complete, but built on a missing one.
    pub undecodable: u64,
    /// Frames that are incomplete although a packet of a newer one has arrived.
    pub lost: u64,
    /// Payload that arrived, without duplicates, in bytes.
    pub payload: u64,
    /// Key frames that were asked for.
    pub requests: u64,
    /// The time from the start to the first picture; `None` if there is none yet.
    pub startup: Option<Duration>,
    /// How long a picture was shown for no longer than a frame's interval.
    pub played: Duration,
    /// How long the picture stood still beyond a frame's interval.
    pub frozen: Duration,
    /// How often it stood still noticeably: for more than three intervals and more than 150 ms beyond one.
    pub freezes: u64,
    /// The size of the frames that were shown, in bit/s since the start.
    pub rate: f64,
    /// The coefficient of variation of that rate, over the whole seconds since the start; `None` before the first
    /// picture.
    pub rate_variation: Option<f64>,
    /// The times from the making of frames to their showing; `None` if none was shown.
    pub delay: Option<DelaySummary>,
}

/// The time between two requests for a key frame.
const PATIENCE: Duration = Duration::from_millis(250);

impl Player {
    /// Makes a player that starts at `start`, of frames that are made at this interval.
    pub fn new(config: PlayerConfig, interval: Duration, start: Instant) -> Self {
        Self {
            playout: Playout::new(config.delay, config.clock),
            window: Window::new(config.delay.longest(), interval),
            screen: Screen::new(start, interval),
            cursor: 0,
            broken: false,
            wants_key: false,
            asked_at: None,
            counts: Counts::default(),
            delays: Box::default(),
            config,
        }
    }

    /// Handles a packet that arrives now; returns whether to ask the sender for a key frame.
    pub fn on_fragment(&mut self, now: Instant, fragment: &Fragment) -> bool {
        self.advance(now);
        let number = u64::from(fragment.frame);
        self.notice_gaps(number, fragment.key);
        if let Some((first, lost)) = self.window.slide_to(number) {
            self.counts.lost += lost;
            if self.cursor < first {
                self.cursor = first;
                self.broken |= self.config.lost == Lost::Freeze;
            }
        }
        let playout = &mut self.playout;
        let Some(slot) = self
            .window
            .hear(fragment, || playout.schedule(now, fragment.made_at))
        else {
            return self.asks(now);
        };
        self.counts.payload += u64::from(fragment.bytes);
        if slot.is_complete() {
            slot.completed = now;
            playout.on_complete(now.since(slot.made));
            if slot.status == Status::Passed {
                slot.status = Status::Counted;
                self.counts.late += 1;
            }
            self.advance(now);
        }
        self.asks(now)
    }

    /// Does what is due up to `now`.
    pub fn advance(&mut self, now: Instant) {
        while let Some((number, slot)) = self.window.complete_from(self.cursor) {
            let ready = slot.due.max(slot.completed);
            if ready > now {
                break;
            }
            let (late, key, made, bytes) =
                (slot.completed > slot.due, slot.key, slot.made, slot.bytes);
            slot.status = Status::Counted;
            if number > self.cursor {
                self.window.pass(self.cursor..number);
                self.broken |= self.config.lost == Lost::Freeze;
            }
            self.cursor = number + 1;
            self.broken &= !key;
            if self.broken {
                self.counts.undecodable += 1;
            } else if late && self.config.late == Late::Skip {
                self.counts.late += 1;
            } else {
                self.counts.shown += 1;
                self.counts.shown_late += u64::from(late);
                let at = self.screen.show(ready, bytes);
                self.delays.add(at.since(made));
            }
        }
    }

    /// Returns what has been shown up to `now`.
    pub fn report(&self, now: Instant) -> Report {
        let mut last = self.clone();
        last.advance(now);
        let Counts {
            shown,
            shown_late,
            late,
            undecodable,
            lost,
            payload,
            requests,
        } = last.counts;
        let seen = last.screen.report(now);
        Report {
            shown,
            shown_late,
            late,
            undecodable,
            lost: lost + last.window.incomplete(),
            payload,
            requests,
            startup: seen.startup,
            played: seen.played,
            frozen: seen.frozen,
            freezes: seen.freezes,
            rate: seen.rate,
            rate_variation: seen.rate_variation,
            delay: last.delays.summary(),
        }
    }

    /// Returns the payload that arrived, without duplicates, in bytes.
    pub fn payload(&self) -> u64 {
        self.counts.payload
    }

    /// Returns the present playout delay.
    pub fn delay(&self) -> Duration {
        self.playout.delay()
    }

    /// A packet of a newer frame shows that an older one is incomplete.
    fn notice_gaps(&mut self, number: u64, key: bool) {
        if self.config.lost == Lost::Skip || !self.window.is_newest(number) {
            return;
        }
        self.wants_key |= self.window.is_gap_before(number);
        self.wants_key &= !key;
    }

    fn asks(&mut self, now: Instant) -> bool {
        let waited = self.asked_at.is_none_or(|at| now.since(at) >= PATIENCE);
        let asks = self.wants_key && waited;
        if asks {
            self.asked_at = Some(now);
            self.counts.requests += 1;
        }
        asks
    }
}

#[cfg(test)]
mod tests;
