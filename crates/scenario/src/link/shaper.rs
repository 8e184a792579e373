//! A shaper: a token bucket in front of the transmitter.

use std::ops::RangeInclusive;

use dumbbell_control::units::Bytes;
use serde_json::json;

use super::part::{Part, transmission};
use crate::key::record::record;
use crate::key::{Amount, Shape, Speed};
use crate::quantity::BitRate;

/// The permitted sizes of a bucket.
pub(super) const BURST: RangeInclusive<u64> = 1..=1_000_000_000_000;

record! {
    /// A token bucket in front of the transmitter, which sends at the rate of the link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Shaper {
        /// The rate at which tokens come.
        rate: BitRate = Speed.needed("rate = \"10 Mb/s\"", |form| form
            .means("the rate at which the bucket fills; the peak is the `rate` of the link")
            .such_as([json!("10 Mb/s")])),
        /// The size of the bucket.
        burst: Bytes = Amount(BURST).needed("burst = \"64 kB\"", |form| form
            .means("the size of the bucket, which is full at first; a packet that is larger waits until it is full")
            .such_as([json!("64 kB")])),
    }
}

impl Part for Shaper {
    const NAME: &'static str = "shaper";
    const EXAMPLE: &'static str = "{ rate = \"10 Mb/s\", burst = \"64 kB\" }";
    const MEANING: &'static str = "a token bucket, for whose tokens packets wait";
    const ENTRY: (&'static str, &'static str) = (
        "shaper = { rate = r, burst = b }",
        "packets wait for the tokens of a bucket",
    );

    fn hand_over(&self, link: &mut dumbbell_sim::Link) {
        transmission(link).shaper = Some(dumbbell_sim::Shaper {
            rate: self.rate.0,
            burst: self.burst.0,
        });
    }
}
