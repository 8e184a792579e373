//! What Veno's equation has.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::Ratio;
use dumbbell_tfrc::equation::Cut;
use dumbbell_tfrc::sender::{BaseMode, VenoConfig, WindowMode};

use super::group::{group, ratio, words};

words! {
    /// Since when BaseRTT is the least round-trip time.
    pub enum Base {
        /// The connection's beginning.
        Life = "life",
        /// The last loss event.
        OnLoss = "on_loss",
    }
}

words! {
    /// What W_max is.
    pub enum Largest {
        /// The largest window since the beginning.
        Life = "life",
        /// Since the end of slow start.
        Avoidance = "avoidance",
        /// One that fades.
        Decay = "decay",
    }
}

group! {
    /// What Veno's equation has.
    pub struct Veno {
        theta1: Ratio = ratio(950_000), Kind::Ratio(ratio(500_000), ratio(990_000)),
            "What a random loss leaves of the window (TFRC Veno, section III-B: 0.95; TCP Veno: 0.8).";
        theta2: Ratio = ratio(500_000), Kind::Ratio(ratio(10_000), ratio(990_000)),
            "What any other loss leaves of the window (0.5); at most theta1.";
        beta: Ratio = ratio(3_000_000), Kind::Ratio(ratio(0), ratio(1_000_000_000)),
            "The backlog, in packets, from which on a loss is one of congestion (3).";
        base_mode: Base = Base::Life, Kind::Choice(Base::WORDS),
            "Since when BaseRTT is the least round-trip time: the connection's beginning, or the last loss event.";
        wmax_mode: Largest = Largest::Life, Kind::Choice(Largest::WORDS),
            "W_max: the largest window since the beginning, since the end of slow start, or one that fades by 0.5 % a feedback.";
        gamma: Ratio = ratio(0), Kind::Ratio(ratio(0), ratio(990_000)),
            "A fixed Veno parameter instead of the one that the path gives; 0: the path's.";
        memory: Ratio = ratio(0), Kind::Ratio(ratio(0), ratio(999_000)),
            "What a feedback leaves of the Veno parameter before it, so that queues that come and go do not move the rate: ours; 0: the paper's, none.";
    }
}

impl Veno {
    /// The same for a sender.
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
