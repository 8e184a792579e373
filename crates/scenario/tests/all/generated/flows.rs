//! Flows: TCP, UDP and media.

use proptest::prelude::*;
use proptest::sample::select;

use super::controls::control;
use super::values::{options, rate, short_time};

pub fn flow(place: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let start = prop_oneof![
        short_time().prop_map(|t| format!("start = {t}\n")),
        short_time().prop_map(|t| format!("start = {{ uniform = [\"0 s\", {t}] }}\n")),
    ];
    let rest = options(vec![
        start.boxed(),
        (1u32..50).prop_map(|n| format!("count = {n}\n")).boxed(),
        select(vec!["group = \"one\"\n", "group = \"reno\"\n"])
            .prop_map(str::to_owned)
            .boxed(),
    ]);
    (
        prop_oneof![4 => tcp(), 4 => udp(), 1 => media()],
        rest,
        place,
    )
        .prop_map(|(traffic, rest, place)| format!("[[flow]]\n{traffic}{rest}{place}"))
}

fn tcp() -> impl Strategy<Value = String> {
    let rest = options(vec![
        (1u32..9000)
            .prop_map(|n| format!("payload = \"{n} B\"\n"))
            .boxed(),
        (0u32..100)
            .prop_map(|n| format!("header = \"{n} B\"\n"))
            .boxed(),
        (1u32..100)
            .prop_map(|n| format!("ack = \"{n} B\"\n"))
            .boxed(),
        prop_oneof![
            (1u64..1_000_000).prop_map(|n| format!("size = \"{n} segments\"\n")),
            (1u64..1_000_000).prop_map(|n| format!("size = \"{n} kB\"\n")),
        ]
        .boxed(),
        select(vec![
            "initial_window = \"rfc3390\"\n",
            "initial_window = 10\n",
        ])
        .prop_map(str::to_owned)
        .boxed(),
        short_time()
            .prop_map(|t| format!("min_rto = {t}\n"))
            .boxed(),
        short_time()
            .prop_map(|t| format!("rto_tick = {t}\n"))
            .boxed(),
        any::<bool>()
            .prop_map(|b| format!("handshake = {b}\n"))
            .boxed(),
        any::<bool>()
            .prop_map(|b| format!("limited_transmit = {b}\n"))
            .boxed(),
        select(vec!["stack = \"plain\"\n", "stack = \"linux\"\n"])
            .prop_map(str::to_owned)
            .boxed(),
        prop_oneof![
            any::<bool>().prop_map(|b| format!("delayed_ack = {b}\n")),
            (1u32..=500).prop_map(|n| format!("delayed_ack = \"{n} ms\"\n")),
            (1u32..=500, 0u32..=1000)
                .prop_map(|(n, quick)| format!("delayed_ack = \"{n} ms\"\nquick_acks = {quick}\n")),
            any::<bool>().prop_map(|b| format!("ack_control = {b}\n")),
            (1u32..=10_000, 1u32..=500).prop_map(|(max, ms)| format!(
                "ack_control = {{ max = {max}, timer = \"{ms} ms\" }}\n"
            )),
        ]
        .boxed(),
        (1u32..1000)
            .prop_map(|n| format!("timestamps = {{ granularity = \"{n} us\" }}\n"))
            .boxed(),
        (1u32..=1 << 20)
            .prop_map(|n| format!("receiver_window = {n}\n"))
            .boxed(),
        (2u32..=1 << 20)
            .prop_map(|n| format!("ssthresh = {n}\n"))
            .boxed(),
        select(vec![
            "true",
            "false",
            "\"accurate\"",
            "\"l4s\"",
            "\"dctcp\"",
        ])
        .prop_map(|mode| format!("ecn = {mode}\n"))
        .boxed(),
        (1u32..=1_000_000)
            .prop_map(|n| format!("probe_every = {n}\n"))
            .boxed(),
        any::<bool>()
            .prop_map(|b| format!("adaptation = {b}\n"))
            .boxed(),
        proptest::sample::subsequence(vec!["veno", "lded", "ncpld"], 0..=3)
            .prop_map(|names| format!("classify = {names:?}\n"))
            .boxed(),
    ]);
    (control(), rest).prop_map(|(control, rest)| {
        // A control that measures deliveries sets its window by itself, and one that counts marks needs them.
        let named = |names: &[&str]| {
            names
                .iter()
                .any(|name| control.contains(&format!("name = \"{name}")))
        };
        let (by_delivery, by_marks) = (named(&["bbr"]), named(&["dctcp", "prague"]));
        let kept = rest.lines().filter(|line| {
            !(by_delivery && line.starts_with("adaptation")
                || by_marks && ["ecn = true", "ecn = false"].contains(line))
        });
        kept.fold(control, |text, line| text + line + "\n")
    })
}

