//! The meaning of valid scenario files, including the defaults.

mod flows;
mod networks;
mod traces;

use dumbbell_control::parameter::Setting;
use dumbbell_control::units::{Bytes, Duration, Ratio, Segments};
use dumbbell_scenario::controls::Controls;
use dumbbell_scenario::{
    AckFilter, BitRate, Bursts, Direction, Exit, GilbertElliott, HeavyBursts, Link, Loss,
    LossModel, LossScope, NewRenoChoices, Place, ProbeValue, Queue, Recovery, Red, Scenario, Size,
    Source, Start, Tcp, Topology, Traffic, TwoState,
};
use dumbbell_tcp::config::{InitialWindow, Stamping};
use dumbbell_tcp::recovery::{Kind, PartialAckTimer};
use dumbbell_tfrc::sender::{Law, WindowMode};

const SAMPLE: &str = r#"
duration = "100 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "10 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 60 }, loss = { bernoulli = 0.02 } }
[[flow]]
control  = "venodb"
recovery = "newreno"
count    = 1
payload  = "1000 B"
"#;

fn parse(text: &str) -> Scenario {
    Scenario::parse("test.toml", text, &Controls::builtin())
        .unwrap_or_else(|report| panic!("{report}"))
}

/// A dumbbell with these flows.
fn dumbbell(flows: &str) -> Scenario {
    let network = "duration = \"100 s\"\n[dumbbell]\naccess = { rate = \"10 Mb/s\", delay = \"1 ms\" }\n\
                   bottleneck = { rate = \"2 Mb/s\", delay = \"10 ms\", queue = { droptail = 20 } }\n";
    parse(&format!("{network}{flows}"))
}

fn tcp(scenario: &Scenario, flow: usize) -> &Tcp {
    match &scenario.flows[flow].traffic {
        Traffic::Tcp(tcp) => tcp,
        Traffic::Udp(_) | Traffic::Media(_) | Traffic::Workload(_) => {
            panic!("flow {flow} is not TCP")
        }
    }
}

const MS: u64 = 1_000_000;

fn link(bits: u64, delay_ms: u64, queue: Queue, loss: Option<Loss>) -> Link {
    let delay = Duration::from_nanos(delay_ms * MS);
    Link {
        queue,
        loss,
        ..Link::new(BitRate(bits).into(), delay.into())
    }
}

#[test]
fn the_first_scenario_of_the_reference_has_its_documented_meaning() {
    let scenario = parse(SAMPLE);
    assert_eq!(scenario.duration, Duration::from_nanos(100_000 * MS));
    assert_eq!(scenario.seed, 1);
    let loss = Loss {
        model: LossModel::Bernoulli(0.02),
        on: LossScope::Data,
    };
    let Topology::Dumbbell { bottleneck } = &scenario.topology else {
        panic!("not a dumbbell")
    };
    assert_eq!(
        bottleneck.forward,
        link(2_000_000, 10, Queue::DropTail(60), Some(loss))
    );
    assert_eq!(
        bottleneck.reverse,
        link(2_000_000, 10, Queue::DropTail(60), None)
    );
    assert_eq!(scenario.flows.len(), 1);
    let flow = &scenario.flows[0];
    assert_eq!((flow.count, flow.start), (1, Start::At(Duration::ZERO)));
    let Place::Dumbbell {
        direction: Direction::Right,
        access,
    } = &flow.place
    else {
        panic!("{:?}", flow.place)
    };
    let (host, router) = (
        link(10_000_000, 10, Queue::Unlimited, None),
        link(10_000_000, 10, Queue::DropTail(60), None),
    );
    assert_eq!(
        (&access.sender.forward, &access.sender.reverse),
        (&host, &router)
    );
    assert_eq!(
        (&access.receiver.forward, &access.receiver.reverse),
        (&router, &host)
    );
    assert_eq!(scenario.probe.interval, Duration::from_nanos(100 * MS));
    assert_eq!(scenario.probe.values, ProbeValue::ALL);
}

#[test]
fn probe_and_head_are_read() {
    let scenario = parse(&format!(
        "name = \"x\"\ndescription = \"two\\nlines\"\nseed = 18446744073709551615\n{SAMPLE}\n\
         [probe]\ninterval = \"10 ms\"\nvalues = [\"queue\", \"cwnd\"]\n"
    ));
    assert_eq!(
        (scenario.name.as_deref(), scenario.description.as_deref()),
        (Some("x"), Some("two\nlines"))
    );
    assert_eq!(scenario.seed, u64::MAX);
    assert_eq!(scenario.probe.interval, Duration::from_nanos(10 * MS));
    assert_eq!(scenario.probe.values, [ProbeValue::Cwnd, ProbeValue::Queue]);
}

#[test]
fn a_scenario_can_be_loaded_from_a_file() {
    let dir = std::env::temp_dir().join(format!("dumbbell-scenario-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("sample.toml");
    std::fs::write(&file, SAMPLE).unwrap();
    assert_eq!(
        Scenario::load(&file, &Controls::builtin()).unwrap(),
        parse(SAMPLE)
    );
    std::fs::write(&file, b"duration = \"1 s\"\n# caf\xe9\n").unwrap();
    let wrong = Scenario::load(&file, &Controls::builtin())
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("sample.toml:2: not UTF-8"), "{wrong}");
    std::fs::write(&file, "duration = 5\n").unwrap();
    let wrong = Scenario::load(&file, &Controls::builtin())
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("sample.toml:1:12"), "{wrong}");
    std::fs::remove_dir_all(&dir).unwrap();
    let missing = Scenario::load(&file, &Controls::builtin())
        .unwrap_err()
        .to_string();
    assert!(
        missing.contains("cannot read") && missing.contains("sample.toml"),
        "{missing}"
    );
}

/// A scenario without a probe equals one with an empty probe.
#[test]
fn an_empty_probe_is_the_default() {
    let text = r#"
        duration = "1 s"
        [dumbbell]
        access = { rate = "10 Mb/s", delay = "1 ms" }
        bottleneck = { rate = "1 Mb/s", delay = "1 ms", queue = "unlimited" }
        [[flow]]
        control = "reno"
        [probe]
    "#;
    let read = Scenario::parse("t", text, &Controls::builtin()).expect("it is one");
    assert_eq!(read.probe, dumbbell_scenario::Probe::default());
}
