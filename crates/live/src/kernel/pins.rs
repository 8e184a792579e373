//! Controls that outlive the process that loaded them: pinned in the BPF file system, one directory per
//! control, with its link and the maps that others need.
//!
//! A directory is created under a name that begins with `~` and ends with the process's number, filled,
//! and renamed in one step. A directory under a control's own name is therefore always complete. What a
//! killed loader leaves behind is such a temporary directory; it is listed, and unloaded like the
//! others.
//!
//! Every user may write to some BPF file systems. Therefore all pins are in a directory that only root
//! can write to; a link to another place instead of it, or another user's directory, is not followed.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process;
use std::thread;
use std::time::Duration;

use libbpf_rs::query::LinkInfoIter;
use libbpf_rs::{Link, MapHandle};
use nix::sys::statfs::{BPF_FS_MAGIC, statfs};
use nix::unistd::geteuid;

use super::aqt::Aqt;
use super::{Error, Loaded, log, machine};

/// The maps that are pinned beside the link, if a control has them: the name of the map, or the end of
/// it, and the name of its pin.
const MAPS: [(&str, &str); 3] = [
    ("trace", "trace"),
    (".data.switch", "switch"),
    ("aqt_sk", "aqt_sk"),
];

/// The time that a link may take to end, in milliseconds.
const PATIENCE: u32 = 2000;

/// A temporary directory that is older than this is no longer being filled.
const LOADING: Duration = Duration::from_secs(10);

/// The directory of the pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pins {
    root: PathBuf,
}

impl Default for Pins {
    /// Returns `/sys/fs/bpf/dumbbell`.
    fn default() -> Self {
        Self::at("/sys/fs/bpf/dumbbell")
    }
}

/// A directory of pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pin {
    /// The control's name in the kernel.
    pub name: String,
    pub directory: PathBuf,
    /// Whether it has its own name, and is therefore complete.
    pub whole: bool,
}

impl Pins {
    /// Returns pins in another directory of a BPF file system.
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: root.into() }
    }

    /// Returns the directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the directory of a control.
    pub fn directory(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    /// Returns a map of a pinned control: `trace`, `switch`, or `aqt_sk` for RoVegas.
    ///
    /// # Errors
    /// If no such control is pinned, or it has no such map.
    pub fn map(&self, control: &str, map: &str) -> Result<MapHandle, Error> {
        self.pinned(control)?;
        let path = self.directory(control).join(map);
        MapHandle::from_pinned_path(&path)
            .map_err(|e| Error::refused(format!("open {}", path.display()), &e))
    }

    /// Unloads a pinned control, or what a killed loader left of one. Sockets that use it continue to
    /// use it.
    ///
    /// # Errors
    /// [`Error::NotPinned`] if there is none, [`Error::Pins`] if it cannot be removed,
    /// [`Error::Refused`] if another process or pin also holds it: then its pins are removed, but the
    /// control is not.
    pub fn unpin(&self, name: &str) -> Result<(), Error> {
        let all = self.all()?;
        let (mut found, mut held) = (false, None);
        for pin in all.iter().filter(|pin| pin.name == name) {
            held = remove(&pin.directory)?.or(held);
            found = true;
        }
        // Removes the directory of all controls after the last one; it fails harmlessly if others are in
        // it.
        let _ = fs::remove_dir(&self.root);
        match (found, held) {
            (false, _) => Err(self.not_pinned(name)),
            (true, None) => Ok(()),
            (true, Some(link)) => Err(Error::Refused {
                action: format!("unload {name}"),
                answer: format!(
                    "its pins are gone, but another pin or process holds its link {link}; \
                     `dumbbell kernel list` and `bpftool link show id {link}` tell of it"
                ),
                detail: Vec::new(),
            }),
        }
    }

    /// Returns all pins, complete or not, except those that a living loader is about to complete.
    pub(super) fn all(&self) -> Result<Vec<Pin>, Error> {
        match fs::symlink_metadata(&self.root) {
            Ok(_) => self.check_root()?,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(failed("read", &self.root)(e)),
        }
        let entries = self.root.read_dir().map_err(failed("read", &self.root))?;
        let mut pins: Vec<_> = entries
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| Pin::read(entry.path()))
            .collect();
        pins.sort_by(|a, b| a.directory.cmp(&b.directory));
        Ok(pins)
    }

    pub(super) fn pinned(&self, name: &str) -> Result<(), Error> {
        let pins = self.all()?;
        if pins.iter().any(|pin| pin.whole && pin.name == name) {
            Ok(())
        } else {
            Err(self.not_pinned(name))
        }
    }

    fn not_pinned(&self, name: &str) -> Error {
        let help = if machine::available().iter().any(|known| known == name) {
            "it is the kernel's own, or held by the process that loaded it".to_owned()
        } else {
            format!("nothing of that name is in {}", self.root.display())
        };
        Error::NotPinned {
            name: name.to_owned(),
            help,
        }
    }

    /// Checks that no other user can have placed anything there, because root removes what is there.
    fn check_root(&self) -> Result<(), Error> {
        let data = fs::symlink_metadata(&self.root).map_err(failed("read", &self.root))?;
        let trusted = data.uid() == 0 || data.uid() == geteuid().as_raw();
        let alone = data.mode() & 0o022 == 0;
        let in_bpffs = || statfs(&self.root).is_ok_and(|all| all.filesystem_type() == BPF_FS_MAGIC);
        if data.is_dir() && trusted && alone && in_bpffs() {
            return Ok(());
        }
        Err(Error::Refused {
            action: format!("use {}", self.root.display()),
            answer: format!(
                "it is no directory of a BPF file system that root alone writes to; look at it, and \
                 remove it (`rm -r {}`)",
                self.root.display()
            ),
            detail: Vec::new(),
        })
    }

    fn temporary(&self, name: &str) -> PathBuf {
        self.root.join(format!("~{name}~{}", process::id()))
    }
}

