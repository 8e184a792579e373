//! An emulated network: a scenario file, and packets of any bytes through its network. Nothing panics,
//! no more packets come out than were put in and copied, in the order of time, and headers keep their length.
#![no_main]

use dumbbell_live::emulator::{Reader, write};
use dumbbell_run::outcome::LinkOutcome;
use dumbbell_run::{Emulation, End};
use dumbbell_scenario::Duration;
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Duplex, Scenario, Source, Topology, Traffic};
use libfuzzer_sys::fuzz_target;

/// Faster networks than this, in bit/s, would only take longer.
const FASTEST: u64 = 100_000_000;
const MOST_FLOWS: usize = 16;

fuzz_target!(|bytes: &[u8]| {
    // The packets follow the first zero byte; each has a length, a pause and an end before it.
    let cut = bytes.iter().position(|byte| *byte == 0);
    let (text, mut packets) = bytes.split_at(cut.unwrap_or(bytes.len()));
    packets = packets.get(1..).unwrap_or_default();
    let Ok(text) = std::str::from_utf8(text) else {
        return;
    };
    let Ok(scenario) = Scenario::parse("fuzz.toml", text, &Controls::builtin()) else {
        return;
    };
    if !is_small(&scenario) {
        return;
    }
    let Ok(mut emulation) = Emulation::new(&scenario, 0, 1) else {
        return;
    };
    let mut reader = Reader::default();
    let mut now = 0;
    let (mut offered, mut through) = (0, 0);
    let mut last = [0; 2];
    let mut see = |emulation: &mut Emulation, now: u64| {
        emulation.advance(Duration::from_micros(now), |it, bytes| {
            let end = usize::from(it.end == End::Receiver);
            assert!(it.entered <= it.due && it.due.as_nanos() <= now * 1000);
            assert!(last[end] <= it.due.as_nanos());
            last[end] = it.due.as_nanos();
            through += 1;
            let before = bytes.to_vec();
            write(bytes, it.marked, it.queueing);
            assert_eq!(before.len(), bytes.len());
            // Ports and payload are unchanged: only the IP header may differ.
            let header = before
                .first()
                .map_or(0, |first| usize::from(first & 15) * 4);
            if before.first().is_some_and(|first| first >> 4 == 4) && header <= before.len() {
                assert_eq!(before[header..], bytes[header..]);
            }
        });
        through
    };
    while let [length, pause, end, rest @ ..] = packets {
        let (packet, others) = rest.split_at(rest.len().min((*length).into()));
        packets = others;
        now += u64::from(*pause) * 16;
        see(&mut emulation, now);
        let (sort, label) = reader.read(packet);
        let from = if end & 1 == 0 {
            End::Sender
        } else {
            End::Receiver
        };
        emulation.offer(from, packet, sort, label);
        offered += 1;
    }
    let through = see(&mut emulation, now + 1_000);
    let in_flight = emulation.in_flight();
    let outcome = emulation.outcome();
    let copies: u64 = outcome.links.iter().map(|link| link.duplicated).sum();
    assert!((through + in_flight) as u64 <= offered + copies);
    let within = |link: &LinkOutcome| link.delivered <= link.sent + link.duplicated;
    assert!(outcome.links.iter().all(within));
});

/// Returns whether the scenario takes little time.
fn is_small(scenario: &Scenario) -> bool {
    let slow =
        |link: &Duplex| link.forward.rate.mean().0.max(link.reverse.rate.mean().0) <= FASTEST;
    let network = match &scenario.topology {
        Topology::Dumbbell { bottleneck } => slow(bottleneck),
        Topology::ParkingLot { hops } => hops.len() <= MOST_FLOWS && hops.iter().all(slow),
        Topology::Graph(graph) => graph.links.len() <= MOST_FLOWS,
    };
    let tame = |traffic: &Traffic| match traffic {
        Traffic::Tcp(_) => true,
        Traffic::Media(_) | Traffic::Workload(_) => false,
        Traffic::Udp(udp) => {
            let rate = match udp.source {
                Source::Cbr(rate) => rate,
                Source::Exponential(bursts) => bursts.rate,
                Source::Pareto(bursts) => bursts.rate,
            };
            rate.0 <= FASTEST && udp.packet.0 >= 40
        }
    };
    network
        && scenario.flow_count() <= MOST_FLOWS
        && scenario.flows.iter().all(|flow| tame(&flow.traffic))
}
