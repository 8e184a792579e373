//! Controls that tell why their states and bounds change: every change has a line, and the lines are true.

use super::*;

/// One flow with the stack of Linux over 10 Mb/s and 40 ms.
fn path(control: &str, seconds: u32, more: &str) -> Scenario {
    let text = format!(
        "duration = \"{seconds} s\"\n[dumbbell]\naccess = {{ rate = \"1 Gb/s\", delay = \"0 s\" }}\n\
         [dumbbell.bottleneck]\ndelay = \"20 ms\"\n{more}\n\
         [[flow]]\nname = \"it\"\ncontrol = \"{control}\"\nstack = \"linux\"\n"
    );
    let scenario = Scenario::parse("states.toml", &text, &Controls::builtin());
    scenario.unwrap_or_else(|faults| panic!("{faults}"))
}

const DEEP: &str = "rate = \"10 Mb/s\"\nqueue = { droptail = 2000 }";

fn states(control: &str, seconds: u32, more: &str) -> Vec<Line> {
    let (lines, ..) = told(&path(control, seconds, more), false);
    let mut all = lines.into_iter();
    let states: Vec<Line> = all
        .by_ref()
        .filter(|line| matches!(line.kind, explain::Kind::State | explain::Kind::Bounds))
        .collect();
    states
}

/// The link carries 1448 of 1500 bytes: 9.653 Mb/s. What fills the path of 41.2 ms is 35 segments. ProbeRTT, 5 s after
/// the first round trip, halves what is in flight.
#[test]
fn bbr_tells_its_way_from_startup_to_probe_rtt() {
    let lines = states("bbr", 6, DEEP);
    let found: Vec<&str> = lines.iter().map(|line| line.condition.as_str()).collect();
    let expected = [
        "Startup -> Drain: max_bw = 9.65 Mb/s has not grown by 25 % for 3 rounds",
        "Drain -> ProbeBW_CRUISE: in flight = 35.0 is within bw x min_rtt = 35.0 and the headroom",
        "ProbeBW_CRUISE -> ProbeBW_REFILL: as many rounds as segments fill the path = 35.0, at most 63, since the last probe",
        "ProbeBW_REFILL -> ProbeBW_UP: a round is over, and the path is full",
        "ProbeBW_UP -> ProbeBW_DOWN: max_bw = 9.65 Mb/s, of which the probe found no 25 % more in 3 rounds",
    ];
    assert_eq!(found[..expected.len()], expected);
    let plateau = &lines[0];
    assert_eq!(
        plateau.reason(),
        "Startup -> Drain: max_bw = 9.65 Mb/s has not grown by 25 % for 3 rounds: plateau, rate = 1/2 x bw; \
         draft-ietf-ccwg-bbr, section \"Exiting Acceleration Based on Bandwidth Plateau\""
    );
    assert_eq!((plateau.event, plateau.count), ("state", 1));
    // Startup and its three last rounds, the queue of which has a BDP.
    assert!((0.4..0.5).contains(&plateau.time_s), "{plateau:?}");
    let rtt = lines.iter().find(|line| line.branch == "old rtt");
    let rtt = rtt.expect("it is probed");
    assert!((5.0..5.2).contains(&rtt.time_s), "{rtt:?}");
    assert_eq!(rtt.action, "cwnd = 1/2 x bw x min_rtt");
    let back = lines.iter().find(|line| line.branch == "rtt probed");
    let back = back.expect("it ends");
    assert!((0.2..0.3).contains(&(back.time_s - rtt.time_s)), "{back:?}");
    // Without losses nothing is bounded.
    assert!(lines.iter().all(|line| line.event == "state"));
}

/// Every line of a state begins in that in which the one before it has ended, and the last is the state of the control.
#[test]
fn states_follow_each_other() {
    let policer = "rate = \"50 Mb/s\"\nqueue = { droptail = 500 }\npolicer = { rate = \"5 Mb/s\", burst = \"100 kB\" }";
    for (control, more) in [
        ("bbr", DEEP),
        ("bbr", policer),
        ("bbr1", DEEP),
        ("bbr1", policer),
    ] {
        let lines = states(control, 25, more);
        let mut state = "Startup";
        for line in lines.iter().filter(|line| line.event == "state") {
            let (from, rest) = line.condition.split_once(" -> ").expect("two states");
            assert_eq!(from, state, "{line:?}");
            state = word(line, "phase");
            assert!(rest.starts_with(&format!("{state}: ")), "{line:?}");
            assert!(line.source.contains("section") || line.source.contains("fig."));
        }
        assert!(lines.len() > 5, "{control}: {}", lines.len());
        let times = lines
            .windows(2)
            .all(|pair| pair[0].time_s <= pair[1].time_s);
        assert!(times, "{control}");
    }
}

/// Behind a policer, losses set inflight_longterm while the path is probed, and the short-term bounds otherwise; REFILL
/// forgets the latter. A line has the values that were there before and after.
#[test]
fn bbr_tells_why_its_bounds_change() {
    let policer = "rate = \"50 Mb/s\"\nqueue = { droptail = 500 }\npolicer = { rate = \"5 Mb/s\", burst = \"100 kB\" }";
    let lines = states("bbr", 25, policer);
    let of = |branch: &str| -> Vec<&Line> {
        let found: Vec<&Line> = lines.iter().filter(|line| line.branch == branch).collect();
        assert!(!found.is_empty(), "{branch}");
        found
    };
    let lowered = of("volume too high");
    for line in &lowered {
        let limit = after(line, "inflight_longterm").expect("it is set");
        let shown = format!("inflight_longterm = {limit:.1}, ");
        assert!(line.action.starts_with(&shown), "{line:?}");
        assert_eq!(line.condition, "more than 0.02 of a round are lost");
    }
    for line in of("lossy cycle") {
        // Either of the two may stay: what was delivered in the round may be the bound that is there.
        let bounds = ["bw_shortterm", "inflight_shortterm"];
        let changed = bounds.map(|name| before(line, name) != after(line, name));
        assert!(changed.contains(&true), "{line:?}");
        assert!(line.action.ends_with("at least 7/10 of before"), "{line:?}");
    }
    for line in of("bounds forgotten") {
        assert_eq!(after(line, "bw_shortterm"), None);
        assert!(before(line, "bw_shortterm").is_some());
    }
    let raised = of("volume raised");
    assert!(raised.iter().all(|line| {
        after(line, "inflight_longterm") > before(line, "inflight_longterm") || line.count > 1
    }));
    assert!(
        lowered
            .iter()
            .any(|line| before(line, "inflight_longterm") > after(line, "inflight_longterm"))
    );
}

/// Linux' BBR finds the policer, and says at which rate it then sends.
#[test]
fn bbr1_tells_that_it_has_found_a_policer() {
    let policer = "rate = \"50 Mb/s\"\nqueue = { droptail = 500 }\npolicer = { rate = \"5 Mb/s\", burst = \"100 kB\" }";
    let lines = states("bbr1", 40, policer);
    let found = lines.iter().find(|line| line.branch == "policer found");
    let found = found.expect("it is found");
    let rate = after(found, "policer_rate").expect("a rate");
    assert!((4.0e6..6.0e6).contains(&rate), "{rate}");
    assert_eq!(found.condition, "two spans of losses at one bandwidth");
    assert_eq!(
        found.action,
        format!("rate = {:.2} Mb/s for 48 rounds", rate / 1e6)
    );
}

/// A control that does not report changes of its state has no such lines.
#[test]
fn other_controls_have_no_lines_of_states() {
    assert!(states("cubic", 6, DEEP).is_empty());
}
