//! Every key of a scenario reaches the simulator. Every number here is different, so that no value can
//! be mistaken for another one.

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
        limit: Limit::Packets(1_000),
    };
    assert_eq!(queue("{ codel = {} }"), Queue::CoDel(codel));
    let other = CoDel {
        target: Time::from_millis(7),
        interval: Time::from_millis(70),
        mtu: 600,
        ecn: true,
        limit: time,
    };
    let keys =
        "target = \"7 ms\", interval = \"70 ms\", mtu = \"600 B\", ecn = true, limit = \"50 ms\"";
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
        limit: time,
    };
    let all = "target = \"1 ms\", tupdate = \"2 ms\", alpha = 3, beta = 4, burst = \"5 ms\", ecn = true, estimator = true, derandomization = true, activation = true, limit = \"50 ms\"";
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

fn tcp(keys: &str) -> Tcp {
    let link = "rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\"";
    let Flow { traffic, .. } = parse(link, keys).flows.remove(0);
    let Traffic::Tcp(tcp) = traffic else {
        panic!("not TCP")
    };
    *tcp
}

#[test]
fn the_keys_of_a_tcp_flow_are_handed_over() {
    let ms = Duration::from_millis;
    let tcp = tcp(
        "control = \"reno\"\nrecovery = \"sack\"\npayload = \"700 B\"\nsize = \"17 segments\"\nmin_rto = \"300 ms\"\n\
         initial_rto = \"2 s\"\nmax_rto = \"50 s\"\nrto_tick = \"20 ms\"\nhandshake = false\n\
         limited_transmit = false\ntimestamps = { granularity = \"3 ms\" }\nreceiver_window = 31\n\
         ecn = true\nprobe_every = 5\nack_control = { max = 9, timer = \"70 ms\" }\nadaptation = false\nwindow_validation = true\nhystart = true\n\
         tso = true\nrack = true\npacing = true\npacing_credit = true",
    );
    let stamping = Stamping::Option { granularity: ms(3) };
    let sender = SenderConfig {
        timer: TimerConfig {
            min: ms(300),
            initial: ms(2_000),
            max: ms(50_000),
            tick: Some(ms(20)),
            min_variance: false,
            each_ack: false,
            firing: None,
        },
        stamping,
        limited_transmit: false,
        mss: Bytes(700),
        receiver_window: Segments::whole(31),
        size: Some(17),
        relays: false,
        handshake: false,
        probe_every: 5,
        ecn: EcnMode::Classic,
        scalable: false,
        ack_control: true,
        adaptation: false,
        window_validation: true,
        hystart: true,
        tso: true,
        pacing: true,
        pacing_credit: true,
        deliveries: false,
        departures: false,
    };
    let receiver = ReceiverConfig {
        delayed_ack: None,
        quick_acks: 0,
        firing: None,
        dsack: false,
        sack: true,
        stamping,
        ecn: EcnMode::Classic,
        ack_control: Some(AckControl {
            max: 9,
            timer: ms(70),
        }),
    };
    let ends = tcp.ends(false);
    assert_eq!((ends.sender, ends.receiver), (sender, receiver));
}

#[test]
fn the_timers_of_linux_are_handed_over() {
    let ends = self::tcp(
        "control = \"reno\"\nack_samples = true\ntimer_tick = \"4 ms\"\ndelayed_ack = \"40 ms\"",
    )
    .ends(false);
    let tick = Some(Tick::new(Duration::from_millis(4)));
    assert!(ends.sender.timer.each_ack);
    assert_eq!(
        (ends.sender.timer.firing, ends.receiver.firing),
        (tick, tick)
    );
    let plain = self::tcp("control = \"reno\"").ends(false);
    assert!(!plain.sender.timer.each_ack);
    assert_eq!(
        (plain.sender.timer.firing, plain.receiver.firing),
        (None, None)
    );
}

/// Reno neither paces nor hears of departures; Prague paces. What a control that was added does is not known.
#[test]
fn a_control_is_asked_of_departures_if_it_may_hear_of_them() {
    let asked = |control: &str| {
        let tcp = self::tcp(&format!("control = \"{control}\"\nrecovery = \"sack\""));
        tcp.ends(false).sender.departures
    };
    assert!(!asked("reno") && !asked("dctcp"));
    assert!(asked("prague") && asked("bbr"));
    let mut added = Controls::builtin();
    let never = |_: &dumbbell_control::event::Path| -> Box<dyn dumbbell_control::controller::Controller + Send> {
        unreachable!("nothing runs")
    };
    let kinds = [dumbbell_tcp::recovery::Kind::Sack];
    added
        .register("mine", "of my own", &kinds, never)
        .expect("the name is free");
    let text = "duration = \"1 s\"\n[dumbbell]\naccess = { rate = \"1 Mb/s\", delay = \"1 ms\" }\n\
                bottleneck = { rate = \"1 Mb/s\", delay = \"1 ms\", queue = { droptail = 9 } }\n[[flow]]\ncontrol = \"mine\"";
    let scenario = Scenario::parse("mine.toml", text, &added).expect("it is right");
    let Traffic::Tcp(tcp) = &scenario.flows[0].traffic else {
        panic!("not TCP")
    };
    assert!(tcp.ends(false).sender.departures);
}

