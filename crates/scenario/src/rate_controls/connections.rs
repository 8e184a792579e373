//! The parameters that control the number of connections.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::{Duration, Ratio};
use dumbbell_tfrc::parallel::ParallelConfig;

use super::group::{group, ratio};

group! {
    /// The parameters that control the number of connections.
    pub struct Connections {
        increase: Ratio = ratio(1_000_000), Kind::Ratio(ratio(1), ratio(100_000_000)),
            "Alpha: the number n of connections increases by alpha/n while the queue does not grow (1).";
        decrease: Ratio = ratio(1_000_000), Kind::Ratio(ratio(0), ratio(100_000_000)),
            "Beta: the number of connections decreases by beta when the queue grows (1).";
        threshold: Ratio = ratio(200_000), Kind::Ratio(ratio(0), ratio(100_000_000)),
            "Gamma: the queue counts as growing if the round-trip time exceeds its minimum by this share (0.2).";
        period: Duration = Duration::from_secs(1),
            Kind::Duration(Duration::from_micros(1), Duration::from_secs(3600)),
            "The minimum time between two changes of the number, which are also at least 10 round-trip times apart.";
        most: u32 = 16, Kind::Count(1, 16),
            "The largest number of connections.";
    }
}

impl Connections {
    /// Returns the sender's configuration.
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
