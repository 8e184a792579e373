//! Random scenario files.

mod controls;
mod flows;
mod links;
mod mutation;
mod queues;
mod topologies;
mod values;

use proptest::prelude::*;

use topologies::{dumbbell, graph, parking_lot};
use values::{options, quoted};

pub use links::{link_rate, loss};
pub use mutation::{mutate, mutation};
pub use queues::queue;
pub use values::{rate, time};

/// A valid scenario with few or many of its keys set.
pub fn scenario() -> impl Strategy<Value = String> {
    let head = options(vec![
        "[ -~\u{e0}-\u{ff}\\n\\t]{1,20}"
            .prop_map(|text| format!("description = {}\n", quoted(&text)))
            .boxed(),
        any::<u64>()
            .prop_map(|seed| format!("seed = {seed}\n"))
            .boxed(),
        time().prop_map(|t| format!("warmup = {t}\n")).boxed(),
    ]);
    let probe = options(vec![
        time()
            .prop_map(|t| format!("[probe]\ninterval = {t}\n"))
            .boxed(),
    ])
    .prop_filter("at least 1 us", |probe| !probe.contains(" ns"));
    (head, prop_oneof![dumbbell(), parking_lot(), graph()], probe).prop_map(
        |(head, network, probe)| format!("duration = \"10000 s\"\n{head}{network}{probe}"),
    )
}

const REFERENCE: &str = include_str!("../../../../../docs/scenario.md");

/// The valid files that are the examples of the reference.
pub fn examples() -> Vec<String> {
    REFERENCE
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .map(str::to_owned)
        .collect()
}
