//! Mistakes in what packets cross: topologies and their links.

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::{LINES, expect, expect_in, with};

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
    expect_in(4, &link("queue = { codle = {} }"), 60, &["no key `codle`", "did you mean `codel`?"]);
    expect_in(4, &link("queue = \"fq_codel\""), 58, &["`queue` must be a table", "queue = { fq_codel = {} }"]);
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
