//! The values on which the rules of a connection work: its rate, the reported values, and the equation.

use dumbbell_control::units::Instant;

use crate::equation::RateEquation;
use crate::packet::Feedback;

use super::config::{Law, SenderConfig};
use super::rtt::Rtt;
use super::veno::Veno;

/// The longest time between packets (t_mbi), in seconds.
pub(crate) const LONGEST_BACKOFF: f64 = 64.0;
/// The largest rate, in bytes per second.
pub(crate) const LARGEST_RATE: f64 = 1e12;
/// The loss event rate that is used if only the wireless link loses packets (WM-TFRC).
const NO_CONGESTION: f64 = 1e-6;

/// The values on which the rules work.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    pub(crate) config: SenderConfig,
    pub(crate) rtt: Rtt,
    pub(super) veno: Option<Veno>,
    /// The allowed rate X, in bytes per second.
    pub(crate) x: f64,
    /// The rate of the equation; infinite before a loss event.
    pub(crate) x_calc: f64,
    pub(super) x_recv: Option<f64>,
    /// The loss event rate that the equation uses.
    pub(crate) p: f64,
    pub(super) p_reported: f64,
    pub(super) p_wireless: Option<f64>,
    pub(super) loss_events: u32,
    /// The number of feedback packets and expiries of the nofeedback timer.
    pub(crate) round: u32,
    /// Whether the next packet requests feedback.
    pub(crate) urgent: bool,
}

/// A feedback packet as the rules see it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) now: Instant,
    pub(crate) x_recv: f64,
    pub(crate) first: bool,
    /// Whether there is a new loss event, or a larger loss event rate.
    pub(crate) loss: bool,
    /// Whether the sender had too little to send during the whole round-trip time that the report covers.
    pub(crate) data_limited: bool,
}

impl Basis {
    pub(super) fn new(config: &SenderConfig) -> Self {
        Self {
            config: *config,
            rtt: Rtt::new(config.rtt_weight, config.t_rto),
            veno: match config.law {
                Law::Reno => None,
                Law::Veno(veno) => Some(Veno::new(veno)),
            },
            x: 0.0,
            x_calc: f64::INFINITY,
            x_recv: None,
            p: 0.0,
            p_reported: 0.0,
            p_wireless: None,
            loss_events: 0,
            round: 0,
            urgent: false,
        }
    }

    /// Returns the segment size in bytes.
    pub(crate) fn segment(&self) -> f64 {
        self.config.segment_bytes()
    }

    /// Returns the smallest rate: one packet in 64 s.
    pub(crate) fn least(&self) -> f64 {
        self.segment() / LONGEST_BACKOFF
    }

    /// Returns X after oscillation prevention.
    pub(crate) fn damped(&self) -> f64 {
        if self.config.oscillation_prevention {
            self.x * self.rtt.damping()
        } else {
            self.x
        }
    }

    pub(super) fn gap(&self, rate: f64) -> f64 {
        self.segment() / rate
    }

    pub(super) fn bound(&mut self) {
        self.x = self.x.clamp(self.least(), LARGEST_RATE);
    }

    pub(super) fn g(&self) -> f64 {
        self.veno.as_ref().map_or(0.5, Veno::g)
    }

    /// Stores the reported values and evaluates the equation with them; returns whether there is a new
    /// loss event or a larger loss event rate.
    pub(super) fn take(&mut self, feedback: &Feedback, sample: f64, mean: f64, n: f64) -> bool {
        let loss = feedback.loss_events != self.loss_events || feedback.p > self.p_reported;
        self.x_recv = Some(feedback.x_recv.min(LARGEST_RATE));
        self.p_reported = feedback.p;
        self.p_wireless = feedback.p_wireless;
        self.loss_events = feedback.loss_events;
        self.p = match feedback.p_wireless {
            Some(wireless) if feedback.p > 0.0 => (feedback.p - wireless).max(NO_CONGESTION),
            _ => feedback.p,
        };
        if let Some(veno) = &mut self.veno {
            veno.on_sample(sample, mean);
        }
        self.x_calc = n * self.equation(mean);
        loss
    }

    pub(super) fn equation(&self, rtt: f64) -> f64 {
        if self.p <= 0.0 {
            return f64::INFINITY;
        }
        let equation = RateEquation {
            segment: self.segment(),
            rtt,
            t_rto: self.rtt.timeout().unwrap_or(4.0 * rtt),
            packets_per_ack: self.config.packets_per_ack,
            cut: self.g(),
            min1: self.config.min1,
        };
        equation.rate(self.p)
    }

    pub(super) fn tell_window(&mut self, mean: f64, loss: bool) {
        let window = self.x * mean / self.segment();
        if let Some(veno) = &mut self.veno {
            veno.on_window(window, self.p <= 0.0, loss);
        }
    }
}
