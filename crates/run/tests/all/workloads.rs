//! Workloads: connections that come and go, applications that write now and then, clients and videos.

use dumbbell_run::Run;
use dumbbell_run::outcome::{Outcome, WorkloadOutcome};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// Runs these flows over a bottleneck of this rate, 12 ms long in each direction.
fn outcome(seconds: u32, rate: &str, flows: &str) -> Outcome {
    let text = format!(
        "duration = \"{seconds} s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"{rate}\", delay = \"10 ms\", queue = {{ droptail = 200 }} }}\n\
         [tcp]\ncontrol = \"newreno\"\ninitial_window = 4\n{flows}"
    );
    let scenario = Scenario::parse("workload.toml", &text, &Controls::builtin());
    let scenario = scenario.unwrap_or_else(|e| panic!("{e}"));
    Run::new(&scenario).seed(1).go().expect("it runs").outcome
}

fn workload(seconds: u32, rate: &str, keys: &str) -> WorkloadOutcome {
    let mut outcome = outcome(seconds, rate, &format!("[[flow]]\n{keys}\n"));
    outcome.workloads.remove(0)
}

/// Worked out by hand. An empty segment of 40 B takes 12 ms, 40 us at the bottleneck and 2 x 0.32 us at the
/// access links; a full one of 1040 B takes 1040 us and 2 x 8.32 us. The handshake takes 2 x 12.04064 ms.
#[test]
fn completion_times_by_hand() {
    let mean = |size: &str| {
        let keys =
            format!("transfers = {{ every = \"5 s\", spacing = \"regular\", size = \"{size}\" }}");
        let found = workload(58, "8 Mb/s", &keys);
        assert!(found.all.finished > 10, "{found:?}");
        assert_eq!(found.all.alive, 0);
        let mean = found.all.completion_mean_s.expect("some are complete");
        // All take as long, and so percentiles say.
        for percentile in [found.all.completion_p50_s, found.all.completion_p99_s] {
            assert!((percentile.expect("some are complete") - mean).abs() < 1e-9);
        }
        mean * 1e3
    };
    // The window holds all four segments: the last one has waited for three others.
    let four = 24.08128 + 12.0 + 4.0 * 1.04 + 2.0 * 0.00832;
    assert!((mean("4000 B") - four).abs() < 1e-6, "{}", mean("4000 B"));
    // One segment of 100 B and its header of 40 B.
    let small = 24.08128 + 12.0 + 0.14 + 2.0 * 0.00112;
    assert!((mean("100 B") - small).abs() < 1e-6, "{}", mean("100 B"));
    // The first ACK comes back 12.04064 ms after the first segment has arrived; each ACK lets two more go. The
    // four others then follow each other at the bottleneck.
    let first_ack = 12.0 + 1.04 + 2.0 * 0.00832 + 12.04064;
    let eight = 24.08128 + first_ack + 12.0 + 4.0 * 1.04 + 2.0 * 0.00832;
    assert!((mean("8 kB") - eight).abs() < 1e-6, "{}", mean("8 kB"));
}

/// The number of arrivals and their sizes are random: of 20,000 exponential sizes, the sum deviates by
/// sqrt(2 / 20,000) = 1 %, so the load must be within 4 %.
#[test]
fn the_offered_load_is_the_one_asked_for() {
    let found = workload(
        256,
        "20 Mb/s",
        "transfers = { load = 0.6, size = { exponential = \"19200 B\" } }",
    );
    let load = found.offered_load.expect("the link has a rate");
    assert!((load / 0.6 - 1.0).abs() < 0.04, "{load}");
    assert!((19_000..21_000).contains(&found.all.started), "{found:?}");
    // The memory is that of the connections that are alive.
    assert!(found.most_alive < 150, "{}", found.most_alive);
}

