//! Asks the system to open a page.

use std::path::Path;
use std::process::{Command, Stdio};

/// Opens a file in the user's browser. Returns whether a program took it.
pub fn open(file: &Path) -> bool {
    let command = opener();
    let (program, words) = command.split_first().expect("a command has a name");
    let status = Command::new(program)
        .args(words)
        .arg(file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success())
}

/// The program that opens files as a double click does.
fn opener() -> &'static [&'static str] {
    if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(windows) {
        // The empty word is the title of a window, for which `start` takes a quoted path otherwise.
        &["cmd", "/c", "start", ""]
    } else {
        &["xdg-open"]
    }
}
