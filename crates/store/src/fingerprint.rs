//! What a run's result depends on besides its scenario and its seed.

use std::any::TypeId;
use std::fmt;
use std::sync::LazyLock;

/// The hash of everything that can change a run's result: the sources of `dumbbell-run` and `dumbbell-scenario`
/// and of the crates of this project that they are made of, the locked versions of what all these depend on, the
/// compiler and its target. Runs of different fingerprints are never taken for each other.
///
/// Not seen are versions that are linked against what the lock file says, as `cargo install` without `--locked`
/// may do from a checkout, and features that one package from elsewhere turns on in another.
///
/// What is not in it: what comes after a run (figures, claims, pages), tests and benches, dependencies of other
/// crates, and the profile: a run is the same with and without optimisation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of the program that is running.
    pub fn of_this_build() -> Self {
        static THIS: LazyLock<Fingerprint> = LazyLock::new(|| {
            let sources = env!("DUMBBELL_SOURCES");
            if env!("DUMBBELL_LOCKED") == "true" {
                return Fingerprint::of(sources.as_bytes());
            }
            // Outside of the project's workspace, neither the sources nor the lock file that counts can be read.
            // But the compiler numbers a type by its crate: name, version, features, profile, and the same of all
            // that the crate depends on.
            let crates = [
                TypeId::of::<dumbbell_run::Done>(),
                TypeId::of::<dumbbell_scenario::Scenario>(),
            ];
            Fingerprint::of(format!("{sources} {crates:?}").as_bytes())
        });
        *THIS
    }

    /// A fingerprint of other bytes, for programs whose results depend on more.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The fingerprint that has these bytes.
    pub(crate) fn of_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
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
        // 64 hexadecimal digits: the build script has been here.
        assert_eq!(env!("DUMBBELL_SOURCES").len(), 64);
        assert!(["true", "false"].contains(&env!("DUMBBELL_LOCKED")));
    }
}
