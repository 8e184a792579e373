//! The cases of the draft's appendix about ProbeBW.

use super::*;

/// Case 5, "Exiting PROBE_UP on Bandwidth Plateau": three rounds of about 41 to 52 ms, and part of one.
#[test]
fn probing_ends_on_a_plateau() {
    let text = dumbbell(
        20,
        "rate = \"10 Mb/s\", delay = \"20 ms\", queue = { droptail = 1000 }",
        "",
    );
    let (all, flow) = watch(&text, 0, 1);
    assert_eq!(flow.retransmits, 0);
    let stays = stays(&all);
    let ups: Vec<_> = stays
        .windows(2)
        .filter(|pair| pair[0].phase == "ProbeBW_UP")
        .collect();
    assert!(ups.len() > 5);
    for pair in ups {
        let lasts = pair[1].at - pair[0].at;
        assert_eq!(pair[1].phase, "ProbeBW_DOWN");
        assert!((0.12..0.22).contains(&lasts), "{lasts}");
    }
}

/// Case 7, "Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss", except for ProbeRTT; and case
/// 6, "Exiting PROBE_UP on Loss When Application-Limited". By the pseudo-code a loss of limited data does not set
/// inflight_longterm, whatever the case says.
#[test]
fn a_limited_application_stays_in_up_until_losses_end_it() {
    let supply = "{ steps = [[\"0 s\", \"40 Mb/s\"], [\"1 s\", \"3 Mb/s\"]] }";
    let air = "rate = \"10 Mb/s\"\ndelay = \"50 ms\"\nqueue = { droptail = 500 }\nloss = { timed = { steps = [[\"0 s\", 0], [\"19 s\", 0.2], [\"19.3 s\", 0]] } }";
    let (all, _) = watch(&relay(21, supply, air), 1, 5);
    let stays = stays(&all);
    // The backlog of the first second is gone by 5 s.
    let ups = stays
        .windows(2)
        .filter(|pair| pair[0].phase == "ProbeBW_UP" && pair[0].at > 5.0);
    let ends: Vec<_> = ups.map(|pair| (pair[1].phase, pair[1].at)).collect();
    let (last, before) = ends.split_last().expect("probes");
    assert!(
        before.len() >= 2 && before.iter().all(|(phase, _)| *phase == "ProbeRTT"),
        "{ends:?}"
    );
    // Without what fills the path in flight, DOWN ends on the ACK with which it begins.
    assert!(
        ["ProbeBW_DOWN", "ProbeBW_CRUISE"].contains(&last.0),
        "{ends:?}"
    );
    assert!((19.1..19.5).contains(&last.1), "{ends:?}");
    assert!(
        all.iter()
            .all(|report| report.get("inflight_longterm").is_infinite())
    );
}

/// Case 9, "Exiting PROBE_DOWN After Max Time". 20 % less bandwidth instead of 10 %, of which nine tenths of the rate
/// would drain the queue slowly; and ProbeRTT, which would come between, is put off.
#[test]
fn a_queue_that_stays_is_left_for_the_next_probe_after_two_to_three_seconds() {
    let options = ", probe_rtt_interval = \"60 s\"";
    let text = |rate: &str| {
        dumbbell(
            10,
            &format!("rate = {rate}, delay = \"50 ms\", queue = {{ droptail = 2000 }}"),
            options,
        )
    };
    let before = stays(&watch(&text("\"10 Mb/s\""), 0, 1).0);
    let down = before
        .iter()
        .find(|stay| stay.phase == "ProbeBW_DOWN")
        .expect("a cycle")
        .at;
    let rate = format!("{{ steps = [[\"0 s\", \"10 Mb/s\"], [\"{down:.3} s\", \"8 Mb/s\"]] }}");
    let stays = stays(&watch(&text(&rate), 0, 1).0);
    let at = stays
        .iter()
        .position(|stay| stay.phase == "ProbeBW_DOWN")
        .expect("a cycle");
    assert_eq!(stays[at + 1].phase, "ProbeBW_REFILL");
    let lasts = stays[at + 1].at - stays[at].at;
    assert!((2.0..3.1).contains(&lasts), "{lasts}");
}

