//! The cases of the draft's appendix about Startup, Drain and ProbeRTT.

use super::*;

const DEEP: &str = "queue = { droptail = 2000 }";

/// Case 1, "Exiting STARTUP on Bandwidth Plateau"; cases 3 and 8, "Exiting DRAIN Based on Inflight" and "Exiting
/// PROBE_DOWN on Inflight".
#[test]
fn startup_ends_on_a_plateau_and_drain_when_the_queue_is_gone() {
    let text = dumbbell(
        4,
        &format!("rate = \"10 Mb/s\", delay = \"20 ms\", {DEEP}"),
        "",
    );
    let stays = stays(&watch(&text, 0, 1).0);
    let start = [
        "Startup",
        "Drain",
        "ProbeBW_CRUISE",
        "ProbeBW_REFILL",
        "ProbeBW_UP",
        "ProbeBW_DOWN",
        "ProbeBW_CRUISE",
    ];
    assert_eq!(phases(&stays)[..7], start);
    let drain = &stays[1];
    assert_within(drain.get("max_bw"), PAYLOAD, 0.02);
    assert_eq!(drain.get("pacing_gain"), 0.5);
    // A BDP of queue leaves at half of the rate in two round trips.
    let lasts = stays[2].at - drain.at;
    assert!((0.04..0.12).contains(&lasts), "{lasts}");
    assert_eq!(stays[5].get("pacing_gain"), 0.9);
}

/// Case 2, "Exiting STARTUP on Loss When Application-Limited", and the part of case 7, "Never Exiting PROBE_UP (or
/// STARTUP) When Application-Limited With No Loss", that is about Startup; case 20, "Entering and Exiting PROBE_RTT
/// During STARTUP". What is in flight is less than what fills the path, so Drain and DOWN end on the ACK with which
/// they begin: the pseudo-code checks one after the other.
#[test]
fn a_limited_application_stays_in_startup_until_losses_end_it() {
    let air = "rate = \"10 Mb/s\"\ndelay = \"100 ms\"\nqueue = { droptail = 500 }\nloss = { timed = { steps = [[\"0 s\", 0], [\"12 s\", 0.2]] } }";
    let (all, _) = watch(&relay(14, "\"4 Mb/s\"", air), 1, 5);
    let stays = stays(&all);
    let expected = [
        "Startup",
        "ProbeRTT",
        "Startup",
        "ProbeRTT",
        "Startup",
        "ProbeBW_CRUISE",
    ];
    assert_eq!(phases(&stays)[..6], expected);
    assert!(stays[1].at > 5.0 && stays[3].at > 10.0);
    let ended = &stays[5];
    // Losses begin at 12 s; they are known a round trip later, and have lasted for a round after another one.
    assert!((12.3..13.0).contains(&ended.at), "{}", ended.at);
    // At least the BDP.
    assert!(ended.get("inflight_longterm") >= ended.get("path_window"));
}

/// Case 4, "Exiting DRAIN Based on Time". With 10 % less bandwidth, as the draft has it, half of the rate still drains
/// the queue in about two rounds; here 70 % are lost.
#[test]
fn drain_ends_after_three_rounds_if_the_queue_does_not() {
    let rate = "rate = { steps = [[\"0 s\", \"10 Mb/s\"], [\"0.47 s\", \"3 Mb/s\"]] }";
    let text = dumbbell(4, &format!("{rate}, delay = \"20 ms\", {DEEP}"), "");
    let stays = stays(&watch(&text, 0, 1).0);
    assert_eq!(phases(&stays)[..3], ["Startup", "Drain", "ProbeBW_DOWN"]);
    // Rounds of at least the least RTT, the queue of a BDP and the slower link: about 0.2 s each.
    let lasts = stays[2].at - stays[1].at;
    assert!((0.5..1.5).contains(&lasts), "{lasts}");
    let gentle = text.replace("3 Mb/s", "9 Mb/s");
    let gentle = super::stays(&watch(&gentle, 0, 1).0);
    assert_eq!(phases(&gentle)[..3], ["Startup", "Drain", "ProbeBW_CRUISE"]);
}

/// Case 10, "Entering and Exiting PROBE_RTT".
#[test]
fn the_rtt_is_probed_every_five_seconds_for_200_ms() {
    let text = dumbbell(
        30,
        &format!("rate = \"10 Mb/s\", delay = \"20 ms\", {DEEP}"),
        "",
    );
    let stays = stays(&watch(&text, 0, 1).0);
    let probes: Vec<_> = stays
        .windows(2)
        .filter(|pair| pair[0].phase == "ProbeRTT")
        .collect();
    assert_eq!(probes.len(), 5);
    for pair in probes {
        let [probe, after] = pair else {
            unreachable!("pairs")
        };
        let lasts = after.at - probe.at;
        assert!((0.2..0.3).contains(&lasts), "{lasts}");
        assert_eq!(after.phase, "ProbeBW_CRUISE");
        // Half of the path's 36 segments.
        assert!(
            probe.cwnd <= 18.0 && after.cwnd >= 70.0,
            "{} {}",
            probe.cwnd,
            after.cwnd
        );
    }
}

/// Case 11, "Skipping PROBE_RTT Due to Application-Limited Sending".
#[test]
fn after_a_pause_of_the_application_the_rtt_is_not_probed() {
    let supply = "{ steps = [[\"0 s\", \"40 Mb/s\"], [\"1 s\", \"0 b/s\"], [\"16 s\", \"40 Mb/s\"], [\"17 s\", \"0 b/s\"]] }";
    let air = "rate = \"10 Mb/s\"\ndelay = \"20 ms\"\nqueue = { droptail = 500 }";
    let (all, _) = watch(&relay(19, supply, air), 1, 1);
    assert!(all.iter().all(|report| report.phase != "ProbeRTT"));
    assert!(
        all.iter()
            .any(|report| report.at > 16.1 && report.phase == "ProbeBW_UP")
    );
    // The same, with a trickle instead of the pause.
    let (all, _) = watch(
        &relay(
            19,
            &supply.replace("[\"1 s\", \"0 b/s\"]", "[\"1 s\", \"1 Mb/s\"]"),
            air,
        ),
        1,
        1,
    );
    assert!(all.iter().any(|report| report.phase == "ProbeRTT"));
}
