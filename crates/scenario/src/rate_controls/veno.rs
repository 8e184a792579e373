//! The parameters of Veno's throughput equation.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::Ratio;
use dumbbell_tfrc::equation::Cut;
use dumbbell_tfrc::sender::{BaseMode, VenoConfig, WindowMode};

use super::group::{group, ratio, words};

words! {
    /// The start of the period over which BaseRTT is the minimum round-trip time.
    pub enum Base {
        /// The start of the connection.
        Life = "life",
        /// The last loss event.
        OnLoss = "on_loss",
    }
}

words! {
    /// The definition of W_max.
    pub enum Largest {
        /// The largest window since the start of the connection.
        Life = "life",
        /// The largest window since the end of slow start.
        Avoidance = "avoidance",
        /// The largest window, decayed over time.
        Decay = "decay",
    }
}

group! {
    /// The parameters of Veno's throughput equation.
    pub struct Veno {
        theta1: Ratio = ratio(950_000), Kind::Ratio(ratio(500_000), ratio(990_000)),
            "The share of the window that remains after a random loss (TFRC Veno, section III-B: 0.95; TCP Veno: 0.8).";
        theta2: Ratio = ratio(500_000), Kind::Ratio(ratio(10_000), ratio(990_000)),
            "The share of the window that remains after any other loss (0.5); at most theta1.";
        beta: Ratio = ratio(3_000_000), Kind::Ratio(ratio(0), ratio(1_000_000_000)),
            "The backlog, in packets, from which a loss counts as congestion (3).";
        base_mode: Base = Base::Life, Kind::Choice(Base::WORDS),
            "The start of the period over which BaseRTT is the minimum round-trip time: the start of the connection, or the last loss event.";
        wmax_mode: Largest = Largest::Life, Kind::Choice(Largest::WORDS),
            "W_max: the largest window since the start of the connection, since the end of slow start, or one that decays by 0.5 % per feedback.";
        gamma: Ratio = ratio(0), Kind::Ratio(ratio(0), ratio(990_000)),
            "A fixed Veno parameter instead of the measured one; 0: the measured one.";
        memory: Ratio = ratio(0), Kind::Ratio(ratio(0), ratio(999_000)),
            "The weight of the previous Veno parameter at each feedback, so that short queues do not move the rate: an addition of ours; 0: none, as in the paper.";
    }
}

impl Veno {
    /// Returns the sender's configuration.
    pub(super) fn config(&self) -> VenoConfig {
        let gamma = self.gamma.as_f64();
        VenoConfig {
            cut: Cut {
                random: self.theta1.as_f64(),
                congestion: self.theta2.as_f64(),
                beta: self.beta.as_f64(),
            },
            base: match self.base_mode {
                Base::Life => BaseMode::Life,
                Base::OnLoss => BaseMode::OnLoss,
            },
            window: match self.wmax_mode {
                Largest::Life => WindowMode::Life,
                Largest::Avoidance => WindowMode::CongestionAvoidance,
                Largest::Decay => WindowMode::Decay,
            },
            fixed: (gamma > 0.0).then_some(gamma),
            memory: self.memory.as_f64(),
        }
    }
}
