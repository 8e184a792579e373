//! How exactly this machine keeps time, and which paths the emulator can be trusted with on it.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;
use nix::sys::prctl::{get_timerslack, set_timerslack};
use serde::Serialize;

use crate::cpu_latency;
use crate::emulator::{Emulator, Lateness, Options, Report, Stalls, is_trusted};
use crate::error::Error;
use crate::system;
use crate::transfer::{self, Transfer};

/// The timing of a machine, as measured during a few seconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Timing {
    /// How late a thread woke up that slept as the emulator does.
    pub wakes: Wakes,
    /// Whether it had the real-time policy, as the emulator has if it is permitted to.
    pub realtime: bool,
    /// The timer slack that the kernel granted: by how much it may delay a wake-up to save some, in seconds. The
    /// emulator asks for the least, 1 ns; the usual one is 50 us. It does not apply to the real-time policy.
    pub slack_s: f64,
    /// The part of the processors' time, 0 to 1, that the machine's host gave to others.
    pub steal: f64,
    /// The shortest round-trip time, in seconds, of paths whose results are trusted if packets and stalls are as late
    /// as these wake-ups; `None` if there is none up to a second.
    pub least_rtt_s: Option<f64>,
    /// Paths of rising rates that carried a real connection, up to the first that is not trusted.
    pub rates: Vec<Rate>,
    /// Why no path was tried, if none was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untried: Option<String>,
}

/// How late sleeps ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Wakes {
    /// The number of sleeps.
    pub count: u64,
    /// The median, in seconds, within 1.6 %.
    pub median_s: f64,
    /// The 99th percentile, in seconds, within 1.6 %.
    pub p99_s: f64,
    /// The 99.9th percentile, in seconds, within 1.6 %.
    pub p999_s: f64,
    /// The maximum, in seconds.
    pub most_s: f64,
}

/// A path that was tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rate {
    /// The rate of its bottleneck, in bits per second.
    pub rate_bps: f64,
    /// What the connection got, in bits per second.
    pub goodput_bps: f64,
    /// The part of a core that the emulator used.
    pub busy: f64,
    /// Whether its results are trusted.
    pub trusted: bool,
}

/// How long wake-ups are measured.
const MEASURE: Duration = Duration::from_secs(3);
/// The emulator's longest sleep.
const NAP: Duration = Duration::from_millis(1);
/// The rates that are tried, in Mb/s.
const RATES: [u32; 5] = [10, 100, 200, 500, 1000];
/// The length of a connection.
const TRY: Duration = Duration::from_secs(1);
/// A path that fails is tried again, because a disturbance of a few milliseconds is a large part of a second.
const TRIES: usize = 2;
/// The round-trip times of paths, in seconds.
const RTTS_S: [f64; 10] = [
    1e-3, 2e-3, 5e-3, 10e-3, 20e-3, 50e-3, 100e-3, 200e-3, 500e-3, 1.0,
];

impl Timing {
    /// Measures this machine, for some eight seconds.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub fn measure() -> Result<Self, Error> {
        let before = processors();
        // On a thread of its own, because the policy stays.
        let sleeper = thread::Builder::new()
            .name("timing".to_owned())
            .spawn(|| sleep_for(MEASURE))
            .map_err(|reason| Error::system("measure the timing", reason))?;
        let slept = match sleeper.join() {
            Ok(slept) => slept,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        let (rates, untried) = match tried() {
            Ok(rates) => (rates, None),
            Err(error) => (Vec::new(), Some(error.to_string())),
        };
        Ok(Self {
            wakes: slept.wakes(),
            realtime: slept.realtime,
            slack_s: slept.slack_s,
            steal: stolen(before, processors()),
            least_rtt_s: slept.least_rtt_s(),
            rates,
            untried,
        })
    }

