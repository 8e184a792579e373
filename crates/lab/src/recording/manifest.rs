//! A manifest: what a converted path was made of, by hash, so that a study can name data that it may not,
//! or need not, hold.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use super::Format;

/// What a converted path was made of, and what was made of it.
#[derive(Clone, Debug, Serialize)]
pub struct Manifest {
    /// The converter and its version.
    converter: String,
    /// The format of the sources.
    format: &'static str,
    /// What is known about the licence of the data.
    licence: String,
    /// The options of the conversion that were given.
    options: BTreeMap<&'static str, String>,
    source: Vec<Source>,
    output: Vec<Entry>,
}

/// A file that was converted.
#[derive(Clone, Debug, Serialize)]
pub struct Source {
    /// What it was recorded of: `forward`, `reverse`, or `ping`.
    role: &'static str,
    #[serde(flatten)]
    entry: Entry,
}

/// A file: its name without the folder, its size, and its hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    file: String,
    bytes: u64,
    sha256: String,
}

impl Entry {
    /// Describes a file with these contents.
    pub fn of(file: &str, contents: &[u8]) -> Self {
        let mut sha256 = String::new();
        for byte in Sha256::digest(contents) {
            let _ = write!(sha256, "{byte:02x}");
        }
        Self {
            file: file.to_owned(),
            bytes: contents.len() as u64,
            sha256,
        }
    }
}

impl Source {
    /// Describes a file that was converted.
    pub fn new(role: &'static str, entry: Entry) -> Self {
        Self { role, entry }
    }
}

impl Manifest {
    /// Describes a conversion.
    pub fn new(
        format: Format,
        licence: &str,
        options: BTreeMap<&'static str, String>,
        source: Vec<Source>,
        output: Vec<Entry>,
    ) -> Self {
        Self {
            converter: concat!("dumbbell ", env!("CARGO_PKG_VERSION")).to_owned(),
            format: format.name(),
            licence: licence.to_owned(),
            options,
            source,
            output,
        }
    }

    /// Returns it as TOML.
    ///
    /// # Errors
    /// None is known: it has nothing but texts and sizes of files.
    pub fn text(&self) -> Result<String, toml::ser::Error> {
        let text = toml::to_string(self)?;
        Ok(format!(
            "# What a recorded path was made of. `sha256sum FILE` must print the same.\n{text}"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The hash of `abc` is from FIPS 180-4's examples.
    #[test]
    fn files_are_named_by_their_hashes() {
        let source = Entry::of("cell.down", b"abc");
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let options = BTreeMap::from([("scale", "0.5".to_owned())]);
        let sources = vec![Source::new("forward", source)];
        let outputs = vec![Entry::of("my \"own\".toml", b"")];
        let manifest = Manifest::new(Format::Mahimahi, "free", options, sources, outputs);
        let expected = format!(
            r#"# What a recorded path was made of. `sha256sum FILE` must print the same.
converter = "dumbbell {}"
format = "mahimahi"
licence = "free"

[options]
scale = "0.5"

[[source]]
role = "forward"
file = "cell.down"
bytes = 3
sha256 = "{hash}"

[[output]]
file = 'my "own".toml'
bytes = 0
sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
"#,
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(manifest.text().unwrap(), expected);
    }
}
