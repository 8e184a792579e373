//! The mean cut of TFRC Veno: what a TCP Veno would leave of its window at a loss ("TFRC Veno", sections
//! III-A and III-B).
//!
//! | quantity | rule |
//! |---|---|
//! | BaseRTT | the least round-trip sample |
//! | W | X R/s after each feedback; W_max the largest |
//! | g | min(theta1, theta2 + (theta1 - theta2) beta R/((R - BaseRTT) W_max)); theta1 if R <= BaseRTT |
//! | X_calc | the equation with this g |
//!
//! Defaults: theta1 = .95, theta2 = .5, beta = 3 (section III-B).
//!
//! *Readings.* The paper leaves open how a sender without a window gets BaseRTT and W_max. Both last for
//! the connection by default: with a BaseRTT that every loss takes away, as in TCP Veno, R - BaseRTT is
//! near zero and g near theta1 whatever the congestion, against the paper's claim of friendliness. The
//! other readings are there to be tried. g is worked out at each feedback from R and BaseRTT with this
//! sample, and W_max of the feedback before. W does not look at the limit of a receiver's window.
//!
//! *Ours.* With a small beta, g follows the queue up and down, and the rate with it. A `memory` m makes it an
//! average: g <- m g + (1 - m) g of this feedback. It costs as many feedbacks as 1/(1 - m) until g says that
//! losses have become random, or congestion.

use crate::equation::Cut;

/// How TFRC Veno's mean cut is found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VenoConfig {
    /// The cuts and the threshold between them.
    pub cut: Cut,
    /// How long a BaseRTT lasts.
    pub base: BaseMode,
    /// How long a W_max lasts.
    pub window: WindowMode,
    /// This cut, whatever the path.
    pub fixed: Option<f64>,
    /// What a feedback leaves of the cut before it, in [0, 0.999]: ours, 0 is the paper's.
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

/// How long the least round-trip time counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BaseMode {
    /// As long as the connection.
    #[default]
    Life,
    /// Until a loss event, as in TCP Veno; the last cut stays until there is a sample.
    OnLoss,
}

/// How long the largest window counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WindowMode {
    /// As long as the connection.
    #[default]
    Life,
    /// As long as the connection, slow start left out.
    CongestionAvoidance,
    /// It shrinks by half a percent each feedback, down to the window at the moment.
    Decay,
}

/// What a feedback leaves of W_max where it shrinks.
const DECAY: f64 = 0.995;

/// The state behind g.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Veno {
    config: VenoConfig,
    base_rtt: Option<f64>,
    w_max: f64,
    g: f64,
    /// No sample has come yet.
    first: bool,
}

impl Veno {
    pub(crate) fn new(config: VenoConfig) -> Self {
        Self {
            config,
            base_rtt: None,
            w_max: 0.0,
            g: config.fixed.map_or(config.cut.congestion, clamp),
            first: true,
        }
    }

    pub(crate) fn g(&self) -> f64 {
        self.g
    }

    /// Packets.
    pub(crate) fn w_max(&self) -> f64 {
        self.w_max
    }

    /// Seconds.
    pub(crate) fn base_rtt(&self) -> Option<f64> {
        self.base_rtt
    }

    /// A round-trip sample, and R with it, in seconds.
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

    /// The rate after a feedback makes this window, in packets; with `loss`, the feedback told of a new
    /// loss event.
    pub(crate) fn on_window(&mut self, window: f64, slow_start: bool, loss: bool) {
        self.w_max = match self.config.window {
            WindowMode::Life => self.w_max.max(window),
            WindowMode::CongestionAvoidance if slow_start => self.w_max,
            WindowMode::CongestionAvoidance => self.w_max.max(window),
            WindowMode::Decay => (DECAY * self.w_max).max(window),
        };
        if loss && self.config.base == BaseMode::OnLoss {
            self.base_rtt = None;
        }
    }
}

/// A cut that the equation can take: it is infinite at 1.
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
    fn a_loss_may_take_the_base_away() {
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
            // The cut stays until there is a sample.
            assert_close(veno.g(), 0.8375);
            veno.on_sample(0.11, 0.1);
            assert_eq!(veno.base_rtt(), Some(base));
        }
    }

    #[test]
    fn the_largest_window_in_three_ways() {
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

    #[test]
    fn a_cut_may_be_remembered() {
        let mut veno = Veno::new(VenoConfig {
            memory: 0.75,
            ..VenoConfig::default()
        });
        // The first sample is taken as it is.
        veno.on_sample(0.08, 0.08);
        assert_eq!(veno.g(), 0.95);
        veno.on_window(20.0, false, false);
        // 0.8375 each time, a quarter of the way: 0.95 - 0.1125 / 4, then 0.8375 + 0.1125 * 9 / 16.
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
