//! The parsers in C as a program: it is compiled once and driven over pipes.

use std::env;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

/// A request to the program; see `bpf/host/option.h`.
#[derive(Clone, Copy, Debug)]
pub enum Question<'a> {
    /// Where the AQT option begins.
    Aqt(&'a [u8]),
    /// Where the MSS option begins.
    Mss(&'a [u8]),
    /// The queueing time in microseconds after a router in which a packet waited this many nanoseconds.
    Delayed(u32, u64),
    /// The MSS reduced by the size of the AQT option.
    Room(u32),
}

impl Question<'_> {
    fn record(self) -> [u8; 64] {
        let (operation, first, second, options): (u64, u64, u64, &[u8]) = match self {
            Self::Aqt(options) => (0, options.len() as u64, 0, options),
            Self::Mss(options) => (1, options.len() as u64, 0, options),
            Self::Delayed(micros, waited) => (2, micros.into(), waited, &[]),
            Self::Room(mss) => (3, mss.into(), 0, &[]),
        };
        // The bytes after the list must not matter.
        let mut record = [0x5e; 64];
        for (place, word) in record.chunks_exact_mut(8).zip([operation, first, second]) {
            place.copy_from_slice(&word.to_ne_bytes());
        }
        record[24..24 + options.len()].copy_from_slice(options);
        record
    }
}

/// The answer to each question. Without a compiler, it prints a message and returns `None`.
pub fn ask(questions: &[Question<'_>]) -> Option<Vec<i64>> {
    let Some(program) = built() else {
        println!("skipped: no C compiler (install gcc or clang)");
        return None;
    };
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    let sent: Vec<u8> = questions.iter().flat_map(|q| q.record()).collect();
    let mut received = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(&sent).expect("the program reads"));
        output.read_to_end(&mut received).expect("it answers");
    });
    assert!(child.wait().expect("it ends").success());
    let answers = received.chunks_exact(8);
    assert_eq!(answers.len(), questions.len(), "one answer to each");
    Some(
        answers
            .map(|word| i64::from_ne_bytes(word.try_into().expect("eight bytes")))
            .collect(),
    )
}

fn built() -> Option<&'static Path> {
    static PROGRAM: OnceLock<Option<PathBuf>> = OnceLock::new();
    PROGRAM.get_or_init(build).as_deref()
}

fn build() -> Option<PathBuf> {
    let usual = ["cc", "gcc", "clang"].map(OsString::from);
    let Some(compiler) = env::var_os("CC").into_iter().chain(usual).find(runs) else {
        let required = env::var_os("DUMBBELL_REQUIRE_CC").is_some_and(|value| value == "1");
        assert!(!required, "no C compiler, and DUMBBELL_REQUIRE_CC=1");
        return None;
    };
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bpf/host");
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join("option");
    let status = Command::new(&compiler)
        .args(["-std=c11", "-O2", "-Wall", "-Wextra", "-Werror"])
        // Undefined behaviour ends the program.
        .args(["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"])
        .arg("-o")
        .arg(&program)
        .args(["option.c", "option_program.c"].map(|file| sources.join(file)))
        .status()
        .expect("the compiler runs");
    assert!(status.success(), "{compiler:?} refuses the parsers");
    Some(program)
}

fn runs(compiler: &OsString) -> bool {
    let quiet = Command::new(compiler)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    quiet.is_ok_and(|status| status.success())
}
