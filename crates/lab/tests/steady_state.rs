//! A run that is twice as long allocates no more: nothing is allocated for a packet. A test
//! binary of its own: it counts for the whole process.

use std::alloc::System;
use std::sync::atomic::AtomicBool;

use dumbbell_lab::controls::Controls;
use dumbbell_lab::rate_controls::RateControl;
use dumbbell_lab::scenario::Scenario;
use dumbbell_lab::simulation;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations that a longer run may add: a ring that doubles, at a window or a backlog that
/// was not there before.
const LATE: usize = 4;

/// What the second of two TCP flows has beside the first.
const TCP: &str = "delayed_ack = true\ntimestamps = { granularity = \"1 ms\" }";

/// Two flows and a source over a lossy link, for so many seconds.
fn scenario(seconds: u32, flow: &str, tcp: &str) -> Scenario {
    let text = format!(
        r#"
        duration = "{seconds} s"
        [dumbbell]
        access = {{ rate = "20 Mb/s", delay = "2 ms" }}
        bottleneck = {{ rate = "8 Mb/s", delay = "20 ms", queue = {{ droptail = 40 }}, loss = {{ bernoulli = 0.01 }} }}
        reverse = {{ loss = {{ gilbert_elliott = {{ to_bad = 0.01, to_good = 0.5, bad = 0.5 }}, on = "all" }} }}
        [[flow]]
        {flow}
        [[flow]]
        {flow}
        {tcp}
        [[flow]]
        source = {{ pareto = {{ rate = "2 Mb/s", on = "100 ms", off = "100 ms" }} }}
        "#
    );
    Scenario::parse("steady.toml", &text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

/// Allocations and packets of a run.
fn cost(seconds: u32, flow: &str, tcp: &str) -> (usize, u64) {
    let scenario = scenario(seconds, flow, tcp);
    let region = Region::new(ALLOCATOR);
    let outcome = simulation::run(&scenario, 1, &AtomicBool::new(false));
    let change = region.change();
    let packets = outcome.expect("nothing interrupts it").packets;
    (change.allocations + change.reallocations, packets)
}

#[test]
fn a_longer_run_allocates_no_more() {
    let controls = Controls::builtin().all().into_iter();
    // Those that want routers to report have none here.
    for control in controls.filter(|control| !control.needs().queueing) {
        for recovery in control.recoveries() {
            let flow = format!(
                "control = \"{}\"\nrecovery = \"{}\"",
                control.name(),
                recovery.name()
            );
            check(&flow, TCP);
        }
    }
    for control in RateControl::all() {
        check(&format!("rate_control = \"{}\"", control.name()), "");
    }
    // Each flow is relayed by one with little to do: what waits at the proxy is a number.
    let relays = "[[flow]]\ncontrol = \"sack\"\nrelays = \"tfrc\"\ndirection = \"left\"\n[[flow]]\ncontrol = \"newreno\"\nrelays = \"tfrc-2\"\ndirection = \"left\"";
    check("rate_control = \"tfrc\"", relays);
}

fn check(flow: &str, tcp: &str) {
    let (short, fewer) = cost(20, flow, tcp);
    let (long, more) = cost(60, flow, tcp);
    assert!(more > fewer + 5_000, "{flow}: {fewer}, {more} packets");
    assert!(long <= short + LATE, "{flow}: {short}, {long} allocations");
}
