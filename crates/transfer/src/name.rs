//! The name of a file at a server.

use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// The ending of files that are not there as a whole.
pub(crate) const PART: &str = ".part";

/// A path below the served folder, with `/` between its parts. It cannot lead out of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Name(String);

/// The longest name, in bytes.
const LONGEST: usize = 512;
/// The longest part of a name, with room for the ending of partial files: file systems take 255.
const LONGEST_PART: usize = 250;

impl Name {
    /// The name with slashes.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part.
    pub fn file(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The path below a folder.
    pub(crate) fn below(&self, folder: &Path) -> PathBuf {
        let mut path = folder.to_owned();
        path.extend(self.0.split('/'));
        path
    }
}

impl FromStr for Name {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.is_empty() || text.len() > LONGEST {
            return Err(format!("a name has 1 to {LONGEST} bytes"));
        }
        for part in text.split('/') {
            let wrong = match part {
                "" => Some("an empty part"),
                "." | ".." => Some("`.` or `..`"),
                _ if part.len() > LONGEST_PART => Some("a part of more than 250 bytes"),
                // Of Windows: another separator, a drive, a stream.
                _ if part.contains(['\\', ':']) => Some("`\\` or `:`"),
                _ if part.chars().any(char::is_control) => Some("a control character"),
                _ if part.ends_with(PART) => Some("the ending of partial files, `.part`"),
                _ => None,
            };
            if let Some(wrong) = wrong {
                return Err(format!("the name {text:?} has {wrong}"));
            }
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_leads_out_of_its_folder() {
        let long = "x".repeat(251);
        let wrong = [
            "",
            "/",
            "/etc/passwd",
            "..",
            "a/../b",
            "../a",
            "a/..",
            "./a",
            "a//b",
            "a/",
            "a\\..\\b",
            "c:x",
            "a\0b",
            "a\nb",
            "a.part",
            "a.part/b",
            &long,
        ];
        for name in wrong {
            assert!(name.parse::<Name>().is_err(), "{name:?}");
        }
    }

    #[test]
    fn usual_names_are_names() {
        for (name, file) in [
            ("a", "a"),
            ("a/b.tar.gz", "b.tar.gz"),
            (".x", ".x"),
            ("..a/ä", "ä"),
        ] {
            let name: Name = name.parse().expect(name);
            assert_eq!(name.file(), file);
        }
        let name: Name = "a/b".parse().expect("a name");
        assert_eq!(name.below(Path::new("x")), Path::new("x/a/b"));
    }
}
