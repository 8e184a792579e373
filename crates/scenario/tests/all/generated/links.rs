//! Links: their rates and delays, constant or over time, their losses, and what they have beside.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::queues::queue;
use super::values::{options, probability, rate, short_time};

pub fn link() -> impl Strategy<Value = String> {
    let reverse = prop_oneof![
        Just(String::new()),
        link_rate().prop_map(|rate| format!(", reverse = {{ rate = {rate} }}")),
        (queue(), loss())
            .prop_map(|(queue, loss)| format!(", reverse = {{ queue = {queue}, loss = {loss} }}")),
        any::<bool>().prop_map(|aqt| format!(", reverse = {{ aqt = {aqt} }}")),
        (link_delay(), parts())
            .prop_map(|(delay, parts)| format!(", reverse = {{ delay = {delay}{parts} }}")),
    ];
    let aqt = select(vec!["", ", aqt = true", ", aqt = false"]);
    (link_rate(), link_delay(), queue(), loss(), aqt, parts(), reverse).prop_map(
        |(rate, delay, queue, loss, aqt, parts, reverse)| {
            format!(
                "rate = {rate}, delay = {delay}, queue = {queue}, loss = {loss}{aqt}{parts}{reverse}"
            )
        },
    )
}

/// The rate of a link, constant or recorded.
pub fn link_rate() -> impl Strategy<Value = String> {
    let recorded = (vec(0u64..4, 0..8), 1u64..2_000).prop_map(|(gaps, last)| {
        let mut at = 0;
        let times = gaps.into_iter().chain([last]).map(|gap| {
            at += gap;
            at
        });
        format!("{{ opportunities = {:?} }}", times.collect::<Vec<u64>>())
    });
    let steps = (vec((1u64..9, 0u64..9), 1..5), any::<bool>(), 1u64..9).prop_map(
        |(steps, cyclic, first)| {
            let (at, pairs) = steps_of(steps, |value| format!("{value} Mb/s"), first);
            let every = if cyclic {
                format!(", every = \"{at} ms\"")
            } else {
                String::new()
            };
            format!("{{ steps = [{pairs}]{every}, in_service = \"finishes\" }}")
        },
    );
    let slots = (1u64..9, 1u64..9999, 0u64..9).prop_map(|(ms, bytes, request)| {
        format!("{{ slots = {{ every = \"{ms} ms\", bytes = \"{bytes} B\", request = \"{request} ms\" }} }}")
    });
    prop_oneof![3 => rate(), 1 => recorded, 1 => steps, 1 => slots]
}

/// The delay of a link, constant or over time.
fn link_delay() -> impl Strategy<Value = String> {
    let steps = (vec((1u64..9, 0u64..9), 1..5), any::<bool>()).prop_map(|(steps, keep)| {
        let (at, pairs) = steps_of(steps, |value| format!("{value} ms"), 3);
        format!("{{ steps = [{pairs}], every = \"{at} ms\", keep_order = {keep} }}")
    });
    prop_oneof![3 => short_time(), 1 => steps]
}

/// Steps of these lengths in milliseconds and these values, after a first value; and the time after the last.
fn steps_of(steps: Vec<(u64, u64)>, show: fn(u64) -> String, first: u64) -> (u64, String) {
    let mut at = 0;
    let mut pairs = vec![format!("[\"0 s\", \"{}\"]", show(first))];
    for (length, value) in steps {
        at += length;
        pairs.push(format!("[\"{at} ms\", \"{}\"]", show(value)));
    }
    (at + 1, pairs.join(", "))
}

/// What a link may have beside.
fn parts() -> impl Strategy<Value = String> {
    options(vec![
        prop_oneof![
            (short_time(), any::<bool>())
                .prop_map(|(t, keep)| format!(", jitter = {{ mean = {t}, keep_order = {keep} }}")),
            (short_time(), short_time(), 0.0..0.99).prop_map(|(mean, t, c)| format!(
                ", jitter = {{ mean = {mean}, law = \"normal\", deviation = {t}, correlation = {c:?} }}"
            )),
        ]
        .boxed(),
        (probability(), short_time())
            .prop_map(|(p, t)| format!(", reorder = {{ probability = {p:?}, extra = {t} }}"))
            .boxed(),
        probability().prop_map(|p| format!(", duplicate = {p:?}")).boxed(),
        probability().prop_map(|p| format!(", corrupt = {p:?}")).boxed(),
        (rate(), 1u64..99_999)
            .prop_map(|(rate, n)| format!(", policer = {{ rate = {rate}, burst = \"{n} B\" }}"))
            .boxed(),
        (rate(), 1u64..99_999)
            .prop_map(|(rate, n)| format!(", shaper = {{ rate = {rate}, burst = \"{n} B\" }}"))
            .boxed(),
        (1u32..99, short_time(), any::<bool>())
            .prop_map(|(n, t, all)| {
                format!(", aggregate = {{ packets = {n}, overhead = {t}, all_or_none = {all} }}")
            })
            .boxed(),
        (0u32..9, short_time(), any::<bool>())
            .prop_map(|(n, t, order)| format!(", arq = {{ retries = {n}, rtt = {t}, in_order = {order} }}"))
            .boxed(),
    ])
}

pub fn loss() -> impl Strategy<Value = String> {
    let on = select(vec!["", ", on = \"all\"", ", on = \"data\""]);
    let model = prop_oneof![
        probability().prop_map(|p| format!("bernoulli = {p:?}")),
        probability().prop_map(|p| format!("geometric = {p:?}")),
        (probability(), probability()).prop_map(|(a, b)| format!(
            "timed = {{ steps = [[\"0 s\", {a:?}], [\"3 s\", {b:?}]], every = \"4 s\" }}"
        )),
        "[01]{1,20}".prop_map(|digits| format!("recorded = \"{digits}\"")),
        (probability(), short_time(), probability(), short_time(), probability()).prop_map(|(good, a, bad, b, switch)| {
            format!("two_state = {{ good = {good:?}, good_period = {a}, bad = {bad:?}, bad_period = {b}, switch = {switch:?} }}")
        }),
        (probability(), probability(), probability()).prop_map(|(to_bad, to_good, good)| {
            format!("gilbert_elliott = {{ to_bad = {to_bad:?}, to_good = {to_good:?}, good = {good:?} }}")
        }),
    ];
    prop_oneof![
        Just("\"none\"".to_owned()),
        (model, on).prop_map(|(model, on)| format!("{{ {model}{on} }}"))
    ]
}
