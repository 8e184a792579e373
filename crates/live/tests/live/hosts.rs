//! What every test needs: a scenario, and the permission to emulate it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_live::emulator::{Emulator, Options, Report};
use dumbbell_live::transfer::{self, Measured, Transfer};
use dumbbell_live::{Error, namespace::Namespace};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use crate::kernel_log::KernelLog;

/// Returns a watch on the kernel's log, which fails the test if the kernel warns, if this machine permits the
/// tests; prints the reason if not. With DUMBBELL_REQUIRE_LIVE=1 a skip is a failure.
pub fn allowed() -> Option<KernelLog> {
    let lacking = match Namespace::new() {
        Ok(_) if std::fs::exists("/dev/net/tun").unwrap_or(false) => {
            return Some(KernelLog::watch());
        }
        Ok(_) => "there is no /dev/net/tun".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(
        std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_none_or(|value| value != "1"),
        "DUMBBELL_REQUIRE_LIVE is set, but {lacking}"
    );
    println!("skipped: {lacking}");
    None
}

pub fn scenario(text: &str) -> Scenario {
    Scenario::parse("test.toml", text, &Controls::builtin()).unwrap_or_else(|it| panic!("{it}"))
}

pub fn start(scenario: &Scenario, seed: u64) -> Emulator {
    let options = Options {
        flow: 0,
        seed,
        mtu: None,
    };
    Emulator::start(scenario, options).unwrap()
}

/// Runs a transfer over a separate path.
pub fn transfer(
    scenario: &Scenario,
    control: &str,
    seconds: f64,
    seed: u64,
) -> Result<(Measured, Report), Error> {
    let path = start(scenario, seed);
    let measured = transfer_over(&path, control, seconds)?;
    Ok((measured, path.stop()?))
}

/// Runs a transfer over this path.
pub fn transfer_over(path: &Emulator, control: &str, seconds: f64) -> Result<Measured, Error> {
    let transfer = Transfer {
        control: control.to_owned(),
        duration: Duration::from_secs_f64(seconds),
        interval: Duration::from_millis(20),
        ecn: false,
        at_both_ends: false,
        port: transfer::PORT,
    };
    transfer.run(path, &AtomicBool::new(false))
}
