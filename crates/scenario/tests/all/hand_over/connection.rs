//! The keys of TCP flows, and those of QUIC.

use super::*;

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
         tso = true\nrack = true\npacing = true\npacing_credit = true\nsack_compression = true",
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
        repair_samples: false,
        stamping,
        // The run decides it.
        forgets: false,
        limited_transmit: false,
        mss: Bytes(700),
        receiver_window: Segments::whole(31),
        size: Some(17),
        relays: false,
        handshake: false,
        handshake_rtt: false,
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
        push: false,
        push_pieces: false,
        deliveries: false,
        departures: false,
    };
    let receiver = ReceiverConfig {
        delayed_ack: None,
        adaptive_delay: false,
        handshake_rtt: false,
        quick_acks: 0,
        firing: None,
        dsack: false,
        sack_compression: true,
        autotuning: false,
        sack: true,
        stamping,
        echoes_sending: false,
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
    let grows = Any::Rack(Box::new(Rack::new(None, false).growing_at_exits(true)));
    assert_eq!(
        made("rack = true\nexit_growth = true"),
        format!("{grows:?}")
    );
    let last = Any::Rack(Box::new(Rack::new(None, false).timed_by_last(true)));
    assert_eq!(made("rack = true\nrack_last = true"), format!("{last:?}"));
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
    let rack = Rack::new(Some(Bound::Safe), true)
        .undoing(true, true)
        .growing_at_exits(true)
        .timed_by_last(true);
    assert_eq!(
        format!("{:?}", linux.new_recovery()),
        format!("{:?}", Any::Rack(Box::new(rack)))
    );
    assert!(ends.receiver.dsack && ends.sender.window_validation);
    assert!(ends.receiver.sack_compression && ends.receiver.autotuning);
    assert!(ends.receiver.adaptive_delay && ends.sender.push);
    let ticks = Stamping::Option {
        granularity: Duration::from_millis(1),
    };
    assert_eq!(
        (ends.sender.stamping, ends.receiver.stamping),
        (ticks, ticks)
    );
    // A header that is given may have the option's bytes.
    let sized = tcp("control = \"reno\"\nheader = \"52 B\"");
    assert_eq!(sized.ends(false).sender.stamping, Stamping::Exact);
    assert_eq!(sized.data_wire_bytes(), 1500);
    assert!(ends.sender.tso && ends.sender.push_pieces && ends.sender.repair_samples);
    for (other, pushes, repairs) in [
        ("tso = false", false, true),
        ("delayed_ack = false", false, true),
        ("ack_samples = false", true, false),
        ("rack = false", false, false),
    ] {
        let ends = tcp(&format!("control = \"reno\"\n{other}"))
            .ends(false)
            .sender;
        assert_eq!(
            (ends.push_pieces, ends.repair_samples),
            (pushes, repairs),
            "{other}"
        );
    }
    let ends = linux.ends(false);
    assert!(ends.sender.handshake_rtt && ends.receiver.handshake_rtt);
    for other in ["handshake = false", "rack = false"] {
        let ends = tcp(&format!("control = \"reno\"\n{other}")).ends(false);
        assert!(!ends.sender.handshake_rtt, "{other}");
    }
    let controlled = tcp("control = \"reno\"\nack_control = true");
    assert!(!controlled.autotuning && !controlled.adaptive_delay && !controlled.push);
    assert!(!tcp("control = \"reno\"\nrecovery = \"reno\"").sack_compression);
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
         delayed_ack = \"7 ms\"\npacing = false\nbelow_window = true\nlosses_last = true\necn = \"l4s\"",
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
        losses_last: true,
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
    assert_eq!(plain, beside);
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
