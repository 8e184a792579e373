//! Failures and their exit codes.

use std::fs;
use std::process::Command;

use crate::{SAMPLE, dumbbell, file, folder, names, output};

/// Returns the exit code and the message of a command that prints nothing else.
fn failure(command: &mut Command) -> (i32, String) {
    let (code, out, err) = output(command);
    assert_eq!(out, "", "{command:?}");
    assert!(!err.contains("panicked"), "{err}");
    (code, err)
}

#[test]
fn a_mistake_is_shown_with_its_place() {
    let folder = folder("mistake");
    let path = file(&folder, &SAMPLE.replace("10 Mb/s", "10 Mb"));
    let (code, err) = failure(dumbbell().arg("run").arg(&path));
    assert_eq!(code, 2);
    let place = format!("{}:3:23", path.display());
    for part in [
        place.as_str(),
        "`Mb` is an amount of data, not a rate",
        "\"10 Mb/s\"",
        "^^^^^^^",
    ] {
        assert!(err.contains(part), "no {part:?} in\n{err}");
    }
    assert!(!err.contains('\u{1b}'), "colours without a terminal");
}

#[test]
fn a_mistake_of_a_trace_is_shown_with_its_line() {
    let folder = folder("trace-mistake");
    let path = file(
        &folder,
        &SAMPLE.replace("rate = \"2 Mb/s\"", "rate = { trace = \"cell.up\" }"),
    );
    let (code, err) = failure(dumbbell().arg("run").arg(&path));
    assert_eq!(code, 2);
    assert!(err.contains("cannot read the trace"), "{err}");
    fs::write(folder.join("cell.up"), "6\n12\n11\n").expect("ours");
    let (code, err) = failure(dumbbell().arg("run").arg(&path));
    assert_eq!(code, 2);
    let places = [
        format!("{}:4:", path.display()),
        format!("{}:3: 11 comes after 12", folder.join("cell.up").display()),
    ];
    for place in places {
        assert!(err.contains(&place), "no {place:?} in\n{err}");
    }
    fs::write(folder.join("cell.up"), "6\n12\n12\n").expect("ours");
    // The trace is found beside the file, whatever the working directory.
    let (code, _, err) = output(dumbbell().arg("run").arg(&path).arg("--json"));
    assert_eq!(code, 0, "{err}");
}

#[test]
fn every_mistake_is_shown() {
    let folder = folder("mistakes");
    let text = SAMPLE.replace("venodb", "venodp").replace("100 s", "100");
    let path = file(&folder, &text);
    let (code, err) = failure(dumbbell().arg("run").arg(&path));
    assert_eq!(code, 2);
    assert!(
        err.contains("my.toml:1:12") && err.contains("my.toml:6:12"),
        "{err}"
    );
    assert!(err.contains("did you mean"), "{err}");
}

#[test]
fn missing_and_unreadable_files_have_different_messages() {
    let folder = folder("none");
    let (code, err) = failure(dumbbell().arg("run").arg(folder.join("missing.toml")));
    assert!(code == 2 && err.contains("missing.toml"), "{code} {err}");
    let (code, err) = failure(dumbbell().arg("run").arg(&folder));
    assert!(code == 2 && err.contains("none"), "{code} {err}");
    let path = folder.join("binary.toml");
    fs::write(&path, b"duration = \"1 s\"\n\xff\xfe").expect("ours");
    let (code, err) = failure(dumbbell().arg("run").arg(&path));
    assert!(
        code == 2 && err.contains("binary.toml") && err.contains('2'),
        "{code} {err}"
    );
    let path = file(&folder, "");
    let (code, err) = failure(dumbbell().arg("run").arg(&path));
    assert!(code == 2 && err.contains("my.toml:1:1"), "{code} {err}");
}

#[test]
fn bad_arguments_are_bad_input() {
    let folder = folder("arguments");
    let path = file(&folder, SAMPLE);
    let path = path.to_str().expect("UTF-8");
    for arguments in [
        &["run"][..],
        &["run", path, "--repeat", "0"],
        &["run", path, "--jobs", "0"],
        &["run", path, "--seed", "-1"],
        &["run", path, "--seed", "one"],
        &["run", path, "--sample", "a.csv"],
        &["run", path, path, "--samples", "a.csv"],
        &["walk", path],
        &["reproduce", "venodb-fig99"],
        &["list", "--parameter", "beta"],
    ] {
        let (code, err) = failure(dumbbell().current_dir(&folder).args(arguments));
        assert_eq!(code, 2, "{arguments:?} {err}");
        assert!(err.starts_with("error: "), "{arguments:?} {err}");
    }
    let (_, err) = failure(
        dumbbell()
            .current_dir(&folder)
            .args(["reproduce", "venodb-fig99"]),
    );
    assert!(
        err.contains("venodb-fig99") && err.contains("venodb-fig2"),
        "{err}"
    );
}

#[test]
fn paths_that_cannot_be_written_are_named_and_left_unchanged() {
    let folder = folder("unwritable");
    let path = file(&folder, SAMPLE);
    let samples = |to: &str| {
        let mut command = dumbbell();
        command
            .arg("run")
            .arg(&path)
            .arg("--json")
            .arg("--samples")
            .arg(folder.join(to));
        command
    };
    for (to, reason) in [
        ("nowhere/a.csv", "there is no folder"),
        ("my.toml/a.csv", "there is no folder"),
        ("", "it is a folder"),
    ] {
        let (code, err) = failure(&mut samples(to));
        assert_eq!(code, 2, "{err}");
        assert!(
            err.contains("cannot write") && err.contains(reason),
            "{err}"
        );
    }
    assert_eq!(names(&folder), ["my.toml"]);
    // A folder cannot be created where a file is.
    let (code, err) = failure(dumbbell().arg("reproduce").arg("--out").arg(&path));
    assert!(code == 2 && err.contains("my.toml"), "{code} {err}");
    assert_eq!(fs::read_to_string(&path).expect("still there"), SAMPLE);
}

/// A path at which no file can be created is reported before the work.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_created_is_refused_before_the_run() {
    let folder = folder("late");
    let path = file(&folder, SAMPLE);
    // Not even root can create files there.
    let to = "/proc/sys/dumbbell.csv";
    let (code, out, err) =
        output(
            dumbbell()
                .arg("run")
                .arg(&path)
                .args(["--json", "--samples", to]),
        );
    assert_eq!(code, 2, "{err}");
    assert!(err.contains(&format!("cannot write {to}")), "{err}");
    assert_eq!(out, "", "nothing has run");
    // The name is too long once the suffix of an unfinished file is added: nothing is left behind.
    let full = folder.join("x".repeat(246) + ".csv");
    let (code, _, err) = output(
        dumbbell()
            .arg("run")
            .arg(&path)
            .arg("--json")
            .arg("--samples")
            .arg(&full),
    );
    assert_eq!(code, 2, "{err}");
    assert_eq!(names(&folder), ["my.toml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_has_another_exit_code() {
    let folder = folder("full");
    let path = file(&folder, SAMPLE);
    let path = path.to_str().expect("UTF-8");
    for arguments in [
        &["run", path][..],
        &["run", path, "--json", "--repeat", "3"],
        &["list"],
    ] {
        let full = fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .expect("Linux has it");
        let (code, err) = failure(dumbbell().args(arguments).stdout(full));
        assert_eq!(code, 3, "{arguments:?} {err}");
        assert!(err.starts_with("error: "), "{err}");
    }
}
