//! What may go wrong at the edge to the machine.

use std::fmt;
use std::io;

/// Why something of a real host does not work, with what would mend it where that is known.
#[derive(Debug)]
pub enum Error {
    /// The process may not do it.
    Privileges {
        /// What it wanted to do: "make a network namespace".
        what: String,
    },
    /// The machine has no TUN devices.
    NoTun(io::Error),
    /// What was asked for makes no sense, in words.
    Refused(String),
    /// Another call of the system failed.
    System {
        /// What it wanted to do.
        what: String,
        /// What the system answered.
        reason: io::Error,
    },
}

impl Error {
    /// A call of the system that was to do `what` and failed.
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
