//! A traced run has the same results.

use dumbbell_run::Run;
use dumbbell_run::trace::Format;
use dumbbell_scenario::controls::Controls;
use proptest::prelude::*;

use super::{parse, probed, results, traced};
use crate::small;

/// The results of a run without traces.
fn untraced(text: &str, seed: u64) -> String {
    let outcome = Run::new(&parse(text)).seed(seed).go();
    results(&outcome.expect("not interrupted").outcome)
}

#[test]
fn a_trace_changes_nothing_for_any_control_and_recovery() {
    let controls = Controls::builtin().all().into_iter();
    // Controls that need reports from routers are left out, because there are none here.
    for control in controls.filter(|control| !control.needs().queueing) {
        for recovery in control.recoveries() {
            let text = format!(
                r#"
                duration = "8 s"
                [dumbbell]
                access     = {{ rate = "10 Mb/s", delay = "2 ms" }}
                bottleneck = {{ rate = "2 Mb/s", delay = "20 ms", queue = {{ droptail = 12 }}, loss = {{ bernoulli = 0.01, on = "all" }} }}
                [[flow]]
                control  = "{}"
                recovery = "{}"
                count    = 2
                "#,
                control.name(),
                recovery.name()
            );
            let expected = untraced(&text, 1);
            for format in Format::ALL {
                let (outcome, _) = traced(&parse(&text), 1, format, &["1"]);
                assert_eq!(results(&outcome), expected, "{text}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_trace_changes_nothing(text in small::scenario(), seed: u64) {
        let scenario = parse(&text);
        let expected = untraced(&text, seed);
        let mut bytes = Vec::new();
        for format in Format::ALL {
            let (outcome, trace) = traced(&scenario, seed, format, &[]);
            prop_assert_eq!(results(&outcome), expected.clone());
            prop_assert!(traced(&scenario, seed, format, &[]).1 == trace);
            // A probe makes the simulator merge fewer hops, which must not be visible in a trace.
            prop_assert!(probed(&scenario, seed, Some(&scenario.probe), format, &[]).1 == trace);
            bytes.push(trace);
        }
        // A trace of one flow has exactly the lines of that flow.
        let (_, alone) = traced(&scenario, seed, Format::Csv, &["1"]);
        let name = &Run::new(&scenario).seed(seed).go().expect("whole").outcome.flows[0].name;
        let all = String::from_utf8(bytes.remove(0)).expect("text");
        let kept: String = all
            .split_inclusive('\n')
            .enumerate()
            .filter(|(i, line)| *i == 0 || line.split(',').nth(1) == Some(name))
            .map(|(_, line)| line)
            .collect();
        prop_assert!(String::from_utf8(alone).expect("text") == kept);
    }
}
