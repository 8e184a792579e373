//! The mean cut of TFRC Veno: the mean share of its window that a TCP Veno would keep after a loss
//! ("TFRC Veno", sections III-A and III-B).
//!
//! | quantity | rule |
//! |---|---|
//! | BaseRTT | the minimum round-trip sample |
//! | W | X R/s after each feedback; W_max is the largest, or a configured limit |
//! | g | min(theta1, theta2 + (theta1 - theta2) beta R/((R - BaseRTT) W_max)); theta1 if R <= BaseRTT |
//! | X_calc | the equation with this g |
//!
//! Defaults: theta1 = .95, theta2 = .5, beta = 3 (section III-B).
//!
//! *Readings.* The paper does not say how a sender without a window obtains BaseRTT and W_max. By
//! default both are kept for the whole connection. If every loss reset BaseRTT, as in TCP Veno, R -
//! BaseRTT would be near zero and g near theta1 even under congestion, which contradicts the paper's
//! claim of friendliness. The other readings are available for comparison. g is computed at each
//! feedback from R and BaseRTT including this sample, and from W_max of the previous feedback. W ignores
//! the limit of a receiver's window. Equation 19 calls W_max the largest window "during the transmission",
//! which is the default; in equation 16 the same W_max is the limit that a receiver advertises, which is a
//! configured W_max. It limits no rate, because equation 22 omits the W_max/R of equation 16 and says so:
//! only beta / W_max in g depends on it.
//!
//! *Ours.* With a small beta, g follows the queue up and down, and so does the rate. A `memory` m
//! averages it: g <- m g + (1 - m) g of this feedback. The price is a delay of about 1/(1 - m) feedbacks
//! until g reflects a change between random losses and congestion.

use crate::equation::Cut;

/// How TFRC Veno's mean cut is determined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VenoConfig {
    /// The cuts, and the threshold between them.
    pub cut: Cut,
    /// How long BaseRTT is kept.
    pub base: BaseMode,
    /// How long W_max is kept.
    pub window: WindowMode,
    /// A fixed cut that is used instead of the measured one.
    pub fixed: Option<f64>,
    /// The weight of the previous cut at each feedback, in [0, 0.999]: an addition of ours; 0 is as in
    /// the paper.
    pub memory: f64,
}

impl Default for VenoConfig {
    fn default() -> Self {
        Self {
            cut: Cut::TFRC_VENO,
            base: BaseMode::Life,
            window: WindowMode::Life,
            fixed: None,
            memory: 0.0,
        }
    }
}

/// How long the minimum round-trip time is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseMode {
    /// For the whole connection.
    #[default]
    Life,
    /// Until a loss event, as in TCP Veno; the last cut stays until the next sample.
    OnLoss,
}

/// How long the largest window is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowMode {
    /// For the whole connection.
    #[default]
    Life,
    /// For the whole connection, except slow start.
    CongestionAvoidance,
    /// It shrinks by half a percent at each feedback, down to the current window.
    Decay,
    /// It is not measured, but this many packets: the limit of a receiver's window.
    Configured(u32),
}

/// The factor for W_max at each feedback if it shrinks.
const DECAY: f64 = 0.995;

/// The state from which g is computed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Veno {
    config: VenoConfig,
    base_rtt: Option<f64>,
    w_max: f64,
    g: f64,
    /// Whether no sample has arrived yet.
    first: bool,
}

impl Veno {
    pub(crate) fn new(config: VenoConfig) -> Self {
        Self {
            config,
            base_rtt: None,
            w_max: match config.window {
                WindowMode::Configured(packets) => packets.into(),
                _ => 0.0,
            },
            g: config.fixed.map_or(config.cut.congestion, clamp),
            first: true,
        }
    }

    pub(crate) fn g(&self) -> f64 {
        self.g
    }

    /// Returns the largest window, in packets.
    pub(crate) fn w_max(&self) -> f64 {
        self.w_max
    }

    /// Returns BaseRTT in seconds.
    pub(crate) fn base_rtt(&self) -> Option<f64> {
        self.base_rtt
    }

    /// Handles a round-trip sample, given with R including it, both in seconds.
    pub(crate) fn on_sample(&mut self, sample: f64, rtt: f64) {
        let base = self.base_rtt.map_or(sample, |base| base.min(sample));
        self.base_rtt = Some(base);
        if self.config.fixed.is_none() {
            let g = clamp(self.config.cut.mean(rtt, base, self.w_max));
            self.g = match self.first {
                true => g,
                false => g + clamp(self.config.memory) * (self.g - g),
            };
            self.first = false;
        }
    }

