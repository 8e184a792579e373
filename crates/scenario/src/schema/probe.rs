//! The probe.

use serde_json::json;

use super::form::Form;
use super::usual::Usual;
use super::value::{array, table, time, words};
use crate::probe::{EQUATIONS, INTERVAL, KEYS, estimators};
use crate::{Equation, ProbeValue, variation};

/// `[probe]`.
pub(super) fn probe(usual: &Usual) -> Form {
    let values = ProbeValue::ALL.map(|value| (value.name(), value));
    let value = words(&values, |value| explain(value).to_owned()).means("what is sampled");
    let estimator = words(&estimators(), |e| e.summary().to_owned()).means("an estimator");
    table(&KEYS, |key| match key {
        "interval" => time(INTERVAL)
            .means("time from one sample to the next")
            .usually(usual.at("/probe/interval")),
        "values" => array(&value, 0..=values.len())
            .rule("uniqueItems", true)
            .means("what is sampled, each at most once")
            .usually(usual.at("/probe/values")),
        "estimate" => array(&estimator, 0..=estimators().len())
            .rule("uniqueItems", true)
            .means("estimators of bandwidth that run beside each control and are sampled, each at most once")
            .ranging("names, see below")
            .usually(usual.at("/probe/estimate"))
            .such_as([json!(["sarbe", "tustin"])]),
        "equation" => words(&EQUATIONS, |equation| predict(equation).to_owned())
            .means("whose throughput equation is asked what each TCP flow should send, from what was measured of it")
            .ranging("`\"none\"`, `\"reno\"` or `\"veno\"`")
            .usually(usual.at("/probe/equation")),
        _ => Form::default(),
    })
    .means("what is sampled over time")
}

fn predict(equation: Option<Equation>) -> &'static str {
    match equation {
        None => "nobody's",
        Some(Equation::Reno) => "TCP Reno's: a loss halves the window",
        Some(Equation::Veno) => "TCP Veno's: the mean cut follows from the measured delays",
    }
}

/// `variation`.
pub(super) fn variation(usual: &Usual) -> Form {
    table(&variation::KEYS, |key| match key {
        "bin" => time(variation::BIN)
            .means("length of a bin")
            .usually(usual.at("/variation/bin")),
        "from" => time(variation::FROM)
            .means("when the first bin begins")
            .usually(usual.at("/variation/from")),
        _ => Form::default(),
    })
    .means("the results tell how much each flow's sending varies")
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
        ProbeValue::Losses => {
            "loss episodes and timeouts of each TCP flow, loss events of each flow of media, so far"
        }
        ProbeValue::Sending => "packets that each flow has sent since the last sample",
    }
}