fn udp() -> impl Strategy<Value = String> {
    let source = prop_oneof![
        rate().prop_map(|rate| format!("cbr = {rate}")),
        (rate(), short_time(), short_time()).prop_map(|(rate, on, off)| format!(
            "exponential = {{ rate = {rate}, on = {on}, off = {off} }}"
        )),
        (rate(), short_time(), short_time(), 1.0001..99.0).prop_map(|(rate, on, off, shape)| {
            format!("pareto = {{ rate = {rate}, on = {on}, off = {off}, shape = {shape:?} }}")
        }),
    ];
    let rest = options(vec![
        (1u32..=65_535)
            .prop_map(|n| format!("packet = \"{n} B\"\n"))
            .boxed(),
        Just("stop = \"9000 s\"\n".to_owned()).boxed(),
        proptest::sample::select(vec!["not-ect", "ect0", "ect1"])
            .prop_map(|codepoint| format!("codepoint = {codepoint:?}\n"))
            .boxed(),
    ]);
    (source, rest).prop_map(|(source, rest)| format!("source = {{ {source} }}\n{rest}"))
}

fn media() -> impl Strategy<Value = String> {
    let control = prop_oneof![
        Just("\"tfrc\"".to_owned()),
        Just("\"multfrc\"".to_owned()),
        (500_000u32..990_000).prop_map(|n| {
            let theta = f64::from(n) / 1e6;
            format!("{{ name = \"tfrc-veno\", theta1 = {theta:?}, wmax_mode = \"decay\" }}")
        }),
        (0u32..=1_000_000).prop_map(|n| format!("{{ name = \"tfrc-veno\", wmax = {n} }}")),
        short_time().prop_map(|t| format!("{{ name = \"aio-tfrc\", period = {t} }}")),
        (1u32..1_000_000).prop_map(|n| format!("{{ name = \"nada\", rmin = {n} }}")),
        (1u32..60_000).prop_map(|n| format!("{{ name = \"scream\", mss = {n} }}")),
    ];
    let rest = options(vec![
        (1u32..2000)
            .prop_map(|n| format!("segment = \"{n} B\"\n"))
            .boxed(),
        (0u32..100)
            .prop_map(|n| format!("overhead = \"{n} B\"\n"))
            .boxed(),
        (1u32..100)
            .prop_map(|n| format!("feedback = \"{n} B\"\n"))
            .boxed(),
        frames().boxed(),
    ]);
    (control, rest).prop_map(|(control, rest)| format!("rate_control = {control}\n{rest}"))
}

/// An encoder, often with a player.
fn frames() -> impl Strategy<Value = String> {
    let sizes = prop_oneof![
        Just("\"constant\"".to_owned()),
        (0u32..=1000).prop_map(|n| format!("{{ laplace = {:?} }}", f64::from(n) / 1e3)),
        (0u32..=3000).prop_map(|n| format!("{{ lognormal = {:?} }}", f64::from(n) / 1e3)),
        (1u32..20_000)
            .prop_map(|n| format!("{{ recorded = [\"{n} key\", {}, 7] }}", n.div_ceil(4))),
    ];
    let keys = options(vec![
        (2u32..=480)
            .prop_map(|n| format!(", fps = {:?}", f64::from(n) / 2.0))
            .boxed(),
        (1u32..150_000)
            .prop_map(|n| format!(", floor = \"{n} b/s\""))
            .boxed(),
        (150_000u32..9_000_000)
            .prop_map(|n| format!(", ceiling = \"{n} b/s\""))
            .boxed(),
        sizes.prop_map(|sizes| format!(", sizes = {sizes}")).boxed(),
        (10u32..1000)
            .prop_map(|n| format!(", key_factor = {:?}", f64::from(n) / 10.0))
            .boxed(),
        short_time().prop_map(|t| format!(", lag = {t}")).boxed(),
    ]);
    let delay = prop_oneof![
        (1u32..10_000).prop_map(|n| format!("\"{n} ms\"")),
        (1u32..5_000).prop_map(|n| format!("{{ least = \"{n} ms\", most = \"{} ms\" }}", 2 * n)),
    ];
    let late = select(vec!["show", "skip"]);
    let lost = select(vec!["skip", "freeze"]);
    let player = (delay, late, lost).prop_map(|(delay, late, lost)| {
        format!("player = {{ delay = {delay}, late = \"{late}\", lost = \"{lost}\" }}\n")
    });
    let player = prop_oneof![Just(String::new()), player];
    let keys = keys.prop_map(|keys| format!("encoder = {{ key_every = 0{keys} }}\n"));
    (keys, player).prop_map(|(keys, player)| keys + &player)
}
