//! The C programs on the host: each is compiled once and used through pipes.

use std::collections::HashMap;
use std::env;
use std::ffi::OsString;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

use dumbbell_control::parameter::{Kind, Parameter, Setting};

/// An operation and its arguments, as defined in `bpf/host/glue.h` and `twin.h`.
pub type Record = [u64; 10];

/// A record of these words and zeros.
pub fn record<const N: usize>(words: [u64; N]) -> Record {
    const { assert!(N <= 10) };
    std::array::from_fn(|i| words.get(i).copied().unwrap_or(0))
}

/// The number of words in a reply of the glue, and in one of a twin.
pub const GLUE: usize = 42;
const TWIN: usize = 40;

static BUILT: Mutex<Option<HashMap<String, PathBuf>>> = Mutex::new(None);

fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bpf")
}

/// Builds the program of this name; prints a message and returns `None` if there is no compiler.
fn built(name: &str, files: &[&str], define: Option<String>) -> Option<PathBuf> {
    let mut built = BUILT.lock().unwrap_or_else(|e| e.into_inner());
    let built = built.get_or_insert_default();
    if let Some(program) = built.get(name) {
        return Some(program.clone());
    }
    let Some(compiler) = compiler() else {
        let required = env::var_os("DUMBBELL_REQUIRE_CC").is_some_and(|value| value == "1");
        assert!(!required, "no C compiler, and DUMBBELL_REQUIRE_CC=1");
        println!("skipped: no C compiler (install gcc or clang)");
        return None;
    };
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let bpf = sources();
    let mut command = Command::new(&compiler);
    command
        .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"])
        // Undefined behaviour ends the program.
        .args(["-fsanitize=undefined", "-fsanitize-undefined-trap-on-error"])
        .args(["-Wno-unused-parameter", "-I"])
        .arg(bpf.join("host/shim"))
        .arg("-I")
        .arg(&bpf)
        .args(define)
        .arg("-o")
        .arg(&program)
        .args(files.iter().map(|file| bpf.join("host").join(file)));
    let status = command.status().expect("the compiler runs");
    assert!(status.success(), "{compiler:?} refuses {name}");
    built.insert(name.to_owned(), program.clone());
    Some(program)
}

/// Returns `$CC`, or the first of the usual compilers.
fn compiler() -> Option<OsString> {
    let usual = ["cc", "gcc", "clang"].map(OsString::from);
    let runs = |compiler: &OsString| {
        let mut command = Command::new(compiler);
        command.arg("--version").stdout(Stdio::null());
        command
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|s| s.success())
    };
    env::var_os("CC").into_iter().chain(usual).find(runs)
}

/// Steps the glue of a control, and returns a reply to each record.
pub fn glue(control: &str, records: &[Record]) -> Option<Vec<[u64; GLUE]>> {
    let twin = control.replace('+', "_plus");
    let source = format!("-DDB_SOURCE=\"../{twin}.bpf.c\"");
    let program = built(&format!("glue-{twin}"), &["glue.c"], Some(source))?;
    Some(ask(&program, &[], records))
}

/// Returns the configuration of the C twin after these settings: its words, padded with zeros.
pub fn configuration(
    control: &str,
    parameters: &[Parameter],
    value: impl Fn(&str) -> Setting,
) -> Option<[u64; TWIN]> {
    let program = built("twin", &["twin.c", "helpers.c", "program.c"], None)?;
    let mut records: Vec<Record> = parameters
        .iter()
        .map(|p| {
            let mut name = [0; 32];
            name[..p.name.len()].copy_from_slice(p.name.as_bytes());
            let n = |i: usize| u64::from_ne_bytes(std::array::from_fn(|k| name[i * 8 + k]));
            record([6, word(p.kind, value(p.name)), n(0), n(1), n(2), n(3)])
        })
        .collect();
    records.push(record([0]));
    records.push(record([7]));
    let answers: Vec<[u64; TWIN]> = ask(&program, &[control], &records);
    answers.last().copied()
}

/// Returns the records that give the glue a configuration.
pub fn configure(words: &[u64; TWIN]) -> Vec<Record> {
    let parts = words.chunks(7).enumerate();
    parts
        .map(|(i, part)| {
            let mut record = record([6, i as u64 * 7]);
            record[2..2 + part.len()].copy_from_slice(part);
            record
        })
        .collect()
}

fn ask<const N: usize>(program: &Path, arguments: &[&str], records: &[Record]) -> Vec<[u64; N]> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("piped");
    let mut output = child.stdout.take().expect("piped");
    let words = records.iter().flatten();
    let sent: Vec<u8> = words.flat_map(|word| word.to_ne_bytes()).collect();
    let mut received = Vec::new();
    std::thread::scope(|scope| {
        scope.spawn(move || input.write_all(&sent).expect("the program reads"));
        output
            .read_to_end(&mut received)
            .expect("the program answers");
    });
    assert!(child.wait().expect("the program ends").success());
    let answers = received.chunks_exact(N * 8);
    assert_eq!(answers.len(), records.len(), "one answer to each record");
    let word = |bytes: &[u8]| u64::from_ne_bytes(bytes.try_into().expect("eight bytes"));
    answers
        .map(|bytes| std::array::from_fn(|i| word(&bytes[i * 8..i * 8 + 8])))
        .collect()
}

/// Converts a value to its form in C.
fn word(kind: Kind, value: Setting) -> u64 {
    match (kind, value) {
        (_, Setting::Segments(segments)) => segments.raw(),
        (_, Setting::Duration(span)) => span.as_nanos(),
        (_, Setting::Count(count)) => count.into(),
        (_, Setting::Ratio(ratio)) => ratio.millionths().into(),
        (_, Setting::Flag(flag)) => flag.into(),
        (Kind::Choice(words), Setting::Choice(word)) => {
            words.iter().position(|w| *w == word).expect("a word") as u64
        }
        (kind, value) => panic!("{value:?} is no {kind:?}"),
    }
}
