//! Errors of loading, listing and unloading controls, with remedies.

use std::fmt;
use std::io;
use std::path::PathBuf;

use super::linux::is_linuxs;

/// An error about the kernel's controls. The text includes a remedy.
#[derive(Debug)]
pub enum Error {
    /// There is no control of this name for the kernel.
    UnknownControl {
        /// The name.
        name: String,
        /// Similar names, or the names that exist.
        help: String,
    },
    /// The kernel does not accept this name.
    BadName(String),
    /// A parameter is unknown, or its value not within its range.
    Parameter {
        /// The control.
        control: &'static str,
        /// The mistake.
        message: String,
        /// A correction.
        help: String,
    },
    /// A congestion control of this name is registered already.
    NameInUse(String),
    /// No control of this name is pinned.
    NotPinned {
        /// The name.
        name: String,
        /// Who holds it, or the names that exist.
        help: String,
    },
    /// The kernel does not provide its types.
    NoBtf,
    /// The kernel's BPF JIT is off.
    NoJit,
    /// The process lacks these capabilities.
    NoPrivileges(Vec<&'static str>),
    /// The kernel is too old: its release.
    TooOld(String),
    /// There is no BPF file system at the directory of the pins.
    NoBpffs(PathBuf),
    /// A file operation on pins failed.
    Pins {
        /// The operation: "make".
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The kernel or libbpf refused something else.
    Refused {
        /// The operation: "load db_veno".
        action: String,
        /// The error message.
        answer: String,
        /// What libbpf printed meanwhile, including the verifier's log.
        detail: Vec<String>,
    },
}

impl Error {
    /// Returns what libbpf printed, if anything: it is long, and shown only on request.
    pub fn detail(&self) -> &[String] {
        match self {
            Self::Refused { detail, .. } => detail,
            _ => &[],
        }
    }

    pub(super) fn refused(action: impl Into<String>, error: &libbpf_rs::Error) -> Self {
        Self::Refused {
            action: action.into(),
            answer: format!("{error:#}"),
            detail: Vec::new(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownControl { name, help } => {
                write!(f, "there is no kernel control `{name}`; {help}")
            }
            Self::BadName(name) => write!(
                f,
                "`{name}` is no name for the kernel: 1 to 15 letters, digits and `_`"
            ),
            Self::Parameter {
                control,
                message,
                help,
            } => write!(f, "{control}: {message}; {help}"),
            Self::NameInUse(name) if is_linuxs(name) => write!(
                f,
                "`{name}` is a congestion control of Linux itself; `--as NAME` gives this one another name"
            ),
            Self::NameInUse(name) => write!(
                f,
                "a congestion control `{name}` is loaded already, and `dumbbell kernel list` says who holds \
                 it; `dumbbell kernel unload {name}` removes one that is pinned, and `--as NAME` gives \
                 this one another name"
            ),
            Self::NotPinned { name, help } => write!(f, "`{name}` is not pinned; {help}"),
            Self::NoBtf => f.write_str(
                "the kernel does not provide its types (no /sys/kernel/btf/vmlinux); it needs \
                 CONFIG_DEBUG_INFO_BTF=y, as the usual distributions' kernels have",
            ),
            Self::NoJit => f.write_str(
                "the kernel's BPF compiler is off; `sysctl net.core.bpf_jit_enable=1` turns it on",
            ),
            Self::NoPrivileges(missing) if missing.is_empty() => f.write_str(
                "not permitted, although the process has the capabilities: in a user namespace or \
                 under a security module's rule; run it as root outside of containers",
            ),
            Self::NoPrivileges(missing) => write!(
                f,
                "not permitted; run it as root (it lacks {})",
                missing.join(", ")
            ),
            Self::TooOld(release) => write!(
                f,
                "Linux {release} cannot take congestion controls by BPF links; they need 6.4 or later"
            ),
            Self::NoBpffs(path) => write!(
                f,
                "no BPF file system is mounted at {0}, where pins are kept; `mount -t bpf bpf {0}`",
                path.display()
            ),
            Self::Pins {
                action,
                path,
                source,
            } => {
                write!(f, "cannot {action} {}: {source}", path.display())?;
                match source.kind() {
                    io::ErrorKind::PermissionDenied => f.write_str("; run it as root"),
                    io::ErrorKind::ReadOnlyFilesystem => f.write_str(
                        "; `mount -o remount,rw /sys/fs/bpf` makes it writable where that is allowed",
                    ),
                    io::ErrorKind::DirectoryNotEmpty => f.write_str(
                        "; something is in the way, which `dumbbell kernel list` shows and \
                         `dumbbell kernel unload` removes",
                    ),
                    _ => Ok(()),
                }
            }
            Self::Refused { action, answer, .. } => write!(f, "cannot {action}: {answer}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Pins { source, .. } => Some(source),
            _ => None,
        }
    }
}
