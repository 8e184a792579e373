//! The fingerprint of a build: everything besides scenario and seed on which a run's result
//! depends.

use std::any::TypeId;
use std::fmt;
use std::sync::LazyLock;

/// The hash of everything that can change a run's result: the sources of `dumbbell-run`, of
/// `dumbbell-scenario` and of the crates of this project on which they depend, the locked versions
/// of all their dependencies, the compiler and its target. Runs with different fingerprints are
/// never confused.
///
/// The fingerprint does not cover dependencies that are linked in versions other than those of the
/// lock file, which `cargo install` without `--locked` may do from a checkout, nor features that
/// one external package enables in another.
///
/// It deliberately leaves out everything that comes after a run (figures, claims, pages), tests and
/// benches, dependencies of other crates, and the profile: a run is the same with and without
/// optimisation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of the running program.
    pub fn of_this_build() -> Self {
        static THIS: LazyLock<Fingerprint> = LazyLock::new(|| {
            let sources = env!("DUMBBELL_SOURCES");
            if env!("DUMBBELL_LOCKED") == "true" && is_in_own_workspace(file!()) {
                return Fingerprint::of(sources.as_bytes());
            }
            // Outside of the project's workspace, neither the sources nor the relevant lock file
            // can be read. But the compiler derives a type's id from its crate (name, version,
            // features, profile) and from everything on which the crate depends.
            let crates = [
                TypeId::of::<dumbbell_run::Done>(),
                TypeId::of::<dumbbell_scenario::Scenario>(),
            ];
            Fingerprint::of(format!("{sources} {crates:?}").as_bytes())
        });
        *THIS
    }

    /// A fingerprint of other bytes, for programs whose results depend on more than Dumbbell's
    /// sources.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The fingerprint with these bytes.
    pub(crate) fn of_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Whether the compiler was given this file as one of the workspace that is built. Cargo names the
/// files of such a workspace relative to its root, and those of a dependency by absolute paths. So a
/// program of another workspace is recognised even if its output is in the folder of this one, as
/// with a common `CARGO_TARGET_DIR`; the lock file there is not the one of its build.
fn is_in_own_workspace(file: &str) -> bool {
    file.replace('\\', "/") == "crates/store/src/fingerprint.rs"
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0 {
            write!(f, "{byte:02x}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_has_one_fingerprint() {
        let this = Fingerprint::of_this_build();
        assert_eq!(this, Fingerprint::of_this_build());
        assert_ne!(this, Fingerprint::of(b"another"));
        assert_eq!(this.to_string().len(), 64);
        // 64 hexadecimal digits show that the build script has set the variable.
        assert_eq!(env!("DUMBBELL_SOURCES").len(), 64);
        assert!(["true", "false"].contains(&env!("DUMBBELL_LOCKED")));
    }

    #[test]
    fn a_dependency_is_not_in_the_own_workspace() {
        assert!(is_in_own_workspace(file!()), "{}", file!());
        let windows = file!().replace('/', "\\");
        assert!(is_in_own_workspace(&windows), "{windows}");
        for elsewhere in ["/home/me/dumbbell/", "dumbbell/", "C:\\dumbbell\\"] {
            assert!(!is_in_own_workspace(&format!("{elsewhere}{}", file!())));
        }
    }
}
