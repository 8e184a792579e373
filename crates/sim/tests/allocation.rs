//! In steady state nothing is allocated. This is a separate test binary because the allocation counter
//! counts for the whole process.

use std::alloc::System;

use dumbbell_sim::loss::TwoState;
use dumbbell_sim::{
    AckFilter, Arrived, Bounded, CoDel, DualPi2, DualScheduler, Ecn, EndpointId, Fq, FqCoDel, Gone,
    Host, Kind, Kinds, Label, Limit, Link, Loss, LossModel, Opportunities, Options, Pie, Port,
    Queue, Red, SchedulerChoice, Simulation, Time, Topology,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Sends a burst of mixed sizes at every timer, and answers every packet.
struct Bursts {
    answers: u64,
    received: u64,
    discarded: u64,
}

const PROBE: Label = Label {
    flow: 0,
    ecn: Ecn::Ect0,
    probe: true,
    supersedes: None,
};

impl Host for Bursts {
    type Payload = u32;

    fn on_packet(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId, packet: Arrived<u32>) {
        self.received += 1;
        if packet.kind == Kind::new(0) {
            self.answers += 1;
            let label = Label {
                supersedes: Some((endpoint.index() as u32, self.answers)),
                ..PROBE
            };
            net.send_labelled(endpoint, 40, Kind::new(1), packet.payload, label);
            // To an earlier time, then to a later one again.
            net.set_timer(endpoint, Some(net.now()));
            net.set_timer(endpoint, Some(net.now() + Time::from_millis(3)));
        }
    }

    fn on_timer(&mut self, net: &mut impl Port<u32>, endpoint: EndpointId) {
        if endpoint.index().is_multiple_of(2) {
            for k in 0..10 {
                let label = Label {
                    flow: endpoint.index() as u32,
                    ..PROBE
                };
                net.send_labelled(endpoint, 40 + 500 * (k % 3), Kind::new(0), 0, label);
            }
            net.set_timer(endpoint, Some(net.now() + Time::from_millis(7)));
        }
    }

    fn discard(&mut self, _: u32, _: Gone) {
        self.discarded += 1;
    }
}

/// Returns the number of allocations in steady state. With `busy`, routers do more than queue packets;
/// with `opportunities`, their links send at recorded opportunities; `held` is the queue of the bottleneck.
fn allocations(
    flows: u32,
    busy: bool,
    opportunities: bool,
    held: Option<Queue>,
    options: Options,
) -> usize {
    let mut topology = Topology::new();
    let (left, right) = (topology.node(), topology.node());
    let small = Queue::DropTail { limit: 40 };
    let loss = Loss {
        model: LossModel::TwoState(TwoState {
            good_loss: 0.001,
            good_period: Time::from_millis(80),
            bad_loss: 0.1,
            bad_period: Time::from_millis(40),
            switch: 0.95,
        }),
        kinds: Kinds::ALL,
    };
    let rate = u64::from(flows) * 4_000_000;
    let delay = Time::from_millis(10);
    let bottleneck = Link::new("forth", left, right, rate, delay)
        .queue(held.unwrap_or(small))
        .loss(loss)
        .watched();
    let back = Link::new("back", right, left, rate, delay);
    let [bottleneck, back] = match busy {
        false => [bottleneck, back],
        true => [
            bottleneck.stamping().queue(Queue::Red(Red {
                min: 5.0,
                max: 15.0,
                weight: 0.02,
                pmax: 0.1,
                gentle: true,
                ecn: true,
                limit: 40,
                mean_size: 500,
            })),
            Link {
                rate: rate / 50,
                ..back
            }
            .stamping()
            .queue(Queue::AckFilter(AckFilter {
                limit: 40,
                replace_head: false,
                threshold: 0,
            })),
        ],
    };
    for link in [bottleneck, back] {
        let step = 1500 * 8_000_000_000 / link.rate;
        let times = (1..100).map(|k| Time::from_nanos(k * step));
        let schedule = Opportunities::new(times, 1500).unwrap();
        topology.link(match opportunities {
            true => link.driven_by(schedule),
            false => link,
        });
    }
    for _ in 0..flows {
        let (a, b) = (topology.node(), topology.node());
        for (from, to) in [(a, left), (left, a), (b, right), (right, b)] {
            let access = Link::new("access", from, to, 100_000_000, Time::from_millis(1));
            topology.link(access.queue(small));
        }
        topology.connect(a, b);
    }
    let host = Bursts {
        answers: 0,
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
    // What is under way at the end is counted apart; a link that has counted nothing rare before makes room then.
    simulation.run_until(Time::from_millis(2_900));
    let change = region.change();
    simulation.run();
    let host = simulation.host();
    let many = match (busy, held) {
        (true, _) => 2_000,
        (false, Some(_)) => 5_000,
        (false, None) => 10_000,
    };
    assert!(host.received > received + many, "{}", host.received);
    // Queues that mark discard little.
    let some = if held.is_some() { 10 } else { 100 };
    assert!(host.discarded > discarded + some, "{}", host.discarded);
    change.allocations + change.reallocations
}

/// One test, because the counter would count what another one does at the same time.
#[test]
fn nothing_is_allocated_in_steady_state() {
    queues_that_hold_their_packets_allocate_nothing();
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
            for (busy, opportunities) in
                [(false, false), (true, false), (false, true), (true, true)]
            {
                // The thread that started the test may allocate at the same time, if it is late;
                // the simulation itself does the same every time.
                let mut counts =
                    (0..3).map(|_| allocations(flows, busy, opportunities, None, options));
                assert!(
                    counts.any(|count| count == 0),
                    "{flows} {busy} {opportunities} {options:?}"
                );
            }
        }
    }
}

fn queues_that_hold_their_packets_allocate_nothing() {
    let limit = Limit::Packets(40);
    let codel = CoDel {
        target: Time::from_millis(1),
        interval: Time::from_millis(10),
        mtu: 1_500,
        ecn: true,
        newton: true,
        limit,
    };
    let queues = [
        Queue::Bounded(Bounded {
            limit: Limit::Bytes(40_000),
        }),
        Queue::CoDel(CoDel {
            ecn: false,
            ..codel
        }),
        Queue::Fq(Fq {
            flows: 64,
            quantum: 1_514,
            limit,
        }),
        Queue::FqCoDel(FqCoDel {
            codel,
            flows: 64,
            quantum: 1_514,
        }),
        Queue::Pie(Pie {
            target: Time::from_millis(1),
            update: Time::from_millis(1),
            alpha: 1.0,
            beta: 10.0,
            burst: Time::ZERO,
            ecn: true,
            estimator: true,
            derandomization: true,
            activation: true,
            mean_packet: 1_514,
            limit,
        }),
        Queue::DualPi2(DualPi2 {
            target: Time::from_millis(1),
            update: Time::from_millis(1),
            alpha: 1.0,
            beta: 10.0,
            coupling: 2.0,
            step: Time::from_micros(800),
            ramp: Time::from_micros(400),
            step_packets: 1,
            scheduler: DualScheduler::Weighted(0.0625),
            limit,
        }),
    ];
    for queue in queues {
        for (flows, merge) in [(5, false), (5, true), (200, true)] {
            let options = Options {
                merge,
                ..Options::default()
            };
            let counts = (0..3).map(|_| allocations(flows, false, false, Some(queue), options));
            let counts: Vec<usize> = counts.collect();
            assert!(counts.contains(&0), "{flows} {merge} {counts:?} {queue:?}");
        }
    }
}
