//! The probe.

use super::form::Form;
use super::usual::Usual;
use super::value::{array, table, time, words};
use crate::scenario::ProbeValue;
use crate::scenario::probe::{INTERVAL, KEYS};

/// `[probe]`.
pub(super) fn probe(usual: &Usual) -> Form {
    let values = ProbeValue::ALL.map(|value| (value.name(), value));
    let value = words(&values, |value| explain(value).to_owned()).means("what is sampled");
    table(&KEYS, |key| match key {
        "interval" => time(INTERVAL)
            .means("time from one sample to the next")
            .usually(usual.at("/probe/interval")),
        "values" => array(&value, 0..=values.len())
            .rule("uniqueItems", true)
            .means("what is sampled, each at most once")
            .usually(usual.at("/probe/values")),
        _ => Form::default(),
    })
    .means("what is sampled over time")
}

fn explain(value: ProbeValue) -> &'static str {
    match value {
        ProbeValue::Cwnd => "congestion window of each TCP flow, without inflation",
        ProbeValue::Inflation => "what recovery adds to it",
        ProbeValue::Ssthresh => "slow-start threshold",
        ProbeValue::Rtt => "newest round-trip time",
        ProbeValue::Explain => "what the control reports of itself",
        ProbeValue::Queue => "packets in each queue between routers",
        ProbeValue::Rate => "rate of each flow at its receiver since the last sample",
        ProbeValue::Sequence => "highest segment sent, and highest in order at the receiver",
        ProbeValue::Losses => "loss episodes and timeouts so far",
    }
}
