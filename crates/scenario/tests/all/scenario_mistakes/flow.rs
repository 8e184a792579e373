//! Mistakes in flows: TCP with its options and its control, UDP and media.

use super::{LINES, expect, expect_in, with};

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_a_flow() {
    expect_in(5, "[[flow]]\n[[flow]]", 1, &["neither a `control` nor a `source`", "control = \"reno\""]);
    expect_in(5, "[flow]", 1, &["`flow` must be an array of tables", "[[flow]]"]);
    expect("duration = \"1 s\"\nflow = []\n[[graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 b/s\"\ndelay = \"1 s\"\n", 2, 8, &["the scenario has no flow"]);
    expect_in(6, "control = \"vemo\"", 11, &["no congestion control `vemo`", "did you mean `veno`?"]);
    expect_in(6, "control = \"hybla\"", 11, &["no congestion control `hybla`", "`venodb`", "`westwoodnr`"]);
    expect_in(6, "control = 3", 11, &["`control` must be a string, not a whole number"]);
    expect_in(6, "control = \"veno\"\nrate_control = \"tfrc\"", 11, &["both `control` and `rate_control`"]);
    expect_in(7, "size = \"1 MB\"\nsource = { cbr = \"1 Mb/s\" }", 8, &["a flow with a `source` has no `size`"]);
    expect_in(6, "control = \"rovegas\"", 11, &["`rovegas` needs routers that report how long packets waited", "control = \"vegas\""]);
    expect(&with(4, &format!("{}\naqt = \"all\"", LINES[3])).replace("control = \"veno\"", "control = \"rovegas\"\nprobe_every = \"none\""), 8, 15, &["requests none", "leave `probe_every` out"]);
    expect_in(7, "recovery = \"new-reno\"", 12, &["no recovery `new-reno`", "did you mean `newreno`?"]);
    expect_in(7, "recovery = \"vegas\"", 12, &["`vegas` recovery makes no sense with the control `veno`", "goes with `reno`"]);
    expect(&with(6, "control = \"sack\""), 7, 12, &["contradicts the control", "\"sack\" means `reno` with `sack` recovery", "control = \"reno\""]);
    expect_in(7, "recovery = { name = \"newreno\", timer = \"patient\" }", 40, &["`timer` cannot be `patient`", "`impatient`"]);
    expect_in(7, "recovery = { name = \"sack\", timer = \"impatient\" }", 29, &["recovery `sack`", "no key `timer`"]);
    expect_in(7, "recovery = { timer = \"impatient\" }", 12, &["`name` is missing in `recovery`"]);
    expect_in(7, "count = 0", 9, &["`count` is out of range", "from 1 to 100000"]);
    expect_in(7, "count = \"2\"", 9, &["`count` must be a whole number, not a string"]);
    expect_in(7, "payload = 1000", 11, &["`payload` needs a unit", "payload = \"1000 B\""]);
    expect_in(7, "payload = \"1 Mb\"", 11, &["counts bits", "\"1 MB\""]);
    expect_in(7, "payload = \"0 B\"", 11, &["out of range", "from 1 B to 65535 B"]);
    expect_in(7, "payload = \"65500 B\"", 11, &["65540 bytes on the wire", "at most 65535"]);
    expect_in(7, "payload = \"1.5 B\"", 11, &["not a whole number of bytes"]);
    expect_in(7, "mss = \"1000 B\"", 1, &["no key `mss`", "called `payload`"]);
    expect_in(7, "packet = \"1000 B\"", 1, &["no key `packet`", "belongs to a UDP flow"]);
    expect_in(7, "beta = 4", 1, &["no key `beta`", "control = { name = \"veno\", beta = 3 }"]);
    expect_in(7, "direction = \"up\"", 13, &["`direction` cannot be `up`", "`right` and `left`"]);
    expect_in(7, "from = \"r1\"", 8, &["`from` has no meaning in this topology", "`direction`"]);
    expect_in(7, "start = \"100 s\"", 9, &["starts after the end of the run", "100 s"]);
    expect_in(7, "start = { uniform = [\"2 s\", \"1 s\"] }", 21, &["ends before it begins"]);
    expect_in(7, "start = { uniform = [\"2 s\"] }", 21, &["`uniform` has two times"]);
    expect_in(7, "group = 3", 9, &["`group` must be a string"]);
    expect_in(7, "group = \" a\"", 9, &["cannot be a name", "without blanks at its ends"]);
    expect_in(7, "start = 2", 9, &["`start` needs a unit"]);
    expect_in(7, "relays = \"media\"", 10, &["there is no flow `media`", "the flows are: `veno`"]);
    expect_in(7, "relays = \"veno\"", 10, &["the flow relays itself"]);
    expect_in(7, "relays = 1", 10, &["`relays` must be a string, not a whole number"]);
    let back = "relays = \"there\"\ndirection = \"left\"\nsize = \"5 kB\"\n[[flow]]\nname = \"there\"\ncontrol = \"reno\"";
    expect(&with(7, back), 9, 8, &["a relay has no `size`", "leave it out"]);
    expect_in(7, "access = { rate = \"10 kB\" }", 19, &["`kB` is a size, not a rate", "\"10 kB/s\""]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_tcp_options() {
    expect_in(7, "size = 500", 8, &["`size` needs a unit", "size = \"500 B\""]);
    expect_in(7, "size = \"many segments\"", 8, &["is not a number of segments", "\"500 segments\""]);
    expect_in(7, "initial_window = \"big\"", 18, &["a number of segments or \"rfc3390\""]);
    expect_in(7, "initial_window = 0", 18, &["`initial_window` is out of range"]);
    expect_in(7, "initial_window = 2.5", 18, &["must be a whole number"]);
    expect_in(7, "min_rto = \"100 s\"", 11, &["`min_rto` is 100 s, above `max_rto`, which is 60 s"]);
    expect_in(7, "max_rto = \"100 ms\"\nmin_rto = \"50 ms\"", 11, &["`initial_rto` is 1 s, above `max_rto`"]);
    expect_in(7, "rto_min = \"1 s\"", 1, &["did you mean `min_rto`?"]);
    expect_in(7, "rto_tick = 0.01", 12, &["`rto_tick` needs a unit", "\"0.01 ms\""]);
    expect_in(7, "limited_transmit = \"on\"", 20, &["must be true or false, not a string"]);
    expect_in(7, "classify = \"veno\"", 12, &["`classify` must be an array", "[\"veno\", \"lded\"]"]);
    expect_in(7, "classify = [\"veno\", \"vino\"]", 21, &["cannot be `vino`", "did you mean `veno`?"]);
    expect_in(7, "classify = [\"veno\", \"veno\"]", 21, &["`veno` stands here twice", "`flip_flop`"]);
    expect(&with(8, "[probe]\nestimate = [\"sarb\"]"), 9, 13, &["cannot be `sarb`", "did you mean `sarbe`?"]);
    expect(&with(8, "[probe]\nequation = \"vegas\""), 9, 12, &["cannot be `vegas`", "`veno`"]);
    expect_in(7, "ecn = \"yes\"", 7, &["`ecn` must be true, false, \"accurate\"", "write ecn = true"]);
    expect(&with(6, "control = \"dctcp\"\necn = true"), 7, 7, &["`dctcp` needs to know how many segments are marked", "ecn = \"accurate\""]);
    expect(&with(6, "control = \"prague\"\necn = false"), 7, 7, &["`prague` needs to know", "ecn = \"l4s\""]);
    expect_in(7, "probe_every = 0", 15, &["`probe_every` is out of range", "from 1 to 1000000"]);
    expect_in(7, "probe_every = \"all\"", 15, &["a number of segments or \"none\"", "probe_every = 1"]);
    expect_in(7, "ack_control = 16", 15, &["`ack_control` must be true, false or a table", "{ max = 16, timer = \"100 ms\" }"]);
    expect_in(7, "ack_control = { max = 0 }", 23, &["`max` is out of range", "from 1 to 10000"]);
    expect_in(7, "ack_control = { timer = \"1 s\" }", 25, &["`timer` is 1 s, which is out of range", "to 500 ms"]);
    expect_in(7, "delayed_ack = true\nack_control = true", 15, &["both say when ACKs are due", "leave `delayed_ack` out"]);
    expect_in(7, "payload = \"65490 B\"\nprobe_every = 9", 11, &["65542 bytes on the wire", "payload, header and options"]);
    expect_in(7, "prr = \"safe\"", 7, &["`prr` requires `sack` recovery", "recovery = \"sack\""]);
    expect_in(7, "prr = true", 7, &["`prr`"]);
    expect_in(7, "rack = true", 8, &["`rack` requires `sack` recovery", "leave `rack` out"]);
    expect_in(7, "tlp = true", 7, &["`tlp` requires `rack`", "rack = true"]);
    expect_in(7, "undo = true", 8, &["`undo` requires `rack`", "leave `undo` out"]);
    expect_in(7, "frto = true", 8, &["`frto` requires `rack`", "rack = true"]);
    expect_in(7, "handshake_rtt = true", 17, &["`handshake_rtt` requires `rack`", "rack = true"]);
    let unopened = "stack = \"linux\"\nhandshake = false\nhandshake_rtt = true";
    expect(&with(7, unopened), 9, 17, &["`handshake_rtt` changes nothing without `handshake`", "leave `handshake` out"]);
    expect_in(7, "rack_last = true", 13, &["`rack_last` requires `rack`", "rack = true"]);
    expect_in(7, "exit_growth = true", 15, &["`exit_growth` requires `rack`", "rack = true"]);
    expect_in(7, "sack_compression = true", 20, &["`sack_compression` requires `sack` recovery", "leave `sack_compression` out"]);
    expect_in(7, "min_rto_variance = true\nrto_tick = \"10 ms\"", 20, &["those of two timers", "leave one of them out"]);
    expect_in(7, "ack_samples = true\nrto_tick = \"10 ms\"", 15, &["`ack_samples` and `rto_tick`", "leave one of them out"]);
    expect_in(7, "timer_tick = \"4 ms\"\nrto_tick = \"10 ms\"", 14, &["`timer_tick` and `rto_tick`", "leave one of them out"]);
    expect_in(7, "tso = true", 7, &["`tso` requires `rack`", "leave `tso` out"]);
    expect_in(7, "timer_tick = \"1 ns\"", 14, &["`timer_tick` is 1 ns, which is out of range", "from 1 us to 10 s"]);
    expect_in(7, "stack = \"bsd\"", 9, &["`stack`", "linux"]);
    expect_in(7, "below_window = true", 16, &["`below_window` is a choice of QUIC", "stack = \"quic\""]);
    expect_in(7, "losses_last = true", 15, &["`losses_last` is a choice of QUIC", "leave `losses_last` out"]);
    expect(&with(7, "stack = \"quic\"\nrack = true"), 8, 8, &["`rack` is a choice of TCP", "leave `rack` out"]);
    expect(&with(7, "stack = \"quic\"\nrecovery = \"sack\""), 8, 12, &["no `recovery` to choose", "leave `recovery` out"]);
    expect(&with(7, "stack = \"quic\"\necn = \"dctcp\""), 8, 7, &["a QUIC receiver counts marks", "accurate"]);
    expect(&with(7, "stack = \"quic\"\ninitial_window = 1"), 8, 18, &["at least 2 packets", "initial_window = 10"]);
    expect_in(7, "stack = \"quic\"\ntransfers = { load = 0.5, size = \"10 kB\" }", 9, &["has no stack = \"quic\"", "stack = \"plain\""]);
    expect_in(7, "quick_acks = 16", 14, &["changes nothing without `delayed_ack`", "delayed_ack = \"40 ms\""]);
    expect_in(7, "autotuning = true", 14, &["`autotuning` changes nothing without `delayed_ack`", "delayed_ack = \"40 ms\""]);
    expect_in(7, "adaptive_delay = true", 18, &["`adaptive_delay` changes nothing without `delayed_ack`", "delayed_ack = \"40 ms\""]);
    expect_in(7, "push = true", 8, &["`push` changes nothing without `delayed_ack`", "leave `push` out"]);
    expect_in(7, "repair_samples = true", 18, &["`repair_samples` requires `rack`", "rack = true"]);
    let untimed = "stack = \"linux\"\nack_samples = false\nrepair_samples = true";
    expect(&with(7, untimed), 9, 18, &["`repair_samples` changes nothing without `ack_samples`", "ack_samples = true"]);
    let undelayed = "stack = \"linux\"\ndelayed_ack = false\npush_pieces = true";
    expect(&with(7, undelayed), 9, 15, &["`push_pieces` changes nothing without `delayed_ack`", "leave `push_pieces` out"]);
    expect_in(7, "push_pieces = true\ndelayed_ack = true", 15, &["`push_pieces` changes nothing without `tso`", "tso = true"]);
    expect_in(7, "delayed_ack = \"600 ms\"", 15, &["`delayed_ack` is 600 ms, which is out of range", "to 500 ms"]);
    expect_in(7, "timestamps = true", 14, &["`timestamps` must be \"exact\" or a table", "granularity"]);
    expect_in(7, "timestamps = { granularity = \"1 ns\" }", 30, &["`granularity` is 1 ns, which is out of range", "from 1 us to 1 s"]);
    expect_in(7, "timestamps = \"fine\"", 14, &["`timestamps` cannot be `fine`", "granularity"]);
    expect_in(7, "receiver_window = \"64 kB\"", 19, &["a number of segments or \"unlimited\""]);
    expect_in(7, "receiver_window = 0", 19, &["`receiver_window` is out of range"]);
    expect_in(7, "ssthresh = 1", 12, &["`ssthresh` is out of range", "from 2"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_parameters() {
    let control = |parameters: &str| format!("control = {{ name = \"veno\", {parameters} }}");
    expect_in(6, &control("bta = 3"), 28, &["`veno` has no parameter `bta`", "did you mean `beta`?", "`factor_random`", "Fu and Liew 2003"]);
    expect_in(6, &control("beta = -1"), 35, &["`beta` is out of range", "segments from 0 to 1048576"]);
    expect_in(6, &control("beta = \"3\""), 35, &["`beta` must be a number"]);
    expect_in(6, &control("factor_random = 1.5"), 44, &["`factor_random` is out of range", "a number from 0 to 1"]);
    expect_in(6, &control("factor_random = 0.1234567"), 44, &["more than six decimals", "millionths"]);
    expect_in(6, &control("rtt_mode = \"lastt\""), 39, &["`rtt_mode` cannot be `lastt`", "did you mean `last`?"]);
    expect_in(6, &control("rto_repeat_halve = 1"), 47, &["must be true or false"]);
    expect_in(6, &control("abc_limit = 256"), 40, &["`abc_limit` is out of range", "from 1 to 255"]);
    expect_in(6, "control = { 2name = \"veno\", beta = 3 }", 11, &["`name` is missing in `control`"]);
    expect_in(7, "recovery = { nam = \"reno\", timer = \"impatient\" }", 12, &["`name` is missing in `recovery`"]);
    expect_in(6, "control = { beta = 3 }", 11, &["`name` is missing in `control`"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_udp_flows() {
    let udp = |text: &str| format!("{}\n[[flow]]\n{text}", LINES[..7].join("\n"));
    expect(&udp("source = { cbr = 4 }"), 9, 18, &["`cbr` needs a unit", "cbr = \"4 Mb/s\""]);
    expect(&udp("source = \"cbr\""), 9, 10, &["`source` must be a table"]);
    expect(&udp("source = { cbr = \"4 Mb/s\", pareto = {} }"), 9, 10, &["of two kinds, `cbr` and `pareto`"]);
    expect(&udp("source = {}"), 9, 10, &["`source` names no kind"]);
    expect(&udp("source = { exponential = { rate = \"2 Mb/s\", on = \"1 s\" } }"), 9, 26, &["`off` is missing in `exponential`"]);
    let pareto = "source = { pareto = { rate = \"2 Mb/s\", on = \"1 s\", off = \"1 s\", shape = 1 } }";
    expect(&udp(pareto), 9, 73, &["shape 1 has no mean", "above 1"]);
    let cbr = |text: &str| udp(&format!("source = {{ cbr = \"4 Mb/s\" }}\n{text}"));
    expect(&cbr("payload = \"1000 B\""), 10, 1, &["no key `payload`", "a UDP flow has `packet`"]);
    expect(&cbr("codepoint = \"ect2\""), 10, 13, &["`codepoint` cannot be `ect2`", "did you mean `ect0`?"]);
    expect(&cbr("control = \"reno\"\ncodepoint = \"ect1\""), 11, 13, &["a TCP flow has no `codepoint`", "ecn = true"]);
    expect(&cbr("packet = \"65536 B\""), 10, 10, &["`packet` is 65536 B, which is out of range"]);
    expect(&cbr("stop = \"1 s\"\nstart = \"1 s\""), 10, 8, &["stops before it starts"]);
    expect(&cbr("min_rto = \"1 s\""), 10, 1, &["no key `min_rto`"]);
    expect(&cbr("name = \"a\"\n[[flow]]\ncontrol = \"reno\"\nname = \"a\""), 13, 8, &["a second flow has the name `a`"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_frames() {
    let media = |line: &str, column: usize, words: &[&str]| {
        let text = with(6, &format!("rate_control = \"tfrc\"\n{line}"));
        let text = text.replace("recovery = \"newreno\"\n", "");
        expect(&text, 6 + line.lines().count(), column, words);
    };
    media("encoder = { fps = 0 }", 19, &["out of range", "from 1 to 240"]);
    media("encoder = { fsp = 30 }", 13, &["no key `fsp`", "did you mean `fps`?"]);
    media("encoder = { floor = \"2 Mb/s\" }", 21, &["`floor` is above its `ceiling`", "2 Mb/s", "1500 kb/s"]);
    media("encoder = { sizes = \"constnat\" }", 21, &["`sizes` cannot be `constnat`", "`constant`"]);
    media("encoder = { sizes = {} }", 21, &["`sizes` names no law", "laplace"]);
    media("encoder = { sizes = { laplace = 0.1, lognormal = 1 } }", 21, &["two laws, `laplace` and `lognormal`", "keep one"]);
    media("encoder = { sizes = { laplace = 2 } }", 33, &["out of range"]);
    media("encoder = { sizes = { recorded = [] } }", 34, &["`recorded` has no frame"]);
    media("encoder = { sizes = { recorded = [5, \"7\"] } }", 38, &["a recorded frame cannot be read", "\"12000 key\""]);
    media("encoder = { sizes = { recorded = [5] }, key_every = 9 }", 53, &["a record says which frames are key frames", "leave `key_every` out"]);
    media("player = { delay = \"200 ms\" }", 10, &["no `encoder` that makes frames", "write for example encoder"]);
    media("encoder = {}\nplayer = { late = \"skp\" }", 19, &["`late` cannot be `skp`"]);
    media("encoder = {}\nplayer = { delay = { least = \"2 s\", most = \"1 s\" } }", 20, &["the shortest delay is longer than the longest"]);
    expect_in(7, "encoder = {}", 1, &["no key `encoder`"]);
}

/// TFRC Veno's W_max is either configured or measured.
#[test]
fn mistakes_of_a_configured_window() {
    let veno = |keys: &str| {
        let mut lines = LINES.to_vec();
        let flow = format!("rate_control = {{ name = \"tfrc-veno\", {keys} }}");
        lines.splice(5..7, [flow.as_str(), ""]);
        lines.join("\n")
    };
    let words = ["`wmax_mode` has no effect beside `wmax`", "keep one"];
    expect(&veno("wmax = 64, wmax_mode = \"life\""), 6, 49, &words);
    expect(&veno("wmax_mode = \"decay\", wmax = 64"), 6, 38, &words);
    for (wrong, words) in [
        ("wmax = -1", "from 0 to 1000000"),
        ("wmax = 1_000_001", "from 0 to 1000000"),
        ("wmax = 6.5", "whole number"),
        ("wmax = \"64\"", "whole number"),
    ] {
        expect(&veno(wrong), 6, 45, &[words]);
    }
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_a_workload() {
    expect_in(7, "transfers = { load = 0, size = \"1 kB\" }", 22, &["`load` is 0, which is out of range", "above 0 and up to 10"]);
    expect_in(7, "transfers = { load = nan, size = \"1 kB\" }", 22, &["`load` is nan"]);
    expect_in(7, "transfers = { rate = 1e18, size = \"1 kB\" }", 22, &["`rate` is 1e18", "transfers per second"]);
    expect_in(7, "transfers = { every = \"0 s\", size = \"1 kB\" }", 23, &["`every` is 0 s", "from 100 ns"]);
    expect_in(7, "transfers = { load = 0.5 }", 13, &["`size` is missing in `transfers`"]);
    expect_in(7, "transfers = { size = \"1 kB\" }", 13, &["does not say when they arrive", "`load`, `rate`, `every` and `trace`"]);
    expect_in(7, "transfers = { laod = 0.5, size = \"1 kB\" }", 15, &["no key `laod`", "did you mean `load`?"]);
    expect_in(7, "transfers = { trace = [[0.5, 1000], [0.2, 1000]] }", 37, &["cannot be read", "no time is earlier"]);
    expect(&with(7, "requests = { size = \"1 kB\" }\nvideo = { rates = \"1 Mb/s\" }"), 8, 9, &["both `requests` and `video`", "two flows"]);
    expect_in(7, "requests = { size = \"1 kB\", request = \"2000 B\" }", 12, &["requests of more than one segment"]);
    expect(&with(7, "requests = { size = \"1 kB\" }\nsize = \"1 kB\""), 8, 8, &["no `size` of its own"]);
    expect_in(7, "video = { rates = [\"3 Mb/s\", \"1 Mb/s\"] }", 19, &["no ascending rates"]);
    expect_in(7, "video = { rates = \"1 Mb/s\", chunk = \"4 s\", buffer = \"2 s\" }", 53, &["shorter than one chunk"]);
    expect_in(7, "video = { rates = \"1 Mb/s\", startup = \"30 s\" }", 39, &["playing never begins"]);
}
