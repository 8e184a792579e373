//! Our controls in the kernel over an emulated path, against the kernel's own.
#![cfg(feature = "kernel")]

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_live::compare::{Comparison, Contender, Plan};
use dumbbell_live::kernel::{self, Loaded, Options};

use crate::hosts;

/// 2 Mb/s, 60 ms, a buffer of 60 packets, 2 % loss.
const LOSSY: &str = r#"
duration = "10 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "0 ms" }
bottleneck = { rate = "2 Mb/s", delay = "30 ms", queue = { droptail = 60 }, loss = { bernoulli = 0.02 } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#;

/// Six seeds of each, all at once: together they are 36 Mb/s at most.
fn compare(controls: &[&str], seconds: u64) -> Comparison {
    let scenario = hosts::scenario(LOSSY);
    let mut loaded: Vec<Loaded> = Vec::new();
    let contenders = controls.iter().map(|&label| {
        let mut kernel_name = label.to_owned();
        if label != "reno" {
            kernel_name = format!("dbt{}_{}", std::process::id(), loaded.len());
            let options = Options {
                name: Some(kernel_name.clone()),
                ..Options::default()
            };
            loaded.push(kernel::load(label, &options).unwrap());
        }
        Contender {
            label: label.to_owned(),
            kernel_name,
            simulated: Some(label.to_owned()),
            preparation: None,
        }
    });
    let plan = Plan {
        scenario: &scenario,
        flow: 0,
        contenders: contenders.collect(),
        seed: 1,
        repeat: 6,
        duration: Duration::from_secs(seconds),
        jobs: 6,
    };
    plan.run(&AtomicBool::new(false), || {}).unwrap()
}

/// Measured: 29 % more, on a machine where others work, too. And it is the control that was simulated:
/// its goodput is the simulator's, within a sixth.
#[test]
fn veno_gets_a_tenth_more_than_reno() {
    if !hosts::are_allowed() {
        return;
    }
    let found = compare(&["reno", "veno"], 10);
    let [reno, veno] = &found.rows[..] else {
        panic!("two controls");
    };
    assert_eq!((reno.runs.len(), veno.runs.len()), (6, 6));
    let gain = veno.gain_over(reno).unwrap();
    println!("veno over reno: {gain:?} %");
    assert!(gain.mean >= 10.0, "{gain:?}");
    let simulated = veno.predicted_goodput().unwrap().mean;
    let ratio = veno.goodput().unwrap().mean / simulated;
    println!("kernel over simulator: {ratio}");
    assert!((0.85..1.18).contains(&ratio), "{ratio}");
}
