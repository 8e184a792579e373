//! Random small scenarios of a few seconds, with every topology, control, recovery, rate control,
//! loss and source.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::rate_controls::RateControl;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

/// A random subset of these lines.
fn some(lines: Vec<BoxedStrategy<String>>) -> impl Strategy<Value = String> {
    lines
        .into_iter()
        .map(|line| prop_oneof![Just(String::new()), line].boxed())
        .collect::<Vec<_>>()
        .prop_map(|lines| lines.concat())
}

fn word(words: &'static [&'static str]) -> impl Strategy<Value = String> {
    select(words).prop_map(str::to_owned)
}

fn rate() -> impl Strategy<Value = String> {
    word(&["300 kb/s", "1 Mb/s", "2 Mb/s", "7.77 Mb/s", "20 Mb/s"])
}

/// A constant rate, or opportunities: regular ones for 2 Mb/s, or bursts with outages.
fn link_rate() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => rate().prop_map(|rate| format!("\"{rate}\"")),
        1 => word(&[
            "{ opportunities = [6] }",
            "{ opportunities = [0, 1, 1, 1, 4, 30, 31, 31, 75] }",
        ]),
    ]
}

fn delay() -> impl Strategy<Value = String> {
    word(&["0 s", "1 ms", "10 ms", "0.123 ms", "60 ms"])
}

fn queue() -> impl Strategy<Value = String> {
    prop_oneof![
        1 => Just("\"unlimited\"".to_owned()),
        4 => (1_u32..40).prop_map(|n| format!("{{ droptail = {n} }}")),
    ]
}

fn loss() -> impl Strategy<Value = String> {
    let model = word(&[
        "bernoulli = 0.02",
        "bernoulli = 0.3",
        "geometric = 0.01",
        "two_state = { good = 0.001, good_period = \"80 ms\", bad = 0.2, bad_period = \"40 ms\", switch = 0.95 }",
        "gilbert_elliott = { to_bad = 0.01, to_good = 0.3, bad = 0.8 }",
    ]);
    let on = word(&["", ", on = \"all\""]);
    prop_oneof![
        Just("\"none\"".to_owned()),
        (model, on).prop_map(|(model, on)| format!("{{ {model}{on} }}")),
    ]
}

fn link() -> impl Strategy<Value = String> {
    let reverse = prop_oneof![
        2 => Just(String::new()),
        1 => (link_rate(), queue(), loss()).prop_map(|(rate, queue, loss)| {
            format!(", reverse = {{ rate = {rate}, queue = {queue}, loss = {loss} }}")
        }),
    ];
    (link_rate(), delay(), queue(), loss(), reverse).prop_map(
        |(rate, delay, queue, loss, reverse)| {
            format!("rate = {rate}, delay = \"{delay}\", queue = {queue}, loss = {loss}{reverse}")
        },
    )
}

/// What a control that measures deliveries requires.
const RACK: &str = "rack = true\n";
/// What a control that counts marks requires.
const COUNTS: &str = "ecn = \"accurate\"\n";

/// Any control with any recovery that it supports.
fn control() -> impl Strategy<Value = String> {
    let pairs: Vec<String> = Controls::builtin()
        .all()
        .iter()
        .filter(|control| !control.needs().queueing)
        .flat_map(|control| {
            let name = control.name().to_owned();
            let recoveries = control.recoveries().into_iter();
            let rack = if control.needs().delivery { RACK } else { "" };
            let ecn = if control.needs().marks { COUNTS } else { "" };
            recoveries.map(move |recovery| {
                let recovery = recovery.name();
                format!("control = \"{name}\"\nrecovery = \"{recovery}\"\n{ecn}{rack}")
            })
        })
        .collect();
    prop_oneof![
        6 => select(pairs),
        1 => Just("control = \"cubic\"\nrecovery = \"sack\"\nrack = true\ntlp = true\nundo = true\nfrto = true\nprr = \"safe\"\n".to_owned()),
        1 => Just("control = \"veno\"\nrecovery = { name = \"newreno\", timer = \"slow-but-steady\", exit = \"flight\", careful = false }\n".to_owned()),
    ]
}

/// A QUIC connection with any control that it can have.
fn quic() -> impl Strategy<Value = String> {
    let names: Vec<String> = Controls::builtin()
        .all()
        .iter()
        .filter(|control| !control.needs().queueing)
        .map(|control| control.name().to_owned())
        .collect();
    let rest = some(vec![
        word(&["payload = \"1200 B\"\n", "payload = \"200 B\"\n"]).boxed(),
        word(&["delayed_ack = false\n", "delayed_ack = \"7 ms\"\n"]).boxed(),
        word(&["ecn = \"accurate\"\n", "ecn = \"l4s\"\n"]).boxed(),
        word(&[
            "pacing = false\n",
            "below_window = true\n",
            "losses_last = true\n",
        ])
        .boxed(),
        word(&["handshake = false\n", "ssthresh = 8\n"]).boxed(),
    ]);
    (select(names), rest)
        .prop_map(|(name, rest)| format!("control = \"{name}\"\nstack = \"quic\"\n{rest}"))
}

