//! TCP and UDP flows over links with recorded rates.

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

/// The same rate, given in two ways, has the same effect on a flow, for any queue.
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

/// 300 bytes every 6 ms use a fifth of each opportunity. No packet waits for longer than 6 ms; the
/// average is above half of that, because packets arrive in step with the opportunities.
#[test]
fn unused_capacity_is_wasted() {
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

/// 100 opportunities in the first 100 ms of each second and none in the other 900 ms: 1.2 Mb/s on
/// average, in bursts of 12 Mb/s. Packets of a flow of 600 kb/s mostly wait for the next second,
/// about half a second on average.
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
    // Of the packets of a second, 45 arrive during the 901 ms from 99 to 1000 ms. One of them
    // leaves at 1000 ms and the others at 1 to 44 ms of the next second. The k-th arrives at 99 +
    // 20 k, so it waits 901 - 20 k + k ms; the mean is 473 ms. The five that arrive while the link
    // sends wait for up to a millisecond. Altogether (45 * 473 + 5) / 50.
    let wait = link.wait_mean_s.expect("packets have left");
    assert!((wait - 0.426).abs() < 0.02, "{wait}");
}
