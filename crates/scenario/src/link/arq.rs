//! Retransmission by the link (RFC 3366).

use std::ops::RangeInclusive;

use dumbbell_control::units::Duration;
use serde_json::json;

use super::part::{Part, transmission};
use crate::key::record::record;
use crate::key::{Flag, Shape, Span, Whole};
use crate::simulated::time;

const RETRIES: RangeInclusive<u64> = 0..=1_000;
const RTT: RangeInclusive<Duration> = Duration::ZERO..=Duration::from_secs(3600);

record! {
    /// What the loss model of the link loses is sent again by the link.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Arq {
        /// How often a packet is sent again at most.
        retries: u32 = Whole(RETRIES).needed("retries = 3", |form| form
            .means("how often the link sends a packet again at most; what the last attempt loses is lost")
            .such_as([json!(3)])),
        /// From the end of a failed attempt to the moment when the sender knows.
        rtt: Duration = Span(RTT).needed("rtt = \"8 ms\"", |form| form
            .means("the time from the end of a failed attempt until the packet can be sent again")
            .such_as([json!("8 ms")])),
        /// Whether the far end keeps the order of packets.
        in_order: bool = Flag.usually(true, |form| form
            .means("whether the far end holds packets back until those before them have arrived or are given up")),
    }
}

impl Part for Arq {
    const NAME: &'static str = "arq";
    const EXAMPLE: &'static str = "{ retries = 3, rtt = \"8 ms\" }";
    const MEANING: &'static str = "whether the link itself sends again what its `loss` loses";
    const ENTRY: (&'static str, &'static str) = (
        "arq = { retries = N, rtt = t }",
        "the link sends again what its loss model loses",
    );

    fn hand_over(&self, link: &mut dumbbell_sim::Link) {
        transmission(link).arq = Some(dumbbell_sim::Arq {
            retries: self.retries,
            rtt: time(self.rtt),
            in_order: self.in_order,
        });
    }
}