fn tcp() -> impl Strategy<Value = String> {
    let sizes = prop_oneof![
        (1_u32..300).prop_map(|n| format!("size = \"{n} segments\"\n")),
        (1_u32..200_000).prop_map(|n| format!("size = \"{n} B\"\n")),
    ];
    let any = prop_oneof![6 => connection().boxed(), 1 => quic().boxed()];
    (any, some(vec![sizes.boxed()])).prop_map(|(connection, size)| connection + &size)
}

/// A TCP flow, whatever data it sends.
fn connection() -> impl Strategy<Value = String> {
    let rest = some(vec![
        word(&["payload = \"1460 B\"\n", "payload = \"200 B\"\n"]).boxed(),
        word(&["header = \"0 B\"\n", "ack = \"60 B\"\n"]).boxed(),
        word(&[
            "delayed_ack = true\n",
            "delayed_ack = \"7 ms\"\n",
            "ack_control = true\n",
            "ack_control = { max = 3, timer = \"20 ms\" }\n",
        ])
        .boxed(),
        word(&[
            "ecn = true\n",
            "ecn = \"accurate\"\n",
            "ecn = \"l4s\"\n",
            "ecn = \"dctcp\"\n",
        ])
        .boxed(),
        word(&["classify = [\"vegas\", \"venodb\"]\n"]).boxed(),
        word(&["probe_every = 1\n", "probe_every = 3\n"]).boxed(),
        word(&["adaptation = true\n", "adaptation = false\n"]).boxed(),
        word(&[
            "timestamps = { granularity = \"1 ms\" }\n",
            "timestamps = { granularity = \"1 us\" }\n",
        ])
        .boxed(),
        word(&["receiver_window = 1\n", "receiver_window = 30\n"]).boxed(),
        word(&[
            "initial_window = 1\n",
            "initial_window = 100\n",
            "initial_window = \"rfc3390\"\n",
        ])
        .boxed(),
        word(&[
            "handshake = false\n",
            "limited_transmit = false\n",
            "ssthresh = 8\n",
        ])
        .boxed(),
        word(&[
            "min_rto = \"1 s\"\n",
            "min_rto = \"1 ms\"\n",
            "rto_tick = \"100 ms\"\n",
        ])
        .boxed(),
    ]);
    (control(), rest).prop_map(|(control, rest)| {
        // What changes windows besides the control does not go with one that measures deliveries.
        let changes =
            |line: &&str| line.starts_with("adaptation") || line.starts_with("ack_control");
        let by_delivery = control.ends_with(RACK);
        let by_marks = control.contains(COUNTS);
        let rest = rest
            .lines()
            .filter(|line| !(by_delivery && changes(line) || by_marks && line.starts_with("ecn")));
        rest.fold(control, |text, line| text + line + "\n")
    })
}

fn udp() -> impl Strategy<Value = String> {
    let source = word(&[
        "cbr = \"1 Mb/s\"",
        "cbr = \"3.3 Mb/s\"",
        "exponential = { rate = \"2 Mb/s\", on = \"30 ms\", off = \"20 ms\" }",
        "pareto = { rate = \"4 Mb/s\", on = \"50 ms\", off = \"100 ms\", shape = 1.5 }",
    ]);
    let rest = some(vec![
        word(&["packet = \"512 B\"\n", "packet = \"40 B\"\n"]).boxed(),
        Just("stop = \"700 ms\"\n".to_owned()).boxed(),
    ]);
    (source, rest).prop_map(|(source, rest)| format!("source = {{ {source} }}\n{rest}"))
}

fn media() -> impl Strategy<Value = String> {
    let schemes: Vec<String> = RateControl::all()
        .map(|control| format!("rate_control = \"{}\"\n", control.name()))
        .collect();
    let control = prop_oneof![
        select(schemes),
        word(&[
            "rate_control = { name = \"tfrc\", profile = \"ns2\", discounting = \"off\" }\n",
            "rate_control = { name = \"tfrc\", causes = \"ecn\", smoothing = \"off\" }\n",
            "rate_control = { name = \"tfrc-veno\", causes = \"agent\", base_mode = \"on_loss\", wmax_mode = \"decay\" }\n",
            "rate_control = { name = \"tfrc-veno\", wmax = 20, causes = \"ecn\" }\n",
            "rate_control = { name = \"multfrc\", causes = \"access_point\", period = \"50 ms\", most = 5 }\n",
            "rate_control = { name = \"aio-tfrc\", profile = \"ns2\", period = \"50 ms\", b = 2 }\n",
            "rate_control = { name = \"nada\", delta = \"20 ms\", xmax = \"500 ms\" }\n",
            "rate_control = { name = \"scream\", t_resume_fast_increase = \"500 ms\" }\n",
        ]),
    ];
    let rest = some(vec![
        word(&["segment = \"200 B\"\n", "segment = \"1460 B\"\n"]).boxed(),
        word(&["overhead = \"0 B\"\n", "feedback = \"60 B\"\n"]).boxed(),
    ]);
    (control, rest).prop_map(|(control, rest)| control + &rest)
}