#[test]
fn a_relay_has_nothing_to_send_at_first() {
    let ends = tcp("control = \"reno\"\ndelayed_ack = \"90 ms\"\nquick_acks = 16").ends(true);
    assert_eq!((ends.sender.size, ends.sender.relays), (Some(0), true));
    assert_eq!(ends.receiver.delayed_ack, Some(Duration::from_millis(90)));
    assert_eq!(ends.receiver.quick_acks, 16);
    assert!(!ends.receiver.sack && !ends.sender.adaptation);
}

#[test]
fn ack_control_makes_the_sender_adapt() {
    assert!(
        tcp("control = \"reno\"\nack_control = true")
            .ends(false)
            .sender
            .adaptation
    );
}

#[test]
fn the_choices_of_sack_recovery_make_the_recovery() {
    let made = |keys: &str| {
        let scenario = parse(
            "rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\"",
            &format!("control = \"reno\"\nrecovery = \"sack\"\n{keys}"),
        );
        let canonical = scenario.canonical();
        let again = Scenario::parse("canonical.toml", &canonical, &Controls::builtin());
        assert_eq!(again.expect("it was written").canonical(), canonical);
        let Traffic::Tcp(tcp) = &scenario.flows[0].traffic else {
            panic!("not TCP")
        };
        format!("{:?}", tcp.new_recovery())
    };
    let sack = |reduction| format!("{:?}", Any::Sack(Box::new(Sack::new(reduction))));
    let rack =
        |reduction, probes| format!("{:?}", Any::Rack(Box::new(Rack::new(reduction, probes))));
    assert_eq!(made(""), sack(None));
    assert_eq!(made("prr = \"crb\""), sack(Some(Bound::Conservative)));
    assert_eq!(made("prr = \"ssrb\""), sack(Some(Bound::SlowStart)));
    assert_eq!(made("rack = true"), rack(None, false));
    for (key, undo, frto) in [("undo", true, false), ("frto", false, true)] {
        let expected = Any::Rack(Box::new(Rack::new(None, false).undoing(undo, frto)));
        let keys = format!("rack = true\n{key} = true");
        assert_eq!(made(&keys), format!("{expected:?}"));
    }
    let all = made("rack = true\ntlp = true\nprr = \"safe\"");
    assert_eq!(all, rack(Some(Bound::Safe), true));
}

#[test]
fn the_stack_of_linux_sets_the_defaults_of_the_other_keys() {
    let tcp = |keys: &str| tcp(&format!("stack = \"linux\"\n{keys}"));
    let linux = tcp("control = \"reno\"");
    let ends = linux.ends(false);
    assert_eq!(
        (linux.data_wire_bytes(), linux.ack_wire_bytes()),
        (1500, 52)
    );
    assert_eq!(linux.path().initial_window, Segments::whole(10));
    assert_eq!(ends.receiver.delayed_ack, Some(Duration::from_millis(40)));
    assert_eq!((ends.receiver.quick_acks, ends.receiver.sack), (16, true));
    assert!(ends.sender.timer.min_variance);
    let rack = Rack::new(Some(Bound::Safe), true).undoing(true, true);
    assert_eq!(
        format!("{:?}", linux.new_recovery()),
        format!("{:?}", Any::Rack(Box::new(rack)))
    );
    assert!(ends.receiver.dsack && ends.sender.window_validation);
    // What a rate holds back is not unused.
    for (control, validated) in [("dctcp", true), ("prague", false), ("bbr", false)] {
        let ends = tcp(&format!("control = \"{control}\"")).ends(false);
        assert_eq!(ends.sender.window_validation, validated, "{control}");
    }
    assert!(!ends.sender.hystart && tcp("control = \"cubic\"").hystart);
    assert_eq!(
        counting(&linux),
        [Some(Setting::Choice("abc")), Some(Setting::Count(255))]
    );
}

