//! Other processes: this test program, started again.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use dumbbell_store::{Store, Trouble};

use crate::jobs::{run, scenario, seeds};

const TASK: &str = "DUMBBELL_TEST_TASK";
const FILE: &str = "DUMBBELL_TEST_FILE";

/// A process with a task for a file. The words of `before` precede its command line.
pub fn process(before: &[&str], task: &str, file: &Path) -> Command {
    let own = std::env::current_exe().unwrap();
    let own = own.to_str().unwrap();
    let words = [
        before,
        &[own, "--ignored", "--exact", "child::task", "--nocapture"],
    ]
    .concat();
    let mut command = Command::new(words[0]);
    command
        .args(&words[1..])
        .env(TASK, task)
        .env(FILE, file)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Whether a process may mount a file system.
#[cfg(target_os = "linux")]
pub fn may_mount() -> bool {
    let mount = "mount -t tmpfs -o size=64k none \"$0\"";
    Command::new("unshare")
        .args(["-m", "sh", "-c", mount])
        .arg(std::env::temp_dir())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Waits for a process, which must succeed.
pub fn finish(mut command: Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{out}\n{err}");
    out
}

#[test]
#[ignore = "what the processes do that other tests start"]
fn task() {
    let task = std::env::var(TASK).expect("other tests start this one");
    let file = std::env::var_os(FILE).unwrap();
    let file = Path::new(&file);
    match task.as_str() {
        "endless" => {
            let scenario = scenario(20);
            let store = Store::open(file).unwrap();
            run(Some(&store), &seeds(&scenario, 20_000));
        }
        "share" => {
            let scenario = scenario(5);
            let store = Store::open(file).unwrap();
            let (runs, summary) = run(Some(&store), &seeds(&scenario, 400));
            assert_eq!((runs.len(), summary.trouble), (400, None));
            println!("computed {}", summary.computed);
        }
        "full" => full(file),
        "read-only" => {
            let error = Store::open(file).err().expect("it was opened");
            assert_eq!(error.trouble, Trouble::ReadOnly, "{error}");
            let beside = file.with_file_name("other.sqlite");
            let error = Store::open(&beside).err().expect("it was made");
            assert_eq!(error.trouble, Trouble::Unopenable, "{error}");
        }
        other => panic!("no task {other}"),
    }
}

/// Stores runs on a disk with space for only some of them, and then for all of them.
fn full(file: &Path) {
    let scenario = scenario(5);
    let jobs = seeds(&scenario, 2000);
    let store = Store::open(file).unwrap();
    let (_, first) = run(Some(&store), &jobs[..100]);
    assert_eq!((first.kept, first.trouble), (100, None));
    let (runs, second) = run(Some(&store), &jobs);
    assert_eq!((runs.len(), second.computed), (2000, 1900));
    assert_eq!(second.trouble.unwrap().trouble, Trouble::Full);
    let kept = store.runs().unwrap();
    assert_eq!(kept, 100 + second.kept as u64);
    assert!(kept < 2000);
    drop(store);
    let folder = file.parent().unwrap();
    let more = Command::new("mount")
        .args(["-o", "remount,size=64m"])
        .arg(folder)
        .status();
    assert!(more.unwrap().success());
    assert_eq!(
        fs::read_dir(folder).unwrap().count(),
        1,
        "a journal is left"
    );
    let store = Store::open(file).unwrap();
    let (again, third) = run(Some(&store), &jobs);
    assert_eq!(third.trouble, None);
    assert_eq!(third.computed as u64, 2000 - kept);
    assert_eq!(again[..100], runs[..100]);
}
