//! Mistakes in the table `[sweep]`: each has its place, what is wrong, and what would be right.

use super::{SCENARIO, read};

/// The lines of the scenario before the text of a sweep.
fn lines() -> usize {
    SCENARIO.lines().count()
}

/// A mistake: the sweep, the line and column in it, what the message says, and what the hint says.
type Mistake = (&'static str, &'static str, &'static str, &'static str);

const MISTAKES: &[Mistake] = &[
    // Paths.
    (
        r#"grid = { "bottleneck.los.bernoulli" = [0.1] }"#,
        "2:22",
        "no key `los`",
        "`loss`",
    ),
    (
        r#"grid = { "botleneck.delay" = ["1 ms"] }"#,
        "2:11",
        "no value `botleneck`",
        "`bottleneck`",
    ),
    (
        r#"grid = { "delay" = ["1 ms"] }"#,
        "2:11",
        "no value `delay`",
        "`bottleneck.delay`",
    ),
    (
        r#"grid = { "control" = ["reno"] }"#,
        "2:11",
        "no value `control`",
        "`flow.control`",
    ),
    (
        r#"grid = { "flow.mian.control" = ["reno"] }"#,
        "2:16",
        "no flow `mian`",
        "`flow.main`",
    ),
    (
        r#"grid = { "flow.main" = ["reno"] }"#,
        "2:16",
        "is a flow and no value",
        "flow.main.control",
    ),
    (
        r#"grid = { "flow.1.control" = ["reno"] }"#,
        "2:16",
        "no flow `1`",
        "main",
    ),
    (
        r#"grid = { "bottleneck..delay" = ["1 ms"] }"#,
        "2:22",
        "a word is missing",
        "dots",
    ),
    (
        r#"grid = { "duration.x" = ["1 s"] }"#,
        "2:20",
        "a single value",
        "`duration` itself",
    ),
    (
        r#"grid = { "bottleneck.delay" = ["1 ms"], "dumbbell.bottleneck.delay" = ["2 ms"] }"#,
        "2:42",
        "the same value as `bottleneck.delay`",
        "keep one",
    ),
    (
        r#"grid = { "flow.main.count" = [1], "flow.count" = [2] }"#,
        "2:36",
        "the same value",
        "keep one",
    ),
    // Values.
    (
        r#"grid = { "bottleneck.delay" = [1] }"#,
        "2:32",
        "needs a unit",
        "\"1 ms\"",
    ),
    (
        r#"grid = { "bottleneck.delay" = ["1 Mb/s"] }"#,
        "2:32",
        "not a time",
        "ms",
    ),
    (
        r#"grid = { "bottleneck.rate" = ["1 Mb"] }"#,
        "2:31",
        "not a rate",
        "Mb/s",
    ),
    (
        r#"grid = { "bottleneck.loss.bernoulli" = [0.1, 1.5] }"#,
        "2:46",
        "out of range",
        "0 to 1",
    ),
    (
        r#"grid = { "flow.control" = ["reno", "vneo"] }"#,
        "2:36",
        "no congestion control `vneo`",
        "`veno`",
    ),
    (
        r#"grid = { "flow.count" = [0] }"#,
        "2:26",
        "out of range",
        "from 1",
    ),
    (
        r#"grid = { "bottleneck.delay" = [] }"#,
        "2:31",
        "has no values",
        "at least one",
    ),
    (
        r#"grid = { "bottleneck.delay" = ["1 ms", "1 ms"] }"#,
        "2:40",
        "this value twice",
        "repeat",
    ),
    (
        r#"grid = { "bottleneck.delay" = "1 ms" }"#,
        "2:31",
        "neither a list nor a range",
        "count = 5",
    ),
    (r#"grid = [1]"#, "2:8", "must be a table", "grid"),
    // Values that overwrite each other, or change nothing.
    (
        r#"grid = { "flow.control" = ["veno"], "flow.main.control.beta" = [3, 4] }"#,
        "2:38",
        "is a part of `flow.control`",
        "{ name = \"veno\", beta = 4 }",
    ),
    (
        r#"grid = { "flow.*.control" = ["veno"], "flow.main.control" = ["reno"] }"#,
        "2:40",
        "the same value as `flow.*.control`",
        "keep one",
    ),
    (
        r#"grid = { "bottleneck.loss.bernoulli" = [0.1], "bottleneck.loss.geometric" = [0.1] }"#,
        "2:48",
        "two sorts",
        "sweep the whole",
    ),
    (
        r#"grid = { "bottleneck.delay" = ["5 ms", "0.005 s"] }"#,
        "2:11",
        "makes no difference: with 5 ms and with 0.005 s",
        "written in two ways",
    ),
    (
        r#"grid = { "tcp.control" = ["reno", "cubic"] }"#,
        "2:11",
        "`tcp.control` makes no difference",
        "[tcp]",
    ),
    (
        r#"grid = { seed = [1, 2] }"#,
        "2:10",
        "seeds are no axis",
        "`repeat`",
    ),
    (
        r#"grid = { "sweep.repeat" = [1, 2] }"#,
        "2:11",
        "`sweep` does not change a run",
        "network",
    ),
    (
        r#"grid = { name = ["a", "b"] }"#,
        "2:10",
        "`name` does not change a run",
        "network",
    ),
    // Ranges.
    (
        r#"grid = { "bottleneck.delay" = { from = "1 ms", to = "9 ms" } }"#,
        "2:31",
        "`count` is missing",
        "`step`, `count` or `log`",
    ),
    (
        r#"grid = { "bottleneck.delay" = { from = "9 ms", to = "1 ms", count = 3 } }"#,
        "2:53",
        "below `from`",
        "exchange",
    ),
    (
        r#"grid = { "bottleneck.delay" = { from = "1 ms", to = "9 Mb/s", count = 3 } }"#,
        "2:53",
        "different kinds",
        "sort of unit",
    ),
    (
        r#"grid = { "bottleneck.delay" = { from = "1 ms", to = "9 ms", step = "0 ms" } }"#,
        "2:68",
        "not above 0",
        "above 0",
    ),
    (
        r#"grid = { "bottleneck.delay" = { from = "0 ms", to = "9 ms", log = 3 } }"#,
        "2:40",
        "above 0",
        "`count` instead",
    ),
    (
        r#"grid = { "bottleneck.delay" = { from = "1 ms", to = "9 ms", cuont = 3 } }"#,
        "2:61",
        "no key `cuont`",
        "`count`",
    ),
    (
        r#"grid = { "flow.count" = { from = 1, to = 3, count = 9 } }"#,
        "2:25",
        "twice",
        "fewer",
    ),
    (
        r#"grid = { "flow.count" = { from = 1, to = 1000000000, step = 1 } }"#,
        "2:61",
        "1000000000 values",
        "step larger",
    ),
    // Zips.
    (
        r#"zip = [{ "flow.control" = ["veno", "reno"], "flow.recovery" = ["reno"] }]"#,
        "2:63",
        "has one value, and `flow.control` has 2 values",
        "one length",
    ),
    (
        r#"zip = [{ "flow.control" = ["veno", "veno"], "flow.recovery" = ["reno", "reno"] }]"#,
        "2:72",
        "this value twice",
        "repeat",
    ),
    (r#"zip = [{}]"#, "2:8", "has no path", "recovery"),
    (
        r#"zip = { "flow.control" = ["veno"] }"#,
        "2:7",
        "must be an array",
        "[",
    ),
    // Conditions.
    (r#"where = "bdq >= 4""#, "2:10", "no value `bdq`", "`bdp`"),
    (
        r#"where = "bdp >= ""#,
        "2:17",
        "a value is expected",
        "write for example",
    ),
    (
        r#"where = "bdp >= 4 ms""#,
        "2:10",
        "between a plain number and a time",
        "same unit",
    ),
    (r#"where = "bdp""#, "2:10", "not true or false", "compare"),
    (
        r#"where = "bdp > 1e9""#,
        "2:9",
        "excludes the only point",
        "weaker",
    ),
    // Repetitions.
    (r#"repeat = 0"#, "2:10", "at least 1", "10"),
    (r#"repeat = "10""#, "2:10", "must be a whole number", "10"),
    (
        "repeat = 3\nuntil = { measure = \"goodput\", interval = \"2 %\" }",
        "3:9",
        "both say how many",
        "keep one",
    ),
    (
        r#"until = { measure = "godput", interval = "2 %" }"#,
        "2:21",
        "no measure `godput`",
        "`goodput`",
    ),
    (
        r#"until = { measure = "goodput", interval = 0.02 }"#,
        "2:43",
        "no percentage",
        "2 %",
    ),
    (
        r#"until = { measure = "goodput", interval = "2 %", at_least = 9, at_most = 3 }"#,
        "2:74",
        "below `at_least`",
        "larger",
    ),
    (
        r#"until = { measure = "goodput", interval = "2 %", group = "mian" }"#,
        "2:58",
        "no group `mian`",
        "`main`",
    ),
    (
        r#"until = { measure = "goodput", interval = "2 %", at_least = 1 }"#,
        "2:61",
        "at least 2 runs",
        "5",
    ),
    // The rest.
    (r#"seeds = "comon""#, "2:9", "cannot be `comon`", "`common`"),
    (r#"warmup = "3 s""#, "2:10", "warmup", "2 s"),
    (
        r#"gird = { "bottleneck.delay" = ["1 ms"] }"#,
        "2:1",
        "no key `gird`",
        "`grid`",
    ),
    (
        "[[sweep.measure]]\nname = \"a\"\nlabel = \"a\"\nquantity = \"godput\"",
        "5:12",
        "cannot be `godput`",
        "`goodput`",
    ),
    (
        "[[sweep.measure]]\nname = \"a\"\nlabel = \"a\"\nquantity = \"goodput\"\nover = \"Reno\"",
        "6:8",
        "no curves",
        "leave `over` out",
    ),
    (
        "[[sweep.measure]]\nname = \"jain_all\"\nlabel = \"a\"\nquantity = \"goodput\"",
        "3:8",
        "`jain_all` is a column of every sweep",
        "another name",
    ),
];

#[test]
fn every_mistake_is_shown_in_its_place() {
    assert!(MISTAKES.len() >= 40);
    let mut failures = Vec::new();
    for (sweep, place, message, help) in MISTAKES {
        let Err(shown) = read(&format!("[sweep]\n{sweep}")) else {
            failures.push(format!("{sweep}\nis accepted"));
            continue;
        };
        let (line, column) = place.split_once(':').expect("line:column");
        let line: usize = line.parse().expect("a line");
        let place = format!("--> my.toml:{}:{column}\n", lines() + line);
        let hint = shown.split("= help: ").nth(1).unwrap_or_default();
        if !shown.contains(&place) || !shown.contains(message) || !hint.contains(help) {
            failures.push(format!(
                "{sweep}\nwanted {place}{message}\n{help}\nfound {shown}"
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_sweep_that_would_never_end_is_refused_at_once() {
    let axis = "{ from = 1, to = 100000, step = 1 }";
    let grid = format!("[sweep]\ngrid = {{ \"flow.size\" = {axis}, \"flow.count\" = {axis} }}");
    let shown = read(&grid).expect_err("10^10 points");
    assert!(
        shown.contains("100000 x 100000 = 10000000000 points"),
        "{shown}"
    );
    let grid = format!("[sweep]\nrepeat = 1000000\ngrid = {{ \"flow.count\" = {axis} }}");
    assert!(
        read(&grid)
            .expect_err("10^11 runs")
            .contains("100000000000 runs")
    );
}

#[test]
fn a_mistake_of_the_scenario_is_shown_there() {
    let file = dumbbell_scenario::ScenarioFile::of_text(
        "my.toml",
        &format!(
            "{}[sweep]\ngrid = {{ \"flow.count\" = [1, 2] }}",
            SCENARIO.replace("20 ms", "20 mss")
        ),
    );
    let controls = dumbbell_scenario::controls::Controls::builtin();
    let report = dumbbell_lab::sweep::Sweep::read(&file, &controls).expect_err("no time");
    assert!(report.to_string().contains("my.toml:5:41"), "{report}");
}

#[test]
fn a_value_that_is_set_and_swept_is_refused() {
    let text = format!("{SCENARIO}[sweep]\ngrid = {{ \"flow.count\" = [1, 2] }}");
    let mut file = dumbbell_scenario::ScenarioFile::of_text("my.toml", &text);
    file.set("flow.count=3");
    let controls = dumbbell_scenario::controls::Controls::builtin();
    let report = dumbbell_lab::sweep::Sweep::read(&file, &controls).expect_err("both");
    assert!(
        report.to_string().contains("--set sets it, too"),
        "{report}"
    );
    file = dumbbell_scenario::ScenarioFile::of_text("my.toml", &text);
    file.set("sweep.grid.\"flow.count\"=[3]");
    let sweep = dumbbell_lab::sweep::Sweep::read(&file, &controls).expect("the axis is replaced");
    assert_eq!(sweep.points.len(), 1);
}