/// Every transfer that began is complete or under way: in the list, in the classes and in all.
#[test]
fn no_transfer_is_forgotten() {
    for keys in [
        "transfers = { load = 0.9, size = { pareto = { smallest = \"1 kB\", largest = \"2 MB\" } }, list = true }",
        "count = 3\ntransfers = { load = 1.5, most = 20, size = \"50 kB\", list = true }",
        "requests = { size = { lognormal = { mean = \"30 kB\" } }, think = \"200 ms\", keep = false, list = true }\ncount = 4",
    ] {
        let outcome = outcome(30, "5 Mb/s", &format!("[[flow]]\n{keys}\n"));
        let found = &outcome.workloads[0];
        let all = &found.all;
        let complete = found.list.iter().filter(|it| it.completion_s.is_some());
        assert_eq!(all.started, found.list.len() as u64, "{keys}");
        assert_eq!(all.finished, complete.clone().count() as u64, "{keys}");
        assert_eq!(all.started, all.finished + all.alive);
        assert!(all.finished > 100 && found.classes.len() == 4, "{found:?}");
        let of_classes = |count: fn(&dumbbell_run::outcome::TransfersOutcome) -> u64| -> u64 {
            found.classes.iter().map(count).sum()
        };
        assert_eq!(of_classes(|it| it.started), all.started);
        assert_eq!(of_classes(|it| it.finished), all.finished);
        assert_eq!(of_classes(|it| it.bytes), all.bytes);
        let bytes: u64 = found.list.iter().map(|it| it.bytes).sum();
        assert_eq!(bytes, all.bytes);
        // What is complete has been delivered, and nothing is delivered that did not begin.
        let complete: u64 = complete.map(|it| it.bytes).sum();
        let flows = &outcome.flows;
        let delivered: f64 = flows
            .iter()
            .map(|flow| flow.goodput_bps * (30.0 - flow.start_s) / 8.0)
            .sum();
        assert!(complete as f64 <= delivered + 1.0, "{complete} {delivered}");
        assert!(delivered <= all.bytes as f64 + 1.0, "{delivered}");
        // Nobody is faster than an idle path allows.
        let least = found.classes.iter().filter_map(|it| it.slowdown_p50);
        least.for_each(|slowdown| assert!(slowdown > 0.98, "{found:?}"));
    }
}

/// Returns the mean completion time of Poisson transfers at half load, in the time that one of mean size takes alone, and the
/// share of the time in which the link was busy; means of four runs. Windows have room for everything.
fn service(queue: &str, size: &str) -> (f64, f64) {
    let text = format!(
        "duration = \"300 s\"\n\
         [dumbbell]\n\
         access = {{ rate = \"10 Gb/s\", delay = \"0 s\" }}\n\
         bottleneck = {{ rate = \"10 Mb/s\", delay = \"50 us\", queue = {queue}, reverse = {{ queue = \"unlimited\" }} }}\n\
         [[flow]]\n\
         control = \"newreno\"\n\
         initial_window = 1000\n\
         handshake = false\n\
         min_rto = \"60 s\"\n\
         initial_rto = \"60 s\"\n\
         transfers = {{ load = 0.5, size = {size} }}\n"
    );
    let scenario = Scenario::parse("service.toml", &text, &Controls::builtin()).expect("valid");
    let runs = (1..=4).map(|seed| {
        let found = Run::new(&scenario)
            .seed(seed)
            .go()
            .expect("it runs")
            .outcome;
        let link = found
            .links
            .iter()
            .find(|link| link.name == "bottleneck")
            .expect("there is one");
        let all = &found.workloads[0].all;
        let alone = all.bytes as f64 / all.started as f64 * 1.04 * 8.0 / 1e7;
        (
            all.completion_mean_s.expect("some are complete") / alone,
            link.utilisation,
        )
    });
    let (sum, busy) = runs.fold((0.0, 0.0), |(sum, busy), run| (sum + run.0, busy + run.1));
    (sum / 4.0, busy / 4.0)
}

