//! Links with recorded rates under real flows.

use dumbbell_run::Run;
use dumbbell_run::outcome::Outcome;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// A bottleneck with this rate and this queue, and a flow of full packets.
fn run(rate: &str, queue: &str, flow: &str) -> Outcome {
    let text = format!(
        "duration = \"200 s\"\n[dumbbell]\n\
         access = {{ rate = \"100 Mb/s\", delay = \"1 ms\" }}\n\
         [dumbbell.bottleneck]\ndelay = \"20 ms\"\nqueue = {queue}\nrate = {rate}\n\
         reverse = {{ rate = \"2 Mb/s\", queue = \"unlimited\" }}\n[[flow]]\n{flow}\n"
    );
    let scenario = Scenario::parse("recorded.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"));
    Run::new(&scenario)
        .seed(1)
        .go()
        .expect("nobody interrupts it")
        .outcome
}

const CONSTANT: &str = "\"2 Mb/s\"";
/// A packet of 1500 bytes every 6 ms.
const STEADY: &str = "{ opportunities = [6] }";

/// The same rate, told in two ways, is the same to a flow; whatever the queue.
#[test]
fn a_steady_schedule_serves_a_flow_like_a_constant_rate() {
    for queue in [
        "{ droptail = 30 }",
        "\"unlimited\"",
        "{ red = { limit = 60 } }",
    ] {
        for control in ["newreno", "cubic", "vegas"] {
            let flow =
                format!("control = \"{control}\"\npayload = \"1460 B\"\nreceiver_window = 50");
            let [constant, steady] = [CONSTANT, STEADY].map(|rate| run(rate, queue, &flow));
            let goodput = |outcome: &Outcome| outcome.flows[0].goodput_bps;
            let ratio = goodput(&steady) / goodput(&constant);
            assert!((0.99..1.01).contains(&ratio), "{queue} {control}: {ratio}");
            // 1460 of 1500 bytes are payload.
            assert!(
                goodput(&steady) > 0.9 * 2e6 * 1460.0 / 1500.0,
                "{queue} {control}"
            );
            let [constant, steady] = [constant, steady].map(|outcome| outcome.links[0].clone());
            let near = (constant.utilisation - steady.utilisation).abs();
            assert!(near < 0.01, "{queue} {control}: {near}");
            assert!(steady.utilisation <= 1.0);
        }
    }
}

/// 300 bytes every 6 ms use a fifth of each opportunity: nothing waits for longer than 6 ms, and on
/// average for half of that and more, since packets come in step with the opportunities.
#[test]
fn what_is_not_used_is_wasted() {
    let flow = "source = { cbr = \"400 kb/s\" }\npacket = \"300 B\"";
    let outcome = run(STEADY, "{ droptail = 10 }", flow);
    let link = &outcome.links[0];
    assert!(
        (link.utilisation - 0.2).abs() < 1e-3,
        "{}",
        link.utilisation
    );
    let wait = link.wait_mean_s.expect("packets have left");
    assert!(wait > 0.0 && wait <= 6e-3, "{wait}");
    assert_eq!(link.dropped, 0);
}

/// A second with 100 opportunities in its first 100 ms and none in the other 900: on average 1.2 Mb/s, in
/// bursts of 12 Mb/s. A flow of 600 kb/s waits for the next second, about half of one on average.
#[test]
fn an_outage_makes_packets_wait() {
    let times: Vec<String> = (1..=99)
        .chain([1000])
        .map(|ms: u32| ms.to_string())
        .collect();
    let rate = format!("{{ opportunities = [{}] }}", times.join(", "));
    let flow = "source = { cbr = \"600 kb/s\" }\npacket = \"1500 B\"";
    let outcome = run(&rate, "\"unlimited\"", flow);
    let link = &outcome.links[0];
    assert!(
        (link.utilisation - 0.5).abs() < 0.01,
        "{}",
        link.utilisation
    );
    // 45 packets of a second come at all times of the 901 ms from 99 to 1000, one leaves at 1000 and the others
    // at 1 to 44 ms of the next: the k-th comes at 99 + 20 k, so they wait 901 - 20 k + k ms, 473 on
    // average. The five that come while the link sends wait for up to a millisecond. (45 * 473 + 5) / 50.
    let wait = link.wait_mean_s.expect("packets have left");
    assert!((wait - 0.426).abs() < 0.02, "{wait}");
}
