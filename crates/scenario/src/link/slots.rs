//! Grants at regular moments: how a cellular base station shares its capacity.

use std::ops::RangeInclusive;

use dumbbell_control::units::{Bytes, Duration};
use dumbbell_sim::Opportunities;
use serde_json::json;

use crate::key::record::record;
use crate::key::{Amount, Shape, Span};
use crate::simulated::time;

pub(super) const EXAMPLE: &str = "{ every = \"5 ms\", bytes = \"9000 B\", request = \"8 ms\" }";

const EVERY: RangeInclusive<Duration> = Duration::from_micros(1)..=Duration::from_secs(3600);
const BYTES: RangeInclusive<u64> = 1..=1_000_000_000;
const REQUEST: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

record! {
    /// Grants at regular moments, each for a number of bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Slots {
        /// The time between two grants.
        every: Duration = Span(EVERY).needed("every = \"5 ms\"", |form| form
            .means("the time between two grants")
            .such_as([json!("5 ms")])),
        /// The bytes of a grant.
        bytes: Bytes = Amount(BYTES).needed("bytes = \"9000 B\"", |form| form
            .means("the bytes of a grant, which packets share")
            .such_as([json!("9000 B")])),
        /// How long a grant must be requested ahead.
        request: Duration = Span(REQUEST).usually(Duration::ZERO, |form| form
            .means("how long a packet that finds the link empty must wait before it can use a grant, as on the uplink of a cell")),
    }
}

impl Slots {
    /// Returns the grants for the simulator.
    pub(super) fn simulated(&self) -> Opportunities {
        Opportunities::new([time(self.every)], self.bytes.0 as u32)
            .expect("the time and the bytes are in range")
    }
}
