//! Tests what the fingerprint covers, in a workspace created for this purpose.

use std::fs;
use std::path::PathBuf;

use super::sources;

/// A workspace that is removed when the test ends: store and lab depend on run, and run depends on
/// sim. They also have external dependencies.
struct Workspace(PathBuf);

const ROOT: &str = r#"
[workspace]
members = ["crates/*"]
[workspace.package]
version = "0.1.0"
edition = "2024"
[workspace.dependencies]
dumbbell-run = { path = "crates/run", version = "0.1.0" }
dumbbell-sim = { path = "crates/sim", version = "0.1.0" }
maths = { package = "libm", version = "0.2", default-features = false }
plotters = "0.3"
[profile.release]
lto = "thin"
"#;

const MANIFESTS: [(&str, &str); 4] = [
    (
        "store",
        "[dependencies]\ndumbbell-run.workspace = true\nsqlite = '1'",
    ),
    (
        "run",
        "[dependencies]\ndumbbell-sim.workspace = true\n[dev-dependencies]\ndumbbell-lab = { path = '../lab' }\nproptest = '1'",
    ),
    (
        "sim",
        "[dependencies]\nmaths = { workspace = true, features = ['arch'] }\n[target.'cfg(unix)'.build-dependencies]\ncc = '1'",
    ),
    (
        "lab",
        "[dependencies]\ndumbbell-run.workspace = true\nplotters.workspace = true",
    ),
];

/// Name, version and dependencies of a locked package. For crates of the workspace, dependencies of
/// tests are included.
type Locked = (&'static str, &'static str, &'static [&'static str]);
const LOCK: [Locked; 11] = [
    ("dumbbell-store", "0.1.0", &["dumbbell-run", "sqlite"]),
    (
        "dumbbell-run",
        "0.1.0",
        &["dumbbell-lab", "dumbbell-sim", "proptest"],
    ),
    ("dumbbell-sim", "0.1.0", &["cc", "libm 0.2.1"]),
    ("dumbbell-lab", "0.1.0", &["dumbbell-run", "plotters"]),
    ("libm", "0.2.1", &["cfg-if"]),
    ("libm", "0.1.9", &[]),
    ("cfg-if", "1.0.0", &[]),
    ("cc", "1.0.0", &[]),
    ("sqlite", "1.0.0", &[]),
    ("proptest", "1.0.0", &[]),
    ("plotters", "0.3.0", &["libm 0.1.9"]),
];

impl Workspace {
    fn new(name: &str) -> Self {
        let folder = format!("dumbbell-{name}-{}", std::process::id());
        let workspace = Self(std::env::temp_dir().join(folder));
        for (name, rest) in MANIFESTS {
            let head = format!(
                "[package]\nname = \"dumbbell-{name}\"\nversion.workspace = true\nedition.workspace = true\n"
            );
            workspace.write(&format!("crates/{name}/Cargo.toml"), &(head + rest));
            workspace.write(&format!("crates/{name}/src/lib.rs"), "mod queue;");
            workspace.write(&format!("crates/{name}/src/queue/mod.rs"), "");
            workspace.write(&format!("crates/{name}/tests/all.rs"), "");
        }
        for file in super::OWN {
            workspace.write(&format!("crates/store/{file}"), "fn of() {}");
        }
        workspace.write("crates/sim/build.rs", "fn main() {}");
        workspace.write("Cargo.toml", ROOT);
        let packages = LOCK.map(|(name, version, dependencies)| {
            let source = match name.starts_with("dumbbell") {
                true => "",
                false => "source = \"registry\"\nchecksum = \"5a15\"\n",
            };
            format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n{source}dependencies = {dependencies:?}\n")
        });
        workspace.write("Cargo.lock", &packages.join("\n"));
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
        sources(&self.0.join("crates/store")).unwrap().hash
    }

