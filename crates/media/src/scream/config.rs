//! SCReAM's constants (RFC 8298, section 4.1.1.1). Rates are in bit/s, times in seconds, sizes in bytes.

/// The constants of SCReAM, with the names of section 4.1.1.1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// QDELAY_TARGET_LO: the least target of the queueing delay.
    pub qdelay_target_lo: f64,
    /// QDELAY_TARGET_HI: the largest target of the queueing delay.
    pub qdelay_target_hi: f64,
    /// QDELAY_WEIGHT: the weight of a new queueing delay in the average.
    pub qdelay_weight: f64,
    /// QDELAY_TREND_TH: the trend that shows incipient congestion.
    pub qdelay_trend_th: f64,
    /// MIN_CWND: the least congestion window.
    pub min_cwnd: f64,
    /// MAX_BYTES_IN_FLIGHT_HEAD_ROOM: how far the window may exceed the bytes in flight.
    pub head_room: f64,
    /// GAIN: the gain of the window's change.
    pub gain: f64,
    /// BETA_LOSS: the factor of the window at a loss event.
    pub beta_loss: f64,
    /// BETA_ECN: the factor of the window and of the rate at an ECN event.
    pub beta_ecn: f64,
    /// BETA_R: the factor of the rate at a loss event.
    pub beta_r: f64,
    /// MSS: the largest packet.
    pub mss: f64,
    /// RATE_ADJUST_INTERVAL: the interval between changes of the rate.
    pub rate_adjust_interval: f64,
    /// TARGET_BITRATE_MIN: the least rate of the encoder.
    pub target_bitrate_min: f64,
    /// TARGET_BITRATE_MAX: the largest rate of the encoder, at least the least one.
    pub target_bitrate_max: f64,
    /// RAMP_UP_SPEED: the largest increase of the rate in a second, in bit/s.
    pub ramp_up_speed: f64,
    /// PRE_CONGESTION_GUARD: how much the trend slows the rate down.
    pub pre_congestion_guard: f64,
    /// TX_QUEUE_SIZE_FACTOR: how much the waiting bits slow the rate down.
    pub tx_queue_size_factor: f64,
    /// RTP_QDELAY_TH: the delay of waiting packets from which the rate is reduced.
    pub rtp_qdelay_th: f64,
    /// TARGET_RATE_SCALE_RTP_QDELAY: the factor of the rate above it.
    pub target_rate_scale: f64,
    /// QDELAY_TREND_LO: the trend below which fast increase may resume.
    pub qdelay_trend_lo: f64,
    /// T_RESUME_FAST_INCREASE: after how long it resumes.
    pub t_resume_fast_increase: f64,
    /// RATE_PACE_MIN: the least pacing rate.
    pub rate_pace_min: f64,
    /// Whether the target of the queueing delay rises when other flows compete (section 4.1.2.3 allows to turn it off).
    pub compensation: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            qdelay_target_lo: 0.1,
            qdelay_target_hi: 0.4,
            qdelay_weight: 0.1,
            qdelay_trend_th: 0.2,
            min_cwnd: 3000.0,
            head_room: 1.1,
            gain: 1.0,
            beta_loss: 0.8,
            beta_ecn: 0.9,
            beta_r: 0.9,
            mss: 1000.0,
            rate_adjust_interval: 0.2,
            target_bitrate_min: 150e3,
            target_bitrate_max: 1.5e6,
            ramp_up_speed: 200e3,
            pre_congestion_guard: 0.1,
            tx_queue_size_factor: 1.0,
            rtp_qdelay_th: 0.02,
            target_rate_scale: 0.95,
            qdelay_trend_lo: 0.2,
            t_resume_fast_increase: 5.0,
            rate_pace_min: 50e3,
            compensation: true,
        }
    }
}
