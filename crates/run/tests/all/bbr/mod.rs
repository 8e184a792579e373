//! BBR on simulated paths: a link that it fills, and the cases of the draft's appendix "BBR Example Test Cases".
//!
//! Not expressed as runs, since they depend on moments inside of a round: the count of three rounds (cases 1 and 5),
//! what is in flight (cases 3 and 8), what is saved at a loss (cases 18 and 19), and a pause within REFILL (case 22).
//! The unit tests of the control have them as stories.

mod probing;
mod startup;
mod surroundings;

use dumbbell_control::controller::{Controller, Value};
use dumbbell_control::units::Duration;
use dumbbell_run::Run;
use dumbbell_run::Running;
use dumbbell_run::outcome::FlowOutcome;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// What a control reports at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub at: f64,
    pub phase: &'static str,
    pub cwnd: f64,
    values: Vec<(&'static str, f64)>,
}

impl Report {
    fn of(running: &Running<'_>, flow: usize) -> Self {
        let control = running.control(flow).expect("a flow");
        let mut report = Self {
            at: running.now().as_secs_f64(),
            cwnd: control.window().cwnd.as_f64(),
            ..Self::default()
        };
        control.explain(&mut |name, value| match value {
            Value::State(state) if name == "phase" => report.phase = state,
            value => report
                .values
                .extend(value.number().map(|number| (name, number))),
        });
        report
    }

    /// The number that the control explains by this name; infinity if it explains none.
    pub fn get(&self, name: &str) -> f64 {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map_or(f64::INFINITY, |(_, value)| *value)
    }
}

/// What the flow at a position reports every `step` ms, and its results.
pub(crate) fn watch(text: &str, flow: usize, step: u64) -> (Vec<Report>, FlowOutcome) {
    let scenario = Scenario::parse("bbr.toml", text, &Controls::builtin());
    let scenario = scenario.unwrap_or_else(|faults| panic!("{faults}"));
    let mut running = Run::new(&scenario).seed(1).start();
    let mut all = Vec::new();
    while running.now() < scenario.duration {
        let next = running.now() + Duration::from_millis(step);
        running.advance_to(next).expect("nothing interrupts it");
        all.push(Report::of(&running, flow));
    }
    let mut flows = running.outcome().flows;
    (all, flows.swap_remove(flow))
}

/// The first report of each stay in a phase.
pub(crate) fn stays(all: &[Report]) -> Vec<Report> {
    let mut stays: Vec<Report> = Vec::new();
    for report in all {
        if stays.last().is_none_or(|last| last.phase != report.phase) {
            stays.push(report.clone());
        }
    }
    stays
}

/// A flow that sends what arrives from a source of `packets` bits a second, of which the first link lets through what
/// `supply` says.
pub(crate) fn relay(seconds: u32, supply: &str, air: &str) -> String {
    format!(
        "duration = \"{seconds} s\"\n\
         [[graph.link]]\nfrom = \"server\"\nto = \"proxy\"\nrate = {supply}\ndelay = \"1 ms\"\nqueue = {{ droptail = 5 }}\n\
         [[graph.link]]\nfrom = \"proxy\"\nto = \"client\"\n{air}\n\
         [[flow]]\nname = \"source\"\nsource = {{ cbr = \"40 Mb/s\" }}\npacket = \"1448 B\"\nfrom = \"server\"\nto = \"proxy\"\nstart = \"0 s\"\n\
         [[flow]]\ncontrol = \"bbr\"\nstack = \"linux\"\nrelays = \"source\"\nfrom = \"proxy\"\nto = \"client\"\nstart = \"0 s\"\n"
    )
}

/// A flow with the choices of Linux on a dumbbell with this bottleneck.
pub(crate) fn dumbbell(seconds: u32, bottleneck: &str, parameters: &str) -> String {
    format!(
        "duration = \"{seconds} s\"\n[dumbbell]\naccess = {{ rate = \"1 Gb/s\", delay = \"0 s\" }}\n\
         bottleneck = {{ {bottleneck} }}\n[[flow]]\ncontrol = {{ name = \"bbr\"{parameters} }}\nstack = \"linux\"\n"
    )
}

/// The phases in their order.
pub(crate) fn phases(stays: &[Report]) -> Vec<&'static str> {
    stays.iter().map(|stay| stay.phase).collect()
}

/// The payload of a link of 10 Mb/s: 1448 of 1500 bytes.
pub(crate) const PAYLOAD: f64 = 1e7 * 1448.0 / 1500.0;

#[track_caller]
pub(crate) fn assert_within(found: f64, wanted: f64, part: f64) {
    assert!(
        (found / wanted - 1.0).abs() <= part,
        "{found} instead of {wanted}"
    );
}

/// 10 Mb/s and 40 ms, with a deep queue: the bandwidth is known exactly, the link is full, and the RTT stays near the
/// least.
#[test]
fn a_link_of_10_mb_is_filled_and_its_rate_is_known() {
    let text = dumbbell(
        30,
        "rate = \"10 Mb/s\", delay = \"20 ms\", queue = { droptail = 1000 }",
        "",
    );
    let (all, flow) = watch(&text, 0, 10);
    for report in all.iter().filter(|report| report.at > 1.0) {
        assert_within(report.get("max_bw"), PAYLOAD, 0.02);
    }
    assert_within(flow.goodput_bps, PAYLOAD, 0.05);
    assert_eq!(flow.retransmits, 0);
    // 40 ms, 1.2 ms for a segment, and less than a fifth of that in the queue on average.
    assert_within(flow.rtt_mean_s.expect("samples"), 0.0412, 0.2);
}
