//! A matrix of two controls and two paths with invented results, for tests.

use dumbbell_run::outcome::{FlowOutcome, LinkOutcome, Outcome};
use dumbbell_scenario::controls::Controls;

use super::{Matrix, Results, Role, Task};

const DESCRIPTION: &str = "
    repeat = 2
    quick = 1
    [[path]]
    name = \"one\"
    label = \"one flow\"
    about = \"The first.\"
    figure = \"a-fig1\"
    flows = \"one\"
    pairs = \"four\"
    [[path]]
    name = \"two\"
    label = \"two flows\"
    about = \"The second.\"
    figure = \"b-fig2\"
    flows = \"two\"
";

/// 1040 kb/s of packets with a payload of 1000 out of 1040 bytes: 1000 kb/s of payload.
const NETWORK: &str = "
    duration = \"10 s\"
    [dumbbell]
    access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
    bottleneck = { rate = \"1040 kb/s\", delay = \"1 ms\", queue = { droptail = 9 } }
    [tcp]
    payload = \"1000 B\"
";

/// The text of a scenario: two pairs of flows, or one or two flows after a datagram flow.
fn text(name: &str) -> Option<&'static str> {
    let flows = match name {
        "one" => {
            "[[flow]]\nsource = { cbr = \"1 kb/s\" }\ndirection = \"left\"\n[[flow]]\nname = \"A\""
        }
        "two" => {
            "[[flow]]\nsource = { cbr = \"1 kb/s\" }\ndirection = \"left\"\n\
             [[flow]]\nname = \"A\"\n[[flow]]\nname = \"B\"\nstart = \"5 s\""
        }
        "four" => "[[flow]]\nname = \"A\"\ncount = 2\n[[flow]]\nname = \"B\"\ncount = 2",
        _ => return None,
    };
    Some(Box::leak(format!("{NETWORK}\n{flows}").into_boxed_str()))
}

/// The matrix, with NewReno and Veno only.
pub(crate) fn matrix() -> Matrix {
    let mut matrix =
        Matrix::parse("paths.toml", DESCRIPTION, text, &Controls::builtin()).expect("it is right");
    let kept = ["newreno", "veno"];
    matrix
        .contenders
        .retain(|c| kept.contains(&c.name.as_str()));
    matrix
}

/// The matrix with its results, which are the same for both seeds.
pub(crate) fn measured() -> (Matrix, Results) {
    let matrix = matrix();
    let mut results = Results::new(&matrix);
    for (task, outcome) in runs(&matrix) {
        results.add(&matrix, &task, &outcome);
    }
    (matrix, results)
}

/// Every run with its task.
pub(crate) fn runs(matrix: &Matrix) -> Vec<(Task, Outcome)> {
    let mut runs = Vec::new();
    for task in matrix.tasks(1).expect("they are scenarios") {
        // In kb/s for the time that each flow was active; and the wait in ms.
        let (rates, wait): (&[f64], f64) = match (task.path, task.contender, task.role) {
            (0, 0, Role::Flows) => (&[500.0], 20.0),
            (0, _, Role::Flows) => (&[800.0], 5.0),
            (0, 0, _) => (&[250.0, 250.0, 250.0, 250.0], 1.0),
            (0, _, Role::Pairs) => (&[400.0, 200.0, 200.0, 0.0], 1.0),
            // The flows of the first entry use NewReno.
            (0, _, Role::Mixed) => (&[150.0, 50.0, 400.0, 400.0], 1.0),
            // The second flow is active for half of the time: 600 + 200 / 2 are 700 kb/s.
            (_, 0, Role::Flows) => (&[600.0, 200.0], 10.0),
            (_, _, Role::Flows) => (&[400.0, 400.0], 40.0),
            (_, 0, _) => (&[600.0, 200.0], 1.0),
            (_, _, _) => (&[300.0, 500.0], 1.0),
        };
        for seed in 1..=matrix.repeat {
            let outcome = outcome(task.path, task.role, rates, wait, seed);
            runs.push((task.clone(), outcome));
        }
    }
    runs
}

fn outcome(path: usize, role: Role, kbps: &[f64], wait_ms: f64, seed: u64) -> Outcome {
    let mut flows = Vec::new();
    if path == 1 || role == Role::Flows {
        flows.push(flow("datagrams", None, 1.0, 0.0));
    }
    for (i, kbps) in kbps.iter().enumerate() {
        let start_s = if path == 1 && i == 1 { 5.0 } else { 0.0 };
        flows.push(flow("transfer", Some("reno"), *kbps, start_s));
    }
    let link = |name: &str, wait_ms: f64| LinkOutcome {
        name: name.to_owned(),
        sent: 1,
        delivered: 1,
        dropped: 0,
        lost: 0,
        early: 0,
        policed: 0,
        marked: 0,
        filtered: 0,
        retransmitted: 0,
        duplicated: 0,
        corrupted: 0,
        utilisation: 1.0,
        queue_mean: 1.0,
        wait_mean_s: Some(wait_ms / 1e3),
        sojourn: None,
        l4s_sojourn: None,
    };
    Outcome {
        flows,
        links: vec![
            link("bottleneck", wait_ms),
            link("bottleneck.reverse", 99.0),
        ],
        groups: Vec::new(),
        workloads: Vec::new(),
        packets: 1,
        events: 1,
        seed,
        version: "0".into(),
    }
}

fn flow(name: &str, recovery: Option<&'static str>, kbps: f64, start_s: f64) -> FlowOutcome {
    FlowOutcome {
        name: name.to_owned(),
        group: name.to_owned(),
        control: name.to_owned(),
        reconstructed: false,
        recovery,
        goodput_bps: kbps * 1e3,
        throughput_bps: kbps * 2e3,
        share: None,
        sent: 1,
        dropped: 0,
        lost: 0,
        retransmits: 0,
        timeouts: 0,
        fast_recoveries: 0,
        ecn_cuts: 0,
        marks: 0,
        classified: Vec::new(),
        start_s,
        finish_s: None,
        rtt_mean_s: None,
        rtt_p50_s: None,
        rtt_p95_s: None,
        rtt_p99_s: None,
        rtt_max_s: None,
        queueing_mean_s: None,
        queueing_p50_s: None,
        queueing_p95_s: None,
        queueing_p99_s: None,
        queueing_max_s: None,
        cwnd_mean: None,
        sending_variation: None,
        media: None,
    }
}
