//! Every key of a scenario reaches the simulator. Every number here is different, so that no value can
//! be mistaken for another one.

mod connection;

use dumbbell_control::parameter::Setting;
use dumbbell_control::units::{Bytes, Duration, Segments};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{Flow, Scenario, Sending, Tcp, Topology, Traffic};
use dumbbell_sim::loss::{Bernoulli, Geometric, GilbertElliott, TwoState};
use dumbbell_sim::random::{Component, stream};
use dumbbell_sim::traffic::Span;
use dumbbell_sim::{
    AckFilter, Bounded, CoDel, DualPi2, DualScheduler, Fq, FqCoDel, Kind, Kinds, Limit, LossModel,
    NodeId, Pie, Queue, Red, Time,
};
use dumbbell_tcp::ack_control::AckControl;
use dumbbell_tcp::config::{EcnMode, ReceiverConfig, SenderConfig, Stamping, Tick, TimerConfig};
use dumbbell_tcp::recovery::{Any, Bound, Rack, Sack};

fn parse(link: &str, flow: &str) -> Scenario {
    let text = format!(
        "duration = \"9 s\"\n[dumbbell]\naccess = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }}\n\
         bottleneck = {{ {link} }}\n[[flow]]\n{flow}\n"
    );
    let scenario = Scenario::parse("hand-over.toml", &text, &Controls::builtin());
    scenario.unwrap_or_else(|report| panic!("{report}"))
}

/// Returns the simulator's link for the first direction of the bottleneck. Packets of kind 2 carry data.
fn link(keys: &str) -> dumbbell_sim::Link {
    let Topology::Dumbbell { bottleneck } = parse(keys, "control = \"reno\"").topology else {
        panic!("not a dumbbell")
    };
    let mut network = dumbbell_sim::Topology::new();
    let ends: [NodeId; 2] = [network.node(), network.node()];
    let data = Kinds::only(Kind::new(2));
    let link = bottleneck.forward;
    link.simulated("a".to_owned(), ends[0], ends[1], data)
}

fn queue(queue: &str) -> Queue {
    link(&format!(
        "rate = \"1 Mb/s\", delay = \"1 ms\", queue = {queue}"
    ))
    .queue
}

fn loss(loss: &str) -> dumbbell_sim::Loss {
    let keys = format!("rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\", loss = {loss}");
    link(&keys).loss.expect("there is one")
}

#[test]
fn a_link_is_handed_over() {
    let link = link("rate = \"3 Mb/s\", delay = \"7 ms\", queue = \"unlimited\", aqt = true");
    assert_eq!((link.rate, link.delay), (3_000_000, Time::from_millis(7)));
    assert_eq!(link.queue, Queue::Unlimited);
    assert!(link.stamps && link.loss.is_none() && link.opportunities.is_none());
    assert_eq!(link.name, "a");
}

/// 1500 bytes every 6 ms are 2 Mb/s.
#[test]
fn a_recorded_rate_is_handed_over() {
    let link = link("rate = { opportunities = [6] }, delay = \"0 s\", queue = \"unlimited\"");
    let times = link.opportunities.expect("there are some");
    assert!(times.times().eq([Time::from_millis(6)]));
    assert_eq!(link.rate, 2_000_000);
}

#[test]
fn queues_are_handed_over() {
    assert_eq!(queue("{ droptail = 3 }"), Queue::DropTail { limit: 3 });
    let red = Red {
        limit: 11,
        min: 2.0,
        max: 9.0,
        weight: 0.25,
        pmax: 0.125,
        gentle: true,
        ecn: false,
        mean_size: 700,
    };
    let text = "{ red = { limit = 11, min = 2, max = 9, weight = 0.25, pmax = 0.125, gentle = true, mean_packet = \"700 B\" } }";
    assert_eq!(queue(text), Queue::Red(red));
    let marking = Red {
        ecn: true,
        gentle: false,
        ..red
    };
    let text = text.replace("gentle", "ecn");
    assert_eq!(queue(&text), Queue::Red(marking));
    let filter = AckFilter {
        limit: 4,
        replace_head: true,
        threshold: 6,
    };
    assert_eq!(
        queue("{ droptail = 4, ack_filter = { replace_head = true, threshold = 6 } }"),
        Queue::AckFilter(filter)
    );
    let bounded = |limit| Queue::Bounded(Bounded { limit });
    let time = Limit::Time(Time::from_millis(50));
    assert_eq!(
        queue("{ droptail = \"64 kB\" }"),
        bounded(Limit::Bytes(64_000))
    );
    assert_eq!(queue("{ droptail = \"50 ms\" }"), bounded(time));
    // RFC 8289, sections 5.3 and 5.6; RFC 8290, sections 5.2.1 to 5.2.6.
    let codel = CoDel {
        target: Time::from_millis(5),
        interval: Time::from_millis(100),
        mtu: 1_500,
        ecn: false,
        newton: false,
        limit: Limit::Packets(1_000),
    };
    assert_eq!(queue("{ codel = {} }"), Queue::CoDel(codel));
    let other = CoDel {
        target: Time::from_millis(7),
        interval: Time::from_millis(70),
        mtu: 600,
        ecn: true,
        newton: true,
        limit: time,
    };
    let keys = "target = \"7 ms\", interval = \"70 ms\", mtu = \"600 B\", ecn = true, newton = true, limit = \"50 ms\"";
    assert_eq!(
        queue(&format!("{{ codel = {{ {keys} }} }}")),
        Queue::CoDel(other)
    );
    let usual = FqCoDel {
        codel: CoDel {
            ecn: true,
            limit: Limit::Packets(10_240),
            ..codel
        },
        flows: 1_024,
        quantum: 1_514,
    };
    assert_eq!(queue("{ fq_codel = {} }"), Queue::FqCoDel(usual));
    // RFC 8033, appendix A.
    let pie = Pie {
        target: Time::from_millis(15),
        update: Time::from_millis(15),
        alpha: 0.125,
        beta: 1.25,
        burst: Time::from_millis(150),
        ecn: false,
        estimator: false,
        derandomization: false,
        activation: false,
        mean_packet: 1_514,
        limit: Limit::Packets(1_000),
    };
    assert_eq!(queue("{ pie = {} }"), Queue::Pie(pie));
    let given = Pie {
        target: Time::from_millis(1),
        update: Time::from_millis(2),
        alpha: 3.0,
        beta: 4.0,
        burst: Time::from_millis(5),
        ecn: true,
        estimator: true,
        derandomization: true,
        activation: true,
        mean_packet: 600,
        limit: time,
    };
    let all = "target = \"1 ms\", tupdate = \"2 ms\", alpha = 3, beta = 4, burst = \"5 ms\", ecn = true, estimator = true, derandomization = true, activation = true, mean_packet = \"600 B\", limit = \"50 ms\"";
    assert_eq!(
        queue(&format!("{{ pie = {{ {all} }} }}")),
        Queue::Pie(given)
    );
    let fair = Fq {
        flows: 1_024,
        quantum: 1_514,
        limit: Limit::Packets(10_240),
    };
    assert_eq!(queue("{ fq = {} }"), Queue::Fq(fair));
    let other_fair = Fq {
        flows: 5,
        quantum: 600,
        limit: time,
    };
    let text = "{ fq = { flows = 5, quantum = 600, limit = \"50 ms\" } }";
    assert_eq!(queue(text), Queue::Fq(other_fair));
    let fq = FqCoDel {
        codel: other,
        flows: 3,
        quantum: 300,
    };
    let text = format!("{{ fq_codel = {{ {keys}, flows = 3, quantum = 300 }} }}");
    assert_eq!(queue(&text), Queue::FqCoDel(fq));
}

