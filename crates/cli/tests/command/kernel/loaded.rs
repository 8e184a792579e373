//! `kernel` in a build with the controls, as root, in this machine's kernel.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpCongestion;

use super::kernel_log::KernelLog;
use super::*;

/// Returns a watch on the kernel's log, which fails the test if the kernel warns, if this machine permits the test.
pub fn allowed() -> Option<KernelLog> {
    let (_, out, _) = output(dumbbell().args(["kernel", "doctor", "--json"]));
    let checks: Vec<Value> = serde_json::from_str(&out).expect("JSON");
    let mut lacking = checks.iter().filter(|check| check["state"] == "missing");
    let Some(lacking) = lacking.find(|check| check["needed"] == true) else {
        return Some(KernelLog::watch());
    };
    let required = std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(!required, "DUMBBELL_REQUIRE_LIVE=1, but {lacking}");
    println!("skipped: {lacking}");
    None
}

/// Returns a name that no other process uses, and no other test of this one.
pub fn name() -> String {
    static NAMES: AtomicU32 = AtomicU32::new(0);
    let number = NAMES.fetch_add(1, Ordering::Relaxed);
    format!("dbk{:x}n{number}", std::process::id() & 0xf_ffff)
}

fn is_available(name: &str) -> bool {
    let path = "/proc/sys/net/ipv4/tcp_available_congestion_control";
    let all = std::fs::read_to_string(path).expect("Linux has it");
    all.split_whitespace().any(|one| one == name)
}

fn goes_away(name: &str) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(5) {
        if !is_available(name) {
            return true;
        }
        thread::sleep(Duration::from_millis(20));
    }
    false
}

/// A loader in the foreground. It ends with the test, if that does not end it: one that stays would keep its control loaded.
pub struct Loader(Child);

impl Drop for Loader {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Loader {
    /// Starts one, waits until it has loaded the control, and returns it with its output.
    pub fn start(args: &[&str]) -> (Self, String) {
        let mut load = dumbbell();
        load.args(["kernel", "load"]).args(args);
        let child = load.stdout(Stdio::piped()).spawn();
        let mut loader = Self(child.expect("it starts"));
        let mut said = String::new();
        let mut out = BufReader::new(loader.0.stdout.take().expect("piped"));
        while !said.contains("To unload it") {
            let read = out.read_line(&mut said).expect("it says something");
            assert!(read > 0, "it ended: {said}");
        }
        (loader, said)
    }

    pub fn end(mut self, signal: &str) -> Option<i32> {
        let number = self.0.id().to_string();
        let sent = Command::new("kill").args([signal, &number]).status();
        assert!(sent.expect("kill runs").success());
        self.0.wait().expect("it ends").code()
    }
}

/// A test that fails unwinds.
#[test]
fn a_test_that_fails_leaves_no_loader() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    let fails = || {
        let _loader = Loader::start(&["veno", "--as", &name]);
        // Without a message: nothing is wrong.
        std::panic::resume_unwind(Box::new(is_available(&name)));
    };
    let loaded = std::panic::catch_unwind(fails).expect_err("it fails");
    assert_eq!(loaded.downcast_ref(), Some(&true));
    assert!(goes_away(&name), "{name} is still there");
}

#[test]
fn in_the_foreground_a_control_is_loaded_until_the_loader_ends() {
    let Some(_log) = allowed() else {
        return;
    };
    for (signal, code) in [("-INT", Some(0)), ("-KILL", None)] {
        let name = name();
        let (loader, said) = Loader::start(&["veno", "--set", "beta=4", "--as", &name]);
        assert!(
            said.contains(&format!("sysctl net.ipv4.tcp_congestion_control={name}")),
            "{said}"
        );
        assert!(
            said.contains("congctl") && said.contains("TCP_CONGESTION"),
            "{said}"
        );
        let listed = success(dumbbell().args(["kernel", "list", "--json"]));
        let listed: Value = serde_json::from_str(&listed).expect("JSON");
        let mut all = listed.as_array().expect("an array").iter();
        let ours = all
            .find(|one| one["name"] == name.as_str())
            .expect("it is listed");
        assert_eq!(
            (&ours["control"], &ours["held_by"]),
            (&"veno".into(), &"process".into())
        );
        assert_eq!(ours["pid"], loader.0.id());

        let (again, _, err) = output(dumbbell().args(["kernel", "load", "vegas", "--as", &name]));
        assert!(again == 3 && err.contains("loaded already"), "{err}");
        assert_eq!(loader.end(signal), code);
        assert!(goes_away(&name), "{name} is still there");
    }
}