/// Fair queueing shares a link as M/G/1 with processor sharing does: a transfer takes 1 / (1 - load) times as long as
/// alone, whatever the law of the sizes (Kleinrock, Queueing Systems II, section 4.4). First come, first served gives
/// transfers of one size 1 + load / (2 (1 - load)) instead (Pollaczek and Khinchine): at half load 1.5 for 2.
#[test]
fn transfers_share_a_fair_queue_as_in_processor_sharing() {
    let fair = "{ fq = { flows = 65536, limit = 1000000 } }";
    for size in ["\"50 kB\"", "{ exponential = \"50 kB\" }"] {
        let (took, busy) = service(fair, size);
        let expected = 1.0 / (1.0 - busy);
        assert!(
            (took / expected - 1.0).abs() < 0.05,
            "{size}: {took}, not {expected}"
        );
    }
    let (took, busy) = service("\"unlimited\"", "\"50 kB\"");
    let expected = 1.0 + busy / (2.0 * (1.0 - busy));
    assert!(
        (took / expected - 1.0).abs() < 0.05,
        "{took}, not {expected}"
    );
}

#[test]
fn transfers_beyond_the_limit_are_refused() {
    let keys = "transfers = { load = 3, most = 7, size = \"50 kB\" }";
    let found = workload(30, "5 Mb/s", keys);
    assert_eq!(found.most_alive, 7);
    assert!(found.refused > 100, "{found:?}");
}

/// A client that thinks for a second asks once in a second and the time of a response.
#[test]
fn clients_think_between_responses() {
    let keys = "requests = { size = \"4 kB\", think = \"1 s\" }";
    let found = workload(100, "8 Mb/s", keys);
    let response = found.all.completion_mean_s.expect("some are complete");
    assert!(response > 0.026 && response < 0.06, "{response}");
    let expected = 100.0 / (1.0 + response);
    assert!(
        (found.all.started as f64 - expected).abs() <= 2.0,
        "{found:?}"
    );
}

/// A video of 1 Mb/s plays without a stall over 8 Mb/s. Over 500 kb/s it plays as long as what arrived lasts:
/// the payload of 500 kb/s is 1000 / 1040 of it.
#[test]
fn videos_play_as_fast_as_they_arrive() {
    let video = |rate: &str| {
        let found = workload(200, rate, "video = { rates = \"1 Mb/s\" }");
        found.video.expect("it is a video")
    };
    let fast = video("8 Mb/s");
    assert_eq!((fast.stalls, fast.playing), (0, 1), "{fast:?}");
    let startup = fast.startup_mean_s.expect("it plays");
    assert!((fast.played_s - (200.0 - startup)).abs() < 1e-6, "{fast:?}");
    let slow = video("500 kb/s");
    assert!(slow.stalls > 10, "{slow:?}");
    let share = slow.played_s / 200.0;
    assert!((0.43..0.49).contains(&share), "{slow:?}");
    let spans = slow.played_s + slow.stalled_s + slow.startup_mean_s.expect("it plays");
    assert!((spans - 200.0).abs() < 1e-6, "{slow:?}");
}

/// With a ladder, the client takes what the path allows.
/// A client that requests nothing from 5 s on plays what it has, and has no stall when that is over.
#[test]
fn a_video_that_is_stopped_does_not_stall() {
    let video = "video = { rates = \"1 Mb/s\", chunk = \"2 s\", buffer = \"8 s\" }\nstop = \"5 s\"";
    let found = workload(60, "8 Mb/s", video);
    let played = found.video.expect("it is a video");
    assert_eq!((played.stalls, played.stalled_s), (0, 0.0), "{played:?}");
    let chunks = found.all.finished as f64;
    assert!((played.played_s - 2.0 * chunks).abs() < 1e-6, "{found:?}");
}

#[test]
fn videos_choose_their_rate() {
    let keys = "video = { rates = [\"500 kb/s\", \"2 Mb/s\", \"20 Mb/s\"] }";
    let found = workload(200, "5 Mb/s", keys).video.expect("it is a video");
    let rate = found.rate_mean_bps.expect("chunks arrived");
    assert!((1.8e6..=2.0e6).contains(&rate), "{found:?}");
    assert_eq!(found.stalls, 0);
}

