//! AQT end to end: a sender, a router with a queue in each direction, and a receiver, all in network
//! namespaces; tc programs carry the option.
#![cfg(all(target_os = "linux", feature = "kernel"))]

mod bulk;
#[path = "../kernel_log/mod.rs"]
mod kernel_log;
mod network;
mod probe;
mod rovegas;
mod statistics;

use std::os::fd::{AsFd as _, BorrowedFd};

use dumbbell_live::kernel::aqt::{Aqt, Counts, Role};
use dumbbell_live::kernel::{self, Error, Options};
use dumbbell_live::machine;
use dumbbell_live::namespace::Namespace;

use bulk::Transfer;
use kernel_log::KernelLog;
use network::{Network, Queues, ip, run};

/// Returns a watch on the kernel's log, which fails the test if the kernel warns. If the tests are skipped, it
/// prints the reason, or fails if they must not be skipped.
fn ready() -> Option<KernelLog> {
    let lacking = machine::missing_capabilities();
    let why = if !lacking.is_empty() {
        format!("it lacks {}", lacking.join(", "))
    } else if let Err(error) = Namespace::new() {
        error.to_string()
    } else if let Err(error) = ip("-V").and_then(|()| run("tc", "-V")) {
        format!("{error} (install iproute2)")
    } else {
        return Some(KernelLog::watch());
    };
    let required = std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(!required, "{why}, and DUMBBELL_REQUIRE_LIVE=1");
    println!("skipped: {why}");
    None
}

const QUEUES: Queues<'_> = Queues {
    data: "tbf rate 10mbit burst 3000 limit 300000",
    acks: "tbf rate 8mbit burst 3000 limit 300000",
};

/// A connection sends one segment at a time and measures the round-trip time itself, while other traffic
/// fills the queues. The routers' reports equal that time less its value on an empty path.
#[test]
fn reports_are_the_round_trip_time_less_the_base() {
    let Some(_log) = ready() else {
        return;
    };
    let network = Network::new(&QUEUES).expect("namespaces, veth, tbf");
    let hosts = Hosts::attach(&network, "");
    let probes = probe::run(&network, &hosts.sender);
    let base = probes.iter().map(|p| p.rtt_us).fold(f64::MAX, f64::min);
    let waits: Vec<f64> = probes
        .iter()
        .map(|p| p.forward_us + p.backward_us)
        .collect();
    let above: Vec<f64> = probes.iter().map(|p| p.rtt_us - base).collect();
    let errors = waits
        .iter()
        .zip(&above)
        .map(|(wait, rtt)| (wait - rtt).abs());
    let error = statistics::median(errors.collect());
    let correlation = statistics::correlation(&waits, &above);
    println!(
        "{} probes, base {base:.0} us, correlation {correlation:.5}, median error {error:.0} us",
        probes.len()
    );
    assert!(probes.len() >= 200);
    // There is waiting in each direction.
    let most = |wait: fn(&probe::Probe) -> f64| probes.iter().map(wait).fold(0.0, f64::max);
    assert!(most(|p| p.forward_us) > 10_000.0 && most(|p| p.backward_us) > 10_000.0);
    // These bounds allow for other load on the machine; without it, the values are 0.999 and 50 us.
    assert!(correlation > 0.98, "{correlation}");
    assert!(error < 1_000.0, "{error} us");
}

/// 1500 bytes less two headers of 20 and 12 for timestamps; then 12 less for the option.
const MSS: u32 = 1448;
const MSS_WITH_ROOM: u32 = 1436;

