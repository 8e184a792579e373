//! Every scenario in the repository is accepted by the schema.

use std::fs;
use std::path::{Path, PathBuf};

use super::parse;
use crate::judge::{complaints, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

#[test]
fn every_scenario_of_the_repository_is_accepted() {
    let mut accepted = 0;
    for (name, text) in texts() {
        // Figures and manifests are also TOML.
        if parse(&text).is_err() {
            continue;
        }
        let file = json(&text).expect("the reader accepts it");
        let found = complaints(&file);
        assert!(found.is_empty(), "{name}: {found:#?}");
        accepted += 1;
    }
    assert!(accepted >= 45, "only {accepted} scenarios");
}

/// Returns every TOML file, and every TOML block of every page.
fn texts() -> Vec<(String, String)> {
    let mut texts = Vec::new();
    for path in files() {
        let extension = path.extension().and_then(|name| name.to_str());
        let read = || fs::read_to_string(&path).expect("it is there");
        let name = path.display().to_string();
        match extension {
            Some("toml") => texts.push((name, read())),
            Some("md") => {
                let page = read();
                let blocks = page.split("```toml\n").skip(1);
                let blocks = blocks.filter_map(|rest| rest.split("```").next());
                texts.extend(blocks.map(|block| (name.clone(), block.to_owned())));
            }
            _ => {}
        }
    }
    texts
}

/// Returns the files of the repository, without build results.
fn files() -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(ROOT).to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("it is a folder") {
            let path = entry.expect("readable").path();
            let name = path.file_name().and_then(|name| name.to_str());
            if name.is_some_and(|name| name.starts_with('.') || name == "target") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}
