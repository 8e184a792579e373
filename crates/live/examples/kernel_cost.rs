//! Measures the CPU time per ACK of each of Dumbbell's kernel controls, and of the kernel's own CUBIC.
//!
//! Method: while `kernel.bpf_stats_enabled` is 1, the kernel counts the runs and the time of every BPF
//! program. CUBIC is not a BPF program, so it is wrapped in programs that only call the kernel's
//! functions (`bpf/host/cubic.bpf.c`). Its numbers therefore include the same overhead of program calls
//! and clock readings as those of Dumbbell's controls. The path has 100 Mb/s, 10 ms each way and one lost packet
//! in a thousand, so that recoveries are included.
//!
//! ```sh
//! cargo run --release -p dumbbell-live --features kernel --example kernel_cost [SECONDS]
//! ```

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::os::fd::AsFd as _;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use dumbbell_live::emulator::{Emulator, Options};
use dumbbell_live::kernel::{self, controls};
use dumbbell_live::transfer::{self, Transfer};
use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use libbpf_rs::query::ProgInfoIter;
use libbpf_rs::{MapCore as _, MapType, ObjectBuilder, Program};

const PATH: &str = r#"
duration = "1 s"
[dumbbell]
access = { rate = "1 Gb/s", delay = "1 ms" }
bottleneck = { rate = "100 Mb/s", delay = "9 ms", queue = { droptail = 200 }, loss = { bernoulli = 0.001 } }
[[flow]]
control = "reno"
recovery = "sack"
payload = "1460 B"
"#;

const CUBIC: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/cubic.bpf.o"));
const SWITCH: &str = "/proc/sys/kernel/bpf_stats_enabled";

/// The number of runs and the nanoseconds of each program, by its name.
type Times = BTreeMap<String, (u64, u64)>;

fn main() -> Result<(), Box<dyn Error>> {
    let seconds = std::env::args()
        .nth(1)
        .map_or(Ok(5.0), |text| text.parse())?;
    let before = fs::read_to_string(SWITCH)?;
    fs::write(SWITCH, "1")?;
    let done = measure(seconds);
    fs::write(SWITCH, before)?;
    done
}

fn measure(seconds: f64) -> Result<(), Box<dyn Error>> {
    println!(
        "ns an ACK, all programs  | of which on_sample | cong_avoid | ACKs    | Mb/s  | control"
    );
    {
        let mut object = ObjectBuilder::default().open_memory(CUBIC)?.load()?;
        let mut maps = object.maps_mut();
        let mut ops = maps
            .find(|map| map.map_type() == MapType::StructOps)
            .ok_or("no struct_ops")?;
        let _link = ops.attach_struct_ops()?;
        drop(maps);
        let goodput = fill("db_counted", seconds)?;
        let counted = object.progs().filter_map(|program| {
            let id = Program::id_from_fd(program.as_fd()).ok()?;
            let info = ProgInfoIter::default().find(|info| info.id == id)?;
            let name = info.name.to_string_lossy().into_owned();
            Some((name, (info.run_cnt, info.run_time_ns)))
        });
        let mut times: Times = counted.collect();
        let (runs, nanos) = times.remove("nothing").unwrap_or_default();
        show(&times, goodput, "the kernel's CUBIC, behind BPF programs");
        println!("{:>8.1} ns an empty program", per(nanos, runs));
    }
    for control in controls() {
        let loaded = kernel::load(control.algorithm, &kernel::Options::default())?;
        let goodput = fill(control.name, seconds)?;
        let counted = loaded.run_times().into_iter();
        let times = counted.map(|(name, runs, nanos)| (name, (runs, nanos)));
        show(&times.collect(), goodput, control.name);
    }
    Ok(())
}

/// Fills the path under a control, and returns the goodput in Mb/s.
fn fill(control: &str, seconds: f64) -> Result<f64, Box<dyn Error>> {
    let scenario = Scenario::parse("cost", PATH, &Controls::builtin());
    let scenario = scenario.map_err(|report| report.to_string())?;
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let path = Emulator::start(&scenario, options)?;
    let transfer = Transfer {
        control: control.to_owned(),
        duration: Duration::from_secs_f64(seconds),
        interval: Duration::from_millis(100),
        ecn: false,
        at_both_ends: false,
        port: transfer::PORT,
    };
    let measured = transfer.run(&path, &AtomicBool::new(false))?;
    path.stop()?;
    Ok(measured.goodput_bps / 1e6)
}

fn show(times: &Times, goodput: f64, name: &str) {
    let of = |program: &str| times.get(program).copied().unwrap_or_default();
    let (acks, sampling) = of("ca_pkts_acked");
    let (grown, growing) = of("ca_cong_avoid");
    let all: u64 = times.values().map(|(_, nanos)| nanos).sum();
    println!(
        "{:>8.1}                 | {:>8.1}           | {:>8.1}   | {acks:>7} | {goodput:>5.1} | {name}",
        per(all, acks),
        per(sampling, acks),
        per(growing, grown),
    );
}

fn per(nanos: u64, runs: u64) -> f64 {
    nanos as f64 / runs.max(1) as f64
}