/// Case 15, "Increasing Bandwidth 10x and Ensuring Full Bandwidth is Reached": in the next probe, of less than twenty
/// rounds. With a queue so short that inflight_longterm is set, that grows by ever more: its increments double.
#[test]
fn ten_times_the_bandwidth_is_found_in_the_next_probe() {
    let text = |queue: u32| {
        dumbbell(
            14,
            &format!(
                "rate = {{ steps = [[\"0 s\", \"10 Mb/s\"], [\"8 s\", \"100 Mb/s\"]] }}, delay = \"20 ms\", queue = {{ droptail = {queue} }}"
            ),
            "",
        )
    };
    let (all, _) = watch(&text(2000), 0, 5);
    let found = all
        .iter()
        .find(|report| report.get("max_bw") > 9.8 * PAYLOAD)
        .expect("found");
    let up = all
        .iter()
        .find(|report| report.at > 8.0 && report.phase == "ProbeBW_UP")
        .expect("a probe");
    assert!((found.at - up.at) / 0.042 < 20.0, "{} {}", up.at, found.at);

    // A queue of 20 drops from the bursts of Linux before the bound has doubled often enough, so segments leave one by one.
    let smooth = text(20).replace(
        "stack = \"linux\"\n",
        "stack = \"linux\"\ntso = false\npacing_credit = false\n",
    );
    let (all, _) = watch(&smooth, 0, 42);
    let ups = all
        .iter()
        .skip_while(|report| report.at < 8.0 || report.phase != "ProbeBW_UP");
    let ups: Vec<f64> = ups
        .take_while(|report| report.phase == "ProbeBW_UP")
        .map(|report| report.get("inflight_longterm"))
        .collect();
    let steps: Vec<f64> = ups
        .windows(2)
        .map(|pair| pair[1] - pair[0])
        .filter(|step| *step > 0.0)
        .collect();
    assert!(steps.len() >= 4, "{ups:?}");
    assert!(
        steps.iter().rev().take(3).sum::<f64>() > 4.0 * steps.iter().take(3).sum::<f64>(),
        "{ups:?}"
    );
    assert!(all.last().expect("reports").get("max_bw") > 5.0 * PAYLOAD);
}

/// Case 16, "Decreasing Bandwidth 10x and Ensuring Max Bandwidth Adapts Down".
#[test]
fn a_tenth_of_the_bandwidth_is_known_after_two_cycles() {
    let text = dumbbell(
        24,
        "rate = { steps = [[\"0 s\", \"100 Mb/s\"], [\"8 s\", \"10 Mb/s\"]] }, delay = \"20 ms\", queue = { droptail = 200 }",
        "",
    );
    let (all, _) = watch(&text, 0, 5);
    let cut = all
        .iter()
        .find(|report| report.at > 8.0 && report.get("bw_shortterm") < 7.0 * PAYLOAD);
    assert!(cut.expect("a cut").at < 11.0);
    let known = all
        .iter()
        .find(|report| report.at > 8.0 && report.get("max_bw") < 1.02 * PAYLOAD)
        .expect("known");
    let probes = stays(&all)
        .iter()
        .filter(|stay| stay.phase == "ProbeBW_UP" && stay.at > 8.0 && stay.at < known.at)
        .count();
    assert!((1..=3).contains(&probes), "{probes}");
    assert_within(all.last().expect("reports").get("max_bw"), PAYLOAD, 0.02);
}

/// Case 21, "Handling Loss During PROBE_UP After inflight_longterm is Set".
#[test]
fn a_probe_that_loses_ends_and_lowers_the_bound() {
    let air = "rate = \"50 Mb/s\", delay = \"20 ms\", queue = { droptail = 500 }, policer = { rate = \"5 Mb/s\", burst = \"100 kB\" }";
    let stays = stays(&watch(&dumbbell(10, air, ""), 0, 1).0);
    let lowered = stays.windows(2).filter(|pair| {
        let [up, down] = [&pair[0], &pair[1]];
        up.phase == "ProbeBW_UP"
            && down.phase == "ProbeBW_DOWN"
            && down.get("inflight_longterm") < up.get("inflight_longterm")
            && up.get("inflight_longterm").is_finite()
            && down.at - up.at < 0.12
    });
    assert!(lowered.count() >= 2);
}
