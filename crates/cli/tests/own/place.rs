//! A folder outside of any workspace, and cargo in it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns an empty folder that belongs to no workspace.
pub fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("dumbbell-own-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).expect("a folder");
    path
}

/// Returns the output of a command that must succeed.
pub fn success(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{out}\n{err}");
    assert!(!err.contains("warning:"), "{command:?}\n{err}");
    out
}

/// Cargo in a package, with this output folder.
pub fn cargo(package: &Path, target: &Path, words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(package).args(words);
    command.env("CARGO_TARGET_DIR", target);
    for mine in ["CARGO_MANIFEST_DIR", "RUSTFLAGS", "RUSTDOCFLAGS"] {
        command.env_remove(mine);
    }
    command
}
