//! Reads from manifests how a crate is built, and on what it depends.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

use super::lock::Lock;

/// The workspace that contains a crate.
#[derive(Default)]
pub struct Workspace {
    pub root: PathBuf,
    manifest: Table,
}

/// A crate's manifest.
pub struct Manifest {
    pub folder: PathBuf,
    table: Table,
}

/// A dependency that is compiled into a crate, or into its build script.
pub struct Dependency {
    /// The package's own name.
    pub package: String,
    /// Its folder, if it has one.
    pub folder: Option<PathBuf>,
    /// Its requested features, including `default`.
    pub features: Vec<String>,
    /// The requested features, and whether it is optional. The version is not included, because it
    /// is in the lock file.
    asked: String,
}

/// The kinds of dependencies that are compiled in; `dev-dependencies` are not.
const KINDS: [&str; 2] = ["dependencies", "build-dependencies"];
/// The keys of a dependency that determine its origin; they are not part of what is requested.
const ORIGIN: [&str; 3] = ["version", "path", "workspace"];

impl Workspace {
    /// The workspace that contains this folder; empty if there is none.
    pub fn around(own: &Path) -> Result<Self, Box<dyn Error>> {
        for root in own.ancestors().skip(1) {
            if root.join("Cargo.toml").is_file() {
                let manifest = read(&root.join("Cargo.toml"))?;
                if manifest.contains_key("workspace") {
                    let root = root.to_owned();
                    return Ok(Self { root, manifest });
                }
            }
        }
        Ok(Self::default())
    }

    /// Its lock file; empty if there is none.
    pub fn lock(&self) -> Result<Lock, Box<dyn Error>> {
        let file = self.root.join("Cargo.lock");
        match file.is_file() {
            true => Ok(Lock::new(&read(&file)?)),
            false => Ok(Lock::default()),
        }
    }

    /// The folders of its members: those named, and for `FOLDER/*` all in that folder.
    pub fn members(&self) -> Vec<PathBuf> {
        let workspace = self.manifest.get("workspace");
        let members = workspace.and_then(|workspace| workspace.get("members")?.as_array());
        let members = members.into_iter().flatten().filter_map(Value::as_str);
        let mut folders: Vec<PathBuf> = members
            .flat_map(|member| match member.strip_suffix("/*") {
                None => vec![self.root.join(member)],
                Some(folder) => fs::read_dir(self.root.join(folder))
                    .map(|entries| {
                        entries
                            .filter_map(|entry| Some(entry.ok()?.path()))
                            .collect()
                    })
                    .unwrap_or_default(),
            })
            .filter(|folder| folder.join("Cargo.toml").is_file())
            .collect();
        folders.sort();
        folders
    }

    /// The files of the workspace that were read.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        let files = ["Cargo.toml", "Cargo.lock"].map(|file| self.root.join(file));
        files.into_iter().filter(|file| file.is_file())
    }

    /// The folder from which a package is taken instead of a registry, if it is patched.
    pub fn patched(&self, package: &str) -> Option<PathBuf> {
        let patches = self.manifest.get("patch")?.as_table()?;
        let path = patches.values().find_map(|patch| {
            let of = |(key, value): (&String, &Value)| {
                (name(key, value) == package).then(|| value.clone())
            };
            patch.as_table()?.iter().find_map(of)?.get("path").cloned()
        });
        Some(self.root.join(path?.as_str()?))
    }

    /// The value that members inherit under this name.
    fn inherited(&self, table: &str, key: &str) -> Option<&Value> {
        self.manifest.get("workspace")?.get(table)?.get(key)
    }
}

impl Manifest {
    pub fn read(folder: &Path) -> Result<Self, Box<dyn Error>> {
        Ok(Self {
            folder: folder.to_owned(),
            table: read(&folder.join("Cargo.toml"))?,
        })
    }

    pub fn name(&self) -> String {
        let name = self
            .table
            .get("package")
            .and_then(|package| package.get("name"));
        name.and_then(Value::as_str).unwrap_or_default().to_owned()
    }

