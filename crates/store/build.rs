//! Computes the fingerprint of everything that can change a run's result: the sources of the crates
//! that produce it, the versions of their dependencies, the compiler and its target.

#[path = "src/sources/mod.rs"]
mod sources;

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::Command;

use sources::Sources;

fn main() -> Result<(), Box<dyn Error>> {
    let own = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?);
    println!("cargo:rerun-if-changed=build.rs");
    let sources = sources::sources(&own)?;
    for path in &sources.read {
        println!("cargo:rerun-if-changed={}", path.display());
    }
    let compiler = Command::new(env::var("RUSTC")?).arg("-vV").output()?.stdout;
    let target = env::var("TARGET")?;
    // The CPU features that `-C target-cpu` and similar options enable; fused multiplication, for
    // example, rounds differently.
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(sources.hash.as_bytes());
    for word in [compiler.as_slice(), target.as_bytes(), features.as_bytes()] {
        hasher
            .update(&(word.len() as u64).to_le_bytes())
            .update(word);
    }
    println!("cargo:rustc-env=DUMBBELL_SOURCES={}", hasher.finalize());
    println!("cargo:rustc-env=DUMBBELL_LOCKED={}", is_locked(&sources)?);
    Ok(())
}

/// Whether this build belongs to the workspace whose lock file was read. The lock file of the build
/// is the nearest one above its output folder. If the output is elsewhere, the answer is unknown,
/// and `false` is returned.
fn is_locked(sources: &Sources) -> Result<bool, Box<dyn Error>> {
    let out = PathBuf::from(env::var("OUT_DIR")?).canonicalize()?;
    let nearest = out
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file());
    Ok(match (nearest, &sources.workspace) {
        (Some(nearest), Some(workspace)) => nearest == workspace.canonicalize()?,
        _ => false,
    })
}
