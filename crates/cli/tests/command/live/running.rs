//! One more command on a host of an emulation that runs, and its figures on another terminal.

use std::env;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::stalls::FAST;
use super::{is_allowed, sleepers, text, wait_until};
use crate::{dumbbell, file, folder, output};

/// Starts an emulation, whose number is that of its process.
fn started(name: &str, options: &[&str], command: &[&str]) -> Child {
    let path = file(&folder(name), FAST);
    let child = dumbbell()
        .arg("emulate")
        .arg(path)
        .args(options)
        .arg("--")
        .args(command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    wait_until("it is listed", || listed().contains(&id));
    child
}

/// Lists the emulations that run. Other tests have some, too.
fn listed() -> Vec<String> {
    let (code, out, _) = output(dumbbell().args(["emulate", "--attach"]));
    assert_eq!(code, 0);
    let numbers = out.lines().filter_map(|line| line.split(' ').next());
    numbers.map(str::to_owned).collect()
}

fn end(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

/// From another user namespace, nobody may enter; from its own, its user may.
#[test]
fn an_emulation_without_root_is_entered_through_its_user_namespace() {
    if !is_allowed() {
        return;
    }
    let within = |namespace: &[&str]| {
        let mut command = Command::new(namespace[0]);
        command
            .args(&namespace[1..])
            .arg(env!("CARGO_BIN_EXE_dumbbell"))
            .arg("emulate");
        command
    };
    let unshare = ["unshare", "--user", "--map-root-user"];
    if !Command::new(unshare[0])
        .args(&unshare[1..])
        .arg("true")
        .status()
        .is_ok_and(|it| it.success())
    {
        return super::skip("no user namespaces");
    }
    let path = file(&folder("running-unshare"), FAST);
    let child = within(&unshare)
        .arg(path)
        .args(["--", "sleep", "93.75"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let id = child.id().to_string();
    wait_until("it is listed", || listed().contains(&id));
    let attach = |namespace: &[&str]| {
        let words = ["--attach", &id, "sender", "--", "echo", "there"];
        output(within(namespace).args(words))
    };
    let (code, _, said) = attach(&unshare);
    let nsenter = [
        "nsenter",
        "--user",
        "--preserve-credentials",
        "--target",
        &id,
    ];
    assert_eq!(code, 2, "{said}");
    assert!(said.contains(&nsenter.join(" ")), "{said}");
    let (code, out, said) = attach(&nsenter);
    assert_eq!((code, out.as_str()), (0, "there\n"), "{said}");
    end(child);
}

#[test]
fn a_command_can_enter_either_host() {
    if !is_allowed() {
        return;
    }
    let path = started("running-enter", &[], &["sleep", "93.25"]);
    let id = path.id().to_string();
    let attach = |host: &str, script: &str| {
        let mut command = dumbbell();
        command.args(["emulate", "--attach", &id, host, "--", "sh", "-c", script]);
        output(&mut command)
    };
    let script = "echo $DUMBBELL_HERE; grep -c dumbbell0 /proc/net/dev; exit 7";
    for (host, address) in [("sender", "10.11.12.1"), ("receiver", "10.11.12.2")] {
        let (code, out, _) = attach(host, script);
        assert_eq!((code, out), (7, format!("{address}\n1\n")));
    }
    // They are on one network, and not on this machine's.
    let (code, _, said) =
        output(dumbbell().args(["emulate", "--attach", &id, "somewhere", "--", "true"]));
    assert_eq!(code, 2);
    assert!(said.contains("a `sender` and a `receiver`"), "{said}");
    let (code, _, said) = output(dumbbell().args(["emulate", "--attach", &id, "--", "true"]));
    assert_eq!(code, 2, "{said}");
    end(path);
    let (code, _, said) = attach("sender", "true");
    assert_eq!(code, 2);
    assert!(said.contains("there is no emulation"), "{said}");
}

/// However the emulation ends: here by SIGKILL.
#[test]
fn an_attached_command_ends_with_the_emulation() {
    if !is_allowed() {
        return;
    }
    let path = started("running-ends", &[], &["sleep", "93.5"]);
    let id = path.id().to_string();
    let attached = dumbbell()
        .args([
            "emulate", "--attach", &id, "receiver", "--", "sleep", "93.75",
        ])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_until("it sleeps", || sleepers("93.75") == 1);
    end(path);
    let done = attached.wait_with_output().unwrap();
    assert_eq!(done.status.code(), Some(3));
    let said = text(&done.stderr);
    assert!(said.contains("the emulation has ended"), "{said}");
    wait_until("none stays", || {
        sleepers("93.75") == 0 && sleepers("93.5") == 0
    });
    assert!(!listed().contains(&id));
}

/// A transfer over 20 Mb/s for nine seconds.
#[test]
fn figures_are_those_of_the_traffic() {
    if !is_allowed() {
        return;
    }
    let this = env::current_exe().unwrap();
    let this = this.to_str().unwrap();
    let part = |name: &str| format!("live::stalls::{name}");
    let receiver = format!("{this} --exact {} --ignored", part("receives"));
    let path = started(
        "running-watch",
        &["--receiver", &receiver, "--control", "reno"],
        &[this, "--exact", &part("sends"), "--ignored"],
    );
    let id = path.id().to_string();
    thread::sleep(Duration::from_secs(2));
    let watch = |options: &[&str]| {
        let mut command = dumbbell();
        command.args(["emulate", "--watch", &id]).args(options);
        output(&mut command)
    };
    let begun = Instant::now();
    let (code, out, said) = watch(&["--json", "--every", "400 ms", "--for", "2 s"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(begun.elapsed() < Duration::from_secs(4));
    let figures: Vec<serde_json::Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(figures.len() >= 3, "{out}");
    for figures in &figures[1..] {
        let link = &figures["links"][0];
        assert_eq!(link["name"], "bottleneck");
        // The machine may be busy, but most of the 20 Mb/s are used.
        for rate in [&link["rate_bps"], &figures["to_receiver_bps"]] {
            let rate = rate.as_f64().unwrap();
            assert!((10e6..21e6).contains(&rate), "{figures}");
        }
        let queue = link["queue"].as_f64().unwrap();
        assert!((0.0..=61.0).contains(&queue), "{figures}");
        let sender = figures["connections"].as_array().unwrap();
        let sender = sender.iter().find(|it| it["host"] == "sender");
        let sender = sender.unwrap_or_else(|| panic!("{figures}"));
        assert_eq!(sender["control"], "reno");
        assert!(sender["cwnd"].as_u64() > Some(1), "{figures}");
        assert!(sender["rtt_s"].as_f64() > Some(0.019), "{figures}");
    }
    // A link that carries 20 Mb/s and holds 60 packets drops some.
    let last = figures.last().unwrap();
    assert!(
        last["links"][0]["dropped_in_all"].as_u64() > Some(0),
        "{last}"
    );
    let (code, table, _) = watch(&["--for", "1500 ms"]);
    assert_eq!(code, 0);
    assert!(
        table.contains("bottleneck") && table.contains("reno"),
        "{table}"
    );
    assert!(table.contains("longest stall"), "{table}");
    end(path);
}

#[test]
fn what_starts_an_emulation_and_what_looks_at_one_do_not_mix() {
    for arguments in [
        &["emulate", "my.toml", "--watch"][..],
        &["emulate", "--watch", "--attach"],
        &["emulate", "--attach", "--seed", "1"],
        &["emulate", "my.toml", "--every", "1 s", "--", "true"],
        &["emulate"],
        &["emulate", "--watch", "my.toml"],
    ] {
        let (code, _, said) = output(dumbbell().args(arguments));
        assert_eq!(code, 2, "{arguments:?}: {said}");
    }
    let done = Command::new(env!("CARGO_BIN_EXE_dumbbell"))
        .args(["emulate", "--watch", "4194304"])
        .output()
        .unwrap();
    assert!(text(&done.stderr).contains("there is no emulation 4194304"));
}
