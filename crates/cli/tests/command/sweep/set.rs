//! Values that are set on the command line, and scenarios from standard input.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::{SAMPLE, dumbbell, file, folder, output, success};

fn from_input(command: &mut Command, text: &str) -> String {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(text.as_bytes()).expect("it reads");
    drop(input);
    let out = child.wait_with_output().expect("it ends");
    assert!(out.status.success());
    String::from_utf8(out.stdout).expect("text")
}

#[test]
fn a_value_that_is_set_is_that_of_a_changed_file() {
    let folder = folder("set");
    let path = file(&folder, &SAMPLE.replace("100 s", "5 s"));
    let set = [
        "--set",
        "duration=3s",
        "--set",
        "flow.control.beta=2",
        "--set",
        "flow.control.name=veno",
    ];
    let by_option = success(dumbbell().arg("explain").arg(&path).args(set).arg("--json"));
    let changed = SAMPLE
        .replace("100 s", "3 s")
        .replace("\"venodb\"", "{ name = \"veno\", beta = 2 }");
    let path = file(&folder, &changed);
    let by_file = success(dumbbell().arg("explain").arg(&path).arg("--json"));
    assert_eq!(by_option, by_file);
    assert!(!by_file.is_empty());
}

#[test]
fn a_scenario_may_come_from_standard_input() {
    let text = SAMPLE.replace("100 s", "3 s");
    let csv = |command: &mut Command| {
        from_input(command.args(["-", "--csv", "-", "--set", "seed=7"]), &text)
    };
    let folder = folder("input");
    let run = csv(dumbbell().arg("run"));
    assert!(run.contains("\n7,venodb,"), "{run}");
    let swept = csv(dumbbell()
        .args(["sweep", "--set", "sweep.repeat=1"])
        .current_dir(&folder));
    assert_eq!(swept, run);
    assert!(folder.join("sweep.sqlite").is_file());
}

#[test]
fn a_mistake_is_shown_in_the_option() {
    let folder = folder("set-mistake");
    let path = file(&folder, SAMPLE);
    for command in ["run", "explain", "sweep", "compare", "emulate"] {
        let mut call = dumbbell();
        call.arg(command)
            .arg(&path)
            .args(["--set", "bottleneck.dealy=3ms"]);
        let (code, out, err) = output(call.current_dir(&folder));
        assert_eq!((code, out.as_str()), (2, ""), "{command}: {err}");
        assert!(
            err.contains("--set:1:12") && err.contains("did you mean `delay`?"),
            "{err}"
        );
    }
}
