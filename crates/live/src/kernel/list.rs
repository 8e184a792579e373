//! The congestion controls of this machine, and who holds them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use libbpf_rs::btf::Btf;
use libbpf_rs::query::{LinkInfoIter, LinkTypeInfo, MapInfoIter};
use libbpf_rs::{MapCore as _, MapFlags, MapHandle};

use super::linux::is_linuxs;
use super::{Error, KernelControl, Pins, controls, layout, machine};

/// Who holds a congestion control.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    /// The kernel: built in, or a module.
    Kernel,
    /// A complete directory of pins.
    Pinned(PathBuf),
    /// A directory that a killed loader left behind; `Pins::unpin` removes it.
    Leftover(PathBuf),
    /// A process, as long as it lives. Its number and command are known only with permission to
    /// inspect it.
    Process {
        /// Its number.
        pid: Option<u32>,
        /// Its command.
        command: Option<String>,
    },
    /// No one: it is unloaded, and only sockets still use it. Or the process is not permitted to
    /// find out.
    Unknown,
}

/// A congestion control, or the remains of one.
#[derive(Clone, Debug)]
pub struct Listed {
    /// Its name in the kernel.
    pub name: String,
    /// The Dumbbell control, if it is one.
    pub control: Option<&'static KernelControl>,
    /// Who holds it.
    pub holder: Holder,
    /// Whether sockets may select it.
    pub available: bool,
}

/// A link that holds a congestion control.
struct Held {
    link: u32,
    map: u32,
    name: String,
    control: Option<&'static KernelControl>,
}

/// Returns every congestion control of this machine, in the kernel's order, and then the remains of
/// others.
///
/// # Errors
/// [`Error::Pins`] if there are pins and they cannot be read.
pub fn list(pins: &Pins) -> Result<Vec<Listed>, Error> {
    let held = held();
    let mut places = HashMap::new();
    let mut named = HashMap::new();
    let mut leftovers = Vec::new();
    for pin in pins.all()? {
        let link = pin.link_id();
        match (pin.whole, link) {
            // A process that may not open the link still sees that there is one.
            (true, None) if held.is_none() => {
                named.insert(pin.name, Holder::Pinned(pin.directory));
            }
            (true, Some(link)) => {
                places.insert(link, Holder::Pinned(pin.directory));
            }
            (false, Some(link)) => {
                places.insert(link, Holder::Leftover(pin.directory));
            }
            (_, None) => leftovers.push(pin),
        }
    }
    let mut listed: Vec<_> = machine::available()
        .into_iter()
        .map(|name| {
            let known = held
                .as_ref()
                .and_then(|all| all.iter().find(|h| h.name == name));
            let holder = match (known, &held) {
                (Some(h), _) => places.remove(&h.link).unwrap_or_else(|| process(h.link)),
                (None, Some(_)) => Holder::Kernel,
                (None, None) if is_linuxs(name.as_str()) => Holder::Kernel,
                (None, None) => named.remove(&name).unwrap_or(Holder::Unknown),
            };
            Listed {
                control: known.and_then(|h| h.control),
                name,
                holder,
                available: true,
            }
        })
        .collect();
    listed.extend(leftovers.into_iter().map(|pin| Listed {
        control: None,
        name: pin.name,
        holder: Holder::Leftover(pin.directory),
        available: false,
    }));
    Ok(listed)
}

/// Returns the links that hold congestion controls; `None` if the process is not permitted to ask.
fn held() -> Option<Vec<Held>> {
    if !machine::missing_capabilities().is_empty() {
        return None;
    }
    let links: Vec<_> = LinkInfoIter::default()
        .filter_map(|link| match link.info {
            LinkTypeInfo::StructOps(ops) => Some((link.id, ops.map_id)),
            _ => None,
        })
        .collect();
    if links.is_empty() {
        return Some(Vec::new());
    }
    // The kernel's own copy of the struct, after a header.
    let kernel = Btf::from_vmlinux().ok()?;
    let at = layout::member(&kernel, "bpf_struct_ops_tcp_congestion_ops", "data")?
        + layout::member(&kernel, "tcp_congestion_ops", "name")?;
    let held = links.into_iter().filter_map(|(link, map)| {
        let handle = MapHandle::from_map_id(map).ok()?;
        let kind = handle.name().to_string_lossy().into_owned();
        let value = handle
            .lookup(&0u32.to_ne_bytes(), MapFlags::empty())
            .ok()??;
        let field = value.get(at..at + 16)?;
        let end = field.iter().position(|byte| *byte == 0)?;
        Some(Held {
            link,
            map,
            name: String::from_utf8_lossy(&field[..end]).into_owned(),
            control: controls().iter().find(|c| c.map_name() == kind),
        })
    });
    Some(held.collect())
}

/// Returns the map in which a loaded RoVegas finds what routers report, by its name in the kernel: `aqt_sk`, of the
/// object with which the control was loaded. `None` if the control is another one, or without permission to ask.
pub fn place_for_reports(name: &str) -> Option<MapHandle> {
    let control = held()?.into_iter().find(|it| it.name == name)?.map;
    // All maps of an object have its types.
    let types = MapInfoIter::default()
        .find(|info| info.id == control)?
        .btf_id;
    let place =
        MapInfoIter::default().find(|info| info.btf_id == types && info.name == "aqt_sk")?;
    MapHandle::from_map_id(place.id).ok()
}

/// Returns the process that has a link open.
fn process(link: u32) -> Holder {
    let wanted = format!("link_id:\t{link}");
    let all = fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let pid = pids.into_iter().find(|pid| has_open(*pid, &wanted));
    let command = pid.and_then(|pid| fs::read_to_string(format!("/proc/{pid}/comm")).ok());
    Holder::Process {
        pid,
        command: command.map(|command| command.trim().to_owned()),
    }
}

fn has_open(pid: u32, wanted: &str) -> bool {
    let descriptors = fs::read_dir(Path::new("/proc").join(pid.to_string()).join("fdinfo"));
    let mut descriptors = descriptors.into_iter().flatten().flatten();
    descriptors.any(|entry| {
        fs::read_to_string(entry.path()).is_ok_and(|info| info.lines().any(|line| line == wanted))
    })
}
