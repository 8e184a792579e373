//! Measures the speed of the simulator: data packets through the bottleneck per second of processor
//! time.
//!
//! `cargo bench -p dumbbell-run --bench simulator [-- a c] [-- --json]` runs the cases of
//! `benches/cases`, or those with the given names, several times each without a probe. It times
//! whole runs: building the network, simulating, and summing up. With case (d) it also reports the
//! memory per flow. `cargo test` runs shortened cases once and measures nothing.

#[path = "../cases/mod.rs"]
mod cases;
mod memory;

use std::process::ExitCode;

use cases::Case;
use cpu_time::ThreadTime;
use serde::Serialize;

/// A case is repeated at least this often,
const FEWEST_ROUNDS: usize = 5;
/// until it has taken this many seconds,
const ENOUGH_SECONDS: f64 = 3.0;
/// or has been run this often.
const MOST_ROUNDS: usize = 50;

const USAGE: &str = "\
usage: cargo bench -p dumbbell-run --bench simulator [-- [CASE...] [--json]]
  CASE     only these cases: a, b, c, d, tfrc, red, aqt, ack-filter, droptail, held, codel,
           fq-codel, queue-droptail, queue-codel, queue-fq-codel
  --json   one JSON object a line";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    if let Some(flows) = memory::asked(&words) {
        memory::answer(flows);
        return ExitCode::SUCCESS;
    }
    if !words.iter().any(|word| word == "--bench") {
        rehearse();
        return ExitCode::SUCCESS;
    }
    let json = words.iter().any(|word| word == "--json");
    let (options, names): (Vec<_>, Vec<_>) = words.iter().partition(|word| word.starts_with('-'));
    if options.iter().any(|o| *o != "--bench" && *o != "--json")
        || names.iter().any(|name| named(name).is_none())
    {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    if !json {
        println!("{HEAD}");
    }
    let chosen = |case: &Case| names.is_empty() || names.iter().any(|name| *name == case.name);
    let mut flows_measured = false;
    for case in cases::all().filter(chosen) {
        flows_measured |= case.name == memory::CASE;
        print(&measure(&case), json);
    }
    if flows_measured {
        match memory::measure() {
            Ok(memory) if json => println!("{}", to_json(&memory)),
            Ok(memory) => println!("\n{memory}"),
            Err(reason) => eprintln!("\nmemory of a flow: not measured, {reason}"),
        }
    }
    ExitCode::SUCCESS
}

/// Finds the case with this name.
fn named(name: &str) -> Option<Case> {
    cases::all().find(|case| case.name == name)
}

/// Checks that every case can still be read and run.
fn rehearse() {
    for case in cases::all() {
        case.with_flows(100).lasting(2).run();
    }
}

/// The measurements from the rounds of a case.
#[derive(Serialize)]
struct Speed {
    case: &'static str,
    title: String,
    rounds: usize,
    /// Data packets through the bottleneck per round.
    packets: u64,
    /// Events per round.
    events: u64,
    packets_per_cpu_s: Spread,
    /// Nanoseconds per event in the median round.
    ns_per_event: f64,
}

#[derive(Serialize)]
struct Spread {
    median: f64,
    min: f64,
    max: f64,
}

fn measure(case: &Case) -> Speed {
    let mut seconds = Vec::new();
    let mut total = 0.0;
    let (packets, events) = loop {
        let start = ThreadTime::now();
        let outcome = case.run();
        let taken = start.elapsed().as_secs_f64();
        seconds.push(taken);
        total += taken;
        let rounds = seconds.len();
        if rounds >= FEWEST_ROUNDS && (total >= ENOUGH_SECONDS || rounds == MOST_ROUNDS) {
            break (outcome.packets, outcome.events);
        }
    };
    seconds.sort_by(f64::total_cmp);
    let median = seconds[seconds.len() / 2];
    let rate = |seconds: f64| packets as f64 / seconds;
    Speed {
        case: case.name,
        title: case.scenario.name.clone().unwrap_or_default(),
        rounds: seconds.len(),
        packets,
        events,
        packets_per_cpu_s: Spread {
            median: rate(median),
            min: rate(seconds[seconds.len() - 1]),
            max: rate(seconds[0]),
        },
        ns_per_event: median * 1e9 / events as f64,
    }
}

const HEAD: &str = "\
case                          million packets a CPU second
                                median     min     max    rounds      packets  events/packet  ns/event";

fn print(speed: &Speed, json: bool) {
    if json {
        println!("{}", to_json(speed));
        return;
    }
    let rate = &speed.packets_per_cpu_s;
    println!(
        "{:<30} {:>7.2} {:>7.2} {:>7.2} {:>9} {:>12} {:>14.2} {:>9.1}",
        format!("({}) {}", speed.case, speed.title),
        rate.median / 1e6,
        rate.min / 1e6,
        rate.max / 1e6,
        speed.rounds,
        speed.packets,
        speed.events as f64 / speed.packets as f64,
        speed.ns_per_event,
    );
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("plain numbers and text")
}