#[test]
fn invalid_arguments_are_refused() {
    let Some(_log) = allowed() else {
        return;
    };
    let refused = |args: &[&str]| {
        let (code, out, err) = output(dumbbell().arg("kernel").args(args));
        assert_eq!(out, "", "{args:?}");
        (code, err)
    };
    for (args, said) in [
        (&["load", "venno"][..], "did you mean `veno`?"),
        (
            &["load", "veno", "--set", "betta=4"],
            "did you mean `beta`?",
        ),
        (&["load", "veno", "--set", "beta"], "such as --set beta=4"),
        (&["load", "veno", "--as", "sixteen_letters_"], "1 to 15"),
        (&["load", "veno", "--aqt", "lo"], "--aqt is for rovegas"),
        (
            &["load", "rovegas", "--aqt", "lo:rooter"],
            "sender, receiver and router",
        ),
        (
            &["load", "rovegas", "--aqt", ":router"],
            "a device and a role, such as eth0:receiver",
        ),
        (
            &["load", "rovegas", "--aqt", "lo", "--aqt", "lo:sender"],
            "has that role already",
        ),
        (&["unload", "no_such_control"], "is not pinned"),
    ] {
        let (code, err) = refused(args);
        assert!(code == 2 && err.contains(said), "{args:?}: {code}, {err}");
    }
    // If the AQT programs cannot be attached, the control is not left loaded either.
    let name = name();
    let (code, err) = refused(&["load", "rovegas", "--as", &name, "--aqt", "lo:router"]);
    assert!(code == 3 && err.contains("veth"), "{err}");
    assert!(goes_away(&name));
}

/// Runs a shell script in separate network and mount namespaces, with a separate BPF file system.
fn apart(script: &str) -> (i32, String, String) {
    let script = format!("set -e\nmount -t bpf bpf /sys/fs/bpf\nip link set lo up\n{script}");
    let mut command = Command::new("unshare");
    command.args(["--mount", "--net", "sh", "-c", &script]);
    output(command.env("DUMBBELL", env!("CARGO_BIN_EXE_dumbbell")))
}

#[test]
fn a_pinned_control_stays_until_it_is_unloaded() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    let (code, out, err) = apart(&format!(
        "$DUMBBELL kernel load veno --as {name} --pin\n\
         $DUMBBELL kernel list\n\
         $DUMBBELL kernel trace {name} --for 1ms\n\
         $DUMBBELL kernel unload {name}\n\
         $DUMBBELL kernel unload --all"
    ));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    assert!(
        out.contains(&format!("To unload it: dumbbell kernel unload {name}")),
        "{out}"
    );
    assert!(
        out.contains(&format!("pin /sys/fs/bpf/dumbbell/{name}")),
        "{out}"
    );
    assert!(out.contains(&format!("{name} is unloaded")), "{out}");
    assert!(out.contains("nothing is pinned"), "{out}");
    assert!(goes_away(&name));
}

/// A trace shows a control's internal values: a connection on loopback has a rule and a backlog only if its
/// control reports them.
#[test]
fn a_pinned_control_reports_its_internal_values() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    let script = format!(
        "set -e\nmount -t bpf bpf /sys/fs/bpf\n$DUMBBELL kernel load veno --as {name} --pin\n\
         $DUMBBELL kernel trace {name} --for 800ms --json\n$DUMBBELL kernel unload {name}"
    );
    let mut child = Command::new("unshare")
        .args(["--mount", "sh", "-c", &script])
        .env("DUMBBELL", env!("CARGO_BIN_EXE_dumbbell"))
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut out = BufReader::new(child.stdout.take().expect("piped"));
    let mut said = String::new();
    while !said.contains("To unload it") {
        assert!(out.read_line(&mut said).expect("text") > 0, "{said}");
    }
    let mut pair = Pair::new();
    setsockopt(&pair.client, TcpCongestion, &(&name).into()).expect("it is loaded");
    while child.try_wait().expect("ours").is_none() {
        pair.send(50_000);
        thread::sleep(Duration::from_millis(10));
    }
    let mut rest = String::new();
    out.read_to_string(&mut rest).expect("text");
    let rows = rest
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let rows: Vec<Value> = rows.collect();
    assert!(
        rows.iter().all(|row| row["control"] == name.as_str()),
        "{rest}"
    );
    let told = rows
        .iter()
        .filter(|row| row["backlog"].is_f64() && row["rule"].is_string());
    assert!(told.count() >= 1, "{rest}");
    // The rules on a path without losses, by Veno's header: none yet, or growth, but no cut.
    let known = [
        "none",
        "slow start",
        "free",
        "busy grow",
        "busy hold",
        "busy half",
    ];
    let mut rules = rows.iter().filter_map(|row| row["rule"].as_str());
    assert!(rules.all(|rule| known.contains(&rule)), "{rest}");
    assert!(goes_away(&name));
}

