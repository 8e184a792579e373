//! RoVegas against Vegas where ACKs queue: the abstract of RoVegas promises more throughput "when the
//! backward path is congested", and none is needed where it is not.

use std::sync::atomic::AtomicBool;

use dumbbell_lab::controls::Controls;
use dumbbell_lab::scenario::Scenario;
use dumbbell_lab::simulation;

/// Goodput of a flow in b/s; with `backward`, ACKs share their way with bursts of 2.4 Mb/s on 2 Mb/s.
fn goodput(control: &str, backward: bool) -> f64 {
    let bursts = r#"
        [[flow]]
        source = { exponential = { rate = "2.4 Mb/s", on = "300 ms", off = "100 ms" } }
        direction = "left"
        "#;
    let text = format!(
        r#"
        duration = "60 s"
        [dumbbell]
        aqt = "all"
        access = {{ rate = "10 Mb/s", delay = "5 ms" }}
        bottleneck = {{ rate = "2 Mb/s", delay = "20 ms", queue = {{ droptail = 50 }} }}
        [[flow]]
        control = "{control}"
        {}"#,
        if backward { bursts } else { "" }
    );
    let scenario = Scenario::parse("rovegas.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"));
    let outcome = simulation::run(&scenario, 1, &AtomicBool::new(false));
    outcome.expect("nothing interrupts it").flows[0].goodput_bps
}

#[test]
fn queues_of_acks_cost_rovegas_less_than_vegas() {
    let (vegas, rovegas) = (goodput("vegas", true), goodput("rovegas", true));
    assert!(rovegas > 2.0 * vegas, "{rovegas} {vegas}");
    // Alone on the path, both fill it but for headers: 1000 of 1040 bytes, 1052 with the option.
    let (vegas, rovegas) = (goodput("vegas", false), goodput("rovegas", false));
    assert!(vegas > 0.98 * 2e6 / 1.040, "{vegas}");
    assert!(rovegas > 0.98 * 2e6 / 1.052, "{rovegas}");
}
