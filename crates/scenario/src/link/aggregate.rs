//! Aggregation: several packets share a transmit opportunity, as in Wi-Fi (A-MPDU).

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use serde_json::json;

use super::part::{Part, transmission};
use crate::key::record::record;
use crate::key::{Amount, Flag, Shape, Span, Whole};
use crate::simulated::time;

const PACKETS: RangeInclusive<u64> = 1..=65_536;
const BYTES: RangeInclusive<u64> = 1..=1_000_000_000;
const OVERHEAD: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

record! {
    /// Several packets are transmitted as one burst, and arrive together.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Aggregate {
        /// The most packets of a burst.
        packets: u32 = Whole(PACKETS).usually(64, |form| form
            .means("the most packets of a burst (IEEE 802.11n acknowledges up to 64 at once)")),
        /// The most bytes of a burst.
        bytes: Bytes = Amount(BYTES).usually(Bytes(65_535), |form| form
            .means("the most bytes of a burst (IEEE 802.11n: 65,535); a single packet may have more")),
        /// The time that every burst takes in addition.
        overhead: Duration = Span(OVERHEAD).needed("overhead = \"200 us\"", |form| form
            .means("the time that every burst takes in addition to its packets: contention, preamble, acknowledgement")
            .such_as([json!("200 us")])),
        /// Whether whole bursts are lost instead of single packets.
        all_or_none: bool = Flag.usually(false, |form| form
            .means("whether the loss model loses whole bursts, as a collision does, instead of single packets")),
    }
}

impl Part for Aggregate {
    const NAME: &'static str = "aggregate";
    const EXAMPLE: &'static str = "{ packets = 32, overhead = \"200 us\" }";
    const MEANING: &'static str =
        "whether packets that wait are transmitted as bursts, all of which arrive at their end";
    const ENTRY: (&'static str, &'static str) = (
        "aggregate = { packets = N, overhead = t }",
        "packets that wait are transmitted as bursts",
    );

    fn hand_over(&self, link: &mut dumbbell_sim::Link) {
        transmission(link).aggregate = Some(dumbbell_sim::Aggregate {
            packets: self.packets,
            bytes: self.bytes.0 as u32,
            overhead: time(self.overhead),
            all_or_none: self.all_or_none,
        });
    }
}
