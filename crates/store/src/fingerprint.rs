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
    use std::path::PathBuf;

    use super::*;
    use crate::sources::{feed, parts};

    /// A workspace that goes when the test ends.
    struct Workspace(PathBuf);

    impl Workspace {
        fn new(name: &str) -> Self {
            let folder = format!("dumbbell-{name}-{}", std::process::id());
            let workspace = Self(std::env::temp_dir().join(folder));
            for name in ["control", "tcp", "tfrc", "sim", "lab", "cli"] {
                workspace.write(&format!("crates/{name}/Cargo.toml"), name);
                workspace.write(&format!("crates/{name}/src/lib.rs"), "mod queue;");
                workspace.write(&format!("crates/{name}/src/queue/mod.rs"), "");
            }
            workspace.write("crates/lab/build.rs", "fn main() {}");
            workspace.write("Cargo.toml", "[workspace]");
            workspace.write("Cargo.lock", "libm 1");
            workspace
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }

        fn rename(&self, from: &str, to: &str) {
            fs::rename(self.0.join(from), self.0.join(to)).unwrap();
        }

        fn hash(&self) -> blake3::Hash {
            let mut hasher = blake3::Hasher::new();
            for (name, path) in parts(&self.0.join("crates/lab")) {
                feed(&mut hasher, &name, &path).unwrap();
            }
            hasher.finalize()
        }
    }

    impl Drop for Workspace {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn every_byte_of_a_source_counts() {
        let workspace = Workspace::new("bytes");
        let before = workspace.hash();
        let mut files = vec!["Cargo.toml".to_owned(), "Cargo.lock".to_owned()];
        files.push("crates/lab/build.rs".to_owned());
        for name in ["control", "tcp", "tfrc", "sim", "lab"] {
            for part in ["Cargo.toml", "src/lib.rs", "src/queue/mod.rs"] {
                files.push(format!("crates/{name}/{part}"));
            }
        }
        for file in files {
            let path = workspace.0.join(&file);
            let text = fs::read_to_string(&path).unwrap();
            workspace.write(&file, &format!("{text} "));
            assert_ne!(workspace.hash(), before, "{file}");
            // One bit of the last byte, or a first byte.
            let mut bytes = text.clone().into_bytes();
            match bytes.last_mut() {
                Some(last) => *last ^= 1,
                None => bytes.push(0),
            }
            fs::write(&path, bytes).unwrap();
            assert_ne!(workspace.hash(), before, "{file}");
            workspace.write(&file, &text);
            assert_eq!(workspace.hash(), before);
        }
    }

    #[test]
    fn every_name_counts() {
        let workspace = Workspace::new("names");
        let before = workspace.hash();
        workspace.write("crates/sim/src/queue/red.rs", "");
        let added = workspace.hash();
        workspace.rename("crates/sim/src/queue/red.rs", "crates/sim/src/red.rs");
        let moved = workspace.hash();
        workspace.rename("crates/sim/src/red.rs", "crates/tcp/src/red.rs");
        let elsewhere = workspace.hash();
        let all = [before, added, moved, elsewhere];
        for (i, one) in all.iter().enumerate() {
            assert!(all[..i].iter().all(|other| other != one));
        }
        // What moves from one file to the next changes it too.
        workspace.write("crates/lab/src/a", "bc");
        workspace.write("crates/lab/src/b", "d");
        let split = workspace.hash();
        workspace.write("crates/lab/src/a", "b");
        workspace.write("crates/lab/src/b", "cd");
        assert_ne!(workspace.hash(), split);
    }

    #[test]
    fn neither_the_place_nor_an_editor_nor_the_command_counts() {
        let (one, other) = (Workspace::new("one"), Workspace::new("other"));
        assert_eq!(one.hash(), other.hash());
        other.write("crates/lab/src/.lib.rs.swp", "an editor is open");
        other.write("crates/cli/src/lib.rs", "mod run;");
        other.write("crates/lab/tests/more.rs", "");
        assert_eq!(one.hash(), other.hash());
    }

    #[test]
    fn a_crate_that_comes_alone_has_a_hash_too() {
        let workspace = Workspace::new("alone");
        let before = workspace.hash();
        // As a registry lays it out, beside crates of the same names with versions.
        workspace.rename("crates/sim", "crates/sim-0.1.0");
        let alone = workspace.hash();
        assert_ne!(alone, before);
        workspace.write("Cargo.lock", "libm 2");
        assert_eq!(workspace.hash(), alone);
        workspace.write("crates/lab/src/lib.rs", "mod queues;");
        assert_ne!(workspace.hash(), alone);
    }

    #[test]
    fn a_missing_file_is_an_error() {
        let workspace = Workspace::new("missing");
        let mut hasher = blake3::Hasher::new();
        assert!(feed(&mut hasher, "sim", &workspace.0.join("nowhere")).is_err());
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
