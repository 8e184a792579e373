//! Mistakes in scenario files: where they are reported, and with what messages. The schema of scenario
//! files finds them too, except those that a schema cannot express.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Report, Scenario};

use crate::judge;

/// A file in which tests replace one line: 1 is `duration`, 3 and 4 are the dumbbell, 6 and 7 the flow.
const LINES: [&str; 8] = [
    "duration = \"100 s\"",
    "[dumbbell]",
    "access = { rate = \"10 Mb/s\", delay = \"1 ms\" }",
    "bottleneck = { rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 60 } }",
    "[[flow]]",
    "control = \"veno\"",
    "recovery = \"newreno\"",
    "",
];

/// Messages about mistakes that a schema cannot detect: relations between values, and the size of
/// quantities.
const BEYOND_A_SCHEMA: &[&str] = &[
    "is 2 h, which is out of range",
    "the first step must be at time zero",
    "is not later than the one before it",
    "the steps start over before the last one",
    "`steps` is always 0",
    "is a key beside `steps`",
    "normal distribution",
    "bytes on the wire",
    "is not a whole number of bytes",
    "starts after the end of the run",
    "nothing is measured",
    "stops before it starts",
    "ends before it begins",
    "more than six decimals",
    "above `max_rto`",
    ", and `min` is ",
    "a second flow has the name",
    "there is no router `r4`",
    "from `r2` to itself",
    "from `a` to itself",
    "no link leads to a node",
    "no links lead from",
    "needs routers that report",
    "but the flow requests none",
    "both say when ACKs are due",
    "needs to know how many segments are marked",
    "changes nothing without `delayed_ack`",
    "requires `sack` recovery",
    "`tlp` requires `rack`",
    "`tso` requires `rack`",
    "`undo` requires `rack`",
    "`frto` requires `rack`",
    "`exit_growth` requires `rack`",
    "`sack_compression` requires `sack` recovery",
    "are those of two timers",
    "has no effect beside `wmax`",
    "there is no flow `",
    "the flow relays itself",
    "a relay has no `size`",
    "the time goes back",
    "all delivery opportunities are at 0 ms",
    "this scenario was not read from one",
    "is 1 s, which is out of range",
    "is 600 ms, which is out of range",
    "is 1 ns, which is out of range",
    "is 11 Tb/s, which is out of range",
    "a flow with a `source` has no `size`",
    "is 65536 B, which is out of range",
    "is a choice of QUIC, and this flow is TCP",
    "is a choice of TCP, and this flow has",
    "a QUIC flow has no `recovery` to choose",
    "a QUIC receiver counts marks",
    "a QUIC window is at least 2 packets",
    "has no stack = \"quic\"",
    "is above its `ceiling`",
    "a record says which frames are key frames",
    "but no `encoder` that makes frames",
    "the shortest delay is longer than the longest",
];

fn with(line: usize, text: &str) -> String {
    let mut lines: Vec<&str> = LINES.to_vec();
    lines[line - 1] = text;
    lines.join("\n")
}

fn report(text: &str) -> Report {
    match Scenario::parse("bad.toml", text, &Controls::builtin()) {
        Ok(_) => panic!("accepted:\n{text}"),
        Err(report) => report,
    }
}

/// Checks that the file has exactly one mistake, at this position, with these words in the message or
/// the hint.
fn expect(text: &str, line: usize, column: usize, words: &[&str]) {
    let report = report(text);
    assert_eq!(report.problems().len(), 1, "{report}");
    let problem = &report.problems()[0];
    assert_eq!((problem.line, problem.column), (line, column), "{report}");
    let shown = report.to_string();
    assert!(
        shown.contains(&format!("bad.toml:{line}:{column}")),
        "{shown}"
    );
    for word in words {
        assert!(shown.contains(word), "no `{word}` in\n{shown}");
    }
    let Some(file) = judge::json(text) else {
        return;
    };
    let seen = !judge::complaints(&file).is_empty();
    let beyond = BEYOND_A_SCHEMA
        .iter()
        .any(|words| problem.message.contains(words));
    assert_ne!(seen, beyond, "{:#?}\n{shown}", judge::complaints(&file));
}

