//! Mistakes beside the network: in the keys of a whole run, and in the probe.

use super::{LINES, expect, expect_in, with};

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
fn mistakes_of_the_probe() {
    let probe = |text: &str| format!("{}\n[probe]\n{text}", LINES[..7].join("\n"));
    expect(&probe("interval = 0.1"), 9, 12, &["`interval` needs a unit", "\"0.1 ms\""]);
    expect(&probe("interval = \"0 s\""), 9, 12, &["out of range"]);
    expect(&probe("values = [\"cwnd\", \"cnwd\"]"), 9, 19, &["`values` cannot be `cnwd`", "did you mean `cwnd`?"]);
    expect(&probe("values = [\"cwnd\", \"cwnd\"]"), 9, 19, &["stands here twice"]);
    expect(&probe("values = \"cwnd\""), 9, 10, &["must be an array"]);
}
