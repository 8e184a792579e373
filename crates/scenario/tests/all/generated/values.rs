//! Single values, and a selection of keys.

use proptest::prelude::*;
use proptest::sample::select;

pub fn time() -> impl Strategy<Value = String> {
    (1u64..5000, select(vec!["ns", "us", "ms", "s"]))
        .prop_map(|(n, unit)| format!("\"{n} {unit}\""))
}

/// A time of up to 5 s.
pub fn short_time() -> impl Strategy<Value = String> {
    (1u64..5_000, select(vec!["us", "ms"])).prop_map(|(n, unit)| format!("\"{n}.25 {unit}\""))
}

pub fn rate() -> impl Strategy<Value = String> {
    (
        1u64..9999,
        select(vec!["b/s", "kb/s", "Mb/s", "kB/s", "Mbps"]),
    )
        .prop_map(|(n, unit)| format!("\"{n} {unit}\""))
}

pub fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..1.0, 1e-12..1e-3]
}

/// A random selection of the lines of a flow.
pub fn options(lines: Vec<BoxedStrategy<String>>) -> impl Strategy<Value = String> {
    let optional = |line: BoxedStrategy<String>| prop_oneof![Just(String::new()), line].boxed();
    lines
        .into_iter()
        .map(optional)
        .collect::<Vec<_>>()
        .prop_map(|lines| lines.concat())
}

pub fn quoted(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    )
}
