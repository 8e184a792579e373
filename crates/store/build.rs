//! Takes the fingerprint of everything that can change a run's result: the sources of the crates
//! that make it, the versions of their dependencies, the compiler and its target.

#[path = "src/sources.rs"]
mod sources;

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use sources::{feed, parts, word};

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    let mut hasher = blake3::Hasher::new();
    for (name, path) in parts(&own) {
        println!("cargo:rerun-if-changed={}", path.display());
        feed(&mut hasher, &name, &path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let compiler = Command::new(env::var("RUSTC")?).arg("-vV").output()?.stdout;
    word(&mut hasher, &compiler);
    word(&mut hasher, env::var("TARGET")?.as_bytes());
    println!("cargo:rustc-env=DUMBBELL_SOURCES={}", hasher.finalize());
    Ok(())
}
