//! What real packets cost the emulator: goodput, processor time and lateness of one connection at several rates, as
//! root. `cargo run --release -p dumbbell-live --example rates -- [SECONDS] [Mb/s ...]`

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::transfer::{self, Transfer};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

/// As often is each rate measured.
const TIMES: u32 = 3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let numbers = std::env::args().skip(1).map(|it| it.parse());
    let numbers = numbers.collect::<Result<Vec<u32>, _>>()?;
    let (seconds, rates) = match numbers.split_first() {
        Some((seconds, rates)) if !rates.is_empty() => (*seconds, rates.to_vec()),
        Some((seconds, _)) => (*seconds, vec![100, 300, 500]),
        None => (4, vec![100, 300, 500]),
    };
    println!(
        "Mb/s  goodput  us of processor a packet  busy  late us, mean and 99 %  read late us, 99 %  real-time  faults"
    );
    for mbps in rates {
        for _ in 0..TIMES {
            once(mbps, seconds)?;
        }
    }
    Ok(())
}

/// Sends over a path of 10 ms, with a queue of twice what the path holds.
fn once(mbps: u32, seconds: u32) -> Result<(), Box<dyn std::error::Error>> {
    let queue = 2 * mbps * 10_000 / 8 / 1500 + 20;
    let text = format!(
        "duration = \"1 s\"\n[dumbbell]\naccess = {{ rate = \"10 Gb/s\", delay = \"0 ms\" }}\n\
         bottleneck = {{ rate = \"{mbps} Mb/s\", delay = \"5 ms\", queue = {{ droptail = {queue} }} }}\n\
         [[flow]]\ncontrol = \"reno\"\npayload = \"1460 B\"\n"
    );
    let scenario = Scenario::parse("rates", &text, &Controls::builtin())
        .map_err(|report| report.to_string())?;
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let path = Emulator::start(&scenario, options)?;
    let transfer = Transfer {
        control: "reno".to_owned(),
        duration: Duration::from_secs(seconds.into()),
        interval: Duration::from_millis(100),
        ecn: false,
        at_both_ends: false,
        port: transfer::PORT,
    };
    let measured = transfer.run(&path, &AtomicBool::new(false))?;
    let report = path.stop()?;
    // Each segment is read and sent, and so is each ACK.
    let cpu_s = report.busy * measured.elapsed_s;
    println!(
        "{mbps:4}  {:7.1}  {:24.2}  {:4.2}  {:9.0} {:13.0}  {:18.0}  {:9}  {}",
        measured.goodput_bps / 1e6,
        1e6 * cpu_s / measured.segments as f64,
        report.busy,
        report.lateness.mean_s * 1e6,
        report.lateness.p99_s * 1e6,
        report.entry_lateness.p99_s * 1e6,
        report.realtime,
        report.faults.len()
    );
    Ok(())
}
