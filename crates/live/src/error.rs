//! Errors at the interface to the machine.

use std::fmt;
use std::io;

/// An error of a real host, with a remedy if one is known.
#[derive(Debug)]
pub enum Error {
    /// The process lacks the permission.
    Privileges {
        /// The operation: "make a network namespace".
        what: String,
    },
    /// The machine has no TUN devices.
    NoTun(io::Error),
    /// The request makes no sense; the text says why.
    Refused(String),
    /// Another system call failed.
    System {
        /// The operation.
        what: String,
        /// The system's error.
        reason: io::Error,
    },
}

impl Error {
    /// The error of a system call for the operation `what`.
    pub fn system(what: impl Into<String>, reason: impl Into<io::Error>) -> Self {
        let (what, reason) = (what.into(), reason.into());
        match reason.kind() {
            io::ErrorKind::PermissionDenied => Self::Privileges { what },
            _ => Self::System { what, reason },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Privileges { what } => write!(
                f,
                "cannot {what}: not permitted; run it as root, or for `emulate` as `unshare -Ur dumbbell emulate ...`"
            ),
            Self::NoTun(reason) => write!(
                f,
                "cannot open /dev/net/tun: {reason}; `modprobe tun` loads the driver"
            ),
            Self::Refused(why) => f.write_str(why),
            Self::System { what, reason } => write!(f, "cannot {what}: {reason}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NoTun(reason) | Self::System { reason, .. } => Some(reason),
            Self::Privileges { .. } | Self::Refused(_) => None,
        }
    }
}
