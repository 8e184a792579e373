//! The parameters of SCReAM.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::{Duration, Ratio};
use dumbbell_media::scream;

use super::common::Switch;
use super::group::{group, ratio};
use super::media::{MOST_RATE, SHORT, share, span};
use crate::document::Table;

group! {
    /// The parameters of SCReAM (RFC 8298, section 4.1.1.1).
    pub struct Scream {
        target_bitrate_min: u32 = 150_000, Kind::Rate(1, MOST_RATE),
            "TARGET_BITRATE_MIN: the least rate of the encoder in bit/s (RFC 8867, section 4.3: 150 kb/s); at most target_bitrate_max.";
        target_bitrate_max: u32 = 1_500_000, Kind::Rate(1, MOST_RATE),
            "TARGET_BITRATE_MAX: the largest rate of the encoder in bit/s (RFC 8867, section 4.3: 1.5 Mb/s).";
        ramp_up_speed: u32 = 200_000, Kind::Rate(1, MOST_RATE),
            "RAMP_UP_SPEED: the largest increase of the rate in a second, in bit/s (RFC 8298, section 4.1.1.1: 200 kb/s).";
        qdelay_target_lo: Duration = Duration::from_millis(100), span(SHORT),
            "QDELAY_TARGET_LO: the least target of the queueing delay (100 ms); at most qdelay_target_hi.";
        qdelay_target_hi: Duration = Duration::from_millis(400), span(SHORT),
            "QDELAY_TARGET_HI: the largest target of the queueing delay (400 ms).";
        compensation: Switch = Switch::On, Kind::Choice(Switch::WORDS),
            "Whether the target of the queueing delay rises when other flows compete (section 4.1.2.3).";
        qdelay_weight: Ratio = ratio(100_000), share(1_000, 1_000_000),
            "QDELAY_WEIGHT: the weight of a new queueing delay in the average (0.1).";
        qdelay_trend_th: Ratio = ratio(200_000), share(0, 1_000_000),
            "QDELAY_TREND_TH: the trend of the queueing delay that ends fast increase (0.2).";
        qdelay_trend_lo: Ratio = ratio(200_000), share(0, 1_000_000),
            "QDELAY_TREND_LO: the trend below which fast increase may resume (0.2).";
        t_resume_fast_increase: Duration = Duration::from_secs(5), span(Duration::ZERO),
            "T_RESUME_FAST_INCREASE: after how long it resumes (5 s).";
        min_cwnd: u32 = 3000, Kind::Count(1, 1_000_000),
            "MIN_CWND: the least congestion window in bytes (3000).";
        head_room: Ratio = ratio(1_100_000), share(1_000_000, 10_000_000),
            "MAX_BYTES_IN_FLIGHT_HEAD_ROOM: how far the window may exceed the bytes in flight (1.1).";
        gain: Ratio = ratio(1_000_000), share(1_000, 10_000_000),
            "GAIN: the gain of the window's change (1).";
        beta_loss: Ratio = ratio(800_000), share(100_000, 1_000_000),
            "BETA_LOSS: the factor of the window at a loss event (0.8).";
        beta_ecn: Ratio = ratio(900_000), share(100_000, 1_000_000),
            "BETA_ECN: the factor of window and rate at an ECN event (0.9).";
        beta_r: Ratio = ratio(900_000), share(100_000, 1_000_000),
            "BETA_R: the factor of the rate at a loss event (0.9).";
        mss: u32 = 1000, Kind::Count(1, 60_000),
            "MSS: the largest packet in bytes (1000).";
        rate_adjust_interval: Duration = Duration::from_millis(200), span(SHORT),
            "RATE_ADJUST_INTERVAL: the interval between changes of the rate (200 ms).";
        pre_congestion_guard: Ratio = ratio(100_000), share(0, 1_000_000),
            "PRE_CONGESTION_GUARD: how much the trend slows the rate down (0.1).";
        tx_queue_size_factor: Ratio = ratio(1_000_000), share(0, 2_000_000),
            "TX_QUEUE_SIZE_FACTOR: how much the waiting bits slow the rate down (1).";
        rtp_qdelay_th: Duration = Duration::from_millis(20), span(Duration::ZERO),
            "RTP_QDELAY_TH: the delay of waiting packets from which the rate is reduced (20 ms).";
        target_rate_scale: Ratio = ratio(950_000), share(100_000, 1_000_000),
            "TARGET_RATE_SCALE_RTP_QDELAY: the factor of the rate above that delay (0.95).";
        rate_pace_min: u32 = 50_000, Kind::Rate(1, MOST_RATE),
            "RATE_PACE_MIN: the least pacing rate in bit/s (50 kb/s).";
    }
}

impl Scream {
    /// Records what contradicts itself in the table from which this was read.
    pub(super) fn check(&self, table: &Table<'_>) {
        if self.target_bitrate_min > self.target_bitrate_max {
            table.wrong(
                "`target_bitrate_min` is above `target_bitrate_max`",
                "the least rate is at most the largest one",
            );
        }
        if self.qdelay_target_lo > self.qdelay_target_hi {
            table.wrong(
                "`qdelay_target_lo` is above `qdelay_target_hi`",
                "the least target is at most the largest one",
            );
        }
    }

    /// Returns the configuration.
    pub(super) fn config(&self) -> scream::Config {
        scream::Config {
            qdelay_target_lo: self.qdelay_target_lo.as_secs_f64(),
            qdelay_target_hi: self.qdelay_target_hi.as_secs_f64(),
            qdelay_weight: self.qdelay_weight.as_f64(),
            qdelay_trend_th: self.qdelay_trend_th.as_f64(),
            min_cwnd: self.min_cwnd.into(),
            head_room: self.head_room.as_f64(),
            gain: self.gain.as_f64(),
            beta_loss: self.beta_loss.as_f64(),
            beta_ecn: self.beta_ecn.as_f64(),
            beta_r: self.beta_r.as_f64(),
            mss: self.mss.into(),
            rate_adjust_interval: self.rate_adjust_interval.as_secs_f64(),
            target_bitrate_min: self.target_bitrate_min.into(),
            target_bitrate_max: self.target_bitrate_max.into(),
            ramp_up_speed: self.ramp_up_speed.into(),
            pre_congestion_guard: self.pre_congestion_guard.as_f64(),
            tx_queue_size_factor: self.tx_queue_size_factor.as_f64(),
            rtp_qdelay_th: self.rtp_qdelay_th.as_secs_f64(),
            target_rate_scale: self.target_rate_scale.as_f64(),
            qdelay_trend_lo: self.qdelay_trend_lo.as_f64(),
            t_resume_fast_increase: self.t_resume_fast_increase.as_secs_f64(),
            rate_pace_min: self.rate_pace_min.into(),
            compensation: self.compensation == Switch::On,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_control() {
        assert_eq!(Scream::default().config(), scream::Config::default());
    }
}
