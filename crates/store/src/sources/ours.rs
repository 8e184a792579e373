//! Tests which parts of this project the fingerprint covers, and the effect of changing them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use dumbbell_scenario::Scenario;
use dumbbell_scenario::controls::Controls;

use super::sources;
use crate::{Fingerprint, Job, Runner, Store};

/// The crates that produce a run.
const BELOW: [&str; 8] = [
    "control", "media", "quic", "run", "scenario", "sim", "tcp", "tfrc",
];

/// A copy of the parts of this project that a fingerprint could cover. It is removed when the test
/// ends.
struct Copy(PathBuf);

impl Copy {
    fn new(name: &str) -> Self {
        let own = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = own.join("../..");
        let copy =
            Self(std::env::temp_dir().join(format!("dumbbell-{name}-{}", std::process::id())));
        for crate_ in crates() {
            for part in ["Cargo.toml", "build.rs", "src"] {
                let part = format!("crates/{crate_}/{part}");
                copy_all(&root.join(&part), &copy.0.join(&part));
            }
        }
        for file in ["Cargo.toml", "Cargo.lock"] {
            copy_all(&root.join(file), &copy.0.join(file));
        }
        copy
    }

    fn fingerprint(&self) -> Fingerprint {
        let found = sources(&self.0.join("crates/store")).unwrap();
        Fingerprint::of(found.hash.as_bytes())
    }

    /// Replaces all occurrences of a text in a file.
    fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.0.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from} in {file}");
        fs::write(path, text.replace(from, to)).unwrap();
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The folders of this project's crates.
fn crates() -> Vec<String> {
    let folders = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("..")).unwrap();
    let names = folders.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.collect()
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else if from.exists() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

#[test]
fn a_source_is_covered_if_its_crate_produces_runs() {
    let copy = Copy::new("crates");
    let crates = crates();
    assert!(crates.len() > BELOW.len());
    for crate_ in crates {
        let before = copy.fingerprint();
        let source = copy.0.join(format!("crates/{crate_}/src/added.rs"));
        fs::write(&source, "").unwrap();
        assert_eq!(
            copy.fingerprint() != before,
            BELOW.contains(&crate_.as_str()),
            "{crate_}"
        );
        fs::remove_file(source).unwrap();
    }
}

#[test]
fn a_locked_version_is_covered_if_runs_depend_on_it() {
    let copy = Copy::new("versions");
    // Direct and indirect dependencies of the crates above; then dependencies of lab, of the
    // command, of the store, and of tests only.
    let counts = [
        ("libm", true),
        ("statrs", true),
        ("num-traits", true),
        ("ppv-lite86", true),
    ];
    let not = [
        "plotters",
        "clap",
        "indicatif",
        "rusqlite",
        "libsqlite3-sys",
        "proptest",
        "pulldown-cmark",
    ];
    for (package, counts) in counts
        .into_iter()
        .chain(not.map(|package| (package, false)))
    {
        let before = copy.fingerprint();
        let line = format!("name = \"{package}\"\nversion = \"");
        copy.change("Cargo.lock", &line, &format!("{line}9"));
        assert_eq!(copy.fingerprint() != before, counts, "{package}");
        copy.change("Cargo.lock", &format!("{line}9"), &line);
        assert_eq!(copy.fingerprint(), before);
    }
}

#[test]
fn changing_a_claim_keeps_all_runs_and_changing_a_control_none() {
    let copy = Copy::new("whole");
    let text = "
        duration = \"1 s\"
        [dumbbell]
        access = { rate = \"10 Mb/s\", delay = \"1 ms\" }
        bottleneck = { rate = \"1 Mb/s\", delay = \"20 ms\", queue = { droptail = 9 } }
        [[flow]]
        control = \"veno\"";
    let scenario = Scenario::parse("test", text, &Controls::builtin()).unwrap();
    let file = copy.0.join("runs.sqlite");
    let simulated = || {
        let store = Store::open_for(&file, copy.fingerprint()).unwrap();
        let job = |seed| Job {
            scenario: &scenario,
            seed,
            probe: None,
        };
        let jobs: Vec<Job<'_>> = (0..10).map(job).collect();
        let runner = Runner {
            store: Some(&store),
            threads: 2,
            interrupted: &AtomicBool::new(false),
        };
        runner.run(&jobs, |_| {}, |_, _| {}).computed
    };
    assert_eq!(simulated(), 10);
    assert_eq!(simulated(), 0);
    let figure = "crates/papers/src/venodb/fig2.toml";
    copy.change("crates/lab/src/report/page/page.css", "{", "{ color: red;");
    copy.change(figure, "title  = \"", "title  = \"In short: ");
    copy.change(figure, "are almost the same.", "are the same.");
    copy.change("Cargo.toml", "lto = \"off\"", "lto = \"fat\"");
    assert_eq!(simulated(), 0);
    copy.change("crates/control/src/algorithm/veno.rs", "fn ", "  fn ");
    assert_eq!(simulated(), 10);
    assert_eq!(simulated(), 0);
}