#[test]
fn all_data_carries_the_option_and_arrives_unchanged() {
    let Some(_log) = ready() else {
        return;
    };
    let network = Network::new(&QUEUES).expect("namespaces, veth, tbf");
    let hosts = Hosts::attach(&network, "");
    let told = Transfer::open(&network).run(3_000_000, &hosts.sender);
    let [sender, receiver, router] = hosts.counts();
    println!("{sender:?}\n{receiver:?}\n{router:?}");
    assert_eq!((told.mss, sender.clamped), (MSS_WITH_ROOM, 1));
    assert_eq!(sender.no_room, 0);
    let report = told.report.expect("ACKs told");
    assert!(report.count > 0 && u64::from(report.count) <= sender.reported);
    // 3,000,000 bytes are 2089.1 segments. The sender's program may see many of them in one packet, and the
    // receiver's two, because tbf splits packets above 3,000 bytes.
    assert!(sender.marked > 0 && receiver.heard >= 1_045);
    assert!(receiver.echoed > 0 && receiver.echoed >= sender.reported);
    assert!(router.stamped >= receiver.heard + sender.reported);
    // A window of 64 segments waits 77 ms at 10 Mb/s, so some waiting time was reported.
    assert!(report.forward_us > 1_000, "{report:?}");

    drop(hosts);
    let idle = Aqt::load("", None).expect("the verifier takes them");
    let told = Transfer::open(&network).run(100_000, &idle);
    assert_eq!(
        (told.mss, told.report),
        (MSS, None),
        "nothing stays attached"
    );
}

#[test]
fn connections_of_other_controls_are_unchanged() {
    let Some(_log) = ready() else {
        return;
    };
    let network = Network::new(&QUEUES).expect("namespaces, veth, tbf");
    let hosts = Hosts::attach(&network, "no_such_control");
    let told = Transfer::open(&network).run(100_000, &hosts.sender);
    assert_eq!((told.mss, told.report), (MSS, None));
    assert_eq!(hosts.counts(), [Counts::default(); 3]);
}

/// An older connection has full segments without space for the option: these stay unchanged, smaller ones
/// get it.
#[test]
fn segments_without_space_are_unchanged() {
    let Some(_log) = ready() else {
        return;
    };
    let network = Network::new(&QUEUES).expect("namespaces, veth, tbf");
    let transfer = Transfer::open(&network);
    let hosts = Hosts::attach(&network, "");
    let told = transfer.run(1_000_000, &hosts.sender);
    let [sender, ..] = hosts.counts();
    assert_eq!((told.mss, sender.clamped), (MSS, 0));
    assert!(sender.no_room > 0, "{sender:?}");
}

#[test]
fn a_device_that_cannot_measure_the_wait_is_refused() {
    let Some(_log) = ready() else {
        return;
    };
    let network = Network::new(&QUEUES).expect("namespaces, veth, tbf");
    let mut programs = Aqt::load("", None).expect("the verifier takes them");
    let mut refusal = |device: &str| {
        attach(&network.router, &mut programs, device, Role::Router)
            .expect_err("it cannot work")
            .to_string()
    };
    let why = refusal("lo");
    assert!(
        why.contains("AQT to lo") && why.contains("no device stands behind"),
        "{why}"
    );
    let why = refusal("r0");
    assert!(
        why.contains("in another network namespace") && why.contains("veth pair"),
        "{why}"
    );
    let why = refusal("nowhere0");
    assert!(why.contains("no network device \"nowhere0\""), "{why}");
}

