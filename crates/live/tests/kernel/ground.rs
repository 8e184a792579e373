//! What the tests need: privileges, unique names, a separate BPF file system.

use std::env;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{fs, process, thread};

use dumbbell_live::kernel::machine;
use libbpf_rs::query::MapInfoIter;
use libbpf_rs::{MapCore as _, MapFlags, MapHandle, MapType};
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use crate::kernel_log::KernelLog;

/// Returns a watch on the kernel's log, which fails the test if the kernel warns, if this process may load
/// controls here; prints the reason if not.
pub fn ready() -> Option<KernelLog> {
    let missing = machine::missing_capabilities();
    let why = if !machine::has_btf() {
        "the kernel has no BTF".to_owned()
    } else if !missing.is_empty() {
        format!("it lacks {}", missing.join(", "))
    } else if !machine::at_least(&machine::release(), (6, 4)) {
        format!("Linux {} is older than 6.4", machine::release())
    } else if !Path::new("/dev/net/tun").exists() {
        "there is no /dev/net/tun".to_owned()
    } else {
        return Some(KernelLog::watch());
    };
    let required = env::var_os("DUMBBELL_REQUIRE_LIVE").is_some_and(|value| value == "1");
    assert!(!required, "{why}, and DUMBBELL_REQUIRE_LIVE=1");
    println!("skipped: {why}");
    None
}

/// Returns a name for the kernel that no other process and no other test uses.
pub fn name(suffix: &str) -> String {
    format!("dbt{:x}_{suffix}", process::id() & 0xf_ffff)
}

/// Returns how many controls whose names contain this the kernel still has in its memory, loaded or not: their maps
/// have the names.
pub fn maps(name: &str) -> usize {
    let holds = |id| {
        let map = MapHandle::from_map_id(id).ok()?;
        let value = map.lookup(&[0; 4], MapFlags::ANY).ok()??;
        let mut windows = value.windows(name.len());
        windows
            .any(|window| window == name.as_bytes())
            .then_some(())
    };
    let all = MapInfoIter::default().filter(|info| info.ty == MapType::StructOps);
    all.filter_map(|info| holds(info.id)).count()
}

/// Waits until something holds, and returns whether it does.
pub fn within(patience: Duration, holds: impl Fn() -> bool) -> bool {
    let began = Instant::now();
    while began.elapsed() < patience {
        if holds() {
            return true;
        }
        thread::sleep(Duration::from_millis(2));
    }
    false
}

/// A BPF file system that only this test sees.
pub struct Mounted {
    place: PathBuf,
}

static NEXT: AtomicU32 = AtomicU32::new(0);

impl Mounted {
    pub fn new() -> Self {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("dumbbell-bpffs-{}-{number}", process::id());
        let place = env::temp_dir().join(name);
        fs::create_dir(&place).expect("a directory");
        Self { place }
    }

    /// Runs work in a separate mount namespace, which ends with the thread, together with the pins.
    pub fn run(&self, work: impl FnOnce(&Path) + Send) {
        let done = thread::scope(|scope| {
            let inside = || {
                unshare(CloneFlags::CLONE_NEWNS).expect("a mount namespace");
                let none = None::<&str>;
                let private = MsFlags::MS_REC | MsFlags::MS_PRIVATE;
                mount(none, "/", none, private, none).expect("private mounts");
                let bpf = Some("bpf");
                mount(bpf, &self.place, bpf, MsFlags::empty(), none).expect("a BPF file system");
                work(&self.place);
            };
            scope.spawn(inside).join()
        });
        if let Err(panic) = done {
            std::panic::resume_unwind(panic);
        }
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // If this fails, an empty temporary directory is left behind, which is harmless.
        let _ = fs::remove_dir(&self.place);
    }
}
