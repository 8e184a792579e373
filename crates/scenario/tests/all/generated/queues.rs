//! Queues of links.

use proptest::prelude::*;

use super::values::{options, probability};

pub fn queue() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("\"unlimited\"".to_owned()),
        (1u32..1000).prop_map(|n| format!("{{ droptail = {n} }}")),
        (1u32..100, red()).prop_map(|(n, red)| format!("{{ red = {{ limit = {n}{red} }} }}")),
        limit().prop_map(|limit| format!("{{ droptail = {limit} }}")),
        (1u32..50, any::<bool>(), limit()).prop_map(|(ms, ecn, limit)| format!(
            "{{ codel = {{ target = \"{ms} ms\", ecn = {ecn}, limit = {limit} }} }}"
        )),
        (1u32..50, 1u32..100, limit()).prop_map(|(flows, quantum, limit)| format!(
            "{{ fq_codel = {{ flows = {flows}, quantum = {}, limit = {limit} }} }}",
            quantum * 40
        )),
        (1u32..50, 1u32..100, limit()).prop_map(|(flows, quantum, limit)| format!(
            "{{ fq = {{ flows = {flows}, quantum = {}, limit = {limit} }} }}",
            quantum * 40
        )),
        (1u32..50, any::<bool>(), limit()).prop_map(|(ms, estimator, limit)| format!(
            "{{ pie = {{ target = \"{ms} ms\", estimator = {estimator}, limit = {limit} }} }}"
        )),
        (1u32..50, 1u32..9, scheduler(), limit()).prop_map(|(ms, k, scheduler, limit)| format!(
            "{{ dualpi2 = {{ target = \"{ms} ms\", coupling = {k}, scheduler = {scheduler}, limit = {limit} }} }}"
        )),
        (1u32..1000, filter())
            .prop_map(|(n, filter)| format!("{{ droptail = {n}, ack_filter = {filter} }}")),
    ]
}

fn scheduler() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..99).prop_map(|percent| format!("0.{percent:02}")),
        (1u32..100).prop_map(|ms| format!("\"{ms} ms\"")),
    ]
}

fn limit() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u32..1000).prop_map(|packets| packets.to_string()),
        (1u32..100_000).prop_map(|bytes| format!("\"{bytes} B\"")),
        (1u32..1000).prop_map(|ms| format!("\"{ms} ms\"")),
    ]
}

fn red() -> impl Strategy<Value = String> {
    options(vec![
        (0.0..5.0)
            .prop_map(|n| format!(", min = {n:?}, max = {:?}", 2.0 * n + 0.5))
            .boxed(),
        (1e-6..1.0)
            .prop_map(|w| format!(", weight = {w:?}"))
            .boxed(),
        probability()
            .prop_map(|p| format!(", pmax = {p:?}"))
            .boxed(),
        any::<bool>()
            .prop_map(|b| format!(", gentle = {b}"))
            .boxed(),
        any::<bool>().prop_map(|b| format!(", ecn = {b}")).boxed(),
        (1u32..2000)
            .prop_map(|n| format!(", mean_packet = \"{n} B\""))
            .boxed(),
    ])
}

fn filter() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<bool>().prop_map(|b| b.to_string()),
        (any::<bool>(), 0u32..20).prop_map(|(head, threshold)| format!(
            "{{ replace_head = {head}, threshold = {threshold} }}"
        )),
    ]
}
