//! Takes the fingerprint of everything that can change a run's result: the sources of the crates
//! that make it, the versions of their dependencies, the compiler and its target.

#[path = "src/store/sources.rs"]
mod sources;

use std::env;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

use sources::{feed, word};

/// The crates that a result depends on besides this one, where they lie beside it.
const SIBLINGS: [&str; 3] = ["control", "tcp", "sim"];

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut hasher = blake3::Hasher::new();
    let mut files = vec![
        ("lab/Cargo.toml".to_owned(), own.join("Cargo.toml")),
        ("lab/build.rs".to_owned(), own.join("build.rs")),
        ("lab/src".to_owned(), own.join("src")),
    ];
    if let Some(crates) = own.parent().filter(|crates| is_workspace(crates)) {
        for sibling in SIBLINGS {
            for part in ["Cargo.toml", "src"] {
                files.push((format!("{sibling}/{part}"), crates.join(sibling).join(part)));
            }
        }
        for part in ["Cargo.toml", "Cargo.lock"] {
            let file = crates.join("..").join(part);
            if file.is_file() {
                files.push((part.to_owned(), file));
            }
        }
    }
    for (name, path) in files {
        println!("cargo:rerun-if-changed={}", path.display());
        feed(&mut hasher, &name, &path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let compiler = Command::new(env::var("RUSTC")?).arg("-vV").output()?.stdout;
    word(&mut hasher, &compiler);
    word(&mut hasher, env::var("TARGET")?.as_bytes());
    println!("cargo:rustc-env=DUMBBELL_SOURCES={}", hasher.finalize());
    Ok(())
}

/// Whether the crates lie beside each other as in the project's own folder. From a registry each
/// comes alone: the library then goes by the identity of the crates that it is linked to.
fn is_workspace(crates: &Path) -> bool {
    SIBLINGS
        .iter()
        .all(|sibling| crates.join(sibling).join("src").is_dir())
}
