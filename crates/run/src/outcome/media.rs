//! The results of media flows with frames.

use serde::{Deserialize, Serialize};

/// The frames of a media flow, since its start, whether or not there was a warm-up. Rates are in bit/s of payload. Each
/// frame that was made is shown, late, undecodable, lost, or under way at the end.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MediaOutcome {
    /// Frames that the encoder made.
    pub made: u64,
    /// Frames that were shown, late ones included.
    pub shown: u64,
    /// Those of them that were shown late.
    pub shown_late: u64,
    /// Frames that were complete too late to be shown.
    pub late: u64,
    /// Frames that were complete, but built on a missing one.
    pub undecodable: u64,
    /// Frames that are incomplete although a packet of a newer one has arrived; those that the sender discarded included.
    pub lost: u64,
    /// Frames that the sender discarded because they had waited too long.
    pub discarded: u64,
    /// Key frames that the player asked for.
    pub requests: u64,
    /// Mean rate of the frames that were made.
    pub encoded_bps: f64,
    /// Mean rate of the frames that were shown.
    pub shown_bps: f64,
    /// The coefficient of variation of that rate over whole seconds; `None` before the first picture.
    pub shown_variation: Option<f64>,
    /// The time from the flow's start to the first picture, in seconds; `None` if there was none.
    pub startup_s: Option<f64>,
    /// How long pictures were shown, each for no longer than a frame's interval, in seconds.
    pub played_s: f64,
    /// How long the picture stood still beyond that, in seconds.
    pub frozen_s: f64,
    /// How often it stood still noticeably: for more than three intervals and more than 150 ms beyond one.
    pub freezes: u64,
    /// Mean time from the making of a frame to its showing, in seconds; `None` if none was shown.
    pub delay_mean_s: Option<f64>,
    /// Median of these times, in seconds, accurate to 1.6 %.
    pub delay_p50_s: Option<f64>,
    /// 95th percentile, likewise.
    pub delay_p95_s: Option<f64>,
    /// 99th percentile, likewise.
    pub delay_p99_s: Option<f64>,
    /// The longest, in seconds.
    pub delay_max_s: Option<f64>,
    /// Mean time that packets waited at the sender for its rate control, in seconds; `None` if none was sent.
    pub waiting_mean_s: Option<f64>,
    /// The longest of these times, in seconds.
    pub waiting_max_s: f64,
}

impl MediaOutcome {
    /// Frames that were under way at the end, or of which no later one had been heard.
    pub fn under_way(&self) -> u64 {
        let counted = self.shown + self.late + self.undecodable + self.lost;
        self.made.saturating_sub(counted)
    }

    /// The part of the time since the first picture in which the picture stood still; `None` without a picture.
    pub fn frozen_share(&self) -> Option<f64> {
        let seen = self.played_s + self.frozen_s;
        (seen > 0.0).then(|| self.frozen_s / seen)
    }
}
