//! Controls that cut by the extent of marking, over queues that mark.

use std::sync::{Arc, Mutex};

use dumbbell_run::Run;
use dumbbell_run::explain::{self, Explainer, Kind, Line, Question};
use dumbbell_run::outcome::{LinkOutcome, Outcome};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Duration, Scenario};

/// A bottleneck of 40 Mb/s with this queue, and a round trip of `rtt_ms` without queues. The first 5 s do not count.
fn path(rtt_ms: f64, queue: &str, flows: &str) -> String {
    let access = (rtt_ms / 2.0 - 1.0) / 2.0;
    format!(
        "duration = \"45 s\"\n\
         warmup = \"5 s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"1 Gb/s\", delay = \"{access} ms\" }}\n\
         bottleneck = {{ rate = \"40 Mb/s\", delay = \"1 ms\", queue = {queue} }}\n\
         [tcp]\n\
         payload = \"1448 B\"\n\
         header = \"52 B\"\n\
         initial_window = 10\n\
         recovery = \"sack\"\n\
         {flows}"
    )
}

fn flow(text: &str) -> String {
    format!("[[flow]]\n{text}\n")
}

fn run(text: &str) -> Outcome {
    let scenario = Scenario::parse("marks.toml", text, &Controls::builtin());
    let scenario = scenario.unwrap_or_else(|faults| panic!("{faults}"));
    assert!(scenario.duration > Duration::from_secs(40));
    let mut running = Run::new(&scenario).seed(1).start();
    running
        .advance_to(scenario.duration)
        .expect("nothing interrupts it");
    running.outcome()
}

/// The bottleneck's queue in the direction of the data.
fn bottleneck(outcome: &Outcome) -> &LinkOutcome {
    let busy = outcome.links.iter().filter(|link| link.sojourn.is_some());
    busy.max_by(|a, b| a.utilisation.total_cmp(&b.utilisation))
        .expect("a queue that holds its packets")
}

const DUALPI2: &str = "{ dualpi2 = {} }";

/// RFC 9332, appendix A: L4S packets that waited from 0.8 to 1.2 ms are marked with a rising probability.
#[test]
fn the_queue_of_l4s_packets_stays_near_its_step() {
    for (control, ecn) in [("prague", ""), ("dctcp", "ecn = \"l4s\"\n")] {
        for rtt in [10.0, 20.0, 50.0] {
            let text = format!("control = \"{control}\"\n{ecn}");
            let outcome = run(&path(rtt, DUALPI2, &flow(&text)));
            let link = bottleneck(&outcome);
            let wait = link.l4s_sojourn.as_ref().expect("L4S packets pass");
            println!(
                "{control} at {rtt} ms: utilisation {:.3}, wait mean {:.2} ms, p99 {:.2} ms, {} marks of {}",
                link.utilisation,
                wait.mean_s * 1e3,
                wait.p99_s * 1e3,
                link.marked,
                link.delivered
            );
            assert!(link.utilisation > 0.9, "{control} at {rtt}");
            assert!(
                wait.mean_s < 1.5e-3 && wait.p99_s < 5e-3,
                "{control} at {rtt}"
            );
            assert_eq!(outcome.flows[0].retransmits, 0, "{control} at {rtt}");
        }
    }
}

/// RFC 9332, section 2.1: with a coupling of 2, L4S flows have about the rate of others at the same round trip. Theirs
/// has the classic queue's target of 15 ms on top, and Prague counts at least 25 ms as its own.
#[test]
fn prague_shares_a_coupled_queue_with_others() {
    for (other, ecn) in [
        ("reno", ""),
        ("cubic", ""),
        ("reno", "ecn = true\n"),
        ("cubic", "ecn = true\n"),
    ] {
        let flows = [
            flow("control = \"prague\""),
            flow(&format!("control = \"{other}\"\n{ecn}")),
        ];
        let outcome = run(&path(10.0, DUALPI2, &flows.concat()));
        let link = bottleneck(&outcome);
        let [prague, classic] = [0, 1].map(|i| outcome.flows[i].goodput_bps / 1e6);
        let wait = link.l4s_sojourn.as_ref().expect("L4S packets pass");
        println!(
            "prague {prague:.1} Mb/s beside {other} {ecn:?} {classic:.1} Mb/s, utilisation {:.3}, L4S wait {:.2} ms, all {:.2} ms",
            link.utilisation,
            wait.mean_s * 1e3,
            link.sojourn.as_ref().expect("packets pass").mean_s * 1e3,
        );
        let ratio = prague / classic;
        assert!((0.5..2.0).contains(&ratio), "{other} {ecn:?}: {ratio}");
        assert!(link.utilisation > 0.9);
        assert!(wait.mean_s < 1.5e-3);
    }
}