#[test]
fn rovegas_and_its_programs_are_pinned_together() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    let (code, out, err) = apart(&format!(
        "ip link add q0 type veth peer name q1\n\
         $DUMBBELL kernel load rovegas --as {name} --pin --aqt q0:router --aqt q1:receiver --aqt q1\n\
         ls /sys/fs/bpf/dumbbell/{name}\n\
         $DUMBBELL kernel unload {name}\n\
         test ! -e /sys/fs/bpf/dumbbell/{name}"
    ));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    for program in [
        "arrive",
        "depart",
        "receiver_in",
        "receiver_out",
        "sender_in",
        "sender_out",
    ] {
        assert!(out.contains(&format!("aqt_{program}-")), "{program}: {out}");
    }
    assert!(out.contains("AQT: q0 is a router's"), "{out}");
    assert!(goes_away(&name));
}

/// If any user can write to the directory, the pins there may not be Dumbbell's.
#[test]
fn a_pin_directory_that_is_not_roots_own_is_left_unchanged() {
    let Some(_log) = allowed() else {
        return;
    };
    let elsewhere = folder("kernel-elsewhere");
    std::fs::create_dir_all(elsewhere.join("precious/inside")).expect("a directory");
    let link = format!("ln -s {} /sys/fs/bpf/dumbbell", elsewhere.display());
    let foreign = "mkdir -p /sys/fs/bpf/dumbbell/x; chown 65534 /sys/fs/bpf/dumbbell";
    let open = "mkdir -p /sys/fs/bpf/dumbbell/x; chmod 777 /sys/fs/bpf/dumbbell";
    let name = name();
    for trap in [&link, foreign, open] {
        for command in [
            "unload --all",
            "unload x",
            &format!("load veno --pin --as {name}"),
        ] {
            let (code, out, err) = apart(&format!("{trap}\n$DUMBBELL kernel {command}"));
            assert_eq!((code, out.as_str()), (3, ""), "{trap}, {command}: {err}");
            assert!(err.contains("`rm -r /sys/fs/bpf/dumbbell`"), "{err}");
        }
    }
    assert!(elsewhere.join("precious/inside").exists());
    assert!(goes_away(&name));
}

#[test]
fn a_leftover_is_reported_and_removed_by_unload() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    let (code, out, err) = apart(&format!(
        "mkdir -p /sys/fs/bpf/dumbbell/{name}/more\n\
         $DUMBBELL kernel list\n\
         ! $DUMBBELL kernel load veno --as {name} --pin\n\
         $DUMBBELL kernel unload --all\n\
         $DUMBBELL kernel load veno --as {name} --pin\n\
         $DUMBBELL kernel unload {name}"
    ));
    assert_eq!(code, 0, "{out}{err}");
    assert!(out.contains("leftover /sys/fs/bpf/dumbbell/"), "{out}");
    // Only the loader's line, and none from libbpf.
    assert!(
        err.lines().count() == 1 && err.contains("`dumbbell kernel unload` removes"),
        "{err}"
    );
    assert!(goes_away(&name));
}

#[test]
fn a_control_that_another_process_holds_is_not_reported_as_unloaded() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    for command in [name.as_str(), "--all"] {
        let (code, out, err) = apart(&format!(
            "$DUMBBELL kernel load veno --as {name} --pin > /dev/null\n\
             ln /sys/fs/bpf/dumbbell/{name}/link /sys/fs/bpf/other\n\
             $DUMBBELL kernel unload {command}"
        ));
        assert_eq!((code, out.as_str()), (3, ""), "{err}");
        assert!(
            err.contains("another pin or process holds its link"),
            "{err}"
        );
        assert!(goes_away(&name));
    }
}

/// A user without the permission to query the kernel gets no false information.
#[test]
fn another_user_sees_pins_and_no_leftovers() {
    let Some(_log) = allowed() else {
        return;
    };
    let name = name();
    // A copy that every user may run, wherever the original is.
    let (code, out, err) = apart(&format!(
        "$DUMBBELL kernel load veno --as {name} --pin > /dev/null\n\
         mount -t tmpfs none /mnt\n\
         cp $DUMBBELL /mnt/dumbbell\n\
         setpriv --reuid 65534 --clear-groups /mnt/dumbbell kernel list --json || bad=1\n\
         setpriv --reuid 65534 --clear-groups /mnt/dumbbell kernel trace --for 1ms >&2 || bad=1\n\
         $DUMBBELL kernel unload {name} > /dev/null\n\
         test -z \"$bad\""
    ));
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let listed: Value = serde_json::from_str(&out).expect("JSON");
    let mut all = listed.as_array().expect("an array").iter();
    let ours: Vec<_> = all
        .by_ref()
        .filter(|one| one["name"] == name.as_str())
        .collect();
    assert_eq!(ours.len(), 1, "{out}");
    assert_eq!(ours[0]["held_by"], "pin");
}

#[test]
fn a_name_of_linux_itself_is_not_to_be_unloaded() {
    let Some(_log) = allowed() else {
        return;
    };
    let (code, _, err) = output(dumbbell().args(["kernel", "load", "veno", "--as", "cubic"]));
    assert_eq!(code, 3, "{err}");
    assert!(
        err.contains("a congestion control of Linux itself"),
        "{err}"
    );
    assert!(!err.contains("unload"), "{err}");
}
