//! A run that is twice as long makes no more allocations, because nothing is allocated per packet.
//! This is a program of its own, without the threads of a test harness, because it counts the allocations of the
//! whole process.

use std::alloc::System;

use dumbbell_run::{Emulation, End, Label, Run, Sort};
use dumbbell_scenario::Duration;
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::rate_controls::RateControl;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Allocations that a longer run may add: a ring buffer that doubles because a window or a backlog
/// is larger than before.
const LATE: usize = 4;

/// Additional keys of the second of two TCP flows.
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

/// The allocations and the packets of a run.
fn cost(seconds: u32, flow: &str, tcp: &str) -> (usize, u64) {
    let scenario = scenario(seconds, flow, tcp);
    let region = Region::new(ALLOCATOR);
    let outcome = Run::new(&scenario).seed(1).go();
    let change = region.change();
    let packets = outcome.expect("nothing interrupts it").outcome.packets;
    (change.allocations + change.reallocations, packets)
}

fn main() {
    let controls = Controls::builtin().all().into_iter();
    // Controls that need reports from routers are left out, because there are none here.
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
    for name in ["veno", "bbr"] {
        let flow = format!("control = \"{name}\"\nstack = \"quic\"");
        check(&flow, "delayed_ack = false");
    }
    // GCC is a crate that is not ours, and allocates at each report.
    for control in RateControl::all().filter(|control| control.name() != "gcc") {
        check(&format!("rate_control = \"{}\"", control.name()), "");
    }
    // Each flow is relayed by one with little to send: the data that waits at the proxy is only a
    // number.
    let relays = "[[flow]]\ncontrol = \"sack\"\nrelays = \"tfrc\"\ndirection = \"left\"\n[[flow]]\ncontrol = \"newreno\"\nrelays = \"tfrc-2\"\ndirection = \"left\"";
    check("rate_control = \"tfrc\"", relays);
    let (short, long) = (emulated(5_000), emulated(20_000));
    assert!(
        long <= short + LATE,
        "emulated: {short}, {long} allocations"
    );
}

/// The allocations for so many packets from outside, beside two simulated flows.
fn emulated(packets: u64) -> usize {
    let scenario = scenario(1, "control = \"sack\"", TCP);
    let mut emulation = Emulation::new(&scenario, 0, 1).expect("a TCP flow");
    let packet = [7; 1000];
    let mut through = 0;
    let region = Region::new(ALLOCATOR);
    for number in 1..=packets {
        emulation.advance(Duration::from_micros(2_000 * number), |_, _| through += 1);
        emulation.offer(End::Sender, &packet, Sort::Data, Label::NONE);
        emulation.offer(End::Receiver, &packet[..40], Sort::Ack, Label::NONE);
    }
    let change = region.change();
    // Some are lost or find the queue full, but most come through.
    assert!(through > packets, "{through} of {packets} twice");
    change.allocations + change.reallocations
}

fn check(flow: &str, tcp: &str) {
    let (short, fewer) = cost(20, flow, tcp);
    let (long, more) = cost(60, flow, tcp);
    assert!(more > fewer + 5_000, "{flow}: {fewer}, {more} packets");
    // BBR fills larger windows than before now and then, over minutes: lists of more blocks and segments.
    let late = if flow.contains("bbr") { 6 * LATE } else { LATE };
    assert!(long <= short + late, "{flow}: {short}, {long} allocations");
}