    /// Whether the hash changes if `from` is replaced by `to` in this file.
    fn minds(&self, file: &str, from: &str, to: &str) -> bool {
        let before = self.hash();
        let text = fs::read_to_string(self.0.join(file)).unwrap();
        assert!(text.contains(from), "{from} in {file}");
        self.write(file, &text.replacen(from, to, 1));
        let after = self.hash();
        self.write(file, &text);
        assert_eq!(self.hash(), before);
        before != after
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_byte_of_a_source_is_covered() {
    let workspace = Workspace::new("bytes");
    let before = workspace.hash();
    let files = [
        "run/src/lib.rs",
        "run/src/queue/mod.rs",
        "sim/src/lib.rs",
        "sim/build.rs",
    ];
    for file in files
        .into_iter()
        .chain(["store/src/key.rs", "store/src/job.rs"])
    {
        let path = workspace.0.join("crates").join(file);
        let text = fs::read(&path).unwrap();
        // One additional byte, and one changed bit in the last byte.
        let more = [&text[..], b" "].concat();
        let mut bit = text.clone();
        match bit.last_mut() {
            Some(last) => *last ^= 1,
            None => bit.push(0),
        }
        for changed in [more, bit] {
            fs::write(&path, changed).unwrap();
            assert_ne!(workspace.hash(), before, "{file}");
        }
        fs::write(&path, text).unwrap();
        assert_eq!(workspace.hash(), before);
    }
}

#[test]
fn every_file_name_is_covered() {
    let workspace = Workspace::new("names");
    let before = workspace.hash();
    workspace.write("crates/sim/src/queue/red.rs", "");
    let added = workspace.hash();
    workspace.rename("crates/sim/src/queue/red.rs", "crates/sim/src/red.rs");
    let moved = workspace.hash();
    workspace.rename("crates/sim/src/red.rs", "crates/run/src/red.rs");
    let elsewhere = workspace.hash();
    let all = [before, added, moved, elsewhere];
    for (i, one) in all.iter().enumerate() {
        assert!(all[..i].iter().all(|other| other != one));
    }
    // Moving bytes from one file to the next also changes the hash.
    workspace.write("crates/run/src/a", "bc");
    workspace.write("crates/run/src/b", "d");
    let split = workspace.hash();
    workspace.write("crates/run/src/a", "b");
    workspace.write("crates/run/src/b", "cd");
    assert_ne!(workspace.hash(), split);
}

#[test]
fn the_location_editors_and_other_crates_have_no_effect() {
    let (one, other) = (Workspace::new("one"), Workspace::new("other"));
    assert_eq!(one.hash(), other.hash());
    other.write("crates/run/src/.lib.rs.swp", "an editor is open");
    other.write("crates/lab/src/page.css", "body {}");
    other.write("crates/lab/Cargo.toml", "");
    other.write("crates/store/src/lib.rs", "mod rows;");
    for part in [
        "tests/more.rs",
        "benches/more.rs",
        "examples/more.rs",
        "README.md",
    ] {
        other.write(&format!("crates/run/{part}"), "more");
    }
    assert_eq!(one.hash(), other.hash());
}

#[test]
fn locked_versions_are_covered_if_runs_depend_on_them() {
    let workspace = Workspace::new("locked");
    let version = |name: &str, version: &str| {
        let line = |version: &str| format!("name = \"{name}\"\nversion = \"{version}\"");
        workspace.minds("Cargo.lock", &line(version), &line("9.9.9"))
    };
    // Direct ones, those of a build script, and indirect ones. There are two packages libm, and the
    // one of lab is not covered.
    assert!(version("cc", "1.0.0"));
    assert!(version("cfg-if", "1.0.0"));
    assert!(!version("libm", "0.1.9"));
    assert!(!version("plotters", "0.3.0"));
    // A dependency of the store itself, and one of tests.
    assert!(!version("sqlite", "1.0.0"));
    assert!(!version("proptest", "1.0.0"));
    // The same version from another source, or with another content.
    let libm = "name = \"libm\"\nversion = \"0.2.1\"\nsource = \"registry\"\nchecksum = \"5a15\"";
    for (from, to) in [("registry", "mirror"), ("5a15", "5a16")] {
        assert!(workspace.minds("Cargo.lock", libm, &libm.replace(from, to)));
    }
    // Which of the two is used.
    assert!(workspace.minds(
        "Cargo.lock",
        "\"cc\", \"libm 0.2.1\"",
        "\"cc\", \"libm 0.1.9\""
    ));
}

#[test]
fn manifest_keys_are_covered_if_they_change_the_compiled_result() {
    let workspace = Workspace::new("manifests");
    let root = |from, to| workspace.minds("Cargo.toml", from, to);
    assert!(root("default-features = false", "default-features = true"));
    assert!(root(
        "version = \"0.1.0\"\nedition",
        "version = \"0.2.0\"\nedition"
    ));
    assert!(root("2024", "2021"));
    assert!(!root("lto = \"thin\"", "lto = \"fat\""));
    assert!(!root("crates/*", "crates/*\", \"more/*"));
    assert!(!root(
        "plotters = \"0.3\"",
        "plotters = { version = \"0.3\", features = [\"png\"] }"
    ));
    // The lock file determines the version.
    assert!(!root("\"0.2\"", "\"0.2.1\""));
    let sim = |from, to| workspace.minds("crates/sim/Cargo.toml", from, to);
    assert!(sim("'arch'", "'soft'"));
    assert!(sim(
        "[dependencies]",
        "[features]\ndefault = ['fast']\nfast = []\n[dependencies]"
    ));
    assert!(sim(
        "cc = '1'",
        "cc = { version = '1', features = ['more'] }"
    ));
    assert!(!sim(
        "[dependencies]",
        "[dev-dependencies]\nmore = '1'\n[dependencies]"
    ));
    assert!(!sim(
        "[dependencies]",
        "[lib]\nbench = false\n[lints]\nworkspace = true\n[dependencies]"
    ));
    assert!(!sim("edition", "description = 'more'\nedition"));
}

#[test]
fn a_feature_is_covered_whichever_member_requests_it() {
    let workspace = Workspace::new("features");
    let lab = |to: &str| {
        let to = format!("plotters.workspace = true\n{to}");
        workspace.minds("crates/lab/Cargo.toml", "plotters.workspace = true", &to)
    };
    // The package is compiled into a run with the features that lab requests.
    assert!(lab("cfg-if = { version = '1', features = ['more'] }"));
    assert!(lab("maths = { workspace = true, features = ['more'] }"));
    // A feature that sim already requests, and a feature of another package.
    assert!(!lab("maths = { workspace = true, features = ['arch'] }"));
    assert!(!lab("other = { version = '1', features = ['more'] }"));
    assert!(!lab(
        "[dev-dependencies]\ncfg-if = { version = '1', features = ['more'] }"
    ));
}

#[test]
fn the_sources_of_a_patched_dependency_are_covered() {
    let workspace = Workspace::new("patch");
    workspace.write(
        "Cargo.toml",
        &format!("{ROOT}\n[patch.crates-io]\ncfg-if = {{ path = 'mine' }}"),
    );
    workspace.write("mine/Cargo.toml", "[package]\nname = 'cfg-if'");
    workspace.write("mine/src/lib.rs", "one");
    let lock = fs::read_to_string(workspace.0.join("Cargo.lock")).unwrap();
    let from = "\"cfg-if\"\nversion = \"1.0.0\"\nsource = \"registry\"\nchecksum = \"5a15\"";
    assert!(lock.contains(from));
    workspace.write(
        "Cargo.lock",
        &lock.replace(from, "\"cfg-if\"\nversion = \"1.0.0\""),
    );
    assert!(workspace.minds("mine/src/lib.rs", "one", "two"));
}

#[test]
fn a_crate_without_its_workspace_has_a_hash_too() {
    let workspace = Workspace::new("alone");
    let before = workspace.hash();
    // The layout in a registry: a manifest that does not refer to a workspace.
    let manifest =
        "[package]\nname = \"dumbbell-store\"\n[dependencies.dumbbell-run]\nversion = \"0.1.0\"";
    workspace.write("crates/store/Cargo.toml", manifest);
    let alone = workspace.hash();
    assert_ne!(alone, before);
    workspace.write("Cargo.lock", "");
    fs::remove_file(workspace.0.join("Cargo.toml")).unwrap();
    assert_eq!(workspace.hash(), alone);
    assert_eq!(
        sources(&workspace.0.join("crates/store"))
            .unwrap()
            .workspace,
        None
    );
    workspace.write("crates/store/src/key.rs", "fn of_another() {}");
    assert_ne!(workspace.hash(), alone);
}

#[test]
fn an_unreadable_file_is_an_error_that_names_it() {
    let workspace = Workspace::new("missing");
    let error = |file: &str| {
        let error = sources(&workspace.0.join("crates/store"))
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains(file), "{error}");
    };
    workspace.write("Cargo.lock", "package = [");
    error("Cargo.lock");
    workspace.rename("crates/sim/Cargo.toml", "crates/sim/away");
    error("Cargo.toml");
    workspace.rename("crates/store/src/job.rs", "crates/store/src/away");
    error("job.rs");
}

#[test]
fn the_build_script_runs_again_when_something_changes() {
    let workspace = Workspace::new("watched");
    let found = sources(&workspace.0.join("crates/store")).unwrap();
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "crates/run/src",
        "crates/sim/Cargo.toml",
        "crates/store/src/key.rs",
    ] {
        let same = |path: &PathBuf| {
            path.canonicalize().unwrap() == workspace.0.join(file).canonicalize().unwrap()
        };
        assert!(found.read.iter().any(same), "{file}");
    }
    assert_eq!(found.workspace, Some(workspace.0.clone()));
}
