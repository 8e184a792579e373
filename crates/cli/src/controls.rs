//! The controls that this program knows: the built-in ones, and those that it adds.

use std::fs::File;
use std::io::{self, Write as _};
use std::sync::{Mutex, OnceLock, PoisonError};

use dumbbell_scenario::controls::Controls;

static KNOWN: OnceLock<Controls> = OnceLock::new();

/// Makes these the controls that the program knows. The first call counts; later ones change
/// nothing, because scenarios may have been read since.
pub fn set(mut controls: Controls) {
    if controls.has_added() {
        identify(&mut controls);
    }
    let _ = KNOWN.set(controls);
}

/// Returns the controls that a scenario can name.
pub fn known() -> &'static Controls {
    KNOWN.get_or_init(Controls::builtin)
}

/// Identifies the code of added controls by the program's file. The file is opened at once, because
/// a build may put another one in its place while this one runs; it is read only if a run with such a
/// control is looked up in a store.
fn identify(controls: &mut Controls) {
    let program = Mutex::new(std::env::current_exe().and_then(File::open));
    controls.identify(move || {
        let mut program = program.lock().unwrap_or_else(PoisonError::into_inner);
        let hash = match &mut *program {
            Ok(file) => hash(file),
            Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
        };
        match hash {
            Ok(hash) => Some(hash),
            Err(error) => {
                let _ = writeln!(
                    io::stderr(),
                    "note: runs with the controls of this program are not stored, because its file \
                     cannot be read: {error}"
                );
                None
            }
        }
    });
}

/// Returns the hash of what is left to read.
fn hash(from: &mut impl io::Read) -> io::Result<[u8; 32]> {
    let mut hasher = blake3::Hasher::new();
    let mut part = vec![0; 1 << 16];
    loop {
        match from.read(&mut part) {
            Ok(0) => return Ok(*hasher.finalize().as_bytes()),
            Ok(read) => drop(hasher.update(&part[..read])),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_that_of_all_bytes() {
        let bytes = vec![7; 1 << 20];
        let hashed = hash(&mut bytes.as_slice()).expect("memory can be read");
        assert_eq!(hashed, *blake3::hash(&bytes).as_bytes());
    }
}
