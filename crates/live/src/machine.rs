//! Properties of this machine that the kernel's controls need.

use std::fs;
use std::path::Path;

/// Where the kernel provides its types.
pub const BTF: &str = "/sys/kernel/btf/vmlinux";

/// The capabilities that loading needs, by name and number; CAP_SYS_ADMIN replaces the first two.
const WANTED: [(&str, u32); 3] = [("CAP_BPF", 39), ("CAP_PERFMON", 38), ("CAP_NET_ADMIN", 12)];
const CAP_SYS_ADMIN: u32 = 21;

/// Returns whether the kernel provides its types. If a container hides them, an empty file is in
/// their place.
pub fn has_btf() -> bool {
    fs::metadata(BTF).is_ok_and(|data| data.len() > 0)
}

/// Returns whether the kernel's BPF JIT is on, without which it accepts no congestion control. If
/// the setting cannot be read, it is assumed to be on.
pub fn has_jit() -> bool {
    let enabled = fs::read_to_string("/proc/sys/net/core/bpf_jit_enable");
    enabled.map_or(true, |value| value.trim() != "0")
}

/// Returns the capabilities that the calling thread lacks.
pub fn missing_capabilities() -> Vec<&'static str> {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("CapEff:"));
    let effective = line.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    effective.map_or_else(Vec::new, lacking)
}

fn lacking(effective: u64) -> Vec<&'static str> {
    let has = |bit: u32| effective >> bit & 1 == 1;
    let stands_in = |name: &str| name != "CAP_NET_ADMIN" && has(CAP_SYS_ADMIN);
    let wanted = WANTED
        .iter()
        .filter(|(name, bit)| !(has(*bit) || stands_in(name)));
    wanted.map(|(name, _)| *name).collect()
}

/// Returns whether the process is in a user namespace other than the first, whose capabilities do
/// not apply to BPF.
pub fn is_in_user_namespace() -> bool {
    let ids = fs::read_to_string("/proc/thread-self/uid_map").unwrap_or_default();
    !ids.is_empty() && !is_all_users(&ids)
}

fn is_all_users(ids: &str) -> bool {
    ids.split_whitespace().eq(["0", "0", "4294967295"])
}

/// Returns the kernel's release, as in `uname -r`.
pub fn release() -> String {
    let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    release.trim().to_owned()
}

/// Returns whether a release is at least the wanted one; `true` if the release cannot be parsed.
pub fn at_least(release: &str, wanted: (u32, u32)) -> bool {
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().ok());
    match (numbers.next().flatten(), numbers.next().flatten()) {
        (Some(major), Some(minor)) => (major, minor) >= wanted,
        _ => true,
    }
}

/// Returns whether a BPF file system is mounted at this path, or at an ancestor without another
/// mount in between.
pub fn has_bpffs(place: &Path) -> bool {
    let mounts = fs::read_to_string("/proc/thread-self/mountinfo").unwrap_or_default();
    is_bpffs(&mounts, place)
}

fn is_bpffs(mounts: &str, place: &Path) -> bool {
    let holder = mounts
        .lines()
        .filter_map(|line| {
            let (before, after) = line.split_once(" - ")?;
            let at = before.split(' ').nth(4)?.replace("\\040", " ");
            let kind = after.split(' ').next()?;
            place.starts_with(&at).then(|| (at.len(), kind == "bpf"))
        })
        // Of several mounts at one path, the last one counts.
        .reduce(|best, next| if next.0 >= best.0 { next } else { best });
    holder.is_some_and(|(_, bpf)| bpf)
}

/// Returns whether the machine is a virtual one, as its processors (x86) or the kernel's way of letting them idle tell.
pub fn is_virtual() -> bool {
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let driver = fs::read_to_string("/sys/devices/system/cpu/cpuidle/current_driver");
    has_hypervisor(&processors) || driver.is_ok_and(|driver| driver.trim() == "haltpoll")
}

fn has_hypervisor(processors: &str) -> bool {
    let flags = processors.lines().find(|line| line.starts_with("flags"));
    flags.is_some_and(|flags| flags.split_whitespace().any(|flag| flag == "hypervisor"))
}

/// Returns the default congestion control of new connections, if the kernel reports it.
pub fn default_control() -> Option<String> {
    let told = fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control").ok()?;
    Some(told.trim().to_owned())
}

/// Returns every congestion control that sockets may select, Dumbbell's and others.
pub fn available() -> Vec<String> {
    controls_in("tcp_available_congestion_control")
}

/// Returns the congestion controls that programs without privileges may select.
pub fn allowed() -> Vec<String> {
    controls_in("tcp_allowed_congestion_control")
}

fn controls_in(file: &str) -> Vec<String> {
    let list = fs::read_to_string(format!("/proc/sys/net/ipv4/{file}"));
    let list = list.unwrap_or_default();
    list.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_are_read_from_the_mask() {
        assert_eq!(lacking(0), ["CAP_BPF", "CAP_PERFMON", "CAP_NET_ADMIN"]);
        assert_eq!(lacking(1 << 21), ["CAP_NET_ADMIN"]);
        assert_eq!(lacking(1 << 39 | 1 << 12), ["CAP_PERFMON"]);
        assert!(lacking(1 << 39 | 1 << 38 | 1 << 12).is_empty());
    }

    #[test]
    fn the_first_user_namespace_has_all_users() {
        assert!(is_all_users("         0          0 4294967295\n"));
        assert!(!is_all_users("         0       1000          1\n"));
        assert!(!is_all_users("0 0 65536\n65536 65536 4294901759\n"));
    }

    #[test]
    fn releases_compare_as_numbers() {
        assert!(at_least("6.18.44-cloud", (6, 4)));
        assert!(at_least("6.4-rc1", (6, 4)));
        assert!(!at_least("6.1.0-13-amd64", (6, 4)));
        assert!(!at_least("5.15.0", (6, 4)));
        assert!(at_least("", (6, 4)));
    }

    #[test]
    fn a_virtual_machine_has_a_flag() {
        let processor =
            |flags| format!("processor\t: 0\nflags\t\t: {flags}\nbogomips\t: 4890.85\n");
        assert!(has_hypervisor(&processor("fpu ht hypervisor lahf_lm")));
        assert!(!has_hypervisor(&processor("fpu ht lahf_lm hypervisors")));
        assert!(!has_hypervisor("Features : fp asimd\n"));
    }

    #[test]
    fn the_innermost_mount_decides() {
        let mounts = "22 1 0:20 / /sys rw - sysfs sysfs rw\n\
                      30 22 0:27 / /sys/fs/bpf rw,nosuid shared:9 - bpf bpf rw,mode=700\n";
        assert!(is_bpffs(mounts, Path::new("/sys/fs/bpf/dumbbell")));
        assert!(!is_bpffs(mounts, Path::new("/sys/fs")));
        assert!(!is_bpffs(mounts, Path::new("/var/bpf")));
        let over = format!("{mounts}31 30 0:28 / /sys/fs/bpf rw - tmpfs tmpfs rw\n");
        assert!(!is_bpffs(&over, Path::new("/sys/fs/bpf")));
    }
}
