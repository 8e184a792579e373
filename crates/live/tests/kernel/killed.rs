//! A killed loader leaves nothing behind, at whatever moment it is killed.

use std::env;
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_live::kernel::{self, Holder, Options, Pins, machine};

use dumbbell_live::emulator::{Emulator, Options as Path};
use dumbbell_live::transfer::{self, Transfer};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use crate::ground::{maps, name, ready, within};

const NAME: &str = "DUMBBELL_TEST_LOADS";
/// The path of connections that use a control while its loader is killed.
const PATH: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "20 Mb/s", delay = "4 ms", queue = { droptail = 20 } }
[[flow]]
control = "reno"
payload = "1460 B"
"#;
const PATIENCE: Duration = Duration::from_secs(20);

/// Not a test: the code of the other process.
#[test]
#[ignore = "run by a_killed_loader_leaves_nothing_behind"]
fn loads_and_waits() {
    let Ok(name) = env::var(NAME) else {
        return;
    };
    let options = Options {
        name: Some(name),
        ..Options::default()
    };
    let _loaded = kernel::load("veno", &options).expect("loaded");
    thread::sleep(PATIENCE);
}

#[test]
fn a_killed_loader_leaves_nothing_behind() {
    let Some(_log) = ready() else {
        return;
    };
    let name = name("kill");
    let mut loader = Command::new(env::current_exe().expect("this program"))
        .args(["--exact", "killed::loads_and_waits", "--ignored"])
        .env(NAME, &name)
        .stdout(Stdio::null())
        .spawn()
        .expect("started");
    let appeared = within(PATIENCE, || machine::available().contains(&name));
    let held = maps(&name);
    let holder = kernel::list(&Pins::default()).map(|listed| {
        let found = listed.into_iter().find(|l| l.name == name);
        found.map(|l| l.holder)
    });
    let pid = loader.id();
    loader.kill().expect("killed");
    loader.wait().expect("ended");
    assert!(appeared, "it was never loaded");
    let Ok(Some(Holder::Process { pid: found, .. })) = holder else {
        panic!("{holder:?}");
    };
    assert_eq!(found, Some(pid));
    assert_eq!(held, 1);
    let gone = || !machine::available().contains(&name) && maps(&name) == 0;
    assert!(within(PATIENCE, gone), "it stays");
}

/// Not a test: the code of the other process.
#[test]
#[ignore = "run by a_loader_killed_at_any_moment_leaves_nothing_behind"]
fn loads_and_uses_again_and_again() {
    let Ok(name) = env::var(NAME) else {
        return;
    };
    let scenario = Scenario::parse("test", PATH, &Controls::builtin()).expect("a scenario");
    let options = Options {
        name: Some(name.clone()),
        ..Options::default()
    };
    let path = Path {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let _loaded = kernel::load("veno", &options).expect("loaded");
        let path = Emulator::start(&scenario, path).expect("a path");
        let transfer = Transfer {
            control: name.clone(),
            duration: Duration::from_millis(120),
            interval: Duration::from_millis(50),
            ecn: false,
            at_both_ends: false,
            port: transfer::PORT,
        };
        transfer
            .run(&path, &AtomicBool::new(false))
            .expect("a transfer");
    }
}

/// The number of times that a loader is killed: a few, or DUMBBELL_KILLS.
fn kills() -> u64 {
    let given = env::var("DUMBBELL_KILLS");
    given.map_or(4, |it| it.parse().expect("a number"))
}

/// The moments are spread over several turns of loading, using and unloading. A connection that is cut off keeps the
/// control until it has given up.
#[test]
fn a_loader_killed_at_any_moment_leaves_nothing_behind() {
    let Some(_log) = ready() else {
        return;
    };
    let kills = kills();
    let mut held = 0;
    for time in 0..kills {
        let name = name(&format!("any{time}"));
        let mut loader = Command::new(env::current_exe().expect("this program"))
            .args([
                "--exact",
                "killed::loads_and_uses_again_and_again",
                "--ignored",
            ])
            .env(NAME, &name)
            .stdout(Stdio::null())
            .spawn()
            .expect("started");
        thread::sleep(Duration::from_millis(1500 * (time + 1) / kills));
        held += maps(&name);
        loader.kill().expect("killed");
        loader.wait().expect("ended");
        let gone = || !machine::available().contains(&name) && maps(&name) == 0;
        assert!(within(2 * PATIENCE, gone), "it stays");
    }
    println!("killed {kills} times, {held} of them with a control");
    assert!(held > 0, "it was never loaded");
}
