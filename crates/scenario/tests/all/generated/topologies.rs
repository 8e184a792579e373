//! Topologies with their flows.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::flows::flow;
use super::links::{link, link_rate, loss};
use super::queues::queue;
use super::values::{options, short_time};

pub fn dumbbell() -> impl Strategy<Value = String> {
    let place = options(vec![
        Just("direction = \"left\"\n".to_owned()).boxed(),
        access().boxed(),
    ]);
    (link(), vec(flow(place.boxed()), 1..4)).prop_map(|(link, flows)| {
        format!("[dumbbell]\naccess = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}\nbottleneck = {{ {link} }}\n{}", flows.concat())
    })
}

pub fn parking_lot() -> impl Strategy<Value = String> {
    let place = options(vec![
        Just("from = \"r2\"\nto = \"r1\"\n".to_owned()).boxed(),
        access().boxed(),
    ]);
    (vec(link(), 1..4), vec(flow(place.boxed()), 1..3)).prop_map(|(links, flows)| {
        let hops: Vec<String> = links.iter().map(|link| format!("{{ {link} }}")).collect();
        format!(
            "[parking_lot]\naccess = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}\nhops = [{}]\n{}",
            hops.join(", "),
            flows.concat()
        )
    })
}

pub fn graph() -> impl Strategy<Value = String> {
    let place = select(vec![
        "from = \"n0\"\nto = \"n1\"\n",
        "from = \"n1\"\nto = \"n0\"\n",
    ])
    .prop_map(str::to_owned);
    (vec(link(), 1..4), vec(flow(place.boxed()), 1..3)).prop_map(|(links, flows)| {
        let link = |(n, link): (usize, &String)| {
            format!("{{ from = \"n{n}\", to = \"n{}\", {link} }}", n + 1)
        };
        let links: Vec<String> = links.iter().enumerate().map(link).collect();
        format!("[graph]\nlink = [{}]\n{}", links.join(", "), flows.concat())
    })
}

fn access() -> impl Strategy<Value = String> {
    options(vec![
        short_time().prop_map(|t| format!("delay = {t}, ")).boxed(),
        queue().prop_map(|q| format!("queue = {q}, ")).boxed(),
        queue().prop_map(|q| format!("host_queue = {q}, ")).boxed(),
        loss().prop_map(|l| format!("loss = {l}, ")).boxed(),
        (loss(), link_rate())
            .prop_map(|(l, r)| format!("receiver = {{ loss = {l}, reverse = {{ rate = {r} }} }}, "))
            .boxed(),
    ])
    .prop_map(|keys| format!("access = {{ {keys}rate = \"5 Mb/s\" }}\n"))
}