    /// Returns the highest rate that was trusted, in bits per second.
    pub fn most_bps(&self) -> Option<f64> {
        let trusted = self.rates.iter().rfind(|rate| rate.trusted);
        trusted.map(|rate| rate.rate_bps)
    }
}

/// What a sleeping thread found.
struct Slept {
    lateness: Lateness,
    stalls: Stalls,
    elapsed: Duration,
    realtime: bool,
    slack_s: f64,
}

/// Sleeps again and again, as the emulator does while nothing happens.
fn sleep_for(duration: Duration) -> Slept {
    // If it cannot be set, sleeps are 50 us late, which is measured.
    let _ = set_timerslack(1);
    let _request = cpu_latency::Request::make();
    let slack_s = get_timerslack().map_or(0.0, |nanos| f64::from(nanos) / 1e9);
    let realtime = system::make_realtime(1).is_ok();
    let (mut lateness, mut stalls) = (Lateness::default(), Stalls::default());
    let start = Instant::now();
    while start.elapsed() < duration {
        let due = Instant::now() + NAP;
        thread::sleep(NAP);
        let late = due.elapsed();
        lateness.add(late);
        stalls.add(late);
    }
    Slept {
        lateness,
        stalls,
        elapsed: start.elapsed(),
        realtime,
        slack_s,
    }
}

impl Slept {
    fn wakes(&self) -> Wakes {
        let summary = self.lateness.summary();
        Wakes {
            count: summary.packets,
            median_s: summary.median_s,
            p99_s: summary.p99_s,
            p999_s: self.lateness.quantile_s(0.999).min(summary.most_s),
            most_s: summary.most_s,
        }
    }

    fn least_rtt_s(&self) -> Option<f64> {
        let lateness = self.lateness.summary();
        let trusted = |rtt_s: &f64| is_trusted(Some(*rtt_s), lateness, &self.stalls, self.elapsed);
        RTTS_S.into_iter().find(trusted)
    }
}

/// Sends over paths of rising rates, until one is not to be trusted.
fn tried() -> Result<Vec<Rate>, Error> {
    let mut rates = Vec::new();
    for mbps in RATES {
        let mut rate = once(mbps)?;
        for _ in 1..TRIES {
            if !rate.trusted {
                rate = once(mbps)?;
            }
        }
        let go_on = rate.trusted;
        rates.push(rate);
        if !go_on {
            break;
        }
    }
    Ok(rates)
}

/// Sends over one path, of 20 ms and with a queue of as many packets as the path holds.
fn once(mbps: u32) -> Result<Rate, Error> {
    let queue = mbps * 20_000 / 8 / 1500 + 20;
    let text = format!(
        "duration = \"1 s\"\n[dumbbell]\naccess = {{ rate = \"10 Gb/s\", delay = \"0 ms\" }}\n\
         bottleneck = {{ rate = \"{mbps} Mb/s\", delay = \"10 ms\", queue = {{ droptail = {queue} }} }}\n\
         [[flow]]\ncontrol = \"reno\"\npayload = \"1460 B\"\n"
    );
    let scenario = Scenario::parse("timing", &text, &Controls::builtin())
        .map_err(|report| Error::Refused(report.to_string()))?;
    let options = Options {
        flow: 0,
        seed: 1,
        mtu: None,
    };
    let path = Emulator::start(&scenario, options)?;
    let transfer = Transfer {
        control: "reno".to_owned(),
        duration: TRY,
        interval: Duration::from_millis(100),
        ecn: false,
        at_both_ends: false,
        port: transfer::PORT,
    };
    let measured = transfer.run(&path, &AtomicBool::new(false))?;
    let Report { busy, faults, .. } = path.stop()?;
    Ok(Rate {
        rate_bps: f64::from(mbps) * 1e6,
        goodput_bps: measured.goodput_bps,
        busy,
        trusted: faults.is_empty(),
    })
}

