//! A run in WebAssembly equals a native run. The test needs the target `wasm32-unknown-unknown` and Node,
//! and prints `skipped` if one is missing; with `DUMBBELL_REQUIRE_WASM=1` it fails instead.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use dumbbell_scenario::catalogue;
use dumbbell_scenario::controls::Controls;

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
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/page/engine/module.sh");
    let built = Command::new(script)
        .arg(folder)
        .stderr(Stdio::inherit())
        .output();
    let built = built.map_err(|error| format!("module.sh does not run: {error}"))?;
    assert!(built.status.success(), "the module does not build");
    let path = String::from_utf8(built.stdout).expect("a path in UTF-8");
    Ok(PathBuf::from(path.trim()))
}

/// How many random scenarios are compared.
const RANDOM: u32 = 60;

/// Makes random scenarios, as the comparison with older builds does.
const MAKE: &str = "
import json, sys
sys.path.insert(0, sys.argv[1])
import catalogue, random_scenarios, toml_text
names = catalogue.of(json.loads(sys.argv[2]))
texts = [toml_text.scenario(random_scenarios.scenario('wasm', n, names)) for n in range(int(sys.argv[3]))]
print(json.dumps(texts))
";

/// Returns random scenarios as texts: any topology, flows, queues and losses. `None` without Python.
fn random() -> Option<Vec<String>> {
    let sections = catalogue::sections(&Controls::builtin());
    let sections = serde_json::to_string(&sections).expect("words");
    let output = Command::new("python3")
        .args(["-c", MAKE])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../../validation"))
        .args([sections, RANDOM.to_string()])
        .stderr(Stdio::inherit())
        .output();
    let output = output.ok()?;
    assert!(output.status.success(), "the scenarios are not made");
    Some(serde_json::from_slice(&output.stdout).expect("a list of texts"))
}

#[test]
fn random_scenarios_have_the_same_outcomes_byte_for_byte() {
    let module = match module() {
        Ok(module) => module,
        Err(why) => return missing(&why),
    };
    let Some(texts) = random() else {
        return missing("python3 does not run");
    };
    let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join("random.json");
    std::fs::write(&input, serde_json::to_vec(&texts).expect("texts")).expect("ours");
    let output = Command::new("node")
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/many.mjs"))
        .arg(&module)
        .stdin(Stdio::from(File::open(input).expect("just written")))
        .output();
    let Ok(output) = output else {
        return missing("node does not run: install Node 20 or newer");
    };
    let found: Vec<String> = serde_json::from_slice(&output.stdout).expect("a list of outcomes");
    assert_eq!(found.len(), texts.len());
    let mut runs = 0;
    for (text, found) in texts.iter().zip(found) {
        // A few of them say something that the reader refuses: then both say the same.
        match dumbbell_web::outcome(text, None) {
            Ok(native) => {
                assert_eq!(found, native, "{text}");
                runs += 1;
            }
            Err(wrong) => assert_eq!(found, wrong, "{text}"),
        }
    }
    assert!(runs > RANDOM / 2, "{runs}");
}

/// The committed page is that of the sources: the one that `dumbbell lab` writes.
#[test]
fn the_committed_page_is_not_stale() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/page");
    let script = "const { fingerprint } = await import(process.argv[1] + '/build/fingerprint.mjs'); console.log(fingerprint());";
    let output = Command::new("node")
        .args(["--input-type=module", "-e", script, page])
        .output();
    let Ok(output) = output else {
        return missing("node does not run: install Node 20 or newer");
    };
    assert!(output.status.success(), "{output:?}");
    let now = String::from_utf8_lossy(&output.stdout);
    let built = std::fs::read_to_string(format!("{page}/dist/lab.html")).expect("it is committed");
    let mark = format!("content=\"{}\"", now.trim());
    assert!(
        built.contains(&mark),
        "dist/lab.html is stale; build it again: crates/web/page/engine/module.sh && npm run build in crates/web/page"
    );
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
        let native = dumbbell_web::outcome(SCENARIO, Some(seed)).expect("it is a scenario");
        assert_eq!(found, native);
        assert!(native.len() > 2000, "{native}");
    }
    let wrong = SCENARIO.replace("\"veno\"\ncount", "\"vneo\"\ncount");
    let output = under_node(&module, &wrong, 2).expect("it ran a moment ago");
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).expect("it is text");
    assert!(told.contains("scenario.toml:9:"), "{told}");
    assert_eq!(Err(told), dumbbell_web::outcome(&wrong, Some(2)));
}