/// Replaces one line of [`LINES`], and expects one mistake in it.
fn expect_in(line: usize, text: &str, column: usize, words: &[&str]) {
    expect(&with(line, text), line, column, words);
}

#[test]
fn the_file_without_a_mistake_is_accepted() {
    let text = LINES.join("\n");
    assert!(Scenario::parse("good.toml", &text, &Controls::builtin()).is_ok());
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_the_head() {
    expect_in(1, "", 1, &["`duration` is missing", "duration = \"100 s\""]);
    expect_in(1, "duration = 100", 12, &["`duration` needs a unit", "duration = \"100 ms\""]);
    expect_in(1, "duration = \"100\"", 12, &["has no unit", "\"10 ms\""]);
    expect_in(1, "duration = \"100 Mb/s\"", 12, &["is a rate, not a time"]);
    expect_in(1, "duration = \"100 sec\"", 12, &["`sec` is not a unit of a time", "did you mean \"100 s\"?"]);
    expect_in(1, "duration = \"0 s\"", 12, &["out of range", "from 1 ns to 2592000 s"]);
    for late in ["100 s", "2 min"] {
        let text = with(1, &format!("duration = \"100 s\"\nwarmup = \"{late}\""));
        expect(&text, 2, 10, &["nothing is measured", "ends at 100 s, its `duration`"]);
    }
    let text = with(1, "duration = \"100 s\"\nwarmup = 10");
    expect(&text, 2, 10, &["`warmup` needs a unit"]);
    let text = with(1, "duration = \"100 s\"\nwarm_up = \"10 s\"");
    expect(&text, 2, 1, &["no key `warm_up`", "`warmup`"]);
    expect_in(1, "duration = \"1e2 s\"", 12, &["`1e2 s` has an exponent", "write the number out"]);
    expect_in(1, "duration = nan", 12, &["`duration` needs a unit", "duration = \"10 ms\""]);
    expect_in(1, "duration = true", 12, &["must be a time, a string with its unit, not true or false"]);
    expect_in(1, "duration = \"100 s\"; seed = 1", 19, &["not valid TOML"]);
    expect_in(1, "duration = 100 s", 12, &["not valid TOML", "a quantity is a string: duration = \"100 s\""]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_on_an_added_second_line() {
    expect(&with(1, "duration = \"100 s\"\nseed = -1"), 2, 8, &["`seed` is out of range", "whole number from 0"]);
    expect(&with(1, "duration = \"100 s\"\nseed = 1.5"), 2, 8, &["`seed` must be a whole number, not a number"]);
    expect(&with(1, "duration = \"100 s\"\nname = \"\""), 2, 8, &["`name` is empty"]);
    expect(&with(1, "duration = \"100 s\"\ndurations = 5"), 2, 1, &["no key `durations`", "did you mean `duration`?"]);
    expect(&with(1, "duration = \"100 s\"\nduration = \"2 s\""), 2, 1, &["not valid TOML", "duplicate key"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_the_topology() {
    let no_topology = "duration = \"1 s\"\n[[flow]]\ncontrol = \"reno\"\n";
    expect(no_topology, 1, 1, &["no topology", "[dumbbell]"]);
    expect_in(2, "[dumbell]", 2, &["no key `dumbell`", "did you mean `dumbbell`?"]);
    expect(&format!("{}\n[parking_lot]\nhops = 3\n", LINES.join("\n")), 9, 1, &["a second topology, `parking_lot`", "exactly one"]);
    expect(&with(3, ""), 5, 1, &["the flow's access link has no `rate` and no `delay`"]);
    expect_in(3, "access = { rate = \"10 Mb\", delay = \"1 ms\" }", 19, &["an amount of data, not a rate", "\"10 Mb/s\""]);
    expect_in(3, "access = { rate = \"10 s\", delay = \"1 ms\" }", 19, &["`10 s` is a time, not a rate"]);
    expect_in(3, "access = { rate = \"0 b/s\", delay = \"1 ms\" }", 19, &["out of range", "from 1 b/s to 10000 Gb/s"]);
    expect_in(3, "access = { rate = \"11 Tb/s\", delay = \"1 ms\" }", 19, &["`rate` is 11 Tb/s, which is out of range"]);
    expect_in(3, "access = { rate = \"10 mb/s\", delay = \"1 ms\" }", 19, &["did you mean \"10 Mb/s\"?"]);
    expect_in(3, "access = { rate = \"10 Mb/s\", delay = 1 }", 38, &["`delay` needs a unit", "delay = \"1 ms\""]);
    expect_in(3, "access = { rate = \"10 Mb/s\", delay = \"-1 ms\" }", 38, &["a time is negative"]);
    expect_in(3, "access = { rate = \"10 Mb/s\", dely = \"1 ms\", delay = \"1 ms\" }", 30, &["`access` has no key `dely`", "`delay`"]);
    expect_in(3, "access = \"10 Mb/s\"", 10, &["`access` must be a table, not a string"]);
    let left = "access = { rate = \"10 Mb/s\", delay = \"1 ms\", left = {} }";
    expect_in(3, left, 46, &["no key `left`", "`sender` and `receiver`"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_a_link() {
    expect(&with(4, ""), 2, 1, &["`bottleneck` is missing in `dumbbell`"]);
    let without_queue = "bottleneck = { rate = \"2 Mb/s\", delay = \"10 ms\" }";
    expect_in(4, without_queue, 14, &["`queue` is missing in `bottleneck`", "droptail"]);
    let link = |rest: &str| format!("bottleneck = {{ rate = \"2 Mb/s\", delay = \"10 ms\", {rest} }}");
    let queue = |rest: &str| link(&format!("queue = {{ droptail = 60 }}, {rest}"));
    expect_in(4, &link("queue = 60"), 58, &["`queue` must name its discipline", "queue = { droptail = 60 }"]);
    expect_in(4, &link("queue = { droptail = 0 }"), 71, &["`droptail` is out of range", "from 1"]);
    expect_in(4, &link("queue = { droptail = \"60\" }"), 71, &["`droptail` must be a whole number, not a string"]);
    expect_in(4, &link("queue = { drop_tail = 60, droptail = 60 }"), 60, &["no key `drop_tail`", "did you mean `droptail`?"]);
    expect_in(4, &link("queue = \"infinite\""), 58, &["`queue` must be a table, not a string", "\"unlimited\""]);
    let red = |rest: &str| link(&format!("queue = {{ red = {{ limit = 60, {rest} }} }}"));
    expect_in(4, &link("queue = { red = {} }"), 66, &["`limit` is missing in `red`"]);
    expect_in(4, &red("min = 20"), 86, &["`max` is 15.0, and `min` is 20.0", "above `min`"]);
    expect_in(4, &red("min = 20, max = 20"), 96, &["`max` is 20.0"]);
    expect_in(4, &red("min = -1"), 86, &["`min` is -1, which is out of range", "from 0 to"]);
    expect_in(4, &red("weight = 0"), 89, &["`weight` is 0, which is out of range", "above 0"]);
    expect_in(4, &red("pmax = 2"), 87, &["`pmax` is 2, which is out of range"]);
    expect_in(4, &red("max_p = 0.1"), 80, &["no key `max_p`", "`pmax`"]);
    expect_in(4, &red("ecn = 1"), 86, &["`ecn` must be true or false"]);
    expect_in(4, &red("mean_packet = 500"), 94, &["`mean_packet` needs a unit"]);
    expect_in(4, &link("queue = { droptail = 9, red = { limit = 9 } }"), 80, &["two disciplines"]);
    expect_in(4, &link("queue = { ack_filter = true, red = { limit = 9 } }"), 73, &["`ack_filter` does not go with `red`"]);
    expect_in(4, &link("queue = { ack_filter = true }"), 58, &["`droptail` is missing in `queue`"]);
    expect_in(4, &link("queue = { droptail = 9, ack_filter = 3 }"), 87, &["`ack_filter` must be a table"]);
    expect_in(4, &link("queue = { droptail = 9, ack_filter = { threshold = -1 } }"), 101, &["`threshold` is out of range"]);
    expect_in(4, &link("queue = { droptail = \"0 B\" }"), 71, &["`droptail` is 0 B, which is out of range", "1 B"]);
    expect_in(4, &link("queue = { droptail = \"0 ms\" }"), 71, &["which is out of range", "1 ns"]);
    expect_in(4, &link("queue = { droptail = \"64 kB\", ack_filter = true }"), 93, &["`ack_filter` does not go with a limit in bytes"]);
    expect_in(4, &link("queue = { codel = { interval = \"0 s\" } }"), 81, &["which is out of range", "1 us"]);
    expect_in(4, &link("queue = { codel = { limit = 0 } }"), 78, &["`limit` is out of range"]);
    expect_in(4, &link("queue = { codel = { flows = 3 } }"), 70, &["no key `flows`"]);
    expect_in(4, &link("queue = { fq_codel = { flows = 0 } }"), 81, &["`flows` is out of range"]);
    expect_in(4, &link("queue = { fq_codel = { quantum = 0 } }"), 83, &["`quantum` is out of range"]);
    expect_in(4, &link("queue = { fq = { flows = 0 } }"), 75, &["`flows` is out of range"]);
    expect_in(4, &link("queue = { fq = { limit = \"0 B\" } }"), 75, &["`limit` is 0 B, which is out of range"]);
    expect_in(4, &link("queue = { pie = { tupdate = \"0 s\" } }"), 78, &["which is out of range", "1 us"]);
    expect_in(4, &link("queue = { pie = { alpha = -1 } }"), 76, &["`alpha` is -1, which is out of range"]);
    expect_in(4, &link("queue = { dualpi2 = { tupdate = \"0 s\" } }"), 82, &["which is out of range", "1 us"]);
    expect_in(4, &link("queue = { dualpi2 = { coupling = 0 } }"), 83, &["`coupling` is 0, which is out of range", "from 0.001"]);
    expect_in(4, &link("queue = { dualpi2 = { scheduler = 2 } }"), 84, &["`scheduler` is 2, which is out of range", "from 0 to 1, or a time"]);
    expect_in(4, &link("queue = { dualpi2 = { scheduler = \"fifo\" } }"), 84, &["`scheduler`"]);
    expect_in(4, &queue("sojourns = 1"), 88, &["`sojourns` must be true or false"]);
    expect_in(4, &queue("aqt = 1"), 83, &["`aqt` must be true or false"]);
    expect_in(4, &link("buffer = 3, queue = \"unlimited\""), 50, &["no key `buffer`", "the buffer is called `queue`"]);
    expect_in(4, &queue("loss = 0.02"), 84, &["`loss` must name its model", "loss = { bernoulli = 0.02 }"]);
    expect_in(4, &queue("loss = { bernoulli = 2 }"), 98, &["`bernoulli` is 2, which is out of range", "from 0 to 1"]);
    expect_in(4, &queue("loss = { bernoulli = \"2 %\" }"), 98, &["must be a probability", "0.01"]);
    expect_in(4, &queue("loss = { bernouli = 0.1, geometric = 0.1 }"), 86, &["no key `bernouli`", "did you mean `bernoulli`?"]);
    expect_in(4, &queue("loss = { bernoulli = 0.1, geometric = 0.1 }"), 84, &["two models"]);
    expect_in(4, &queue("loss = { on = \"all\" }"), 84, &["`loss` names no model"]);
    expect_in(4, &queue("loss = { bernoulli = 0.1, on = \"acks\" }"), 108, &["`on` cannot be `acks`", "`data` and `all`"]);
    let two_state = "loss = { two_state = { good = 0, good_period = 8, bad = 0.1, bad_period = \"4 s\", switch = 1 } }";
    expect_in(4, &queue(two_state), 124, &["`good_period` needs a unit", "good_period = \"8 ms\""]);
    expect_in(4, &queue("loss = { gilbert_elliott = { to_bad = 0.1 } }"), 104, &["`to_good` is missing"]);
    expect_in(4, &queue("reverse = { rate = \"1 Mb\" }"), 96, &["an amount of data, not a rate"]);
    expect(&with(4, &format!("{}\nreverse = {{ rate = \"1 Mb/s\" }}", queue("reverse = {}"))), 4, 87, &["the other direction is described twice"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_a_recorded_rate() {
    let link = |rate: &str| format!("bottleneck = {{ delay = \"10 ms\", queue = \"unlimited\", rate = {rate} }}");
    let wrong = |rate: &str, column, words: &[&str]| expect_in(4, &link(rate), column, words);
    assert!(Scenario::parse("good.toml", &with(4, &link("{ opportunities = [0, 6, 6] }")), &Controls::builtin()).is_ok());
    wrong("{}", 61, &["`rate` names none of `opportunities`, `trace`, `steps` and `slots`", "{ opportunities = [6, 12, 18] }"]);
    wrong("{ opportunities = [6], trace = \"x\" }", 61, &["`rate` has both `opportunities` and `trace`", "keep one"]);
    wrong("{ traces = \"x\" }", 63, &["`rate` has no key `traces`", "did you mean `trace`?"]);
    wrong("{ opportunities = 6 }", 79, &["`opportunities` must be an array, not a whole number", "[6, 12, 18]"]);
    wrong("{ opportunities = [] }", 79, &["there is no delivery opportunity"]);
    wrong("{ opportunities = [0, 0] }", 79, &["all delivery opportunities are at 0 ms", "1 ms or later"]);
    wrong("{ opportunities = [6, 12, 11] }", 87, &["the time goes back"]);
    wrong("{ opportunities = [6, -1] }", 83, &["`opportunities` is out of range", "from 0 to 2592000000"]);
    wrong("{ opportunities = [6, 2592000001] }", 83, &["`opportunities` is out of range"]);
    wrong("{ opportunities = [6.5] }", 80, &["must be a whole number, not a number"]);
    wrong("{ opportunities = [\"6 ms\"] }", 80, &["must be a whole number, not a string"]);
    wrong("{ trace = 6 }", 71, &["`trace` must be a string"]);
    wrong("{ trace = \"\" }", 71, &["`trace` is empty"]);
    wrong("{ trace = \"cell.up\" }", 71, &["the trace `cell.up` is a file, but this scenario was not read from one", "{ opportunities = [6, 12, 18] }"]);
    expect_in(3, "access = { delay = \"1 ms\", rate = { opportunities = [] } }", 53, &["there is no delivery opportunity"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_rates_and_delays_over_time() {
    let link = |keys: &str| format!("bottleneck = {{ queue = \"unlimited\", {keys} }}");
    let rate = |value: &str| link(&format!("delay = \"10 ms\", rate = {value}"));
    let wrong = |value: &str, column, words: &[&str]| expect_in(4, &rate(value), column, words);
    assert!(Scenario::parse("good.toml", &with(4, &rate("{ steps = [[\"0 s\", \"1 Mb/s\"], [\"2 s\", \"0 b/s\"]], every = \"3 s\" }")), &Controls::builtin()).is_ok());
    wrong("{ steps = [] }", 71, &["there is no step", "at least one step"]);
    wrong("{ steps = [\"0 s\"] }", 72, &["must be an array"]);
    wrong("{ steps = [[\"0 s\"]] }", 72, &["a step of `steps` is a time and a value", "[\"20 s\", \"2 Mb/s\"]"]);
    wrong("{ steps = [[\"1 s\", \"1 Mb/s\"]] }", 72, &["the first step must be at time zero"]);
    wrong("{ steps = [[\"0 s\", \"1 Mb/s\"], [\"0 s\", \"2 Mb/s\"]] }", 91, &["step 1, counted from zero, is not later"]);
    wrong("{ steps = [[\"0 s\", \"1 Mb/s\"], [\"3 s\", \"2 Mb/s\"]], every = \"3 s\" }", 119, &["start over before the last one", "`every` is longer"]);
    wrong("{ steps = [[\"0 s\", \"1 Mb/s\"]], every = \"0 s\" }", 100, &["`every` is 0 s, which is out of range"]);
    wrong("{ steps = [[\"0 s\", \"0 b/s\"], [\"1 s\", \"0 b/s\"]] }", 71, &["`steps` is always 0", "above 0"]);
    wrong("{ steps = [[\"0 s\", \"11 Tb/s\"]] }", 80, &["out of range"]);
    wrong("{ steps = [[\"0 s\", \"1 Mb/s\"]], in_service = \"cut\" }", 105, &["`in_service` cannot be `cut`", "`adapts` and `finishes`"]);
    wrong("{ opportunities = [6], every = \"1 s\" }", 92, &["`every` is a key beside `steps`", "replace `opportunities` by `steps`"]);
    wrong("{ slots = { every = \"0 ns\", bytes = \"1 kB\" } }", 81, &["out of range"]);
    wrong("{ slots = { every = \"5 ms\" } }", 71, &["`bytes` is missing"]);
    let delay = |value: &str, column, words: &[&str]| expect_in(4, &link(&format!("rate = \"1 Mb/s\", delay = {value}")), column, words);
    delay("{ every = \"3 s\" }", 62, &["`steps` is missing"]);
    delay("{ steps = [[\"0 s\", \"2 h\"]] }", 81, &["out of range"]);
    delay("{ steps = [[\"0 s\", \"1 ms\"]], keep_order = 1 }", 104, &["`keep_order` must be true or false"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_what_a_link_has_beside() {
    let wrong = |keys: &str, column, words: &[&str]| {
        expect_in(4, &format!("bottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\", {keys} }}"), column, words);
    };
    wrong("arq = 3", 76, &["`arq` must be a table", "{ retries = 3, rtt = \"8 ms\" }"]);
    wrong("arq = { rtt = \"8 ms\" }", 76, &["`retries` is missing"]);
    wrong("arq = { retries = 1001, rtt = \"8 ms\" }", 88, &["`retries` is out of range", "0 to 1000"]);
    wrong("aggregate = { packets = 0, overhead = \"0 s\" }", 94, &["`packets` is out of range"]);
    wrong("shaper = { rate = \"0 b/s\", burst = \"1 kB\" }", 88, &["out of range"]);
    wrong("shaper = { rate = \"1 b/s\", burst = \"0 B\" }", 105, &["out of range"]);
    wrong("policer = { burst = \"1 kB\" }", 80, &["`rate` is missing"]);
    wrong("policer = \"5 Mb/s\"", 80, &["`policer` must be a table", "{ rate = \"5 Mb/s\", burst = \"64 kB\" }"]);
    wrong("policer = { rate = \"5 Mb/s\", burst = \"1 h\" }", 107, &["is a time, not a size"]);
    wrong("policer = { rate = \"0 b/s\", burst = \"1 kB\" }", 89, &["out of range"]);
    wrong("jitter = { mean = \"1 ms\", law = \"normal\" }", 102, &["a normal distribution needs a `deviation`"]);
    wrong("jitter = { mean = \"1 ms\", deviation = \"1 ms\" }", 108, &["only the normal distribution has a `deviation`"]);
    wrong("jitter = { mean = \"1 ms\", correlation = 1 }", 110, &["from 0 to 0.999999"]);
    wrong("reorder = { probability = 2, extra = \"1 ms\" }", 96, &["`probability` is 2, which is out of range"]);
    wrong("reorder = { probability = 0.1, extra = \"0 s\" }", 109, &["out of range"]);
    wrong("duplicate = 1.5", 82, &["out of range"]);
    wrong("corrupt = \"1 %\"", 80, &["must be a probability"]);
}

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
fn mistakes_of_other_topologies() {
    let lot = |lot: &str, flow: &str| format!("duration = \"9 s\"\n[parking_lot]\naccess = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }}\n{lot}\n[[flow]]\ncontrol = \"reno\"\n{flow}");
    let hop = "{ rate = \"2 Mb/s\", delay = \"10 ms\", queue = \"unlimited\" }";
    let hops = format!("hops = [{hop}, {hop}]");
    expect(&lot("hops = 3", ""), 2, 1, &["`bottleneck` is missing in `parking_lot`"]);
    expect(&lot("hops = []", ""), 4, 8, &["`hops` has 0 links"]);
    expect(&lot(&format!("hops = 0\nbottleneck = {hop}"), ""), 4, 8, &["`hops` is out of range"]);
    expect(&lot(&hops, "from = \"r4\""), 7, 8, &["there is no router `r4`", "`r1` to `r3`"]);
    expect(&lot(&hops, "from = \"r2\"\nto = \"r2\""), 8, 6, &["from `r2` to itself"]);
    expect(&lot(&hops, "direction = \"left\""), 7, 13, &["`direction` has no meaning", "from = \"r1\""]);
    expect(&lot(&format!("{hops}\naqt = [\"r1\", \"r4\"]"), ""), 5, 14, &["`aqt`: there is no router `r4`", "did you mean `r1`?"]);
    expect(&lot(&format!("{hops}\naqt = \"some\""), ""), 5, 7, &["`aqt` must be an array", "\"all\""]);
    expect(&lot(&format!("{hops}\naqt = [1]"), ""), 5, 8, &["`aqt` must be a string"]);
    let graph =
        |link: &str, flow: &str| format!("duration = \"9 s\"\n[[graph.link]]\nfrom = \"a\"\nto = \"b\"\nrate = \"1 Mb/s\"\ndelay = \"1 ms\"\n{link}\n[[flow]]\ncontrol = \"reno\"\n{flow}");
    expect(&graph("", "from = \"a\""), 8, 1, &["`to` is missing in `flow`"]);
    expect(&graph("", "from = \"a\"\nto = \"c\""), 11, 6, &["no link leads to a node `c`", "`a` and `b`"]);
    expect(&graph("reverse = \"none\"", "from = \"a\"\nto = \"b\""), 11, 6, &["no links lead from `b` to `a`", "one back"]);
    let datagrams = graph("reverse = \"none\"", "from = \"b\"\nto = \"a\"").replace("control = \"reno\"", "source = { cbr = \"1 Mb/s\" }");
    expect(&datagrams, 11, 6, &["no links lead from `b` to `a`"]);
    let onwards = datagrams.replace("from = \"b\"\nto = \"a\"", "from = \"a\"\nto = \"b\"");
    assert!(Scenario::parse("good.toml", &onwards, &Controls::builtin()).is_ok());
    expect(&graph("", "from = \"a\"\nto = \"a\""), 11, 6, &["from `a` to itself"]);
    expect(&graph("", "from = \"a\"\nto = \"b\"\naccess = {}"), 12, 10, &["`access` has no meaning", "the hosts are nodes"]);
    expect(&graph("dealy = 1", "from = \"a\"\nto = \"b\""), 7, 1, &["no key `dealy`", "did you mean `delay`?"]);
}

#[test]
#[rustfmt::skip] // a table
fn mistakes_of_the_probe() {
    let probe = |text: &str| format!("{}\n[probe]\n{text}", LINES[..7].join("\n"));
    expect(&probe("interval = 0.1"), 9, 12, &["`interval` needs a unit", "\"0.1 ms\""]);
    expect(&probe("interval = \"0 s\""), 9, 12, &["out of range"]);
    expect(&probe("values = [\"cwnd\", \"cnwd\"]"), 9, 19, &["`values` cannot be `cnwd`", "did you mean `cwnd`?"]);
    expect(&probe("values = [\"cwnd\", \"cwnd\"]"), 9, 19, &["stands here twice"]);
    expect(&probe("values = \"cwnd\""), 9, 10, &["must be an array"]);
}

#[test]
fn all_mistakes_of_a_file_are_reported_in_its_order() {
    let text = "durration = \"1 s\"\n[dumbbell]\naccess = { rate = 10, delay = \"1 Mb\" }\n\
                bottleneck = { rate = \"2 Mb/s\" }\n[[flow]]\ncontrol = \"veno\"\ncount = 0\npayload = \"1 s\"\n";
    let report = report(text);
    let places: Vec<(usize, usize)> = report
        .problems()
        .iter()
        .map(|p| (p.line, p.column))
        .collect();
    // `durration`; rate; delay; missing delay and queue; count; payload.
    assert_eq!(
        places,
        [(1, 1), (3, 19), (3, 31), (4, 14), (4, 14), (7, 9), (8, 11)]
    );
}

#[test]
fn a_report_of_very_many_mistakes_is_cut_short() {
    let text = format!("duration = \"1 s\"\n{}", "[[flow]]\nx = 1\n".repeat(2000));
    assert_eq!(report(&text).problems().len(), Report::MOST);
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
