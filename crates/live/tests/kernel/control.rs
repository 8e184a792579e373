//! Controls in this machine's kernel: loaded, listed, used by a transfer, traced, pinned and unloaded.

use std::os::fd::AsFd as _;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_control::units::Segments;
use dumbbell_live::kernel::aqt::{Aqt, Role};
use dumbbell_live::kernel::{
    self, Error, Holder, Kind, Options, Pins, Trace, controls, machine, read_settings,
};
use libbpf_rs::MapInfo;
use libbpf_rs::query::MapInfoIter;
use nix::sched::{CloneFlags, unshare};

use crate::ground::{Mounted, name, ready};
use crate::transfer;

fn named(name: &str) -> Options {
    Options {
        name: Some(name.to_owned()),
        ..Options::default()
    }
}

fn is_available(name: &str) -> bool {
    machine::available().iter().any(|known| known == name)
}

#[test]
fn every_control_runs_a_transfer_and_is_unloaded_when_dropped() {
    let Some(_log) = ready() else {
        return;
    };
    for (i, control) in controls().iter().enumerate() {
        let name = name(&format!("t{i}"));
        let loaded = kernel::load(control.algorithm, &named(&name)).expect(control.algorithm);
        assert_eq!(
            (loaded.name(), loaded.control().name),
            (&*name, control.name)
        );
        let listed = kernel::list(&Pins::default()).expect("listed");
        let ours = listed
            .iter()
            .find(|l| l.name == name)
            .expect("it is listed");
        assert_eq!(ours.control.map(|c| c.algorithm), Some(control.algorithm));
        let Holder::Process { pid, .. } = ours.holder else {
            panic!("{:?}", ours.holder);
        };
        assert_eq!(pid, Some(std::process::id()));

        transfer::windows(&name, 1 << 20);
        let measured = transfer::over(transfer::LONG, &name, 0.7);
        let windows: Vec<_> = measured.samples.iter().map(|sample| sample.cwnd).collect();
        assert!(
            windows.iter().any(|window| *window > windows[0]),
            "{name} does not grow: {windows:?}"
        );
        drop(loaded);
        assert!(!is_available(&name), "{name} is still there");
    }
}

/// The kernel asks for ssthresh before it has initialised the control.
#[test]
fn a_connection_whose_first_packet_was_lost_works() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("syn");
    let loaded = kernel::load("venodb", &named(&name)).expect("loaded");
    let mut trace = Trace::of(&loaded).expect("traced");
    let windows = transfer::after_a_lost_syn(&name, 1 << 20);
    assert!(
        windows.iter().any(|window| *window > windows[0]),
        "{windows:?}"
    );
    let events = trace.poll(Duration::from_millis(500)).expect("polled");
    assert_eq!(events[0].kind, Kind::Begin);
    // That early threshold is discarded.
    assert_eq!(events[0].ssthresh, Segments::MAX);
}

#[test]
fn a_second_load_of_a_name_is_refused_and_the_first_stays() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("twice");
    let first = kernel::load("veno", &named(&name)).expect("loaded");
    let second = kernel::load("vegas", &named(&name));
    assert!(matches!(second, Err(Error::NameInUse(taken)) if taken == name));
    assert!(is_available(&name));
    drop(first);
    assert!(!is_available(&name));
}

/// All loaders check the name before they register, so the kernel decides.
#[test]
fn one_of_several_parallel_loaders_succeeds() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("race");
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let load = || kernel::load("veno", &named(&name));
        let loaders: Vec<_> = (0..4).map(|_| scope.spawn(load)).collect();
        loaders.into_iter().map(|l| l.join().unwrap()).collect()
    });
    let won = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(won, 1);
    for refused in outcomes.iter().filter_map(|outcome| outcome.as_ref().err()) {
        assert!(matches!(refused, Error::NameInUse(_)), "{refused}");
    }
}

