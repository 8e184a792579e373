//! What decides how many connections there are.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::{Duration, Ratio};
use dumbbell_tfrc::parallel::ParallelConfig;

use super::group::{group, ratio};

group! {
    /// What decides how many connections there are.
    pub struct Connections {
        increase: Ratio = ratio(1_000_000), Kind::Ratio(ratio(1), ratio(100_000_000)),
            "Alpha: without a growing queue there are alpha/n more connections (1).";
        decrease: Ratio = ratio(1_000_000), Kind::Ratio(ratio(0), ratio(100_000_000)),
            "Beta: with a growing queue there are so many fewer (1).";
        threshold: Ratio = ratio(200_000), Kind::Ratio(ratio(0), ratio(100_000_000)),
            "Gamma: the queue grows if the round-trip time exceeds its least one by this part (0.2).";
        period: Duration = Duration::from_secs(1),
            Kind::Duration(Duration::from_micros(1), Duration::from_secs(3600)),
            "The least time between two changes of the number, which are at least 10 round-trip times apart.";
        most: u32 = 16, Kind::Count(1, 16),
            "The largest number of connections.";
    }
}

impl Connections {
    /// The same for a sender.
    pub(super) fn config(&self) -> ParallelConfig {
        let Self {
            increase,
            decrease,
            threshold,
            period,
            most,
        } = *self;
        ParallelConfig {
            alpha: increase.as_f64(),
            beta: decrease.as_f64(),
            gamma: threshold.as_f64(),
            period,
            limit: f64::from(most),
            ..ParallelConfig::default()
        }
    }
}