    /// The path of the build script, or of the default one.
    pub fn build_script(&self) -> String {
        let build = self
            .table
            .get("package")
            .and_then(|package| package.get("build"));
        build
            .and_then(Value::as_str)
            .unwrap_or("build.rs")
            .to_owned()
    }

    /// The dependencies of the crate on all platforms.
    pub fn dependencies(&self, workspace: &Workspace) -> Vec<Dependency> {
        let platforms = self.table.get("target").and_then(Value::as_table);
        let platforms = platforms.into_iter().flatten();
        let tables =
            platforms.filter_map(|(platform, table)| Some((platform.as_str(), table.as_table()?)));
        let mut found = Vec::new();
        for (platform, table) in std::iter::once(("", &self.table)).chain(tables) {
            for kind in KINDS {
                let entries = table.get(kind).and_then(Value::as_table);
                for (key, entry) in entries.into_iter().flatten() {
                    let place = format!("{platform} {kind} {key}");
                    found.push(self.dependency(key, entry, &place, workspace));
                }
            }
        }
        found
    }

    fn dependency(
        &self,
        key: &str,
        entry: &Value,
        place: &str,
        workspace: &Workspace,
    ) -> Dependency {
        let shared = match entry.get("workspace") {
            Some(_) => workspace.inherited("dependencies", key),
            None => None,
        };
        let (base, origin) = match shared {
            Some(shared) => (&workspace.root, shared),
            None => (&self.folder, entry),
        };
        let path = origin.get("path").and_then(Value::as_str);
        Dependency {
            package: name(key, origin).to_owned(),
            features: [Some(entry), shared]
                .into_iter()
                .flatten()
                .flat_map(features)
                .collect(),
            folder: path.map(|path| base.join(path)),
            asked: format!("{place} {:?} {:?}", asked(entry), shared.map(asked)),
        }
    }

    /// The parts of the manifest that can change the compiled result.
    pub fn essence(&self, workspace: &Workspace) -> String {
        let mut essence = String::new();
        for key in ["version", "edition", "build"] {
            let own = self
                .table
                .get("package")
                .and_then(|package| package.get(key));
            let value = match own.and_then(|own| own.get("workspace")) {
                Some(_) => workspace.inherited("package", key),
                None => own,
            };
            essence += &format!("{key} = {value:?}\n");
        }
        for key in ["lib", "features"] {
            essence += &format!("{key} = {:?}\n", self.table.get(key).and_then(bare));
        }
        for dependency in self.dependencies(workspace) {
            essence += &dependency.asked;
            essence.push('\n');
        }
        essence
    }
}

/// The name of the package to which an entry refers.
fn name<'a>(key: &'a str, entry: &'a Value) -> &'a str {
    entry.get("package").and_then(Value::as_str).unwrap_or(key)
}

/// The features that an entry requests.
fn features(entry: &Value) -> Vec<String> {
    let named = entry.get("features").and_then(Value::as_array);
    let named = named.into_iter().flatten().filter_map(Value::as_str);
    let inherits = entry.get("workspace").is_some();
    let without = entry.get("default-features").and_then(Value::as_bool) == Some(false);
    let usual = (!inherits && !without).then_some("default");
    named.chain(usual).map(str::to_owned).collect()
}

/// What an entry requests, without its origin.
fn asked(entry: &Value) -> Table {
    let mut asked = entry.as_table().cloned().unwrap_or_default();
    asked.retain(|key, _| !ORIGIN.contains(&key));
    asked
}

/// A table without the keys that affect only benches, tests and documentation; `None` if nothing
/// else is in it.
fn bare(value: &Value) -> Option<Table> {
    let mut table = value.as_table()?.clone();
    table.retain(|key, _| !["bench", "test", "doctest", "doc"].contains(&key));
    (!table.is_empty()).then_some(table)
}

fn read(file: &Path) -> Result<Table, Box<dyn Error>> {
    let failed = |error: &dyn Error| format!("{}: {error}", file.display());
    let text = fs::read_to_string(file).map_err(|error| failed(&error))?;
    Ok(text.parse().map_err(|error| failed(&error))?)
}
