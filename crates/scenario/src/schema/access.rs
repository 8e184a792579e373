//! Access links: of a topology, of a flow, of one end.

use serde_json::json;

use super::form::Form;
use super::link::{any_rate, loss};
use super::queue::queue;
use super::usual::Usual;
use super::value::{flag, table, time};
use crate::access::{END_KEYS, KEYS, REVERSE_KEYS};
use crate::link::DELAY;

/// What an access table is for. A flow's stands above the topology's, and that of one end above
/// that of both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Of {
    /// All flows.
    Topology,
    /// One flow.
    Flow,
    /// One end.
    End,
}

/// The table `access`.
pub(super) fn both(of: Of, usual: &Usual) -> Form {
    let access = table(&KEYS, |key| match key {
        "sender" => Form::defined("sender"),
        "receiver" => Form::defined("receiver"),
        _ => self::key(key, of, usual),
    })
    .means(match of {
        Of::Flow => "its own access links, not in a graph",
        Of::Topology | Of::End => "the access links of every flow",
    })
    .needed_or("must be set here or in each flow");
    of.inherit(access)
}

/// The tables `sender` and `receiver` in it.
pub(super) fn end(meaning: &str, usual: &Usual) -> Form {
    let end = table(&END_KEYS, |key| self::key(key, Of::End, usual)).means(meaning);
    Of::End.inherit(end)
}

impl Of {
    /// What holds where a key is left out.
    fn inherit(self, form: Form) -> Form {
        match self {
            Self::Topology => form,
            Self::Flow => form.otherwise("as the topology says"),
            Self::End => form.otherwise("as for both ends"),
        }
    }
}

fn key(key: &str, of: Of, usual: &Usual) -> Form {
    let which = if of == Of::End {
        "this access link"
    } else {
        "both access links"
    };
    of.inherit(match key {
        "rate" => any_rate(&format!("rate of {which}"))
            .needed_or("must be set here or in each flow")
            .such_as([json!("10 Mb/s")]),
        "delay" => time(DELAY)
            .means(format!("propagation delay of {which}"))
            .needed_or("must be set here or in each flow")
            .such_as([json!("1 ms")]),
        "queue" => queue()
            .means("a router's queue towards a host")
            .otherwise("as long as the bottleneck's from left to right; in a parking lot, as the longest of the hops'")
            .such_as([json!({ "droptail": 60 })]),
        "host_queue" => queue()
            .means("a host's own queue")
            .usually(usual.at("/flow/0/access/sender/host_queue")),
        "loss" => loss(usual).means(format!("loss on the way of the flow's data, on {which}")),
        "aqt" => flag()
            .means("whether a router adds to packets for a host how long they wait")
            .otherwise("as `aqt` of the topology says"),
        "reverse" => table(&REVERSE_KEYS, |key| of.inherit(other_way(key, usual)))
            .means("overrides `rate`, `delay` or `loss` against the way of the data")
            .otherwise("as forward, but no loss"),
        _ => Form::default(),
    })
}

fn other_way(key: &str, usual: &Usual) -> Form {
    match key {
        "rate" => any_rate("rate against the way of the data")
            .otherwise("as forward")
            .such_as([json!("1 Mb/s")]),
        "delay" => time(DELAY)
            .means("propagation delay against the way of the data")
            .otherwise("as forward")
            .such_as([json!("10 ms")]),
        "loss" => loss(usual).means("loss against the way of the data"),
        _ => Form::default(),
    }
}
