//! A policer: a token bucket in front of the queue, for which packets do not wait.

use dumbbell_control::units::Bytes;
use serde_json::json;

use super::part::Part;
use super::shaper::BURST;
use crate::key::record::record;
use crate::key::{Amount, Shape, Speed};
use crate::quantity::BitRate;

record! {
    /// A token bucket in front of the queue, which drops what exceeds it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Policer {
        /// The rate at which tokens come.
        rate: BitRate = Speed.needed("rate = \"5 Mb/s\"", |form| form
            .means("the rate at which the bucket fills")
            .such_as([json!("5 Mb/s")])),
        /// The size of the bucket.
        burst: Bytes = Amount(BURST).needed("burst = \"64 kB\"", |form| form
            .means("the size of the bucket, which is full at first; a packet that is larger never passes")
            .such_as([json!("64 kB")])),
    }
}

impl Part for Policer {
    const NAME: &'static str = "policer";
    const EXAMPLE: &'static str = "{ rate = \"5 Mb/s\", burst = \"64 kB\" }";
    const MEANING: &'static str =
        "a token bucket in front of the queue, which drops packets for which it has no tokens";
    const ENTRY: (&'static str, &'static str) = (
        "policer = { rate = r, burst = b }",
        "packets are dropped that find no tokens in a bucket",
    );

    fn hand_over(&self, link: &mut dumbbell_sim::Link) {
        link.policer = Some(dumbbell_sim::Policer {
            rate: self.rate.0,
            burst: self.burst.0,
        });
    }
}
