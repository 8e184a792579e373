//! All recipes together, compiled and run.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::applied;
use crate::page::{self, Step};

/// Checks besides the commands of the page: everything new in one scenario, the matrix, and lints.
const CHECKS: [(&str, &str); 5] = [
    ("cargo run -- list --json", "\"gaimd\""),
    ("cargo run -- run everything.toml --json", "\"early\""),
    (
        "cargo run -- explain everything.toml",
        "any loss counts as congestion",
    ),
    ("cargo run -- reproduce matrix --quick --out out", "gaimd"),
    (
        "cargo clippy -p dumbbell-control -p dumbbell-sim -p dumbbell-scenario -p dumbbell-lab \
         -p dumbbell-papers -p dumbbell-tcp -p dumbbell-run --all-targets -- -D warnings",
        "",
    ),
];

/// A scenario with the control, the queue and the loss model of the recipes.
const EVERYTHING: &str = r#"duration = "60 s"
[dumbbell]
access     = { rate = "10 Mb/s", delay = "10 ms" }
bottleneck = { rate = "2 Mb/s", delay = "10 ms", queue = { early_drop = 40 }, loss = { periodic = 200 } }
[[flow]]
control = "gaimd"
"#;

/// Runs a command line in a folder, and returns what it prints.
fn run(line: &str, folder: &Path, target: &Path) -> String {
    let started = Instant::now();
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().expect("a command"));
    // The variables that cargo sets for this test belong to another package.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("CARGO") && name != "CARGO_HOME" {
            command.env_remove(name);
        }
    }
    let output = command
        .args(words)
        .current_dir(folder)
        .env("CARGO_TARGET_DIR", target)
        .output()
        .unwrap_or_else(|error| panic!("{line}: {error}"));
    let [out, err] =
        [output.stdout, output.stderr].map(|all| String::from_utf8_lossy(&all).into_owned());
    assert!(
        output.status.success(),
        "{line}: {}\n{out}\n{err}",
        output.status
    );
    println!("{:6.1} s  {line}", started.elapsed().as_secs_f64());
    out
}

/// Each command of the page runs once, in a copy of the workspace to which all recipes are applied.
#[test]
#[ignore = "compiles the workspace and runs its tests again; .ci/full runs it"]
fn all_recipes_together_pass_every_check() {
    let started = Instant::now();
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let folder = scratch.join("contributing");
    // The dependencies are compiled already. The crates of the copy need another version, because cargo
    // identifies a crate by its name, its version and its path within the workspace.
    let target = scratch.parent().expect("the target folder");
    let recipes = page::recipes();
    let mut tree = applied(&recipes);
    let version = |number| format!("[workspace.package]\nversion = \"{number}\"\n");
    tree.replace("Cargo.toml", &version("0.1.0"), &version("0.1.9999"));
    tree.add("everything.toml", EVERYTHING);
    tree.write(&folder);
    let mut printed: Vec<(&str, String)> = Vec::new();
    // Verdicts go on record first: they are files of the recipe, which the tests of all recipes read.
    let all = recipes.iter().flat_map(|recipe| &recipe.steps);
    for step in all {
        let Step::Run { commands } = step else {
            continue;
        };
        for line in commands.iter().filter(|line| line.contains("--record")) {
            printed.push((line, run(line, &folder, target)));
        }
    }
    let mut last = "";
    for step in recipes.iter().flat_map(|recipe| &recipe.steps) {
        match step {
            Step::Run { commands } => {
                for line in commands {
                    last = line;
                    if printed.iter().all(|(known, _)| known != line) {
                        printed.push((line, run(line, &folder, target)));
                    }
                }
            }
            Step::Expect { lines } => {
                let (_, out) = printed
                    .iter()
                    .find(|(known, _)| *known == last)
                    .expect("a command");
                for line in lines {
                    assert!(
                        out.contains(line.trim()),
                        "{last} does not print {line}:\n{out}"
                    );
                }
            }
            Step::Create { .. } | Step::Insert { .. } => {}
        }
    }
    for (line, printed) in CHECKS {
        let out = run(line, &folder, target);
        assert!(
            out.contains(printed),
            "{line} does not print {printed}:\n{out}"
        );
    }
    println!("{:6.1} s  in all", started.elapsed().as_secs_f64());
}
