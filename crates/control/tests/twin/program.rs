//! The host program of the twins: it is compiled once and driven over pipes.

use std::env;
use std::ffi::OsString;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use crate::walk::{ANSWER, Record};

/// The directory of the C twins.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bpf")
}

/// The compiled program; `None` without a C compiler.
fn built() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let Some(compiler) = compiler() else {
        let required = env::var_os("DUMBBELL_REQUIRE_CC").is_some_and(|value| value == "1");
        assert!(!required, "no C compiler, and DUMBBELL_REQUIRE_CC=1");
        return None;
    };
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("twin");
    let status = Command::new(&compiler)
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"])
        // Undefined behaviour ends the program.
        .args(["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"])
        .arg("-o")
        .arg(&program)
        .args(["twin.c", "helpers.c", "program.c"].map(|file| sources().join("host").join(file)))
        .status()
        .expect("the compiler runs");
    assert!(status.success(), "{compiler:?} refuses the twins");
    Some(program)
}

/// `$CC`, or the first of the usual compilers that runs.
fn compiler() -> Option<OsString> {
    let usual = ["cc", "gcc", "clang"].map(OsString::from);
    env::var_os("CC").into_iter().chain(usual).find(runs)
}

fn runs(compiler: &OsString) -> bool {
    let quiet = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}

/// Sends all records to the twin and returns the first `N` words of each answer. Without a compiler, it
/// prints a message and returns `None`.
pub fn ask<const N: usize>(twin: &str, records: &[Record]) -> Option<Vec<[u64; N]>> {
    let Some(program) = built() else {
        println!("skipped: no C compiler (install gcc or clang)");
        return None;
    };
    let mut child = Command::new(program)
        .arg(twin)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the twin starts");
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    let sent: Vec<u8> = records
        .iter()
        .flatten()
        .flat_map(|word| word.to_ne_bytes())
        .collect();
    let mut received = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(&sent).expect("the twin reads"));
        output.read_to_end(&mut received).expect("the twin answers");
    });
    assert!(child.wait().expect("the twin ends").success());
    const { assert!(N <= ANSWER) };
    let answers = received.chunks_exact(ANSWER * 8);
    assert_eq!(answers.len(), records.len(), "one answer to each record");
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    let answer = |bytes: &[u8]| std::array::from_fn(|i| word(&bytes[i * 8..i * 8 + 8]));
    Some(answers.map(answer).collect())
}

const CONTROLS: [&str; 8] = [
    "dctcp",
    "veno",
    "vegas",
    "rovegas",
    "westwood",
    "westwood_plus",
    "sarbe",
    "venodb",
];

/// A BPF program cannot call the library functions that a compiler may use for wide arithmetic.
#[test]
fn compiled_to_bpf_the_twins_need_no_library() {
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("twin-bpf.s");
    if !runs(&OsString::from("clang")) {
        println!("skipped: no clang (install clang)");
        return;
    }
    for cpu in ["v1", "v2", "v3"] {
        let compiled = Command::new("clang")
            .args(["-target", "bpf", "-O2", "-Wall", "-Wextra", "-Werror", "-S"])
            .arg(format!("-mcpu={cpu}"))
            .arg("-o")
            .arg(&output)
            .arg(sources().join("host/bpf.c"))
            .output()
            .expect("clang runs");
        let complaints = String::from_utf8_lossy(&compiled.stderr).into_owned();
        if complaints.contains("No available targets are compatible")
            || complaints.contains("unable to create target")
        {
            println!("skipped: this clang does not compile to BPF");
            return;
        }
        assert!(compiled.status.success(), "{cpu}: {complaints}");
        let assembly = std::fs::read_to_string(&output).expect("assembly");
        for control in CONTROLS {
            for event in ["init", "on_sample", "on_ack", "on_loss", "on_timeout"] {
                assert!(assembly.contains(&format!("probe_{control}_{event}:")));
            }
        }
        let calls = assembly
            .lines()
            .filter(|line| line.trim_start().starts_with("call"));
        assert_eq!(calls.collect::<Vec<_>>(), Vec::<&str>::new(), "{cpu}");
    }
}