/// Returns the time of all processors together, and the part of it that was stolen, in ticks.
fn processors() -> Option<(u64, u64)> {
    read(&fs::read_to_string("/proc/stat").ok()?)
}

/// Reads the first line of /proc/stat (proc_stat(5)): user, nice, system, idle, iowait, irq, softirq, steal, and the
/// time of guests, which is in the first two already.
fn read(stat: &str) -> Option<(u64, u64)> {
    let numbers = stat.lines().next()?.strip_prefix("cpu ")?;
    let numbers = numbers.split_whitespace().map_while(|it| it.parse().ok());
    let ticks: Vec<u64> = numbers.take(8).collect();
    Some((ticks.iter().sum(), *ticks.get(7)?))
}

/// Returns the part of the time between two readings that was stolen; 0 if the kernel does not tell.
fn stolen(before: Option<(u64, u64)>, after: Option<(u64, u64)>) -> f64 {
    let (Some(before), Some(after)) = (before, after) else {
        return 0.0;
    };
    let all = after.0.saturating_sub(before.0).max(1);
    after.1.saturating_sub(before.1) as f64 / all as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread that sleeps a thousand times a second for 3 s, late by these milliseconds.
    fn slept(late_ms: impl Fn(u32) -> f64) -> Slept {
        let (mut lateness, mut stalls) = (Lateness::default(), Stalls::default());
        for wake in 0..3000 {
            let late = Duration::from_secs_f64(late_ms(wake) / 1e3);
            lateness.add(late);
            stalls.add(late);
        }
        Slept {
            lateness,
            stalls,
            elapsed: Duration::from_secs(3),
            realtime: true,
            slack_s: 1e-9,
        }
    }

    /// By docs/emulate.md: 0.5 ms or 2 % of the round-trip time for 99 % of packets; a stall of a round trip, at least
    /// 10 ms and at most 100 ms; 1 % of the time.
    #[test]
    fn the_shortest_path_follows_from_the_tolerances() {
        let least = |late: &dyn Fn(u32) -> f64| slept(late).least_rtt_s();
        assert_eq!(least(&|_| 0.05), Some(1e-3));
        // 30 ms once: more than the 20 ms of a path, less than 50 ms.
        let once = |ms: f64| move |wake| if wake == 7 { ms } else { 0.0 };
        assert_eq!(least(&once(9.0)), Some(1e-3));
        assert_eq!(least(&once(29.0)), Some(50e-3));
        assert_eq!(least(&once(120.0)), None);
        // 1.2 % of wake-ups are late by 0.6 ms, which is less than 1 % of the time, and 2 % of 30 ms.
        let often = |wake: u32| if wake.is_multiple_of(83) { 0.6 } else { 0.0 };
        assert_eq!(least(&often), Some(50e-3));
    }

    #[test]
    fn the_percentiles_are_those_of_the_sleeps() {
        let late_ms = |wake| match wake % 1000 {
            _ if wake == 2999 => 9.9,
            place @ ..985 => f64::from(place) / 1e3,
            985..995 => 5.0,
            _ => 9.0,
        };
        let wakes = slept(late_ms).wakes();
        assert_eq!(wakes.count, 3000);
        for (found, micros) in [
            (wakes.median_s, 500.0),
            (wakes.p99_s, 5000.0),
            (wakes.p999_s, 9000.0),
            (wakes.most_s, 9900.0),
        ] {
            let ratio = found * 1e6 / micros;
            assert!((0.98..1.02).contains(&ratio), "{wakes:?}");
        }
    }

    #[test]
    fn stolen_time_is_a_part_of_all_time() {
        let before = read("cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 1\n");
        assert_eq!(before, Some((1000, 35)));
        let after = read("cpu  150 0 60 800 10 0 5 75 9 0\n");
        assert!((stolen(before, after) - 0.4).abs() < 1e-12);
        assert!(stolen(None, after).abs() < 1e-12);
        assert_eq!(read("intr 5"), None);
    }
}
