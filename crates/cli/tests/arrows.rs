//! The dependency arrows between the crates: what each may import. A new arrow is a decision,
//! made in ARCHITECTURE.md and here.

use std::collections::BTreeSet;
use std::path::Path;

/// A crate's folder, and the crates of this project that it may import.
const ARROWS: [(&str, &[&str]); 8] = [
    ("control", &[]),
    ("tcp", &["dumbbell-control"]),
    ("tfrc", &["dumbbell-control"]),
    ("sim", &[]),
    (
        "lab",
        &[
            "dumbbell-control",
            "dumbbell-sim",
            "dumbbell-tcp",
            "dumbbell-tfrc",
        ],
    ),
    ("papers", &["dumbbell-lab"]),
    (
        "live",
        &[
            "dumbbell-control",
            "dumbbell-lab",
            "dumbbell-sim",
            "dumbbell-tcp",
        ],
    ),
    (
        "cli",
        &[
            "dumbbell-lab",
            "dumbbell-live",
            "dumbbell-papers",
            "dumbbell-tfrc",
        ],
    ),
];

fn imports(manifest: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(manifest).expect("every crate has a manifest");
    let manifest: toml::Table = text.parse().expect("a manifest is TOML");
    manifest
        .get("dependencies")
        .and_then(toml::Value::as_table)
        .into_iter()
        .flat_map(|table| table.keys().cloned())
        .filter(|name| name.starts_with("dumbbell"))
        .collect()
}

#[test]
fn every_crate_imports_only_what_it_may() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("crates/");
    for (folder, allowed) in ARROWS {
        for import in imports(&crates.join(folder).join("Cargo.toml")) {
            assert!(
                allowed.contains(&import.as_str()),
                "crates/{folder} imports {import}, which the house does not allow; see ARCHITECTURE.md"
            );
        }
    }
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
