//! Bandwidth from one sample per round, which ACK compression cannot inflate: Grieco and Mascolo,
//! "Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas TCP Congestion Control",
//! ACM CCR 34(2), 2004, section 2.
//!
//! The first ACK begins the first round, and its own bytes do not count. A round ends with the first
//! sample of a packet sent since it began, once it is `min_round` long.

use super::bandwidth;
use super::round::Round;
use crate::filter::ewma::{self, Cascade};
use crate::parameter::{Kind, choice, parameters};
use crate::snapshot::Snapshot;
use crate::units::{Duration, Instant, Rate, Ratio};

choice! {
    /// The filter of the samples.
    pub enum Filter {
        /// One moving average.
        Ewma = "ewma",
        /// Two moving averages in series (Linux).
        Cascade = "cascade",
    }
}

parameters! {
    /// How bandwidth is estimated by rounds.
    pub struct Config {
        /// The filter of the samples: `ewma` (Grieco and Mascolo 2004) or `cascade` (Linux).
        filter: Filter = Filter::Ewma, Kind::Choice(Filter::WORDS);
        /// Weight of a new sample under `ewma` (Grieco and Mascolo 2004: 0.1).
        gain: Ratio = Ratio::from_millionths(100_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Weight of a new sample in each average of `cascade` (Linux: 1/8).
        cascade_gain: Ratio = Ratio::from_millionths(125_000), Kind::Ratio(Ratio::ZERO, Ratio::ONE);
        /// Least length of a round (Linux: 50 ms).
        min_round: Duration = Duration::ZERO, Kind::Duration(Duration::ZERO, Duration::from_secs(10));
    }
}

/// A bandwidth estimate with its parameters. 48 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PerRound {
    round: Round,
    /// Bytes acknowledged in this round.
    bytes: u64,
    /// Under `ewma` both averages of the cascade are equal.
    bwe: Cascade,
    min_round: Duration,
    gain: Ratio,
    filter: Filter,
    started: bool,
    sampled: bool,
}

const _: () = assert!(size_of::<PerRound>() <= 48);

impl PerRound {
    /// The estimator before its first ACK.
    pub fn new(config: &Config) -> Self {
        Self {
            round: Round::default(),
            bytes: 0,
            bwe: Cascade::default(),
            min_round: config.min_round,
            gain: match config.filter {
                Filter::Ewma => config.gain,
                Filter::Cascade => config.cascade_gain,
            },
            filter: config.filter,
            started: false,
            sampled: false,
        }
    }

    /// The estimate; `None` until the first round ends.
    pub fn rate(&self) -> Option<Rate> {
        if self.sampled {
            Some(self.bwe.output())
        } else {
            None
        }
    }

    /// Takes `bytes` that left the network at `now`, with the RTT if the ACK acknowledges new data.
    #[inline]
    pub fn observe(&mut self, now: Instant, rtt: Option<Duration>, bytes: u32) {
        if !self.started {
            self.started = true;
            self.begin_round(now);
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes.into());
        let Some(rtt) = rtt else { return };
        let length = now.since(self.round.began());
        if self.round.is_ended_by(now, rtt) && length >= self.min_round && length > Duration::ZERO {
            self.close_round(now, length);
        }
    }

    fn close_round(&mut self, now: Instant, length: Duration) {
        let sample = bandwidth::rate(self.bytes, length.as_nanos());
        if !self.sampled {
            self.bwe = Cascade::beginning(sample);
        } else if self.filter == Filter::Cascade {
            self.bwe.step(sample, self.gain);
        } else {
            self.bwe = Cascade::beginning(ewma::step(self.bwe.output(), sample, self.gain));
        }
        self.sampled = true;
        self.begin_round(now);
    }

    fn begin_round(&mut self, now: Instant) {
        self.round = Round::beginning(now);
        self.bytes = 0;
    }
}

impl Snapshot for PerRound {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        let [first, second] = self.bwe.averages();
        out("began", self.round.began().as_nanos());
        out("bytes", self.bytes);
        out("first", first.raw());
        out("bwe", second.raw());
        out("started", self.started.into());
        out("sampled", self.sampled.into());
    }
}