    /// Handles the window, in packets, that corresponds to the rate after a feedback; `loss` says
    /// whether the feedback reported a new loss event.
    pub(crate) fn on_window(&mut self, window: f64, slow_start: bool, loss: bool) {
        self.w_max = match self.config.window {
            WindowMode::Life => self.w_max.max(window),
            WindowMode::CongestionAvoidance if slow_start => self.w_max,
            WindowMode::CongestionAvoidance => self.w_max.max(window),
            WindowMode::Decay => (DECAY * self.w_max).max(window),
            WindowMode::Configured(_) => self.w_max,
        };
        if loss && self.config.base == BaseMode::OnLoss {
            self.base_rtt = None;
        }
    }
}

/// Returns a valid cut for the equation, whose result is infinite at 1.
fn clamp(g: f64) -> f64 {
    if g.is_nan() { 0.5 } else { g.clamp(0.0, 0.999) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assert_close(value: f64, expected: f64) {
        assert!((value / expected - 1.0).abs() < 1e-9, "{value}");
    }

    #[test]
    fn g_falls_with_the_queue_and_the_window() {
        let mut veno = Veno::new(VenoConfig::default());
        assert_eq!(veno.g(), 0.5);
        veno.on_sample(0.08, 0.08);
        assert_eq!(veno.g(), 0.95);
        veno.on_window(20.0, false, false);
        veno.on_sample(0.12, 0.1);
        assert_close(veno.g(), 0.8375);
        assert_eq!(veno.base_rtt(), Some(0.08));
    }

    #[test]
    fn a_loss_may_reset_the_base() {
        let on_loss = VenoConfig {
            base: BaseMode::OnLoss,
            ..VenoConfig::default()
        };
        for (config, base) in [(on_loss, 0.11), (VenoConfig::default(), 0.08)] {
            let mut veno = Veno::new(config);
            veno.on_sample(0.08, 0.08);
            veno.on_window(20.0, false, false);
            veno.on_sample(0.12, 0.1);
            veno.on_window(20.0, false, true);
            // The cut stays until the next sample.
            assert_close(veno.g(), 0.8375);
            veno.on_sample(0.11, 0.1);
            assert_eq!(veno.base_rtt(), Some(base));
        }
    }

    #[test]
    fn the_largest_window_is_kept_in_three_ways() {
        for (window, expected) in [
            (WindowMode::Life, 100.0),
            (WindowMode::CongestionAvoidance, 20.0),
            (WindowMode::Decay, 99.5),
        ] {
            let mut veno = Veno::new(VenoConfig {
                window,
                ..VenoConfig::default()
            });
            veno.on_window(100.0, true, false);
            veno.on_window(20.0, false, false);
            assert_close(veno.w_max(), expected);
        }
    }

    /// TFRC Veno, equation 20: beta R / ((R - BaseRTT) W_max) is 15/64 and 30/64, whatever the window was.
    #[test]
    fn a_configured_window_is_not_measured() {
        let mut veno = Veno::new(VenoConfig {
            window: WindowMode::Configured(64),
            ..VenoConfig::default()
        });
        assert_eq!(veno.w_max(), 64.0);
        veno.on_sample(0.08, 0.08);
        assert_eq!(veno.g(), 0.95);
        for window in [20.0, 1000.0] {
            veno.on_window(window, false, true);
            assert_eq!(veno.w_max(), 64.0);
            veno.on_sample(0.1, 0.1);
            // 0.5 + 0.45 * 15 / 64.
            assert_close(veno.g(), 0.605_468_75);
        }
        veno.on_sample(0.09, 0.088_888_888_888_888_89);
        // R / (R - BaseRTT) is 10 instead of 5.
        assert_close(veno.g(), 0.710_937_5);
    }

    #[test]
    fn a_cut_may_be_averaged() {
        let mut veno = Veno::new(VenoConfig {
            memory: 0.75,
            ..VenoConfig::default()
        });
        // The first sample is used without averaging.
        veno.on_sample(0.08, 0.08);
        assert_eq!(veno.g(), 0.95);
        veno.on_window(20.0, false, false);
        // 0.8375 each time, with a weight of one quarter: 0.95 - 0.1125 / 4, then 0.8375 + 0.1125 * 9 / 16.
        veno.on_sample(0.12, 0.1);
        assert_close(veno.g(), 0.921875);
        veno.on_sample(0.12, 0.1);
        assert_close(veno.g(), 0.90078125);
    }

    #[test]
    fn a_fixed_cut_stays() {
        let mut veno = Veno::new(VenoConfig {
            fixed: Some(0.8),
            ..VenoConfig::default()
        });
        veno.on_sample(0.08, 0.08);
        veno.on_window(20.0, false, false);
        veno.on_sample(0.12, 0.1);
        assert_eq!(veno.g(), 0.8);
    }
}