/// An application that writes 64 kb/s has this goodput beside a download, and stops when it is told to.
#[test]
fn an_application_that_writes_now_and_then() {
    let flows = "[[flow]]\nname = \"slow\"\nsource = { cbr = \"64 kb/s\" }\ncontrol = \"newreno\"\nstart = \"0 s\"\n\
                 [[flow]]\nname = \"short\"\ncontrol = \"newreno\"\nstart = \"10 s\"\nstop = \"20 s\"\n";
    let found = outcome(100, "5 Mb/s", flows);
    let [slow, short] = &found.flows[..] else {
        panic!("two flows");
    };
    assert!((slow.goodput_bps / 64e3 - 1.0).abs() < 0.01, "{slow:?}");
    let finish = short.finish_s.expect("it has stopped");
    assert!((20.0..21.0).contains(&finish), "{short:?}");
    // It had the link to itself and a little more than 10 s.
    assert!((4.2e6..4.8e6).contains(&short.goodput_bps), "{short:?}");
}

/// A run is a function of its scenario and its seed, and another flow does not change what arrives.
#[test]
fn transfers_depend_on_nothing_but_the_seed() {
    let web = "[[flow]]\nname = \"web\"\nstart = \"0 s\"\ntransfers = { load = 0.3, size = { exponential = \"20 kB\" }, list = true }\n";
    let one = outcome(20, "10 Mb/s", web);
    assert_eq!(one, outcome(20, "10 Mb/s", web));
    let beside = format!("{web}[[flow]]\nname = \"download\"\n");
    let other = outcome(20, "10 Mb/s", &beside);
    let arrivals = |outcome: &Outcome| -> Vec<(f64, u64)> {
        let list = &outcome.workloads[0].list;
        list.iter().map(|it| (it.start_s, it.bytes)).collect()
    };
    assert_eq!(arrivals(&one), arrivals(&other));
    assert_ne!(one.workloads, other.workloads);
}

/// Behind fair queueing, what opens and what requests is told apart as data is: a stream that overloads the link, the
/// first flow of the file, delays none of it. In its queue of 300 packets of 1 ms, an opening would wait for 0.2 s.
#[test]
fn openings_and_requests_do_not_wait_behind_another_flow() {
    let queue = "{ fq = { limit = 300 } }";
    // The first flow goes the way of what opens, or of what requests.
    let cases = [
        (
            "right",
            "left",
            "transfers = { every = \"200 ms\", spacing = \"regular\", size = \"1000 B\" }",
        ),
        (
            "left",
            "right",
            "requests = { size = \"1000 B\", think = \"200 ms\" }",
        ),
    ];
    for (first, second, keys) in cases {
        let text = format!(
            "duration = \"20 s\"\n[dumbbell]\n\
             access = {{ rate = \"1 Gb/s\", delay = \"1 ms\" }}\n\
             bottleneck = {{ rate = \"8 Mb/s\", delay = \"10 ms\", queue = {queue}, reverse = {{ queue = {queue} }} }}\n\
             [[flow]]\nsource = {{ cbr = \"12 Mb/s\" }}\npacket = \"1000 B\"\ndirection = \"{first}\"\n\
             [[flow]]\nsource = {{ cbr = \"12 Mb/s\" }}\npacket = \"1000 B\"\ndirection = \"{second}\"\n\
             [[flow]]\ncontrol = \"newreno\"\n{keys}\n"
        );
        let scenario = Scenario::parse("fair.toml", &text, &Controls::builtin());
        let scenario = scenario.unwrap_or_else(|e| panic!("{e}"));
        let mut outcome = Run::new(&scenario).seed(1).go().expect("it runs").outcome;
        let all = outcome.workloads.remove(0).all;
        assert!(all.finished > 20, "{all:?}");
        // Two round trips of 24 ms, and a packet of another flow before each of four.
        let median = all.completion_p50_s.expect("some are complete");
        assert!(median < 0.07, "{keys}: {median}");
    }
}
