//! The lock file, which determines the versions that are compiled.

use std::collections::BTreeSet;

use toml::{Table, Value};

/// All packages of a lock file.
#[derive(Default)]
pub struct Lock {
    packages: Vec<(Package, Vec<String>)>,
}

/// A locked package.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Package {
    pub name: String,
    version: String,
    /// Its registry or repository; `None` for a local folder.
    pub source: Option<String>,
    /// The checksum of its content.
    checksum: Option<String>,
}

impl Lock {
    pub fn new(table: &Table) -> Self {
        let packages = table.get("package").and_then(Value::as_array);
        let package = |package: &Value| {
            let text = |key| Some(package.get(key)?.as_str()?.to_owned());
            let dependencies = package.get("dependencies").and_then(Value::as_array);
            let named = Package {
                name: text("name")?,
                version: text("version")?,
                source: text("source"),
                checksum: text("checksum"),
            };
            let others = dependencies.into_iter().flatten();
            let others = others.filter_map(|other| Some(other.as_str()?.to_owned()));
            Some((named, others.collect()))
        };
        Self {
            packages: packages.into_iter().flatten().filter_map(package).collect(),
        }
    }

    /// The packages on which these crates depend under these names, and everything on which those
    /// depend.
    ///
    /// For crates of the workspace, the lock file also lists dependencies of tests; therefore only
    /// those in `wanted` count. For external packages it does not.
    pub fn closure(&self, wanted: &BTreeSet<(String, String)>) -> BTreeSet<Package> {
        let mut found = BTreeSet::new();
        for (own, others) in self.packages.iter().filter(|(own, _)| own.source.is_none()) {
            for other in others {
                let (name, ..) = parts(other);
                if wanted.contains(&(own.name.clone(), name.to_owned())) {
                    self.add(other, &mut found);
                }
            }
        }
        found
    }

    fn add(&self, wanted: &str, found: &mut BTreeSet<Package>) {
        let (name, version, source) = parts(wanted);
        for (package, others) in &self.packages {
            let is_it = package.name == name
                && version.is_none_or(|version| package.version == version)
                && source.is_none_or(|source| package.source.as_deref() == Some(source));
            if is_it && found.insert(package.clone()) {
                for other in others {
                    self.add(other, found);
                }
            }
        }
    }
}

/// Splits a dependency into its name and, if several packages share the name, its version and
/// source: `name version (source)`.
fn parts(dependency: &str) -> (&str, Option<&str>, Option<&str>) {
    let mut words = dependency.splitn(3, ' ');
    let name = words.next().unwrap_or_default();
    let version = words.next();
    let source = words.next().map(|source| source.trim_matches(['(', ')']));
    (name, version, source)
}