/// With equal and with different round trips (10 and 20 ms): below 25 ms, they count alike. DCTCP's do not.
#[test]
fn prague_flows_share_alike_whatever_their_round_trips() {
    let slow = "access = { delay = \"7 ms\" }\n";
    let shares = |control: &str, ecn: &str| {
        let one = format!("control = \"{control}\"\n{ecn}");
        let other = format!("{one}{slow}");
        let ratios = [&one, &other].map(|second| {
            let outcome = run(&path(10.0, DUALPI2, &[flow(&one), flow(second)].concat()));
            outcome.flows[1].goodput_bps / outcome.flows[0].goodput_bps
        });
        println!(
            "{control}: equal round trips {:.3}, doubled {:.3}",
            ratios[0], ratios[1]
        );
        ratios
    };
    for ratio in shares("prague", "") {
        assert!((0.8..1.25).contains(&ratio), "{ratio}");
    }
    let [_, doubled] = shares("dctcp", "ecn = \"l4s\"\n");
    assert!(doubled < 0.5, "{doubled}");
}

/// With the stack of Linux, which delays ACKs, Prague's rate keeps a little less than the window in the network. That is use of
/// the window, so it grows (RFC 9002, section 7.8); taken for disuse, it would stay at a tenth of the link.
#[test]
fn a_window_that_a_rate_holds_back_grows_with_the_stack_of_linux() {
    let outcome = run(&path(
        40.0,
        DUALPI2,
        &flow("control = \"prague\"\nstack = \"linux\""),
    ));
    let link = bottleneck(&outcome);
    println!("utilisation {:.3}", link.utilisation);
    assert!(link.utilisation > 0.9, "{}", link.utilisation);
}

/// Two DCTCP flows of 10 ms over DualPI2, of which the second begins at 2.5 s, share 1 : 0.5: each sends a train of packets a
/// round trip, the trains keep their order, and the one that comes second meets what the first has left in the queue, so
/// it has most of the marks. Nothing in DCTCP mixes trains. What does, takes the difference away: pacing, jitter of a third
/// of a packet's time at the hosts, a longer round trip, or a queue that marks by a slope over many packets.
#[test]
fn two_dctcp_flows_share_alike_unless_their_trains_keep_their_order() {
    let slope = "{ red = { limit = 400, min = 5, max = 60, weight = 1, pmax = 0.5, gentle = true, ecn = true } }";
    let share = |rtt: f64, queue: &str, more: &str, jitter: &str| {
        let one = format!("control = \"dctcp\"\necn = \"l4s\"\n{more}");
        let other = format!("{one}start = \"2.5 s\"\n");
        let text = path(rtt, queue, &[flow(&one), flow(&other)].concat());
        let jittery = format!("\"1 Gb/s\", {jitter}delay");
        let outcome = run(&text.replace("\"1 Gb/s\", delay", &jittery));
        let [first, second] = [0, 1].map(|i| outcome.flows[i].goodput_bps);
        println!("{rtt} ms, {more:?} {jitter:?}: {:.3}", second / first);
        second / first
    };
    let trains = share(10.0, DUALPI2, "", "");
    assert!(trains < 0.7, "{trains}");
    for mixed in [
        share(10.0, DUALPI2, "pacing = true\n", ""),
        share(10.0, DUALPI2, "", "jitter = { mean = \"0.1 ms\" }, "),
        share(20.0, DUALPI2, "", ""),
        share(10.0, slope, "", ""),
    ] {
        assert!((0.85..1.18).contains(&mixed), "{mixed}");
    }
}

