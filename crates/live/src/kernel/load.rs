//! Loading a control into the kernel.

use std::os::fd::AsFd as _;

use dumbbell_control::registry::AnyConfig;
use libbpf_rs::btf::Btf;
use libbpf_rs::{
    ErrorKind, Link, MapCore as _, MapHandle, MapType, Object, ObjectBuilder, OpenMapMut,
    OpenObject,
};

use super::{Error, KernelControl, configuration, find, layout, log, machine};

/// Options for loading a control.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Its name in the kernel; `None` means its usual one.
    pub name: Option<String>,
    /// Its parameters; `None` means those of [`KernelControl::config`]. See
    /// [`super::read_settings`].
    pub config: Option<AnyConfig>,
}

/// A control in the kernel. Dropping this value unloads it, except for sockets that use it and for
/// pins.
#[derive(Debug)]
pub struct Loaded {
    control: &'static KernelControl,
    name: String,
    pub(super) link: Link,
    object: Object,
}

/// Loads a control and registers it; any thread of the machine may then select it, in any network
/// namespace.
///
/// # Errors
/// If there is no such control, the name is taken, the machine does not support it, or the process
/// lacks the permission.
pub fn load(control: &str, options: &Options) -> Result<Loaded, Error> {
    let control = find(control)?;
    let name = options
        .name
        .clone()
        .unwrap_or_else(|| control.name.to_owned());
    check_name(&name)?;
    let config = options.config.unwrap_or_else(|| control.config());
    if config.name() != control.algorithm {
        return Err(Error::Parameter {
            control: control.algorithm,
            message: format!("these are parameters of {}", config.name()),
            help: "read them for the control itself".to_owned(),
        });
    }
    check_machine()?;
    if machine::available().contains(&name) {
        return Err(Error::NameInUse(name));
    }
    let (attempt, detail) = log::kept(|| enter(control, &name, &config));
    attempt.map_err(|e| e.explained(&name, detail))
}

/// Checks the kernel's rules for names, and those of its BPF file system, which does not permit
/// dots.
fn check_name(name: &str) -> Result<(), Error> {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if (1..=15).contains(&name.len()) && name.chars().all(plain) {
        Ok(())
    } else {
        Err(Error::BadName(name.to_owned()))
    }
}

fn check_machine() -> Result<(), Error> {
    if !machine::has_btf() {
        return Err(Error::NoBtf);
    }
    let missing = machine::missing_capabilities();
    if !missing.is_empty() {
        return Err(Error::NoPrivileges(missing));
    }
    if !machine::has_jit() {
        return Err(Error::NoJit);
    }
    Ok(())
}

/// The step that failed: loading the programs, or registering them.
enum Attempt {
    Prepare(Error),
    Load(libbpf_rs::Error),
    Register(libbpf_rs::Error),
}

impl Attempt {
    fn explained(self, name: &str, detail: Vec<String>) -> Error {
        let (action, error) = match self {
            Self::Prepare(error) => return error,
            Self::Load(error) => (format!("load {name}"), error),
            Self::Register(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Error::NameInUse(name.to_owned());
            }
            Self::Register(error) => (format!("register {name}"), error),
        };
        let release = machine::release();
        if !machine::at_least(&release, (6, 4)) {
            return Error::TooOld(release);
        }
        let answer = format!("{error:#}");
        // EPERM means a missing permission; EACCES is the verifier's rejection.
        if answer.contains("(os error 1)") {
            return Error::NoPrivileges(Vec::new());
        }
        Error::Refused {
            action,
            answer,
            detail,
        }
    }
}

fn enter(
    control: &'static KernelControl,
    name: &str,
    config: &AnyConfig,
) -> Result<Loaded, Attempt> {
    let mut open = ObjectBuilder::default()
        .name(control.twin)
        .and_then(|builder| builder.open_memory(control.object))
        .map_err(Attempt::Load)?;
    prepare(control, &mut open, name, config).map_err(Attempt::Prepare)?;
    let mut object = open.load().map_err(Attempt::Load)?;
    let mut maps = object.maps_mut();
    let ops = maps.find(|map| map.map_type() == MapType::StructOps);
    let mut ops = ops.expect("every object has its struct_ops");
    let link = ops.attach_struct_ops().map_err(Attempt::Register)?;
    drop(maps);
    Ok(Loaded {
        control,
        name: name.to_owned(),
        link,
        object,
    })
}