#[test]
fn a_quic_connection_is_handed_over() {
    let quic = tcp("control = \"reno\"\nstack = \"quic\"");
    assert!(quic.is_quic());
    assert_eq!((quic.data_wire_bytes(), quic.ack_wire_bytes()), (1480, 64));
    assert_eq!(quic.path().initial_window, Segments::whole(10));
    assert_eq!(
        counting(&quic),
        [Some(Setting::Choice("abc")), Some(Setting::Count(255))]
    );
    let ends = quic.quic_ends(false);
    let usual = dumbbell_quic::connection::SenderConfig {
        payload: Bytes(1419),
        handshake: true,
        ..Default::default()
    };
    assert_eq!(format!("{:?}", ends.sender), format!("{usual:?}"));
    assert_eq!(ends.receiver.max_ack_delay, Some(Duration::from_millis(25)));

    let other = tcp(
        "control = \"bbr\"\nstack = \"quic\"\npayload = \"1201 B\"\nsize = \"77 segments\"\nhandshake = false\n\
         delayed_ack = \"7 ms\"\npacing = false\nbelow_window = true\necn = \"l4s\"",
    );
    let ends = other.quic_ends(true);
    let expected = dumbbell_quic::connection::SenderConfig {
        payload: Bytes(1201),
        packets: Some(0),
        open: true,
        handshake: false,
        max_ack_delay: Duration::from_millis(7),
        pacing: false,
        below_window: true,
        ect: true,
        l4s: true,
        deliveries: true,
        ..Default::default()
    };
    assert_eq!(format!("{:?}", ends.sender), format!("{expected:?}"));
    assert_eq!(ends.receiver.max_ack_delay, Some(Duration::from_millis(7)));
    assert_eq!(other.quic_ends(false).sender.packets, Some(77));
    let at_once = tcp("control = \"reno\"\nstack = \"quic\"\ndelayed_ack = false");
    assert_eq!(at_once.quic_ends(false).receiver.max_ack_delay, None);
}

/// What `[tcp]` sets for TCP flows does not concern a QUIC flow, and its canonical form has its own keys alone.
#[test]
fn a_quic_flow_has_its_own_keys_alone() {
    let text = |tcp: &str| {
        format!(
            "duration = \"9 s\"\n[dumbbell]\naccess = {{ rate = \"1 Mb/s\", delay = \"1 ms\" }}\n\
             bottleneck = {{ rate = \"1 Mb/s\", delay = \"1 ms\", queue = \"unlimited\" }}\n[tcp]\n{tcp}\n\
             [[flow]]\ncontrol = \"reno\"\nstack = \"quic\"\n"
        )
    };
    let read = |tcp: &str| {
        Scenario::parse("quic.toml", &text(tcp), &Controls::builtin())
            .unwrap_or_else(|report| panic!("{report}"))
    };
    let (plain, beside) = (
        read(""),
        read("recovery = \"sack\"\nrack = true\nmin_rto = \"1 s\""),
    );
    assert_eq!(plain.canonical(), beside.canonical());
    assert!(!plain.canonical().contains("rack"));
    let again = Scenario::parse("again.toml", &plain.canonical(), &Controls::builtin());
    assert_eq!(again.unwrap_or_else(|report| panic!("{report}")), plain);
}

#[test]
fn the_stack_of_linux_sets_the_parameters_of_cubic() {
    for (keys, raises) in [
        ("control = \"cubic\"\nstack = \"linux\"", false),
        (
            "control = { name = \"cubic\", raise_alpha = true }\nstack = \"linux\"",
            true,
        ),
        ("control = \"cubic\"", true),
    ] {
        let found = tcp(keys).control.get("raise_alpha");
        assert_eq!(found, Some(Setting::Flag(raises)), "{keys}");
    }
}

fn counting(tcp: &Tcp) -> [Option<Setting>; 2] {
    ["counting", "abc_limit"].map(|name| tcp.control.get(name))
}

#[test]
fn each_choice_of_a_stack_can_be_set() {
    let tcp = |keys: &str| tcp(&format!("stack = \"linux\"\n{keys}"));
    let own = tcp(
        "control = { name = \"reno\", counting = \"segment\" }\npayload = \"500 B\"\nheader = \"9 B\"\n\
         initial_window = 3\nmin_rto_variance = false\ndelayed_ack = false\nrack = false\nprr = \"off\"",
    );
    let ends = own.ends(false);
    assert_eq!((own.data_wire_bytes(), own.ack_wire_bytes()), (509, 52));
    assert_eq!(own.path().initial_window, Segments::whole(3));
    assert_eq!(
        (ends.receiver.delayed_ack, ends.receiver.quick_acks),
        (None, 0)
    );
    assert!(!ends.sender.timer.min_variance && !own.tlp);
    let sack = format!("{:?}", Any::Sack(Box::new(Sack::new(None))));
    assert_eq!(format!("{:?}", own.new_recovery()), sack);
    assert_eq!(
        counting(&own),
        [Some(Setting::Choice("segment")), Some(Setting::Count(255))]
    );
    // Names and controls that go with another recovery have it, without the choices of `sack`.
    for keys in [
        "control = \"newreno\"",
        "control = \"tahoe\"",
        "control = \"reno\"\nrecovery = \"reno\"",
    ] {
        let other = tcp(keys);
        assert!(!other.recovery.kind().needs_sack() && !other.rack && other.prr.is_none());
    }
    let stamped = tcp("control = \"reno\"\ntimestamps = { granularity = \"1 ms\" }");
    assert_eq!(
        (stamped.data_wire_bytes(), stamped.ack_wire_bytes()),
        (1500, 52)
    );
    let controlled = tcp("control = \"reno\"\nack_control = true");
    assert_eq!((controlled.delayed_ack, controlled.quick_acks), (None, 0));
    assert!(!tcp("control = \"reno\"\nrto_tick = \"10 ms\"").min_rto_variance);
}
