//! The parameters of Veno's throughput equation.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::Ratio;
use dumbbell_tfrc::equation::Cut;
use dumbbell_tfrc::sender::{BaseMode, VenoConfig, WindowMode};

use crate::document::Table;

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
        wmax: u32 = 0, Kind::Count(0, 1_000_000),
            "W_max in equation 20 as a configured limit of the window, in packets (as in equation 16), instead of wmax_mode; 0: a measured one.";
        gamma: Ratio = ratio(0), Kind::Ratio(ratio(0), ratio(990_000)),
            "A fixed Veno parameter instead of the measured one; 0: the measured one.";
        memory: Ratio = ratio(0), Kind::Ratio(ratio(0), ratio(999_000)),
            "The weight of the previous Veno parameter at each feedback, so that short queues do not move the rate: an addition of ours; 0: none, as in the paper.";
    }
}

impl Veno {
    /// Records what contradicts itself in the table from which this was read.
    pub(super) fn check(&self, table: &Table<'_>) {
        if self.theta2 > self.theta1 {
            table.wrong(
                "`theta2` is above `theta1`",
                "a congestion loss must leave no more of the window than a random loss",
            );
        }
        let mut entries = table.entries().into_iter();
        if self.wmax > 0
            && let Some((span, ..)) = entries.find(|(_, key, _)| *key == "wmax_mode")
        {
            table.wrong_at(
                span,
                "`wmax_mode` has no effect beside `wmax`",
                "keep one: `wmax` configures W_max, `wmax_mode` says how it is measured",
            );
        }
    }

    /// Returns whether the parameter has no effect because of another one: a configured W_max is not
    /// measured.
    pub(super) fn ignores(&self, name: &str) -> bool {
        self.wmax > 0 && name == "wmax_mode"
    }

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
                _ if self.wmax > 0 => WindowMode::Configured(self.wmax),
                Largest::Life => WindowMode::Life,
                Largest::Avoidance => WindowMode::CongestionAvoidance,
                Largest::Decay => WindowMode::Decay,
            },
            fixed: (gamma > 0.0).then_some(gamma),
            memory: self.memory.as_f64(),
        }
    }
}
