//! A run in WebAssembly equals a native run. The test needs the target `wasm32-unknown-unknown` and Node,
//! and prints `skipped` if one is missing; with `DUMBBELL_REQUIRE_WASM=1` it fails instead.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Many of the features of a scenario: controls, classifiers, a RED queue, losses in bursts, media, a
/// relay, datagrams with two distributions.
const SCENARIO: &str = r#"
duration = "20 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "3 ms" }
bottleneck = { rate = "3 Mb/s", delay = "20 ms", queue = { red = { limit = 40, min = 5, max = 15 } }, loss = { gilbert_elliott = { to_bad = 0.01, to_good = 0.3, bad = 0.2 } } }
[variation]
bin = "500 ms"
[[flow]]
control = "veno"
count = 2
start = { uniform = ["0 s", "1 s"] }
classify = ["veno", "lded"]
[[flow]]
control = "cubic"
[[flow]]
control = "sarbe"
delayed_ack = true
[[flow]]
rate_control = "tfrc-veno"
[[flow]]
name = "proxy"
control = "westwood"
relays = "first leg"
direction = "left"
[[flow]]
name = "first leg"
rate_control = "tfrc"
[[flow]]
source = { exponential = { rate = "200 kb/s", on = "100 ms", off = "300 ms" } }
[[flow]]
source = { pareto = { rate = "400 kb/s", on = "300 ms", off = "200 ms", shape = 1.5 } }
"#;

fn missing(what: &str) {
    assert!(
        std::env::var_os("DUMBBELL_REQUIRE_WASM").is_none(),
        "DUMBBELL_REQUIRE_WASM is set, and {what}"
    );
    println!("skipped: {what}");
}

/// Builds the module; the error says which tool is missing.
fn module() -> Result<PathBuf, String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let libraries = Command::new(rustc)
        .args([
            "--print",
            "target-libdir",
            "--target",
            "wasm32-unknown-unknown",
        ])
        .output()
        .map_err(|error| format!("rustc does not run: {error}"))?;
    if !Path::new(String::from_utf8_lossy(&libraries.stdout).trim()).is_dir() {
        return Err("there is no target: rustup target add wasm32-unknown-unknown".into());
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("wasm");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--profile", "web", "--package", "dumbbell-web"])
        .args(["--target", "wasm32-unknown-unknown", "--target-dir"])
        .arg(&folder)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        // Flags of the tests' own build, such as those of a fuzzer or of coverage, do not apply to another
        // target.
        .env_remove("RUSTFLAGS")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .status()
        .expect("cargo runs the tests");
    assert!(built.success(), "the module does not build");
    Ok(folder.join("wasm32-unknown-unknown/web/dumbbell_web.wasm"))
}

/// Returns Node's output for the module with this text.
fn under_node(module: &Path, text: &str, seed: u64) -> std::io::Result<Output> {
    let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{seed}.toml"));
    std::fs::write(&input, text)?;
    Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/run.mjs"))
        .arg(module)
        .arg(seed.to_string())
        .stdin(Stdio::from(File::open(input)?))
        .output()
}

/// The engine of the page: its calls, their limits, and what they return.
#[test]
fn the_engine_works_under_node() {
    let module = match module() {
        Ok(module) => module,
        Err(why) => return missing(&why),
    };
    let tests = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/page/engine/tests/engine.test.mjs"
    );
    let node = Command::new("node")
        .args(["--test", tests])
        .env("LAB_WASM", module)
        .output();
    let Ok(output) = node else {
        return missing("node does not run: install Node 20 or newer");
    };
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
}

#[test]
fn a_run_in_webassembly_is_equal_byte_for_byte() {
    let module = match module() {
        Ok(module) => module,
        Err(why) => return missing(&why),
    };
    for seed in [1, u64::MAX / 3] {
        let Ok(output) = under_node(&module, SCENARIO, seed) else {
            return missing("node does not run: install Node 20 or newer");
        };
        let errors = String::from_utf8_lossy(&output.stderr);
        let found = String::from_utf8(output.stdout).expect("JSON is text");
        assert!(output.status.success(), "{found}{errors}");
        let native = dumbbell_web::outcome(SCENARIO, seed).expect("it is a scenario");
        assert_eq!(found, native);
        assert!(native.len() > 2000, "{native}");
    }
    let wrong = SCENARIO.replace("\"veno\"\ncount", "\"vneo\"\ncount");
    let output = under_node(&module, &wrong, 2).expect("it ran a moment ago");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).expect("it is text");
    assert!(told.contains("scenario.toml:9:"), "{told}");
    assert_eq!(Err(told), dumbbell_web::outcome(&wrong, 2));
}
