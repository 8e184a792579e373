//! Reordering: some packets are held back, so that later ones overtake them.

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use serde_json::json;

use super::jitter::CORRELATION;
use super::part::{Part, flight};
use crate::key::record::record;
use crate::key::{Chance, Shape, Span, Whole};
use crate::simulated::time;

const EXTRA: RangeInclusive<Duration> = Duration::from_nanos(1)..=Duration::from_secs(3600);

const DISTANCE: RangeInclusive<u64> = 0..=1_000_000;

record! {
    /// Packets that later ones overtake.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Reorder {
        /// The probability that a packet is held back.
        probability: f64 = Chance.needed("probability = 0.01", |form| form
            .means("probability that a packet is held back")
            .such_as([json!(0.01)])),
        /// How much later it arrives.
        extra: Duration = Span(EXTRA).needed("extra = \"5 ms\"", |form| form
            .means("how much later such a packet arrives, with `distance` at most; those behind it do not wait for it")
            .such_as([json!("5 ms")])),
        /// How many packets overtake it.
        distance: u32 = Whole(DISTANCE).usually(0, |form| form
            .means("how many packets behind it overtake it, without those that are lost or held back; it arrives right \
                    after the last of them, or `extra` later than it would, whichever is earlier; 0: it always \
                    arrives `extra` later")
            .such_as([json!(3)])),
        /// The correlation between successive packets.
        correlation: f64 = CORRELATION.usually(0.0, |form| form
            .means("correlation between successive packets, which does not change the probability")),
    }
}

impl Part for Reorder {
    const NAME: &'static str = "reorder";
    const EXAMPLE: &'static str = "{ probability = 0.01, extra = \"5 ms\" }";
    const MEANING: &'static str = "packets that arrive late, so that others overtake them";
    const ENTRY: (&'static str, &'static str) = (
        "reorder = { probability = p, extra = t, distance = N }",
        "some packets arrive later than those behind them, by time or by number",
    );

    fn hand_over(&self, link: &mut dumbbell_sim::Link) {
        flight(link).reorder = Some(dumbbell_sim::Reorder {
            probability: self.probability,
            extra: time(self.extra),
            distance: (self.distance > 0).then_some(self.distance),
            correlation: self.correlation,
        });
    }
}
