//! A control of one's own, from `dumbbell new --kind control` to its row in a run.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::place::{folder, success};

/// Cargo in the crate, with an output folder of its own.
fn cargo(krate: &Path, words: &[&str]) -> Command {
    crate::place::cargo(krate, &krate.join("target"), words)
}

#[test]
#[ignore = "builds a program, which takes minutes"]
fn a_control_of_ones_own_is_in_every_command() {
    let folder = folder("control");
    let mut new = Command::new(env!("CARGO_BIN_EXE_dumbbell"));
    success(
        new.current_dir(&folder)
            .args(["new", "--kind", "control", "my-aimd"]),
    );
    let krate = folder.join("my-aimd");

    let begun = Instant::now();
    let text = success(&mut cargo(
        &krate,
        &["run", "--release", "--", "list", "--parameters"],
    ));
    println!("a first build took {:.0} s", begun.elapsed().as_secs_f64());
    assert!(text.contains("\n  my-aimd "), "{text}");
    assert!(
        text.contains("keep = 0.8: Fraction of the window"),
        "{text}"
    );

    let program = krate.join("target/release/my-aimd");
    let own = |words: &[&str]| success(Command::new(&program).current_dir(&krate).args(words));
    let outcome = own(&["run", "my.toml", "--json"]);
    let outcome: serde_json::Value = serde_json::from_str(&outcome).expect("one run");
    assert_eq!(outcome["flows"][0]["control"], "my-aimd");
    let goodput = |flow: usize| {
        outcome["flows"][flow]["goodput_bps"]
            .as_f64()
            .expect("a number")
    };
    assert!(goodput(0) > 1.2 * goodput(1), "{outcome}");
    let schema = own(&["schema"]);
    assert!(schema.contains("\"my-aimd\""));
    assert!(own(&["explain", "my.toml"]).contains("any loss counts as congestion"));

    // Its runs are stored under the hash of the program, and none is computed twice.
    fs::write(
        krate.join("matrix.log"),
        own(&["reproduce", "matrix", "--quick"]),
    )
    .expect("ours");
    let log = fs::read_to_string(krate.join("matrix.log")).expect("ours");
    assert!(log.contains("my-aimd"), "{log}");
    let listed = || own(&["store", "list", "out/runs.sqlite", "--json"]);
    let before = listed();
    assert!(before.contains("# code of my-aimd: "));
    let again = own(&["reproduce", "matrix", "--quick"]);
    assert!(again.contains("my-aimd"));
    assert_eq!(listed(), before);

    // Other code has other runs. `list` does not need them, `run` does not store.
    let lib = krate.join("src/lib.rs");
    let text = fs::read_to_string(&lib).expect("ours");
    let changed = text.replacen("from_millionths(800_000)", "from_millionths(700_000)", 1);
    assert_ne!(changed, text);
    fs::write(&lib, changed).expect("ours");
    success(&mut cargo(&krate, &["build", "--release"]));
    own(&["reproduce", "matrix", "--quick"]);
    let codes = |list: &str| {
        let lines = list.split("\\n");
        let codes = lines.filter_map(|line| line.split("# code of my-aimd: ").nth(1));
        codes
            .map(str::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
    };
    assert_eq!(codes(&before).len(), 1);
    assert_eq!(codes(&listed()).len(), 2);

    // Its tests hold for the control as it was written.
    fs::write(&lib, text).expect("ours");
    success(&mut cargo(&krate, &["fmt", "--check"]));
    // What they depend on is compiled already in this profile.
    let mut tests = cargo(&krate, &["test", "--release"]);
    let tests = tests.output().expect("it starts");
    let text = String::from_utf8_lossy(&tests.stdout);
    assert!(
        tests.status.success() && text.contains("4 passed"),
        "{text}"
    );
    fs::remove_dir_all(&folder).expect("ours");
}