#[test]
fn many_loads_leave_nothing_behind() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("many");
    let times = std::env::var("DUMBBELL_KERNEL_LOADS").map_or(8, |n| n.parse().expect("a number"));
    let before = machine::available();
    let began = std::time::Instant::now();
    for i in 0..times {
        let control = controls()[i % controls().len()].algorithm;
        drop(kernel::load(control, &named(&name)).expect(control));
    }
    let each = began.elapsed() / times as u32;
    println!("{times} loads and unloads, {each:?} each");
    assert!(!is_available(&name));
    assert!(
        before
            .iter()
            .all(|known| is_available(known) || known.starts_with("dbt"))
    );
}

/// A short queue, which causes losses with a dozen segments waiting.
const SHORT: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "4 Mb/s", delay = "9 ms", queue = { droptail = 12 } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#;

/// Veno considers a loss random if fewer segments than beta wait. With a beta above all queues every
/// loss is random; with the smallest beta no loss of a full queue is.
#[test]
fn a_setting_changes_what_the_control_does() {
    let Some(_log) = ready() else {
        return;
    };
    let veno = kernel::find("veno").unwrap();
    let rules = |beta: &str, suffix: &str| {
        let name = name(suffix);
        let options = Options {
            name: Some(name.clone()),
            config: Some(read_settings(veno, &[("beta", beta)]).unwrap()),
        };
        let loaded = kernel::load("veno", &options).expect("loaded");
        let mut trace = Trace::of(&loaded).expect("traced");
        transfer::over(SHORT, &name, 2.0);
        let events = trace.poll(Duration::from_millis(500)).expect("polled");
        let losses = events.iter().filter(|event| event.kind == Kind::Loss);
        losses.map(|event| event.rule).collect::<Vec<_>>()
    };
    // DB_VENO_RANDOM is 6, DB_VENO_CONGESTION 7.
    let large = rules("64", "beta1");
    assert!(
        !large.is_empty() && large.iter().all(|rule| *rule == 6),
        "{large:?}"
    );
    let small = rules("1", "beta2");
    assert!(
        !small.is_empty() && small.iter().all(|rule| *rule == 7),
        "{small:?}"
    );
}

#[test]
fn a_pinned_control_outlives_its_load_and_is_traced_from_its_pins() {
    let Some(_log) = ready() else {
        return;
    };
    let mounted = Mounted::new();
    mounted.run(|root: &Path| {
        let pins = Pins::at(root.join("dumbbell"));
        let name = name("pin");
        let loaded = kernel::load("veno", &named(&name)).expect("loaded");
        loaded.pin(&pins).expect("pinned");
        assert!(is_available(&name));
        let listed = kernel::list(&pins).expect("listed");
        let ours = listed
            .iter()
            .find(|l| l.name == name)
            .expect("it is listed");
        assert_eq!(ours.holder, Holder::Pinned(pins.directory(&name)));
        assert_eq!(ours.control.map(|c| c.algorithm), Some("veno"));

        transfer::windows(&name, 1 << 20);
        let mut trace = Trace::pinned(&pins, &name).expect("traced");
        transfer::windows(&name, 1 << 20);
        let events = trace.poll(Duration::from_millis(500)).expect("polled");
        drop(trace);
        let began = events.iter().filter(|e| e.kind == Kind::Begin).count();
        assert_eq!(began, 1, "the transfer before the switch is not told");
        let ack = events.iter().find(|e| e.kind == Kind::Ack).expect("ACKs");
        assert_eq!(u64::from(ack.snd_cwnd), ack.cwnd.floor().max(2));
        // On loopback, the first segments are smaller than the MSS, and not timed.
        let timed = events
            .iter()
            .find(|e| e.kind == Kind::Ack && e.rtt.is_some());
        let timed = timed.expect("RTTs");
        assert!(timed.base_rtt.is_some() && timed.base_rtt <= timed.rtt);
        assert!(ack.local.ip().is_loopback() && ack.remote.ip().is_loopback());

        pins.unpin(&name).expect("unpinned");
        assert!(!is_available(&name));
        assert!(!pins.root().exists());
        assert!(matches!(pins.unpin(&name), Err(Error::NotPinned { .. })));
    });
}

