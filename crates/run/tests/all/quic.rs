//! QUIC flows: goodput on paths that can be worked out by hand, fairness beside TCP, and the papers' question.

use dumbbell_run::Run;
use dumbbell_run::outcome::Outcome;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// A run of these flows over a bottleneck of 2 Mb/s with a round trip of 60 ms.
fn run(seconds: u32, queue: &str, loss: &str, flows: &str, seed: u64) -> Outcome {
    let text = format!(
        "duration = \"{seconds} s\"\n[dumbbell]\n\
         access = {{ rate = \"100 Mb/s\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"2 Mb/s\", delay = \"28 ms\", queue = {queue}{loss} }}\n{flows}"
    );
    let scenario = Scenario::parse("quic.toml", &text, &Controls::builtin());
    let scenario = scenario.unwrap_or_else(|report| panic!("{report}"));
    Run::new(&scenario)
        .seed(seed)
        .go()
        .expect("it runs")
        .outcome
}

fn flow(control: &str, keys: &str) -> String {
    format!("[[flow]]\ncontrol = \"{control}\"\nstack = \"quic\"\n{keys}\n")
}

const DEEP: &str = "{ droptail = 60 }";

/// 1419 of 1480 bytes are payload: 1.9176 Mb/s at most.
#[test]
fn a_flow_without_losses_fills_the_link() {
    for control in ["reno", "veno", "cubic", "bbr"] {
        let outcome = run(60, DEEP, "", &flow(control, ""), 1);
        let goodput = outcome.flows[0].goodput_bps;
        assert!(
            (1.85e6..=1.918e6).contains(&goodput),
            "{control}: {goodput}"
        );
    }
}

#[test]
fn a_transfer_ends_and_all_of_it_arrives() {
    let loss = ", loss = { bernoulli = 0.05 }";
    let outcome = run(60, DEEP, loss, &flow("reno", "size = \"500001 B\""), 3);
    let found = &outcome.flows[0];
    let end = found.finish_s.expect("it ends");
    assert!(end < 20.0, "{end}");
    let bytes = found.goodput_bps * (end - found.start_s) / 8.0;
    assert!((bytes - 500_001.0).abs() < 1e-3, "{bytes}");
    assert!(found.retransmits > 0);
}

/// Results that were written can be read.
#[test]
fn an_outcome_is_read_as_it_was_written() {
    let outcome = run(2, DEEP, "", &flow("reno", ""), 1);
    assert_eq!(outcome.flows[0].recovery, Some("quic"));
    let text = serde_json::to_string(&outcome).expect("it is written");
    let again: Outcome = serde_json::from_str(&text).expect("it is read");
    assert_eq!(serde_json::to_string(&again).expect("again"), text);
}

/// Below a window of 10 packets, 9 are in flight: slow start begins with fewer.
#[test]
fn below_a_whole_window_a_packet_less_is_in_flight() {
    let sent = |more: &str| {
        let flows = flow("reno", &format!("pacing = false\n{more}"));
        run(1, DEEP, "", &flows, 1).flows[0].sent
    };
    let (reaching, below) = (sent(""), sent("below_window = true"));
    assert!(below < reaching, "{below} {reaching}");
}

/// The papers' question, of QUIC: Veno tells random losses from congestion.
#[test]
fn veno_has_more_than_reno_where_losses_are_random() {
    let loss = ", loss = { bernoulli = 0.02 }";
    let mean = |control: &str| {
        let runs = (1..=6).map(|seed| run(100, DEEP, loss, &flow(control, ""), seed));
        runs.map(|outcome| outcome.flows[0].goodput_bps)
            .sum::<f64>()
            / 6.0
    };
    let (veno, reno) = (mean("veno"), mean("reno"));
    assert!(veno > 1.1 * reno, "{veno} {reno}");
}

/// Reno in QUIC and Reno in TCP, with the same windows and packets, share alike.
#[test]
fn quic_and_tcp_share_alike() {
    let tcp = "[[flow]]\ncontrol = \"reno\"\nrecovery = \"sack\"\nrack = true\npayload = \"1419 B\"\nheader = \"61 B\"\n\
               start = { uniform = [\"0 s\", \"1 s\"] }\n";
    let quic = flow(
        "reno",
        "pacing = false\nstart = { uniform = [\"0 s\", \"1 s\"] }",
    );
    let flows = format!("{quic}{tcp}");
    let share = |seed| {
        let outcome = run(200, "{ droptail = 20 }", "", &flows, seed);
        let [quic, tcp] = [0, 1].map(|place| outcome.flows[place].goodput_bps);
        quic / (quic + tcp)
    };
    let mean = (1..=10).map(share).sum::<f64>() / 10.0;
    assert!((0.35..=0.65).contains(&mean), "{mean}");
}

/// With marks instead of drops, nothing is resent, and the queue stays short.
#[test]
fn marks_are_counted() {
    let queue = "{ codel = { ecn = true } }";
    let outcome = run(60, queue, "", &flow("reno", "ecn = \"accurate\""), 1);
    let found = &outcome.flows[0];
    assert!(found.marks > 10 && found.ecn_cuts > 10, "{found:?}");
    assert_eq!(found.retransmits, 0);
    let drops = run(60, queue, "", &flow("reno", ""), 1);
    assert!(drops.flows[0].retransmits > 10 && drops.flows[0].marks == 0);
}
