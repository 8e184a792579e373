//! The example programs transfer a file's worth of bytes. The tests of each stack share this file.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// An example, which `cargo test` builds beside the tests.
fn example(name: &str) -> PathBuf {
    let own = env::current_exe().expect("this test");
    let target = own.ancestors().nth(2).expect("a target folder");
    let path = target.join("examples").join(name);
    let file = path.with_extension(env::consts::EXE_EXTENSION);
    assert!(
        file.exists(),
        "{}: build it (cargo test without --test does)",
        file.display()
    );
    file
}

/// A process that ends with the test.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a stack's server and sends half a megabyte from its client.
pub fn transfer(server: &str, client: &str) {
    let folder = env::temp_dir().join(format!("dumbbell-{server}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder of our own");
    let mut command = Command::new(example(server));
    command
        .arg("127.0.0.1:0")
        .current_dir(&folder)
        .stdout(Stdio::piped());
    let mut running = Ended(command.spawn().expect("the server"));
    let mut said = BufReader::new(running.0.stdout.take().expect("piped")).lines();
    let mut line = || said.next().expect("a line").expect("text");
    let hello = line();
    let address = hello
        .strip_prefix("at ")
        .and_then(|rest| rest.split(';').next());
    let mut command = Command::new(example(client));
    command.args([address.expect("its address"), "veno", "500000"]);
    let done = command.current_dir(&folder).output().expect("the client");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    let out = String::from_utf8_lossy(&done.stdout);
    assert!(out.starts_with("veno: ") && out.contains(" s, "), "{out}");
    let received = line();
    assert!(
        received.starts_with("500000 bytes from 127.0.0.1:"),
        "{received}"
    );
    drop(running);
    fs::remove_dir_all(&folder).expect("ours");
}
