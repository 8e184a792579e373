//! Congestion controls with their parameters.

use dumbbell_control::parameter::Kind;
use dumbbell_scenario::controls::Controls;
use proptest::prelude::*;
use proptest::sample::select;

use super::values::options;

/// A control with random parameters within their ranges.
pub fn control() -> impl Strategy<Value = String> {
    let mut controls = Controls::builtin().all();
    // The routers in these networks report no queueing times.
    controls.retain(|control| !control.needs().queueing);
    let one = select(controls).prop_flat_map(|control| {
        let parameters: Vec<BoxedStrategy<String>> = control
            .parameters()
            .iter()
            .map(|parameter| {
                let name = parameter.name;
                match parameter.kind {
                    Kind::Segments(low, high) => (low.raw()..=high.raw().min(1 << 52))
                        .prop_map(move |raw| {
                            format!(", {name} = {:.10}", raw as f64 / 4_294_967_296.0)
                        })
                        .boxed(),
                    Kind::Duration(low, high) => (low.as_nanos()..=high.as_nanos())
                        .prop_map(move |ns| format!(", {name} = \"{ns} ns\""))
                        .boxed(),
                    Kind::Count(low, high) => (low..=high)
                        .prop_map(move |n| format!(", {name} = {n}"))
                        .boxed(),
                    Kind::Rate(low, high) => (low..=high, any::<bool>())
                        .prop_map(move |(rate, unit)| match unit {
                            true => format!(", {name} = \"{rate} b/s\""),
                            false => format!(", {name} = {rate}"),
                        })
                        .boxed(),
                    Kind::Ratio(low, high) => (low.millionths()..=high.millionths())
                        .prop_map(move |n| format!(", {name} = {n}e-6"))
                        .boxed(),
                    Kind::Flag => any::<bool>()
                        .prop_map(move |flag| format!(", {name} = {flag}"))
                        .boxed(),
                    Kind::Choice(words) => select(words.to_vec())
                        .prop_map(move |word| format!(", {name} = \"{word}\""))
                        .boxed(),
                }
            })
            .collect();
        let name = control.name().to_owned();
        options(parameters)
            .prop_map(move |rest| format!("control = {{ name = \"{name}\"{rest} }}\n"))
    });
    prop_oneof![
        one,
        select(vec!["newreno", "sack", "reno"]).prop_map(|name| format!("control = \"{name}\"\n"))
    ]
}
