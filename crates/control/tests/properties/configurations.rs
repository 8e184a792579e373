//! Controls with any parameters within their ranges, and the paths on which they begin.

use dumbbell_control::event::Path;
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::units::{Bytes, Duration};
use proptest::prelude::*;

use crate::events::segments;
use crate::extremes::word;
use crate::range::within;

/// An algorithm, with its default parameters or random ones within their ranges.
pub fn config(any_parameters: bool) -> impl Strategy<Value = AnyConfig> {
    let all: Vec<AnyConfig> = registry::all().collect();
    let one = prop::sample::select(all);
    (one, prop::collection::vec(word(), 64)).prop_map(move |(mut config, choices)| {
        for (parameter, choice) in config.parameters().iter().zip(choices) {
            if any_parameters && choice % 3 > 0 {
                let value = within(parameter.kind, choice);
                assert_eq!(
                    config.set(parameter.name, value),
                    Ok(()),
                    "{}",
                    parameter.name
                );
                assert_eq!(config.get(parameter.name), Some(value));
            }
        }
        config
    })
}

/// A control that cuts by the extent of marking.
pub fn marking() -> impl Strategy<Value = AnyConfig> {
    let all = registry::all().filter(|config| config.needs().marks);
    prop::sample::select(all.collect::<Vec<_>>())
}

pub fn path() -> impl Strategy<Value = Path> {
    (word(), segments(), segments(), word()).prop_map(|(mss, initial_window, ssthresh, ns)| {
        Path::new(Bytes(mss))
            .with_initial_window(initial_window)
            .with_ssthresh(ssthresh)
            .with_stamp_granularity(Duration::from_nanos(ns))
    })
}
