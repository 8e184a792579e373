//! `dumbbell man`.

use std::fs;

use crate::{dumbbell, folder, output, success};

#[test]
fn every_command_has_a_page() {
    let folder = folder("man");
    success(dumbbell().arg("man").arg(&folder));
    let page = |name: &str| {
        fs::read_to_string(folder.join(format!("{name}.1")))
            .unwrap_or_else(|e| panic!("{name}: {e}"))
    };
    let all = page("dumbbell");
    assert!(all.contains(".TH dumbbell 1"), "{all}");
    // The page of the command names those of the others.
    for name in ["run", "compare", "kernel", "man"] {
        assert!(
            all.contains(&format!("dumbbell\\-{name}(1)")),
            "{name}: {all}"
        );
    }
    let load = page("dumbbell-kernel-load");
    assert!(
        load.contains("\\-\\-pin") && load.contains("dumbbell kernel load"),
        "{load}"
    );
    assert!(!folder.join("dumbbell-kernel-help.1").exists());
}

#[test]
fn a_missing_folder_is_refused() {
    let (code, _, err) = output(dumbbell().args(["man", "no/such/folder"]));
    assert_eq!(code, 2);
    assert!(err.contains("no folder no/such/folder"), "{err}");
}
