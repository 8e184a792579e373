//! Compiles the files of the papers' folders in, so that the command needs no files beside it.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=src");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let source = Path::new(&root).join("src");
    let mut files = Vec::new();
    for folder in fs::read_dir(&source).expect("the source is there") {
        let folder = folder.expect("it is readable").path();
        if folder.is_dir() {
            files.extend(texts(&folder));
        }
    }
    files.sort();
    let mut code = "const FILES: &[(&str, &str)] = &[\n".to_owned();
    for path in files {
        let full = source.join(&path);
        writeln!(code, "    ({path:?}, include_str!({full:?})),")
            .expect("a string takes everything");
    }
    code += "];\n";
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("files.rs"), code).expect("the folder is cargo's");
}

/// The paths of a folder's texts, with the folder's name before them.
fn texts(folder: &Path) -> Vec<String> {
    let name = |path: &Path| path.file_name()?.to_str().map(str::to_owned);
    let of = name(folder).expect("a plain name");
    let entries = fs::read_dir(folder).expect("it is a folder");
    let files = entries.map(|entry| entry.expect("it is readable").path());
    let files = files.filter_map(|path| name(&path));
    files
        .filter(|file| file.ends_with(".toml") || file.ends_with(".md"))
        .map(|file| format!("{of}/{file}"))
        .collect()
}
