//! The command as users and scripts use it.

mod completions;
mod convert;
mod equation;
mod explain;
mod failures;
mod interrupt;
mod kernel;
mod lab;
mod list;
mod live;
mod man;
mod matrix;
mod new;
mod overwriting;
mod paper;
mod reproduce;
mod run;
mod schema;
mod store;
mod sweep;
mod tables;
mod trace;
mod tutorial;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The first example of the reference.
const SAMPLE: &str = r#"duration = "100 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "10 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { droptail = 60 }, loss = { bernoulli = 0.02 } }
[[flow]]
control  = "venodb"
recovery = "newreno"
count    = 1
payload  = "1000 B"
"#;

/// A scenario that takes too long to wait for.
const ENDLESS: &str = r#"duration = "720 h"
[dumbbell]
access     = { rate = "100 Mb/s", delay = "1 ms" }
bottleneck = { rate = "50 Mb/s", delay = "10 ms", queue = { droptail = 200 } }
[[flow]]
control = "reno"
"#;

fn dumbbell() -> Command {
    Command::new(env!("CARGO_BIN_EXE_dumbbell"))
}

/// Returns an empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("it was ours");
    }
    fs::create_dir_all(&path).expect("it is for tests");
    path
}

/// Creates a scenario file in a folder.
fn file(folder: &Path, text: &str) -> PathBuf {
    let path = folder.join("my.toml");
    fs::write(&path, text).expect("the folder is ours");
    path
}

fn output(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("it writes UTF-8");
    let code = status.code().expect("it ends by itself");
    (code, text(stdout), text(stderr))
}

/// Returns the output of a command that must succeed.
fn success(command: &mut Command) -> String {
    let (code, out, err) = output(command);
    assert_eq!((code, err.as_str()), (0, ""), "{command:?}\n{out}");
    out
}

/// Returns the names of the files in a folder.
fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("the folder is ours")
        .map(|entry| entry.expect("readable").file_name())
        .map(|name| name.into_string().expect("UTF-8"))
        .collect();
    names.sort();
    names
}
