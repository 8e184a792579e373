//! `dumbbell parity` on the real machine, as root: a few seconds of two controls on each host, and what is refused.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// 2 Mb/s, 20 ms, 2 % loss.
const LOSSY: &str = r#"name = "A lossy link"
duration = "3 s"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "2 Mb/s", delay = "8 ms", queue = { droptail = 60 }, loss = { bernoulli = 0.02 } }
[[flow]]
control  = "reno"
recovery = "sack"
"#;

fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("parity-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder of our own");
    fs::write(path.join("my.toml"), LOSSY).expect("ours");
    path
}

/// The exit code, standard output, standard error.
fn parity(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let done = Command::new(env!("CARGO_BIN_EXE_dumbbell"))
        .args(["parity", "my.toml"])
        .args(args)
        .current_dir(folder)
        .output()
        .expect("the command");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let code = done.status.code().expect("it was not killed");
    (code, text(done.stdout), text(done.stderr))
}

/// Whether this machine permits the test. With DUMBBELL_REQUIRE_LIVE=1 it fails instead.
fn is_allowed(folder: &Path) -> bool {
    let tried = Command::new(env!("CARGO_BIN_EXE_dumbbell"))
        .args(["emulate", "my.toml", "--", "true"])
        .current_dir(folder)
        .output()
        .expect("the command");
    if tried.status.success() {
        return true;
    }
    let said = String::from_utf8_lossy(&tried.stderr);
    let required = std::env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(!required, "DUMBBELL_REQUIRE_LIVE=1, but {said}");
    println!("skipped: {said}");
    false
}

fn hosts(row: &Value) -> Vec<&str> {
    let sides = row["sides"].as_array().expect("sides");
    sides
        .iter()
        .map(|side| side["host"].as_str().expect("a name"))
        .collect()
}

#[test]
fn a_control_runs_on_each_host_beside_the_simulated_one_that_is_like_it() {
    let folder = folder("hosts");
    if !is_allowed(&folder) {
        return;
    }
    // Reno is in every kernel.
    let args = [
        "--controls",
        "reno,noq:newreno",
        "--quick",
        "--for",
        "2s",
        "--jobs",
        "3",
    ];
    let (code, out, err) = parity(
        &folder,
        &[&args[..], &["--json", "--out", "report"]].concat(),
    );
    assert_eq!(code, 0, "{err}");
    let found: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(
        (&found["planned"], &found["mtu"]),
        (&6.into(), &1500.into())
    );
    let [reno, newreno] = found["rows"].as_array().expect("rows").as_slice() else {
        panic!("{}", found["rows"]);
    };
    assert_eq!(
        hosts(reno),
        ["simulated QUIC", "quinn", "simulated Linux", "kernel"]
    );
    assert_eq!(hosts(newreno), ["simulated QUIC", "noq"]);
    for side in reno["sides"].as_array().expect("sides") {
        let host = &side["host"];
        let real = side["runs"].as_array();
        let runs = real.or(side["simulated"].as_array()).expect("runs");
        assert_eq!(runs.len(), 2, "{host}");
        for run in runs {
            let goodput = match real {
                Some(_) => &run["measured"]["goodput_bps"],
                None => &run["goodput_bps"],
            };
            // A lossy link of 2 Mb/s: more than a tenth of it, and never more than its data.
            let goodput = goodput.as_f64().expect("a rate");
            assert!((0.2e6..1.95e6).contains(&goodput), "{host}: {goodput}");
        }
    }
    // Each real host is judged by its four quantities.
    let pairs = found["pairs"].as_array().expect("pairs");
    assert_eq!(pairs.len(), 12);
    for pair in pairs {
        let agreement = pair["agreement"].as_str().expect("a word");
        assert!(
            ["within", "with_intervals", "apart"].contains(&agreement),
            "{agreement}"
        );
    }
    let report = folder.join("report");
    let page = fs::read_to_string(report.join("parity.html")).expect("the page");
    for word in [
        "A lossy link",
        "quinn",
        "noq:newreno",
        "simulated Linux",
        "<svg",
    ] {
        assert!(page.contains(word), "{word}");
    }
    let runs = fs::read_to_string(report.join("runs.csv")).expect("a table");
    // The head, and two runs on each of six hosts.
    assert_eq!(runs.lines().count(), 13, "{runs}");
    let whole: Value =
        serde_json::from_slice(&fs::read(report.join("parity.json")).expect("JSON")).expect("JSON");
    assert_eq!(whole["rows"], found["rows"]);
}

/// It needs no rights, and has what is simulated beside real stacks.
#[test]
fn a_prediction_runs_nothing_real() {
    let folder = folder("predict");
    let controls = ["--controls", "veno,noq:bbr3", "--seeds", "3", "--predict"];
    let (code, out, err) = parity(&folder, &[&controls[..], &["--json"]].concat());
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let found: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!(found["planned"], 0);
    assert_eq!(found["pairs"].as_array().map(Vec::len), Some(0));
    let [veno, bbr] = found["rows"].as_array().expect("rows").as_slice() else {
        panic!("{out}");
    };
    assert_eq!(hosts(veno), ["simulated QUIC", "simulated Linux"]);
    assert_eq!(hosts(bbr), ["simulated QUIC"]);
    assert_eq!(
        veno["sides"][0]["simulated"].as_array().map(Vec::len),
        Some(3)
    );
    let (code, out, err) = parity(&folder, &controls);
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(
        out.contains("simulated QUIC") && !out.contains("quinn "),
        "{out}"
    );
    let (code, _, err) = parity(&folder, &["--predict", "--out", "report"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("--out"), "{err}");
}

/// Nothing runs before all controls are known, so no rights are needed.
#[test]
fn what_no_stack_runs_is_refused_with_the_reason() {
    let folder = folder("refused");
    for (control, reason) in [
        ("vano", "vano"),
        ("sarbe", "timed:sarbe"),
        ("quinn:bbr3", "noq:bbr3"),
    ] {
        let (code, _, err) = parity(&folder, &["--controls", control, "--quick"]);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains(reason), "{err}");
    }
    let (code, _, err) = parity(&folder, &["--mtu", "1000"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("1228"), "{err}");
    let (code, help, _) = parity(&folder, &["--help"]);
    assert_eq!(code, 0);
    for example in [
        "dumbbell parity my.toml --quick",
        "reno,veno,venodb,westwood+",
    ] {
        assert!(help.contains(example), "{help}");
    }
}