/// Writes the parameters and the name into the object.
fn prepare(
    control: &'static KernelControl,
    open: &mut OpenObject,
    name: &str,
    config: &AnyConfig,
) -> Result<(), Error> {
    let bytes = configuration::configure(control, config)?;
    let at = configuration::offset(control).unwrap_or(0);
    let named = name_offset(control);
    for mut map in open.maps_mut() {
        let is_ops = map.map_type() == MapType::StructOps;
        let is_constants = map.name().to_string_lossy().ends_with(".rodata");
        if is_ops {
            let mut field = [0; 16];
            field[..name.len()].copy_from_slice(name.as_bytes());
            write(control, &mut map, named, &field)?;
        } else if is_constants {
            write(control, &mut map, at, &bytes)?;
        }
    }
    Ok(())
}

/// Returns the offset of the name in the object's tcp_congestion_ops.
fn name_offset(control: &KernelControl) -> usize {
    let btf = Btf::from_raw(control.twin, control.object).ok().flatten();
    let offset = btf.and_then(|btf| layout::member(&btf, "tcp_congestion_ops", "name"));
    offset.expect("the object declares it")
}

fn write(
    control: &KernelControl,
    map: &mut OpenMapMut<'_>,
    at: usize,
    bytes: &[u8],
) -> Result<(), Error> {
    let value = map.initial_value_mut();
    match value.and_then(|value| value.get_mut(at..at + bytes.len())) {
        Some(place) => {
            place.copy_from_slice(bytes);
            Ok(())
        }
        None => Err(Error::Refused {
            action: format!("prepare {}", control.algorithm),
            answer: format!("{} is too short", map.name().to_string_lossy()),
            detail: Vec::new(),
        }),
    }
}

impl Loaded {
    /// Returns the control.
    pub fn control(&self) -> &'static KernelControl {
        self.control
    }

    /// Returns its name in the kernel, which TCP_CONGESTION and the sysctl accept.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the kernel's number of the link that holds it.
    ///
    /// # Errors
    /// If the kernel does not return it.
    pub fn link_id(&self) -> Result<u32, Error> {
        let info = self.link.info();
        info.map(|info| info.id)
            .map_err(|e| Error::refused(format!("look at {}", self.name), &e))
    }

    /// Returns one of its maps: `trace`, `aqt_sk` for RoVegas, or by the end of its name,
    /// `.data.switch`.
    ///
    /// # Errors
    /// If it has no such map.
    pub fn map(&self, name: &str) -> Result<MapHandle, Error> {
        let known = |map: &libbpf_rs::Map<'_>| {
            let known = map.name().to_string_lossy();
            known == name || (name.starts_with('.') && known.ends_with(name))
        };
        let Some(map) = self.object.maps().find(known) else {
            return Err(Error::Refused {
                action: format!("find the map {name} of {}", self.name),
                answer: "it has none of this name".to_owned(),
                detail: Vec::new(),
            });
        };
        MapHandle::try_from(&map).map_err(|e| Error::refused(format!("share the map {name}"), &e))
    }

    /// Returns the kernel's counts for each of its programs while `kernel.bpf_stats_enabled` was 1:
    /// the program, its runs and the nanoseconds that they took together.
    pub fn run_times(&self) -> Vec<(String, u64, u64)> {
        let programs = self.object.progs().filter_map(|program| {
            let id = libbpf_rs::Program::id_from_fd(program.as_fd()).ok()?;
            let info = libbpf_rs::query::ProgInfoIter::default().find(|info| info.id == id)?;
            let name = info.name.to_string_lossy().into_owned();
            Some((name, info.run_cnt, info.run_time_ns))
        });
        programs.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_kernels_rules() {
        assert!(check_name("db_veno").is_ok());
        assert!(check_name("fifteen_letters").is_ok());
        for wrong in ["", "sixteen_letters_", "db_westwood+", "a.b", "a b", "a/b"] {
            assert!(check_name(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parameters_of_another_control_are_refused() {
        let options = Options {
            config: AnyConfig::named("vegas"),
            ..Options::default()
        };
        let said = load("veno", &options).unwrap_err().to_string();
        assert!(said.contains("parameters of vegas"), "{said}");
    }
}