impl Pin {
    fn read(directory: PathBuf) -> Option<Self> {
        let entry = directory.file_name()?.to_str()?;
        let Some(rest) = entry.strip_prefix('~') else {
            return Some(Self {
                name: entry.to_owned(),
                whole: directory.join("link").exists(),
                directory,
            });
        };
        let (name, loader) = rest.split_once('~')?;
        // The number may belong to another process by now, but not within seconds.
        let age = fs::metadata(&directory).and_then(|data| data.modified());
        let fresh = age.is_ok_and(|time| time.elapsed().is_ok_and(|age| age < LOADING));
        let alive = loader != process::id().to_string() && Path::new("/proc").join(loader).exists();
        let loading = fresh && alive;
        (!loading).then(|| Self {
            name: name.to_owned(),
            whole: false,
            directory: directory.clone(),
        })
    }

    /// Returns the number of its link; `None` if it has none that can be opened.
    pub fn link_id(&self) -> Option<u32> {
        let link = open_link(&self.directory.join("link"))?;
        link.info().ok().map(|info| info.id)
    }
}

impl Loaded {
    /// Leaves the control in the kernel when this process ends, until [`Pins::unpin`] or the next
    /// reboot.
    ///
    /// # Errors
    /// [`Error::NoBpffs`] if there is no BPF file system, [`Error::Pins`] and [`Error::Refused`] for
    /// errors of the system. Nothing is left behind then, and the control is unloaded.
    pub fn pin(self, pins: &Pins) -> Result<(), Error> {
        self.leave(pins, None)
    }

    /// As [`Loaded::pin`], together with the AQT programs: both or neither.
    ///
    /// # Errors
    /// As [`Loaded::pin`].
    pub fn pin_with(self, pins: &Pins, aqt: &Aqt) -> Result<(), Error> {
        self.leave(pins, Some(aqt))
    }

    fn leave(mut self, pins: &Pins, aqt: Option<&Aqt>) -> Result<(), Error> {
        let above = pins.root.parent().unwrap_or(&pins.root);
        if !machine::has_bpffs(&pins.root) {
            return Err(Error::NoBpffs(above.to_owned()));
        }
        let name = self.name().to_owned();
        let (temporary, own) = (pins.temporary(&name), pins.directory(&name));
        let done = self
            .fill(pins, &temporary, aqt)
            .and_then(|()| fs::rename(&temporary, &own).map_err(failed("rename", &temporary)));
        if done.is_err() {
            // Existing pins would keep the control; the first error is the one that is returned.
            let _ = remove(&temporary);
        }
        done
    }

    fn fill(&mut self, pins: &Pins, directory: &Path, aqt: Option<&Aqt>) -> Result<(), Error> {
        match DirBuilder::new().mode(0o755).create(&pins.root) {
            Err(e) if e.kind() != io::ErrorKind::AlreadyExists => {
                return Err(failed("make", &pins.root)(e));
            }
            _ => pins.check_root()?,
        }
        if directory.exists() {
            remove(directory)?;
        }
        fs::create_dir(directory).map_err(failed("make", directory))?;
        for (map, pin) in MAPS {
            let Ok(mut map) = self.map(map) else {
                continue;
            };
            let path = directory.join(pin);
            map.pin(&path)
                .map_err(|e| Error::refused(format!("pin {}", path.display()), &e))?;
        }
        if let Some(aqt) = aqt {
            aqt.pin(directory)?;
        }
        let path = directory.join("link");
        self.link
            .pin(&path)
            .map_err(|e| Error::refused(format!("pin {}", path.display()), &e))
    }
}

/// Opens a pinned link, without libbpf's message if there is none.
fn open_link(path: &Path) -> Option<Link> {
    log::kept(|| Link::open(path)).0.ok()
}

/// Removes a directory of pins, and the link first, which unloads the control. Returns the number of a
/// link that is still held elsewhere.
fn remove(directory: &Path) -> Result<Option<u32>, Error> {
    let path = directory.join("link");
    let link = open_link(&path);
    match fs::remove_file(&path) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed("remove", &path)(e)),
        _ => {}
    }
    let id = link.and_then(|link| link.info().ok()).map(|info| info.id);
    // Usually the last one to close a link waits for its end, but that may be the file system, a little
    // later.
    let held = id.filter(|id| !ends(*id));
    fs::remove_dir_all(directory).map_err(failed("remove", directory))?;
    Ok(held)
}

/// Waits until there is no such link, for a limited time, because another process may hold it.
fn ends(id: u32) -> bool {
    (0..PATIENCE).any(|_| {
        let gone = !LinkInfoIter::default().any(|link| link.id == id);
        if !gone {
            thread::sleep(Duration::from_millis(1));
        }
        gone
    })
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |source| Error::Pins {
        action,
        path,
        source,
    }
}