/// A process that looks while pins are made sees all of them under the control's name, or none. A killed
/// loader therefore leaves no control whose packets lack the option.
#[test]
fn the_programs_of_aqt_appear_with_their_control() {
    let Some(_log) = ready() else {
        return;
    };
    Mounted::new().run(|root: &Path| {
        unshare(CloneFlags::CLONE_NEWNET).expect("a network namespace");
        let pins = Pins::at(root.join("dumbbell"));
        for _ in 0..3 {
            let name = name("aqt");
            let loaded = kernel::load("rovegas", &named(&name)).expect("loaded");
            let mut aqt = Aqt::load(&name, None).expect("loaded");
            aqt.attach("lo", Role::Sender).expect("attached");
            aqt.attach("lo", Role::Receiver).expect("attached");
            let own = pins.directory(&name);
            let first = thread::scope(|scope| {
                let looked = scope.spawn(|| {
                    let began = Instant::now();
                    while began.elapsed() < Duration::from_secs(20) {
                        if let Ok(entries) = own.read_dir() {
                            return entries.count();
                        }
                    }
                    0
                });
                loaded.pin_with(&pins, &aqt).expect("pinned");
                looked.join().expect("it looks")
            });
            // The link, three maps and four programs.
            assert_eq!(first, 8);
            pins.unpin(&name).expect("unpinned");
            assert!(!is_available(&name));
        }
    });
}

#[test]
fn without_a_bpf_file_system_nothing_is_pinned_or_left_behind() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("nofs");
    let loaded = kernel::load("veno", &named(&name)).expect("loaded");
    let refused = loaded.pin(&Pins::at("/run/dumbbell-no-such-place"));
    let said = refused.unwrap_err().to_string();
    assert!(said.contains("mount -t bpf"), "{said}");
    assert!(!is_available(&name));
}

/// A loader that was killed before it could rename its pins.
#[test]
fn what_a_killed_loader_leaves_is_listed_and_removed() {
    let Some(_log) = ready() else {
        return;
    };
    let mounted = Mounted::new();
    mounted.run(|root: &Path| {
        let pins = Pins::at(root.join("dumbbell"));
        let name = name("left");
        let loaded = kernel::load("veno", &named(&name)).expect("loaded");
        loaded.pin(&pins).expect("pinned");
        // No process has a number above the kernel's limit of 2^22.
        let left = pins.root().join(format!("~{name}~{}", 5_000_000));
        std::fs::rename(pins.directory(&name), &left).expect("renamed");

        let listed = kernel::list(&pins).expect("listed");
        let ours = listed
            .iter()
            .find(|l| l.name == name)
            .expect("it is listed");
        assert_eq!(ours.holder, Holder::Leftover(left));
        assert!(matches!(
            Trace::pinned(&pins, &name),
            Err(Error::NotPinned { .. })
        ));
        pins.unpin(&name).expect("unpinned");
        assert!(!is_available(&name));
    });
}

/// The kernel never frees a control that a network namespace was refused as its default (EPERM): the refusal keeps
/// a reference. So hosts get their control by their routes.
#[test]
fn a_control_of_emulated_hosts_is_unloaded_with_all_of_its_maps() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("host");
    let loaded = kernel::load("veno", &named(&name)).expect("loaded");
    let trace = loaded.map("trace").expect("its map");
    let number = MapInfo::new(trace.as_fd()).expect("its number").info.id;
    drop(trace);
    transfer::by_the_hosts_default(&name);
    let is_there = || MapInfoIter::default().any(|map| map.id == number);
    assert!(is_there());
    drop(loaded);
    let began = Instant::now();
    while is_there() {
        assert!(began.elapsed() < Duration::from_secs(20), "its map stays");
        thread::sleep(Duration::from_millis(50));
    }
}
