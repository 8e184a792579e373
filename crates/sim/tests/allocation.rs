//! In steady state nothing is allocated. A test binary of its own: it counts for the whole
//! process.

use std::alloc::System;

use dumbbell_sim::{
    Arrived, EndpointId, Host, Kind, Kinds, Link, Loss, LossModel, Options, Port, Queue,
    SchedulerChoice, Simulation, Time, Topology,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Every timer sends a burst of mixed sizes, every packet is answered.
struct Bursts {
    received: u64,
    discarded: u64,
}

impl Host for Bursts {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId, packet: Arrived<u32>) {
        self.received += 1;
        if packet.kind == Kind::new(0) {
            net.send(endpoint, 40, Kind::new(1), packet.payload);
            // Earlier than before, then later again.
            net.set_timer(endpoint, Some(net.now()));
            net.set_timer(endpoint, Some(net.now() + Time::from_millis(3)));
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        if endpoint.index().is_multiple_of(2) {
            for k in 0..10 {
                net.send(endpoint, 40 + 500 * (k % 3), Kind::new(0), 0);
            }
            net.set_timer(endpoint, Some(net.now() + Time::from_millis(7)));
        }
    }

    fn discard(&mut self, _: u32) {
        self.discarded += 1;
    }
}

fn allocations(flows: u32, options: Options) -> usize {
    let mut topology = Topology::new();
    let (left, right) = (topology.node(), topology.node());
    let small = Queue::DropTail { limit: 40 };
    let loss = Loss {
        model: LossModel::TwoState {
            good_loss: 0.001,
            good_period: Time::from_millis(80),
            bad_loss: 0.1,
            bad_period: Time::from_millis(40),
            switch: 0.95,
        },
        kinds: Kinds::ALL,
    };
    let rate = u64::from(flows) * 4_000_000;
    let delay = Time::from_millis(10);
    let bottleneck = Link::new("forth", left, right, rate, delay)
        .queue(small)
        .loss(loss)
        .watched();
    topology.link(bottleneck);
    topology.link(Link::new("back", right, left, rate, delay));
    for _ in 0..flows {
        let (a, b) = (topology.node(), topology.node());
        for (from, to) in [(a, left), (left, a), (b, right), (right, b)] {
            let access = Link::new("access", from, to, 100_000_000, Time::from_millis(1));
            topology.link(access.queue(small));
        }
        topology.connect(a, b);
    }
    let host = Bursts {
        received: 0,
        discarded: 0,
    };
    let end = Time::from_secs(3);
    let mut simulation = Simulation::with_options(&topology, host, 1, end, options).unwrap();
    for flow in 0..flows as usize {
        let start = Time::from_micros(137 * flow as u64);
        simulation.set_timer(EndpointId::from_index(2 * flow), Some(start));
    }
    simulation.run_until(Time::from_millis(1_500));
    let (received, discarded) = (simulation.host().received, simulation.host().discarded);
    let region = Region::new(ALLOCATOR);
    simulation.run();
    let change = region.change();
    let host = simulation.host();
    assert!(host.received > received + 10_000, "{}", host.received);
    assert!(host.discarded > discarded + 100, "{}", host.discarded);
    change.allocations + change.reallocations
}

#[test]
fn nothing_is_allocated_in_steady_state() {
    for merge in [false, true] {
        for (flows, scheduler) in [
            (5, SchedulerChoice::Tree),
            (
                5,
                SchedulerChoice::Wheel {
                    buckets: 12,
                    width: 14,
                },
            ),
            (200, SchedulerChoice::Automatic),
            (
                200,
                SchedulerChoice::Wheel {
                    buckets: 6,
                    width: 6,
                },
            ),
        ] {
            let options = Options {
                merge,
                scheduler,
                ..Options::default()
            };
            assert_eq!(allocations(flows, options), 0, "{flows} {options:?}");
        }
    }
}
