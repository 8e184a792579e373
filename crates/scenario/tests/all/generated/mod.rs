//! Random scenario files.

mod mutation;

use dumbbell_control::parameter::Kind;
use dumbbell_scenario::controls::Controls;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

pub use mutation::{mutate, mutation};

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

pub fn time() -> impl Strategy<Value = String> {
    (1u64..5000, select(vec!["ns", "us", "ms", "s"]))
        .prop_map(|(n, unit)| format!("\"{n} {unit}\""))
}

/// A time of up to 5 s.
fn short_time() -> impl Strategy<Value = String> {
    (1u64..5_000, select(vec!["us", "ms"])).prop_map(|(n, unit)| format!("\"{n}.25 {unit}\""))
}

pub fn rate() -> impl Strategy<Value = String> {
    (
        1u64..9999,
        select(vec!["b/s", "kb/s", "Mb/s", "kB/s", "Mbps"]),
    )
        .prop_map(|(n, unit)| format!("\"{n} {unit}\""))
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

/// The delay of a link, constant or over time.
fn link_delay() -> impl Strategy<Value = String> {
    let steps = (vec((1u64..9, 0u64..9), 1..5), any::<bool>()).prop_map(|(steps, keep)| {
        let (at, pairs) = steps_of(steps, |value| format!("{value} ms"), 3);
        format!("{{ steps = [{pairs}], every = \"{at} ms\", keep_order = {keep} }}")
    });
    prop_oneof![3 => short_time(), 1 => steps]
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

fn probability() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.0..1.0, 1e-12..1e-3]
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

fn link() -> impl Strategy<Value = String> {
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

/// A random selection of the lines of a flow.
fn options(lines: Vec<BoxedStrategy<String>>) -> impl Strategy<Value = String> {
    let optional = |line: BoxedStrategy<String>| prop_oneof![Just(String::new()), line].boxed();
    lines
        .into_iter()
        .map(optional)
        .collect::<Vec<_>>()
        .prop_map(|lines| lines.concat())
}

/// A control with random parameters within their ranges.
fn control() -> impl Strategy<Value = String> {
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

fn flow(place: BoxedStrategy<String>) -> impl Strategy<Value = String> {
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

fn dumbbell() -> impl Strategy<Value = String> {
    let place = options(vec![
        Just("direction = \"left\"\n".to_owned()).boxed(),
        access().boxed(),
    ]);
    (link(), vec(flow(place.boxed()), 1..4)).prop_map(|(link, flows)| {
        format!("[dumbbell]\naccess = {{ rate = \"10 Mb/s\", delay = \"1 ms\" }}\nbottleneck = {{ {link} }}\n{}", flows.concat())
    })
}

fn parking_lot() -> impl Strategy<Value = String> {
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

fn graph() -> impl Strategy<Value = String> {
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

fn quoted(text: &str) -> String {
    format!(
        "\"{}\"",
        text.replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n")
    )
}
