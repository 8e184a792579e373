//! A killed loader leaves nothing behind.

use std::env;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use dumbbell_live::kernel::{self, Holder, Options, Pins, machine};

use crate::ground::{maps, name, ready, within};

const NAME: &str = "DUMBBELL_TEST_LOADS";
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