/// A flow and a flow that relays it, each with its endpoints.
fn relayed(source: &'static str, relay: &'static str) -> impl Strategy<Value = String> {
    let common = some(vec![
        word(&["start = \"0 s\"\n", "start = \"333 ms\"\n"]).boxed(),
    ]);
    let traffic = prop_oneof![tcp(), udp(), media()];
    let counts = word(&["", "count = 2\n"]);
    (traffic, connection(), common.boxed(), counts).prop_map(
        move |(traffic, connection, start, count)| {
            format!(
                "[[flow]]\nname = \"source\"\n{traffic}{count}{source}[[flow]]\n{connection}{start}{count}relays = \"source\"\n{relay}"
            )
        },
    )
}

/// Flows, possibly with a pair of which one relays the other, in either order.
fn flows(
    place: BoxedStrategy<String>,
    source: &'static str,
    relay: &'static str,
) -> impl Strategy<Value = String> {
    let own = vec(flow(place), 1..4).prop_map(|flows| flows.concat());
    let pair = prop_oneof![
        3 => Just(String::new()),
        1 => relayed(source, relay),
    ];
    (own, pair, any::<bool>()).prop_map(
        |(own, pair, first)| {
            if first { pair + &own } else { own + &pair }
        },
    )
}

fn flow(place: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    let rest = some(vec![
        word(&[
            "start = \"0 s\"\n",
            "start = \"333 ms\"\n",
            "start = { uniform = [\"0 s\", \"600 ms\"] }\n",
        ])
        .boxed(),
        word(&["count = 2\n", "count = 5\n"]).boxed(),
    ]);
    (
        prop_oneof![3 => tcp(), 1 => udp(), 1 => media()],
        rest,
        place,
    )
        .prop_map(|(traffic, rest, place)| format!("[[flow]]\n{traffic}{rest}{place}"))
}

/// A link that is usually no slower than the flows' share, with its own losses.
fn access() -> impl Strategy<Value = String> {
    let rest = some(vec![
        loss().prop_map(|loss| format!(", loss = {loss}")).boxed(),
        queue()
            .prop_map(|queue| format!(", queue = {queue}"))
            .boxed(),
        loss()
            .prop_map(|loss| format!(", reverse = {{ loss = {loss} }}"))
            .boxed(),
    ]);
    (rate(), delay(), rest).prop_map(|(rate, delay, rest)| {
        format!("access = {{ rate = \"{rate}\", delay = \"{delay}\"{rest} }}\n")
    })
}

fn dumbbell() -> impl Strategy<Value = String> {
    let place = some(vec![
        Just("direction = \"left\"\n".to_owned()).boxed(),
        access().boxed(),
    ]);
    let flows = flows(place.boxed(), "", "direction = \"left\"\n");
    (access(), link(), flows).prop_map(|(access, link, flows)| {
        format!("[dumbbell]\n{access}bottleneck = {{ {link} }}\n{flows}")
    })
}

fn parking_lot() -> impl Strategy<Value = String> {
    let place = some(vec![
        word(&[
            "from = \"r2\"\nto = \"r1\"\n",
            "from = \"r1\"\nto = \"r2\"\n",
        ])
        .boxed(),
    ]);
    let flows = flows(
        place.boxed(),
        "from = \"r1\"\nto = \"r2\"\n",
        "from = \"r2\"\nto = \"r1\"\n",
    );
    (access(), vec(link(), 1..4), flows).prop_map(|(access, links, flows)| {
        let hops: Vec<String> = links.iter().map(|link| format!("{{ {link} }}")).collect();
        let hops = hops.join(", ");
        format!("[parking_lot]\n{access}hops = [{hops}]\n{flows}")
    })
}

/// A ring of three nodes, to which a fourth is attached.
fn graph() -> impl Strategy<Value = String> {
    let place = word(&[
        "from = \"a\"\nto = \"d\"\n",
        "from = \"d\"\nto = \"b\"\n",
        "from = \"b\"\nto = \"a\"\n",
    ]);
    let flows = flows(
        place.boxed(),
        "from = \"a\"\nto = \"c\"\n",
        "from = \"c\"\nto = \"d\"\n",
    );
    (vec(link(), 4), flows).prop_map(|(links, flows)| {
        let ends = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")];
        let links: Vec<String> = ends
            .iter()
            .zip(&links)
            .map(|((from, to), link)| format!("{{ from = \"{from}\", to = \"{to}\", {link} }}"))
            .collect();
        format!("[graph]\nlink = [{}]\n{flows}", links.join(", "))
    })
}

/// A scenario file.
pub fn scenario() -> impl Strategy<Value = String> {
    let duration = word(&["1 s", "2.5 s", "999.999999 ms", "4 s"]);
    let variation = some(vec![
        Just("variation = { bin = \"130 ms\", from = \"100 ms\" }\n".to_owned()).boxed(),
    ]);
    (
        duration,
        variation,
        prop_oneof![3 => dumbbell(), 1 => parking_lot(), 1 => graph()],
    )
        .prop_map(|(duration, variation, network)| {
            format!("duration = \"{duration}\"\n{variation}{network}")
        })
}
