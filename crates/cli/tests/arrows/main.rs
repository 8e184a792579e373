//! The dependency arrows between the crates: which crates each may import. A new arrow is a decision,
//! which is recorded in ARCHITECTURE.md and here.

mod circles;

use std::collections::BTreeSet;
use std::path::Path;

/// A crate's folder, and the crates of this project that it may import.
const ARROWS: [(&str, &[&str]); 21] = [
    ("control", &[]),
    ("sim", &[]),
    ("tcp", &["control"]),
    ("quic", &["control"]),
    ("tfrc", &["control"]),
    ("media", &["control", "tfrc"]),
    ("quinn", &["control", "quic"]),
    ("noq", &["control", "quic"]),
    ("s2n-quic", &["control", "quic"]),
    ("pinned", &[]),
    ("transfer", &["control", "quic", "quinn", "pinned"]),
    ("stream", &["control", "tfrc", "media", "pinned"]),
    (
        "scenario",
        &["control", "tcp", "quic", "tfrc", "media", "sim"],
    ),
    (
        "run",
        &["scenario", "control", "tcp", "quic", "tfrc", "media", "sim"],
    ),
    ("store", &["run", "scenario"]),
    (
        "lab",
        &[
            "store", "run", "scenario", "control", "tcp", "quic", "tfrc", "media", "sim",
        ],
    ),
    ("papers", &["lab"]),
    (
        "live",
        &[
            "control", "tcp", "quic", "tfrc", "media", "sim", "scenario", "run", "quinn", "noq",
        ],
    ),
    ("web", &["control", "scenario", "run"]),
    (
        "python",
        &[
            "control", "tcp", "quic", "tfrc", "media", "sim", "scenario", "run", "store", "lab",
            "papers",
        ],
    ),
    (
        "cli",
        &[
            "control", "tcp", "quic", "tfrc", "media", "sim", "scenario", "run", "store", "lab",
            "papers", "live", "transfer", "stream", "pinned",
        ],
    ),
];

/// Returns the crates of this project that a manifest names in any kind of dependency.
fn imports(manifest: &toml::Table) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (key, value) in manifest {
        let Some(table) = value.as_table() else {
            continue;
        };
        if key.ends_with("dependencies") {
            // A renamed package still gives its own name.
            let own = |(key, entry): (&String, &toml::Value)| {
                let package = entry.get("package").and_then(toml::Value::as_str);
                let name = package.unwrap_or(key).strip_prefix("dumbbell-");
                name.map(str::to_owned)
            };
            found.extend(table.iter().filter_map(own));
        } else if key == "target" {
            let platforms = table.values().filter_map(toml::Value::as_table);
            found.extend(platforms.flat_map(imports));
        }
    }
    found
}

#[test]
fn every_crate_imports_only_what_it_may() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    for (folder, allowed) in ARROWS {
        let manifest = std::fs::read_to_string(crates.join(folder).join("Cargo.toml"));
        let manifest = manifest.expect("every crate has a manifest");
        for import in imports(&manifest.parse().expect("a manifest is TOML")) {
            assert!(
                allowed.contains(&import.as_str()),
                "crates/{folder} imports {import}, which the house does not allow; see ARCHITECTURE.md"
            );
        }
    }
}

/// GCC is a crate that is not ours, for comparison: nothing needs it without the feature `gcc`, which no default has.
#[test]
fn what_is_not_ours_is_behind_its_feature() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    let mut users = Vec::new();
    for (folder, _) in ARROWS {
        let manifest = std::fs::read_to_string(crates.join(folder).join("Cargo.toml"));
        let manifest: toml::Table = manifest
            .expect("every crate has a manifest")
            .parse()
            .expect("a manifest is TOML");
        for (key, table) in &manifest {
            let Some(table) = table.as_table() else {
                continue;
            };
            for name in ["goog_cc", "send_wrapper"] {
                let Some(entry) = table.get(name).filter(|_| key.ends_with("dependencies")) else {
                    continue;
                };
                let optional = entry.get("optional").and_then(toml::Value::as_bool);
                assert_eq!(optional, Some(true), "crates/{folder}: {key}.{name}");
                users.push((folder, name));
            }
            // A feature that is on by default must not bring it in.
            for (feature, parts) in table.iter().filter(|_| key == "features") {
                let parts = parts.to_string();
                let brings = parts.contains("gcc") || parts.contains("goog_cc");
                assert!(
                    !brings || feature == "gcc",
                    "crates/{folder}: feature {feature}"
                );
            }
        }
    }
    assert_eq!(users, [("media", "goog_cc"), ("media", "send_wrapper")]);
}

#[test]
fn dependencies_of_every_kind_count() {
    let manifest = r#"
        [dependencies]
        dumbbell-a = "1"
        serde = "1"
        [build-dependencies]
        dumbbell-b = "1"
        [dev-dependencies.dumbbell-c]
        path = ".."
        [target.'cfg(unix)'.dev-dependencies]
        dumbbell-d.workspace = true
        other = { package = "dumbbell-e", version = "1" }
    "#;
    let found = imports(&manifest.parse().expect("it is TOML"));
    assert_eq!(found.into_iter().collect::<String>(), "abcde");
}

#[test]
fn every_crate_has_its_arrows() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    let folders: BTreeSet<_> = std::fs::read_dir(crates)
        .expect("crates/ is readable")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let known: BTreeSet<_> = ARROWS
        .iter()
        .map(|(folder, _)| (*folder).to_owned())
        .collect();
    assert_eq!(folders, known);
}

/// A run is a function of its scenario and its seed: no code that it uses may read a clock.
#[test]
fn no_run_reads_a_clock() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    for folder in ["control", "tcp", "tfrc", "media", "sim", "scenario", "run"] {
        for (file, text) in circles::sources(&crates.join(folder).join("src")) {
            for clock in ["::now", "SystemTime", "cpu_time"] {
                assert!(!text.contains(clock), "crates/{folder}/src/{file}: {clock}");
            }
        }
    }
}

/// Two files that need each other are one file, or hide a third. Only a file and its own children may
/// import each other.
#[test]
fn no_files_import_each_other_in_a_circle() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    let mut found = Vec::new();
    for (folder, _) in ARROWS {
        let sources = circles::sources(&crates.join(folder).join("src"));
        assert!(!sources.is_empty(), "{folder}");
        let circles = circles::of(&sources).into_iter();
        found.extend(circles.map(|files| format!("{folder}: {}", files.join(", "))));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