/// A queue on a device that is stacked on another one, on the sender's own host.
#[test]
fn a_lower_device_measures_the_wait_too() {
    let Some(_log) = ready() else {
        return;
    };
    let network = Network::new(&QUEUES).expect("namespaces, veth, tbf");
    let mut programs = Aqt::load("", None).expect("the verifier takes them");
    let stacked = || {
        ip("addr flush dev s0")?;
        ip("link add link s0 name m0 type macvlan mode bridge")?;
        ip("addr add 10.1.0.3/24 dev m0")?;
        ip("link set m0 up")?;
        ip("route add default via 10.1.0.2")?;
        run(
            "tc",
            "qdisc add dev m0 root tbf rate 5mbit burst 3000 limit 300000",
        )
    };
    network.sender.run(stacked).expect("a macvlan");
    attach(&network.sender, &mut programs, "m0", Role::Router).expect("its queue");
    attach(&network.sender, &mut programs, "m0", Role::Sender).expect("it sends");
    let mut receiver = Aqt::load("", None).expect("the verifier takes them");
    attach(&network.receiver, &mut receiver, "d0", Role::Receiver).expect("the receiver's");
    let told = Transfer::open(&network).run(500_000, &programs);
    let counts = programs.counts().expect("counted");
    println!("{counts:?}\n{told:?}");
    // Its queue is the only one that reports. At least 9 of the first window's 10 segments wait for others,
    // 2.4 ms each at 5 Mb/s. 500,000 bytes are 348.2 segments, in packets of one or two.
    assert!(counts.stamped >= 174, "{counts:?}");
    let report = told.report.expect("ACKs told");
    assert!(
        report.forward_us > 2_000 && report.backward_us == 0,
        "{report:?}"
    );
}

/// If the queue never empties, only reports show the round-trip time of the path itself.
#[test]
fn rovegas_in_the_kernel_knows_the_base_behind_a_full_queue() {
    let Some(_log) = ready() else {
        return;
    };
    let slow = Queues {
        data: "tbf rate 2mbit burst 3000 limit 300000",
        ..QUEUES
    };
    let options = |suffix: &str| Options {
        name: Some(format!("dbq{:x}{suffix}", std::process::id() & 0xf_ffff)),
        ..Options::default()
    };
    // Two controls with different names: one whose reports are never filled, and one with the programs.
    let (alone, told) = (options("a"), options("b"));
    let alone = kernel::load("rovegas", &alone).expect("loaded");
    let network = Network::new(&slow).expect("namespaces, veth, tbf");
    let without = rovegas::run(&network, &alone);

    let told = kernel::load("rovegas", &told).expect("loaded");
    let reports = told.map("aqt_sk").expect("it has it");
    let network = Network::new(&slow).expect("namespaces, veth, tbf");
    let hosts = Hosts::attach_for(&network, told.name(), Some(reports.as_fd()));
    let with = rovegas::run(&network, &told);
    println!("without {without:?}, with {with:?}, {:?}", hosts.counts());
    // The datagrams take 480 ms at 2 Mb/s; the bound leaves nine tenths of that for delays of the machine.
    assert!(without.acks >= 30 && without.base_rtt > 50.0, "{without:?}");
    assert!(with.acks >= 30 && with.least_rtt > 50.0, "{with:?}");
    assert!(with.base_rtt < 3.0, "{with:?}");
}

/// Attaches programs to a device of a host.
fn attach(host: &Namespace, programs: &mut Aqt, device: &str, role: Role) -> Result<(), Error> {
    let attached = host.run(|| Ok(programs.attach(device, role)));
    attached.expect("the namespace is entered")
}

/// The programs of each host.
struct Hosts {
    sender: Aqt,
    receiver: Aqt,
    router: Aqt,
}

impl Hosts {
    fn attach(network: &Network, control: &str) -> Self {
        Self::attach_for(network, control, None)
    }

    fn attach_for(network: &Network, control: &str, reports: Option<BorrowedFd<'_>>) -> Self {
        let [mut sender, mut receiver, mut router] = [reports, None, None]
            .map(|map| Aqt::load(control, map).expect("the verifier takes them"));
        attach(&network.sender, &mut sender, "s0", Role::Sender).expect("the sender's");
        attach(&network.receiver, &mut receiver, "d0", Role::Receiver).expect("the receiver's");
        attach(&network.router, &mut router, "f0", Role::Router).expect("data's queue");
        attach(&network.router, &mut router, "b0", Role::Router).expect("the queue of ACKs");
        Self {
            sender,
            receiver,
            router,
        }
    }

    /// Returns the counters of the sender, the receiver and the router.
    fn counts(&self) -> [Counts; 3] {
        [&self.sender, &self.receiver, &self.router].map(|host| host.counts().expect("counted"))
    }
}
