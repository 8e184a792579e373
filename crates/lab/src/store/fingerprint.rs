//! What a run's result depends on besides its scenario and its seed.

use std::any::TypeId;
use std::fmt;
use std::sync::LazyLock;

/// The hash of everything that can change a run's result: the sources of the crates control, tcp,
/// sim and lab, the versions of what they depend on, the compiler and its target. Runs of
/// different fingerprints are never taken for each other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The fingerprint of the program that is running.
    pub fn of_this_build() -> Self {
        static THIS: LazyLock<Fingerprint> = LazyLock::new(|| {
            // The compiler numbers a type by its crate: name, version, features, and the same of
            // all that the crate depends on. Outside of the workspace, where neither the sources
            // nor the lock file of these crates can be read, that is what tells builds apart.
            let crates = [
                TypeId::of::<dumbbell_control::units::Segments>(),
                TypeId::of::<dumbbell_tcp::receiver::Receiver>(),
                TypeId::of::<dumbbell_sim::Time>(),
            ];
            Fingerprint::of(format!("{} {crates:?}", env!("DUMBBELL_SOURCES")).as_bytes())
        });
        *THIS
    }

    /// A fingerprint of other bytes, for programs whose results depend on more.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
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
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;
    use crate::store::sources::feed;

    /// A folder that goes when the test ends.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("dumbbell-{name}-{}", std::process::id()));
            fs::create_dir_all(path.join("src/queue")).unwrap();
            let folder = Self(path);
            folder.write("Cargo.toml", "[package]");
            folder.write("src/lib.rs", "mod queue;");
            folder.write("src/queue/mod.rs", "");
            folder
        }

        fn write(&self, file: &str, text: &str) {
            fs::write(self.0.join(file), text).unwrap();
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn hash(folder: &Path) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        feed(&mut hasher, "sim", folder).unwrap();
        hasher.finalize()
    }

    #[test]
    fn every_byte_and_every_name_counts() {
        let folder = Folder::new("sources");
        let before = hash(&folder.0);
        let other = |change: &dyn Fn()| {
            change();
            let after = hash(&folder.0);
            assert_ne!(after, before);
        };
        other(&|| folder.write("src/lib.rs", "mod queuf;"));
        other(&|| folder.write("src/lib.rs", "mod queue; "));
        folder.write("src/lib.rs", "mod queue;");
        assert_eq!(hash(&folder.0), before);
        other(&|| folder.write("src/queue/red.rs", ""));
        let rename = |from: &str, to: &str| {
            fs::rename(folder.0.join(from), folder.0.join(to)).unwrap();
        };
        other(&|| rename("src/queue/red.rs", "src/red.rs"));
        fs::remove_file(folder.0.join("src/red.rs")).unwrap();
        assert_eq!(hash(&folder.0), before);
        // What moves from one file to the next changes it too.
        folder.write("a", "bc");
        folder.write("b", "d");
        let split = hash(&folder.0);
        folder.write("a", "b");
        folder.write("b", "cd");
        assert_ne!(hash(&folder.0), split);
    }

    #[test]
    fn neither_the_place_nor_an_editor_counts() {
        let (one, other) = (Folder::new("one"), Folder::new("other"));
        assert_eq!(hash(&one.0), hash(&other.0));
        other.write("src/.lib.rs.swp", "an editor is open");
        assert_eq!(hash(&one.0), hash(&other.0));
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let folder = Folder::new("missing");
        let mut hasher = blake3::Hasher::new();
        assert!(feed(&mut hasher, "sim", &folder.0.join("nowhere")).is_err());
    }

    #[test]
    fn a_build_has_one_fingerprint() {
        let this = Fingerprint::of_this_build();
        assert_eq!(this, Fingerprint::of_this_build());
        assert_ne!(this, Fingerprint::of(b"another"));
        // 64 hexadecimal digits: the build script has been here.
        assert_eq!(env!("DUMBBELL_SOURCES").len(), 64);
    }
}