/// RFC 9332, figure 2: the update interval is the target, 15 ms; with an RTT_max of 100 ms, alpha = 0.1 x
/// 0.015 / 0.1^2 = 0.15, and beta = 0.3 / 0.1 = 3. Appendix A.2 gives the share of 1/16.
#[test]
fn dualpi2_is_handed_over() {
    let dualpi2 = DualPi2 {
        target: Time::from_millis(15),
        update: Time::from_millis(15),
        alpha: 0.15,
        beta: 3.0,
        coupling: 2.0,
        step: Time::from_micros(800),
        ramp: Time::from_micros(400),
        step_packets: 1,
        scheduler: DualScheduler::Weighted(0.0625),
        limit: Limit::Time(Time::from_millis(250)),
    };
    assert_eq!(queue("{ dualpi2 = {} }"), Queue::DualPi2(dualpi2));
    let given = DualPi2 {
        target: Time::from_millis(1),
        update: Time::from_millis(2),
        alpha: 3.0,
        beta: 4.0,
        coupling: 5.0,
        step: Time::from_millis(6),
        ramp: Time::ZERO,
        step_packets: 7,
        scheduler: DualScheduler::TimeShifted(Time::from_millis(8)),
        limit: Limit::Packets(9),
    };
    let keys = "target = \"1 ms\", tupdate = \"2 ms\", alpha = 3, beta = 4, coupling = 5, step = \"6 ms\", ramp = \"0 s\", step_packets = 7, scheduler = \"8 ms\", limit = 9";
    let text = format!("{{ dualpi2 = {{ {keys} }} }}");
    assert_eq!(queue(&text), Queue::DualPi2(given));
}

#[test]
fn losses_are_handed_over() {
    let p = 0.25;
    assert_eq!(
        loss("{ bernoulli = 0.25 }").model,
        LossModel::Bernoulli(Bernoulli { probability: p })
    );
    assert_eq!(
        loss("{ geometric = 0.25 }").model,
        LossModel::Geometric(Geometric { probability: p })
    );
    assert_eq!(
        loss("{ two_state = { good = 0.1, good_period = \"2 s\", bad = 0.3, bad_period = \"4 s\", switch = 0.5 } }").model,
        LossModel::TwoState(TwoState {
            good_loss: 0.1,
            good_period: Time::from_secs(2),
            bad_loss: 0.3,
            bad_period: Time::from_secs(4),
            switch: 0.5,
        })
    );
    assert_eq!(
        loss("{ gilbert_elliott = { to_bad = 0.1, to_good = 0.2, good = 0.3, bad = 0.4 } }").model,
        LossModel::GilbertElliott(GilbertElliott {
            to_bad: 0.1,
            to_good: 0.2,
            good_loss: 0.3,
            bad_loss: 0.4,
        })
    );
    assert_eq!(
        loss("{ bernoulli = 0.25 }").kinds,
        Kinds::only(Kind::new(2))
    );
    assert_eq!(loss("{ bernoulli = 0.25, on = \"all\" }").kinds, Kinds::ALL);
}

/// 1000 bytes at 1 Mb/s take 8 ms.
#[test]
fn sources_are_handed_over() {
    let scenario = parse(
        "rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\"",
        "source = { cbr = \"1 Mb/s\" }",
    );
    let Traffic::Udp(udp) = &scenario.flows[0].traffic else {
        panic!("not UDP")
    };
    let emitter = udp.source.simulated(Sending {
        bytes: 1000,
        span: Span {
            start: Time::from_millis(100),
            stop: Time::from_millis(120),
        },
        random: stream(1, Component::host(0, 0)),
    });
    let at: Vec<Time> = emitter.map(|emission| emission.at).collect();
    assert_eq!(at, [100, 108, 116].map(Time::from_millis));
}