/// RFC 8257, section 3.1: all packets that meet K = 20 or more packets are marked. At 20 ms the path holds 67: a DCTCP
/// flow keeps the queue near K.
#[test]
fn dctcp_keeps_a_threshold_queue_full_and_short() {
    let step = "{ red = { limit = 400, min = 19.99, max = 20, weight = 1, pmax = 1, gentle = true, ecn = true } }";
    for (control, ecn) in [
        ("dctcp", ""),
        ("dctcp", "ecn = \"dctcp\"\n"),
        ("dctcp", "ecn = \"dctcp\"\ndelayed_ack = \"40 ms\"\n"),
    ] {
        let outcome = run(&path(
            20.0,
            step,
            &flow(&format!("control = \"{control}\"\n{ecn}")),
        ));
        let it = &outcome.flows[0];
        let link = outcome
            .links
            .iter()
            .max_by(|a, b| a.utilisation.total_cmp(&b.utilisation))
            .expect("a link");
        let queue = it.queueing_mean_s.expect("packets arrive") * 1e3;
        println!(
            "{control} {ecn:?}: utilisation {:.3}, queueing mean {queue:.2} ms, max {:.2} ms, cuts {}",
            link.utilisation,
            it.queueing_max_s.expect("packets") * 1e3,
            it.ecn_cuts
        );
        assert!(link.utilisation > 0.98, "{ecn:?}");
        // 20 packets of 1500 bytes take 6 ms.
        assert!((3.0..7.5).contains(&queue), "{ecn:?}: {queue}");
        assert_eq!(it.retransmits, 0);
        assert!(it.ecn_cuts > 20);
    }
}

/// RFC 9331, section 4.3, item 2: random losses without marks make Prague a Reno, if its round trip is above 25 ms.
#[test]
fn random_losses_make_prague_a_reno() {
    let goodput = |control: &str| {
        let text = path(
            50.0,
            "{ droptail = 1000 }",
            &flow(&format!("control = \"{control}\"")),
        );
        let text = text.replace(
            "queue = { droptail",
            "loss = { bernoulli = 0.01 }, queue = { droptail",
        );
        let outcome = run(&text);
        let it = &outcome.flows[0];
        println!(
            "{control} at 1 %: {:.2} Mb/s, {} recoveries",
            it.goodput_bps / 1e6,
            it.fast_recoveries
        );
        assert_eq!((it.marks, it.ecn_cuts), (0, 0));
        it.goodput_bps
    };
    let [reno, prague, dctcp] = ["reno", "prague", "dctcp"].map(goodput);
    assert!(
        (dctcp / reno - 1.0).abs() < 0.01,
        "the same events, the same windows"
    );
    assert!((prague / reno - 1.0).abs() < 0.15, "pacing moves losses");
}

/// Over a queue that neither is L4S nor marks, the flow is an ordinary one.
#[test]
fn a_control_that_needs_marks_runs_without_any() {
    for control in ["prague", "dctcp"] {
        let outcome = run(&path(
            20.0,
            "{ droptail = 60 }",
            &flow(&format!("control = \"{control}\"")),
        ));
        let it = &outcome.flows[0];
        assert!(
            it.goodput_bps > 0.9 * 40e6 * 1448.0 / 1500.0,
            "{}",
            it.goodput_bps
        );
        assert!(it.fast_recoveries > 2 && it.ecn_cuts == 0);
    }
}

/// RFC 8257, section 3.3: each cut by a mark names alpha, and leaves 1 - alpha / 2.
#[test]
fn each_cut_says_what_is_marked() {
    for control in ["prague", "dctcp"] {
        let flows = flow(&format!("control = \"{control}\"\necn = \"l4s\""));
        let text = path(20.0, DUALPI2, &flows).replace("45 s", "8 s");
        let scenario = Scenario::parse("marks.toml", &text, &Controls::builtin());
        let scenario = scenario.unwrap_or_else(|faults| panic!("{faults}"));
        let question = Question {
            flows: explain::select(&scenario, &[]).expect("there is one"),
            from: Duration::ZERO,
            to: scenario.duration,
            all: false,
        };
        let lines = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&lines);
        let tell = move |line: &Line| heard.lock().expect("no panic").push(line.clone());
        let explainer = Explainer::new(&scenario, &question, tell);
        Run::new(&scenario)
            .watch(&explainer)
            .go()
            .expect("nobody interrupts it");
        let _ = explainer.finish();
        let lines = lines.lock().expect("no panic");
        let cuts = lines.iter().filter(|line| line.kind == Kind::Reduction);
        let cuts: Vec<&Line> = cuts.filter(|line| line.cwnd_after > 2.0).collect();
        assert!(cuts.len() > 20, "{control}: {}", cuts.len());
        for line in cuts {
            assert_eq!((line.event, line.branch), ("ecn", "mark"));
            let alpha = line
                .condition
                .strip_prefix("alpha = ")
                .expect("it begins so");
            let alpha: f64 = alpha.parse().expect("a number");
            let kept = line.action.strip_prefix("cwnd x ").expect("it begins so");
            let kept: f64 = kept.parse().expect("a number");
            assert!((kept - (1.0 - alpha / 2.0)).abs() < 0.01, "{line:?}");
            assert!((line.factor() - kept).abs() < 0.01, "{line:?}");
        }
    }
}
