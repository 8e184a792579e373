//! The tc programs that carry the routers' reports (AQT) between the hosts of an emulated path.

use std::io;
use std::os::fd::AsFd as _;

use dumbbell_run::End;

use crate::emulator::{Emulator, INTERFACE};
use crate::error::Error;
use crate::kernel::aqt::{Aqt, Role};
use crate::kernel::{self, place_for_reports};

/// Makes hosts of a path carry the routers' reports to RoVegas, which is loaded under this name, until the result is
/// dropped. `roles` says who does what.
///
/// # Errors
/// If there is no such RoVegas, or the kernel refuses the programs.
pub(crate) fn carry(path: &Emulator, name: &str, roles: &[(End, Role)]) -> Result<Aqt, Error> {
    let Some(reports) = place_for_reports(name) else {
        return Err(Error::Refused(format!(
            "{name} has no place for the routers' reports; load it with `dumbbell kernel load rovegas`"
        )));
    };
    let mut aqt = Aqt::load(name, Some(reports.as_fd())).map_err(|e| refused(name, &e))?;
    for (end, role) in roles {
        let attach = || aqt.attach(INTERFACE, *role).map_err(|e| refused(name, &e));
        path.host(*end).run(attach)?;
    }
    Ok(aqt)
}

/// Returns an error of the kernel's controls as one of this crate.
pub(crate) fn refused(name: &str, error: &kernel::Error) -> Error {
    Error::system(
        format!("use {name} in the kernel"),
        io::Error::other(error.to_string()),
    )
}
