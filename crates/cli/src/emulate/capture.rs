//! The file of `--pcap`: it is there as a whole, or not at all.

use std::path::Path;

use dumbbell_live::emulator::{Captured, Emulator, Format};

use crate::exit::Exit;
use crate::file::{self, Unfinished, Unwritable};

/// A capture that is being written.
pub struct Capture<'p> {
    path: &'p Path,
    file: Unfinished,
}

/// Returns the format that a file name extension selects.
pub fn format(path: &Path) -> Result<Format, Exit> {
    let ends_in = |ending| {
        path.extension()
            .is_some_and(|it| it.eq_ignore_ascii_case(ending))
    };
    if ends_in("pcap") {
        Ok(Format::Pcap)
    } else if ends_in("pcapng") || file::is_special(path) {
        Ok(Format::Pcapng)
    } else {
        Err(Exit::BadInput(format!(
            "cannot tell the format of the capture {}: its name should end in .pcap or .pcapng",
            path.display()
        )))
    }
}

impl<'p> Capture<'p> {
    /// Begins the capture of a network.
    pub fn begin(path: &'p Path, emulator: &mut Emulator) -> Result<Self, Exit> {
        let (unfinished, file) = Unfinished::create(path)?;
        emulator.capture(format(path)?, file)?;
        Ok(Self {
            path,
            file: unfinished,
        })
    }

    /// Gives the file its name if it is complete. Returns a warning if it lacks packets.
    pub fn end(self, captured: &Captured) -> Result<Option<String>, Exit> {
        if let Some(reason) = &captured.failure {
            return Err(Unwritable::new(self.path, reason).into());
        }
        self.file.keep()?;
        Ok((captured.missing > 0).then(|| {
            format!(
                "{} lacks {} packets, which came faster than they could be written",
                self.path.display(),
                captured.missing
            )
        }))
    }
}
