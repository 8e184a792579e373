//! Checks what this machine lacks for emulation and for the kernel's controls, and gives remedies.
//!
//! A check tries the operation itself if that leaves no trace, so that the result is right without
//! privileges and inside containers, too.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use serde::Serialize;

use crate::cpu_latency::{DEVICE, Request};
use crate::error::Error;
use crate::machine;
use crate::namespace::Namespace;
use crate::system;
use crate::timing::Timing;

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// The thing is present.
    Ok,
    /// The thing is missing.
    Missing,
    /// The process is not permitted to find out.
    Unknown,
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Check {
    /// What was checked.
    pub name: &'static str,
    /// The commands that need it.
    pub wanted_by: &'static str,
    /// Whether those commands require it. If not, they work without it, but less well.
    pub needed: bool,
    /// Whether it is present.
    pub state: State,
    /// What was found.
    pub found: String,
    /// The command that fixes it, if it is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<&'static str>,
    /// The numbers, if it is a measurement.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

const CONTROLS: &str = "kernel load";
const AQT: &str = "kernel load --aqt";
const PINS: &str = "kernel load --pin";
const EMULATOR: &str = "emulate, compare";
const BUILD: &str = "a build with the kernel's controls";

/// Where distributions mount the BPF file system.
const BPFFS: &str = "/sys/fs/bpf";
const ROOT: &str = "run it as root: sudo dumbbell ...";
const OUTSIDE: &str =
    "run it as root outside of containers that have user namespaces: sudo dumbbell ...";
const QUIET: &str = "stop other work on this machine, or use one with processors of its own, and run it as root: sudo dumbbell ...";
/// A round-trip time that a machine should manage, in seconds.
const ENOUGH_S: f64 = 20e-3;
const NEW_KERNEL: &str = "install Linux 6.6 or later, such as Debian 13's or Ubuntu 24.04's: apt-get install linux-image-amd64";

/// Performs all checks. `built` says whether the program includes the kernel's controls.
pub fn examine(built: bool) -> Vec<Check> {
    let btf = fs::read(machine::BTF).unwrap_or_default();
    let mut checks = vec![
        release(),
        types(&btf),
        compiler(),
        known_to(
            &btf,
            "BPF congestion controls",
            CONTROLS,
            "bpf_struct_ops_tcp_congestion_ops",
        ),
        known_to(&btf, "tc programs by link (tcx)", AQT, "tcx_link"),
        privileges(),
        file_system(),
        timestamps(),
        namespaces(),
        tun(),
        realtime(),
        cpu_latency(),
        program(built),
    ];
    if !built {
        checks.extend([
            clang(),
            header("libelf", "libelf.h"),
            header("zlib", "zlib.h"),
        ]);
    }
    checks
}

/// Measures for some eight seconds how exactly this machine keeps time, and which paths the emulator can be trusted with.
///
/// # Errors
/// If the system starts no thread.
pub fn measure() -> Result<Check, Error> {
    Ok(judged(Timing::measure()?))
}

/// A machine is good enough if a path of 20 ms and the lowest of the rates can be trusted.
fn judged(timing: Timing) -> Check {
    let (us, ms) = (|s: f64| s * 1e6, |s: f64| s * 1e3);
    let wakes = &timing.wakes;
    let paths = match timing.least_rtt_s {
        Some(rtt) => format!("round trips of {:.0} ms and more", ms(rtt)),
        None => "no path".to_owned(),
    };
    let rates = match (timing.most_bps(), &timing.untried) {
        (Some(most), _) => format!("{:.0} Mb/s", most / 1e6),
        (None, None) => "no rate".to_owned(),
        (None, Some(why)) => format!("unknown rates ({why})"),
    };
    let found = format!(
        "to be trusted with {paths}, and up to {rates}; wakes up {:.0} us late (median), 99 % within {:.0} us, 99.9 % within \
         {:.0} us, the last {:.1} ms; timer slack {} ns; {:.1} % of the processors' time stolen",
        us(wakes.median_s),
        us(wakes.p99_s),
        us(wakes.p999_s),
        ms(wakes.most_s),
        (timing.slack_s * 1e9).round(),
        timing.steal * 1e2
    );
    let short = timing.least_rtt_s.is_some_and(|rtt| rtt <= ENOUGH_S);
    let check = Check::new(
        "timing",
        EMULATOR,
        short && timing.most_bps().is_some(),
        found,
    );
    let state = match timing.untried {
        Some(_) if short => State::Unknown,
        _ => check.state,
    };
    Check {
        state,
        timing: Some(timing),
        ..check
    }
    .or(QUIET)
    .useful()
}

/// Returns whether everything required is present.
pub fn is_healthy(checks: &[Check]) -> bool {
    checks
        .iter()
        .all(|check| !check.needed || check.state != State::Missing)
}

impl Check {
    fn new(
        name: &'static str,
        wanted_by: &'static str,
        ok: bool,
        found: impl Into<String>,
    ) -> Self {
        Self {
            name,
            wanted_by,
            needed: true,
            state: if ok { State::Ok } else { State::Missing },
            found: found.into(),
            remedy: None,
            timing: None,
        }
    }

    /// Adds the remedy, unless the check is successful.
    fn or(self, remedy: &'static str) -> Self {
        let remedy = (self.state != State::Ok).then_some(remedy);
        Self { remedy, ..self }
    }

    fn useful(self) -> Self {
        Self {
            needed: false,
            ..self
        }
    }
}

fn release() -> Check {
    let release = machine::release();
    let ok = machine::at_least(&release, (6, 4));
    let found = match (ok, machine::at_least(&release, (6, 6))) {
        (_, true) => release,
        (true, false) => format!("{release}: enough for controls, not for AQT"),
        (false, false) => format!("{release}: controls want 6.4, AQT wants 6.6"),
    };
    Check::new("Linux (6.4 or later, 6.6 for AQT)", CONTROLS, ok, found).or(NEW_KERNEL)
}

fn types(btf: &[u8]) -> Check {
    let found = match btf.len() {
        0 => format!("no {}", machine::BTF),
        bytes => format!("{}, {} KiB", machine::BTF, bytes / 1024),
    };
    Check::new("the kernel's types (BTF)", CONTROLS, !btf.is_empty(), found)
        .or("install a distribution's kernel, or build yours with CONFIG_DEBUG_INFO_BTF=y")
}

fn compiler() -> Check {
    let name = "the kernel's BPF compiler (JIT)";
    match fs::read_to_string("/proc/sys/net/core/bpf_jit_enable") {
        Ok(value) => {
            let found = format!("net.core.bpf_jit_enable = {}", value.trim());
            Check::new(name, CONTROLS, value.trim() != "0", found)
        }
        Err(reason) => Check {
            state: State::Unknown,
            ..Check::new(name, CONTROLS, false, unreadable(&reason))
        },
    }
    .or("sysctl net.core.bpf_jit_enable=1")
}

/// Checks for a feature by a type that the kernel's BTF contains if the feature is present.
fn known_to(btf: &[u8], name: &'static str, wanted_by: &'static str, kind: &str) -> Check {
    let mut wanted = vec![0];
    wanted.extend(kind.bytes());
    wanted.push(0);
    let known = btf.windows(wanted.len()).any(|bytes| bytes == wanted);
    let found = match (known, btf.is_empty()) {
        (true, _) => format!("the kernel knows {kind}"),
        (false, false) => format!("the kernel does not know {kind}"),
        (false, true) => "the kernel's types cannot be read".to_owned(),
    };
    let check = Check::new(name, wanted_by, known, found);
    let state = if btf.is_empty() {
        State::Unknown
    } else {
        check.state
    };
    Check { state, ..check }.or(NEW_KERNEL)
}

fn privileges() -> Check {
    let missing = machine::missing_capabilities();
    let found = match missing.is_empty() {
        true => "CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN".to_owned(),
        false => format!("without {}", missing.join(", ")),
    };
    if missing.is_empty() && machine::is_in_user_namespace() {
        let found = format!("{found}, but of a user namespace, which do not count for BPF");
        return Check::new("privileges", CONTROLS, false, found).or(OUTSIDE);
    }
    Check::new("privileges", CONTROLS, missing.is_empty(), found).or(ROOT)
}

fn file_system() -> Check {
    let ok = machine::has_bpffs(Path::new(BPFFS));
    let found = match ok {
        true => format!("mounted at {BPFFS}"),
        false => format!("none at {BPFFS}"),
    };
    Check::new("a file system of BPF", PINS, ok, found)
        .or("mount -t bpf bpf /sys/fs/bpf")
        .useful()
}

fn timestamps() -> Check {
    let value = fs::read_to_string("/proc/sys/net/ipv4/tcp_timestamps").unwrap_or_default();
    let found = format!("net.ipv4.tcp_timestamps = {}", value.trim());
    let ok = matches!(value.trim(), "1" | "2");
    Check::new("TCP timestamps", "VenoDB and SARBE", ok, found)
        .or("sysctl net.ipv4.tcp_timestamps=1")
        .useful()
}

fn namespaces() -> Check {
    let name = "network namespaces";
    match Namespace::new() {
        Ok(_) => Check::new(
            name,
            EMULATOR,
            true,
            "a test namespace was created and removed",
        ),
        Err(error) => Check::new(name, EMULATOR, false, error.to_string()).or(ROOT),
    }
}

fn tun() -> Check {
    let name = "TUN devices";
    let place = "/dev/net/tun";
    match OpenOptions::new().read(true).write(true).open(place) {
        Ok(_) => Check::new(name, EMULATOR, true, place),
        Err(reason) => {
            let remedy = match reason.kind() {
                io::ErrorKind::PermissionDenied => ROOT,
                _ => "modprobe tun (in a container: --device /dev/net/tun)",
            };
            Check::new(name, EMULATOR, false, format!("{place}: {reason}")).or(remedy)
        }
    }
}

fn realtime() -> Check {
    // On a separate thread, because the policy stays.
    let tried = thread::spawn(|| system::make_realtime(1)).join();
    let (ok, found) = match tried {
        Ok(Ok(())) => (true, "granted".to_owned()),
        Ok(Err(reason)) => (false, reason.to_string()),
        Err(_) => (false, "it could not be tested".to_owned()),
    };
    Check::new("real-time scheduling (SCHED_FIFO)", EMULATOR, ok, found)
        .or(ROOT)
        .useful()
}

fn cpu_latency() -> Check {
    let name = "processors that wake up at once";
    let check = match Request::make() {
        Ok(_) => Check::new(name, EMULATOR, true, format!("{DEVICE}: granted")),
        Err(reason) => {
            let remedy = match reason.kind() {
                io::ErrorKind::PermissionDenied => ROOT,
                _ => "in a container: --device /dev/cpu_dma_latency",
            };
            Check::new(name, EMULATOR, false, format!("{DEVICE}: {reason}")).or(remedy)
        }
    };
    check.useful()
}

fn program(built: bool) -> Check {
    let found = match built {
        true => "the kernel's controls are in it",
        false => "it was built without the kernel's controls",
    };
    Check::new("this program", CONTROLS, built, found).or("cargo build --release --features kernel")
}

fn clang() -> Check {
    let name = std::env::var_os("CLANG").unwrap_or_else(|| "clang".into());
    let told = Command::new(&name)
        .arg("--print-targets")
        .stderr(Stdio::null())
        .output();
    let (ok, found) = match told {
        Ok(told) if String::from_utf8_lossy(&told.stdout).contains("bpf ") => {
            (true, format!("{} compiles to BPF", name.display()))
        }
        Ok(_) => (false, format!("{} does not compile to BPF", name.display())),
        Err(reason) => (false, format!("{}: {reason}", name.display())),
    };
    Check::new("clang", BUILD, ok, found).or("apt-get install clang")
}

fn header(name: &'static str, file: &str) -> Check {
    let path = Path::new("/usr/include").join(file);
    let packaged = || {
        let asked = Command::new("pkg-config").args(["--exists", name]).status();
        asked.is_ok_and(|status| status.success())
    };
    let remedy = match name {
        "zlib" => "apt-get install zlib1g-dev pkg-config make gcc",
        _ => "apt-get install libelf-dev pkg-config make gcc",
    };
    let (ok, found) = match path.exists() || packaged() {
        true => (true, "its headers are here".to_owned()),
        false => (false, format!("no {}", path.display())),
    };
    Check::new(name, BUILD, ok, found).or(remedy)
}

fn unreadable(reason: &io::Error) -> String {
    match reason.kind() {
        io::ErrorKind::PermissionDenied => "only root can see it".to_owned(),
        _ => reason.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missing_things_have_a_remedy() {
        for check in examine(false) {
            let missing = check.state != State::Ok;
            assert_eq!(check.remedy.is_some(), missing, "{check:?}");
            assert!(!check.found.is_empty(), "{check:?}");
        }
    }

    #[test]
    fn without_controls_in_the_program_the_build_tools_are_checked() {
        let checks = examine(false);
        assert!(!is_healthy(&checks));
        assert!(checks.iter().any(|check| check.name == "clang"));
        assert!(examine(true).iter().all(|check| check.name != "clang"));
    }

    #[test]
    fn a_machine_is_judged_by_the_paths_that_it_manages() {
        let rate = |mbps: f64, trusted| crate::timing::Rate {
            rate_bps: mbps * 1e6,
            goodput_bps: mbps * 0.9e6,
            busy: 0.5,
            trusted,
        };
        let timing = |least_rtt_s, rates, untried| Timing {
            wakes: crate::timing::Wakes::default(),
            realtime: true,
            slack_s: 1e-9,
            steal: 0.031,
            least_rtt_s,
            rates,
            untried,
        };
        let quick = vec![rate(10.0, true), rate(100.0, true), rate(200.0, false)];
        let good = judged(timing(Some(1e-3), quick.clone(), None));
        assert_eq!((good.state, good.remedy), (State::Ok, None));
        let said = &good.found;
        assert!(
            said.contains("round trips of 1 ms and more, and up to 100 Mb/s"),
            "{said}"
        );
        assert!(
            said.contains("timer slack 1 ns; 3.1 % of the processors' time stolen"),
            "{said}"
        );
        let states = [
            judged(timing(Some(50e-3), quick.clone(), None)).state,
            judged(timing(None, quick, None)).state,
            judged(timing(Some(1e-3), vec![rate(10.0, false)], None)).state,
            judged(timing(Some(1e-3), Vec::new(), Some("no TUN".to_owned()))).state,
        ];
        let lacking = State::Missing;
        assert_eq!(states, [lacking, lacking, lacking, State::Unknown]);
    }

    #[test]
    fn only_required_things_count() {
        let missing = Check::new("x", "y", false, "z");
        assert!(!is_healthy(std::slice::from_ref(&missing)));
        assert!(is_healthy(&[missing.useful()]));
    }

    #[test]
    fn types_match_as_whole_words() {
        let state = |kind| known_to(b"\0tcx_link\0other\0", "x", "y", kind).state;
        assert_eq!(state("tcx_link"), State::Ok);
        assert_eq!(state("tcx_lin"), State::Missing);
        assert_eq!(known_to(b"", "x", "y", "tcx_link").state, State::Unknown);
    }
}
