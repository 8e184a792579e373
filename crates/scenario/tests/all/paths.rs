//! Values that are set by their paths.

use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Scenario, ScenarioFile};

const DUMBBELL: &str = r#"duration = "10 s"
tcp = { control = { name = "veno", beta = 4 }, payload = "1000 B" }
[dumbbell]
access     = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 }, loss = { gilbert_elliott = { to_bad = 0.1, to_good = 0.2, bad = 0.5 }, on = "all" } }
[[flow]]
name = "main"
[[flow]]
name = "a.b"
control = "reno"
[[flow]]
source = { cbr = "10 kb/s" }
"#;

const PARKING_LOT: &str = r#"duration = "10 s"
[parking_lot]
access = { rate = "10 Mb/s", delay = "1 ms" }
hops = [{ rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" }, { rate = "2 Mb/s", delay = "1 ms", queue = "unlimited" }]
[[flow]]
control = "reno"
"#;

const GRAPH: &str = r#"duration = "10 s"
[[graph.link]]
name = "core"
from = "a"
to = "b"
rate = "1 Mb/s"
delay = "1 ms"
queue = "unlimited"
[[flow]]
from = "a"
to = "b"
control = "reno"
"#;

fn read(text: &str, sets: &[&str]) -> Result<Scenario, String> {
    let mut file = ScenarioFile::of_text("my.toml", text);
    for set in sets {
        file.set(set);
    }
    let scenario = file.scenario(&Controls::builtin());
    scenario.map_err(|report| report.to_string())
}

/// Setting these values is the same as replacing these parts of the text.
#[track_caller]
fn same(text: &str, sets: &[&str], changes: &[(&str, &str)]) {
    let mut changed = text.to_owned();
    for (from, to) in changes {
        assert!(changed.contains(from), "{from}");
        changed = changed.replacen(from, to, 1);
    }
    let (by_path, by_text) = (read(text, sets), read(&changed, &[]));
    assert_eq!(by_path, by_text);
    assert!(by_path.is_ok(), "{by_path:?}");
    assert_ne!(by_path, read(text, &[]), "nothing has changed");
}

#[test]
fn a_path_names_a_value_of_the_file() {
    same(DUMBBELL, &["duration=20s"], &[("\"10 s\"", "\"20 s\"")]);
    same(
        DUMBBELL,
        &["dumbbell.bottleneck.rate=\"2 Mb/s\""],
        &[("\"1 Mb/s\"", "\"2 Mb/s\"")],
    );
    same(DUMBBELL, &["tcp.payload = 500 B"], &[("1000 B", "500 B")]);
    same(
        DUMBBELL,
        &["flow.1.control=cubic"],
        &[("\"reno\"", "\"cubic\"")],
    );
    same(
        DUMBBELL,
        &["flow.main.start = 3s"],
        &[("\"main\"", "\"main\"\nstart = \"3 s\"")],
    );
    same(
        DUMBBELL,
        &["flow.\"a.b\".control=cubic"],
        &[("\"reno\"", "\"cubic\"")],
    );
    same(
        DUMBBELL,
        &["flow.cbr.source.cbr=20kb/s"],
        &[("10 kb/s", "20 kb/s")],
    );
    same(
        GRAPH,
        &["graph.link.core.rate=2Mb/s"],
        &[("1 Mb/s", "2 Mb/s")],
    );
}

#[test]
fn short_forms_leave_the_topology_out() {
    same(
        DUMBBELL,
        &["bottleneck.delay=5ms"],
        &[("\"20 ms\"", "\"5 ms\"")],
    );
    same(DUMBBELL, &["access.delay=5ms"], &[("\"1 ms\"", "\"5 ms\"")]);
    same(PARKING_LOT, &["hop2.rate=3Mb/s"], &[("2 Mb/s", "3 Mb/s")]);
    same(
        PARKING_LOT,
        &["flow.control=veno"],
        &[("\"reno\"", "\"veno\"")],
    );
    same(GRAPH, &["link.core.delay=2ms"], &[("\"1 ms\"", "\"2 ms\"")]);
}

#[test]
fn a_sort_replaces_another_sort() {
    let loss = "gilbert_elliott = { to_bad = 0.1, to_good = 0.2, bad = 0.5 }";
    same(
        DUMBBELL,
        &["bottleneck.loss.bernoulli=0.01"],
        &[(loss, "bernoulli = 0.01")],
    );
    let queue = "{ droptail = 9 }";
    let red = "{ red = { limit = 60, min = 5, max = 15 } }";
    same(
        DUMBBELL,
        &["bottleneck.queue.red={ limit = 60, min = 5, max = 15 }"],
        &[(queue, red)],
    );
    let hop = "queue = \"unlimited\"";
    same(
        PARKING_LOT,
        &["hop1.queue.droptail=3"],
        &[(hop, "queue = { droptail = 3 }")],
    );
}

#[test]
fn a_parameter_can_be_added_to_a_name_or_to_a_default() {
    let with_name = "control = { name = \"veno\", beta = 2 }";
    same(
        DUMBBELL,
        &["flow.main.control.beta=2"],
        &[("\"main\"", &format!("\"main\"\n{with_name}"))],
    );
    same(
        DUMBBELL,
        &[
            "flow.\"a.b\".recovery=reno",
            "flow.\"a.b\".recovery.exit_growth=true",
        ],
        &[(
            "\"reno\"",
            "\"reno\"\nrecovery = { name = \"reno\", exit_growth = true }",
        )],
    );
}

#[test]
fn all_flows_can_be_set_at_once() {
    let set = ["flow.*.start=1s"];
    let scenario = read(DUMBBELL, &set).expect("every flow has a start");
    let starts = scenario
        .flows
        .iter()
        .map(|flow| format!("{:?}", flow.start));
    assert!(
        starts
            .into_iter()
            .all(|start| start == "At(Duration(1000000000))")
    );
}

#[track_caller]
fn refused(text: &str, set: &str, place: &str, message: &str, help: &str) {
    let wrong = read(text, &[set]).expect_err(set);
    assert!(wrong.contains(&format!("--> --set:{place}\n")), "{wrong}");
    assert!(wrong.contains(message), "{wrong}");
    assert!(wrong.contains(help), "{wrong}");
}

#[test]
fn a_mistake_is_shown_in_the_option() {
    let refused = |set, place, message, help| refused(DUMBBELL, set, place, message, help);
    refused(
        "bottleneck.dealy=5ms",
        "1:12",
        "no key `dealy`",
        "did you mean `delay`?",
    );
    refused(
        "botleneck.delay=5ms",
        "1:1",
        "no value `botleneck`",
        "did you mean `bottleneck`?",
    );
    refused(
        "delay=5ms",
        "1:1",
        "no value `delay`",
        "did you mean `bottleneck.delay`?",
    );
    refused(
        "control=reno",
        "1:1",
        "no value `control`",
        "did you mean `flow.main.control`?",
    );
    refused(
        "main.control=reno",
        "1:1",
        "no value `main`",
        "did you mean `flow.main`?",
    );
    refused("bottleneck.delay=5", "1:18", "needs a unit", "\"5 ms\"");
    refused("bottleneck.rate=5 ms", "1:17", "`rate`", "Mb/s");
    refused(
        "bottleneck.loss.bernouli=0.1",
        "1:17",
        "no key `bernouli`",
        "`bernoulli`",
    );
    refused(
        "bottleneck.loss.bernoulli=2",
        "1:27",
        "out of range",
        "0 to 1",
    );
    refused(
        "flow.control=reno",
        "1:6",
        "there are 3 flows",
        "flow.*.control",
    );
    refused(
        "flow.mian.control=reno",
        "1:6",
        "no flow `mian`",
        "did you mean `flow.main`?",
    );
    refused("flow.3.control=reno", "1:6", "no flow `3`", "from 0 to 2");
    refused(
        "flow.main=reno",
        "1:6",
        "is a flow and no value",
        "flow.main.control",
    );
    refused("flow=reno", "1:1", "a list of flows", "flow.main.control");
    refused(
        "flow.main.control=renoo",
        "1:19",
        "no congestion control `renoo`",
        "`reno`",
    );
    refused("flow.main.control.betta=3", "1:19", "betta", "beta");
    refused(
        "duration.x=3",
        "1:10",
        "a single value",
        "set `duration` itself",
    );
    refused("duration", "1:1", "a path and a value", "PATH=VALUE");
    refused("duration=", "1:10", "the value is missing", "PATH=VALUE");
    refused("duration=\"3 s", "1:14", "not valid TOML", "");
    refused("a..b=3", "1:3", "a word is missing", "dots between");
}

#[test]
fn links_have_the_names_that_results_have() {
    let unnamed = GRAPH.replace("name = \"core\"\n", "");
    same(
        &unnamed,
        &["link.a-b.delay=2ms"],
        &[("\"1 ms\"", "\"2 ms\"")],
    );
    refused(
        PARKING_LOT,
        "hop3.rate=1Mb/s",
        "1:1",
        "no value `hop3`",
        "`hop1`",
    );
    refused(
        PARKING_LOT,
        "hop01.rate=1Mb/s",
        "1:1",
        "no value `hop01`",
        "`hop1`",
    );
}

#[test]
fn a_mistake_that_hides_default_names_is_shown() {
    let wrong = DUMBBELL.replace("\"10 s\"", "10");
    let shown = read(&wrong, &["flow.cbr.start=1s"]).expect_err("no duration");
    assert!(
        shown.contains("my.toml:1:12") && shown.contains("needs a unit"),
        "{shown}"
    );
}

#[test]
fn a_file_that_is_incomplete_may_be_completed() {
    let text = DUMBBELL.replacen("duration = \"10 s\"\n", "", 1);
    assert!(read(&text, &[]).is_err());
    assert_eq!(read(&text, &["duration=10s"]), read(DUMBBELL, &[]));
}

proptest::proptest! {
    #[test]
    fn any_text_is_set_or_refused(set in "[a-z0-9.*\"={}\\[\\], é]{0,40}") {
        let _ = read(DUMBBELL, &[&set]);
    }

    #[test]
    fn any_path_is_set_or_refused(
        first in "duration|flow|bottleneck|tcp|access|probe|dumbbell|graph|sweep",
        rest in proptest::collection::vec("main|0|1|\\*|control|loss|queue|red|delay|sender|name|x", 0..5),
        value in "3|5ms|veno|\\{ a = 1 \\}|\\[1, 2\\]|true",
    ) {
        let path: Vec<String> = std::iter::once(first).chain(rest).collect();
        let _ = read(DUMBBELL, &[&format!("{}={value}", path.join("."))]);
    }
}
