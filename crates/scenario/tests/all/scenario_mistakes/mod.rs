//! Mistakes in scenario files: where they are reported, and with what messages. The schema of scenario
//! files finds them too, except those that a schema cannot express.

mod flow;
mod head;
mod path;
mod reports;

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
    "`repair_samples` changes nothing without `ack_samples`",
    "`repair_samples` requires `rack`",
    "`push_pieces` changes nothing without `tso`",
    "requires `sack` recovery",
    "`tlp` requires `rack`",
    "`tso` requires `rack`",
    "`undo` requires `rack`",
    "`frto` requires `rack`",
    "`exit_growth` requires `rack`",
    "`rack_last` requires `rack`",
    "`handshake_rtt` requires `rack`",
    "`handshake_rtt` changes nothing without `handshake`",
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
    "playing never begins: `startup` is more than the whole chunks that fit into the buffer",
    "`buffer` is shorter than one chunk",
    "`rates` are no ascending rates",
    "a flow with `requests` has no `size` of its own",
    "a flow with `requests` has no requests of more than one segment",
    "a flow has both `requests` and `video`",
    "`trace` has an entry that cannot be read",
    "`size` is missing in `transfers`",
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
