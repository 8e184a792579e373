//! Disks that are full or write-protected, if this machine allows a test to mount one.

use dumbbell_store::Store;

use crate::child;
use crate::jobs::Folder;

/// Mounts a file system at the folder with this command, and runs a task there.
fn within(mount: &str, task: &str, folder: &Folder) {
    if !child::may_mount() {
        eprintln!("not tested here: only root may mount");
        return;
    }
    let script = format!("set -e; dir=$1; shift; {mount}; exec \"$@\"");
    let file = folder.file();
    let place = file.parent().unwrap().to_str().unwrap();
    let before = ["unshare", "-m", "sh", "-c", &script, "sh", place];
    child::finish(child::process(&before, task, &file));
}

#[test]
fn a_full_disk_affects_neither_results_nor_stored_runs() {
    let folder = Folder::new();
    within("mount -t tmpfs -o size=400k none \"$dir\"", "full", &folder);
}

#[test]
fn a_write_protected_disk() {
    let folder = Folder::new();
    drop(Store::open(&folder.file()).unwrap());
    let mount = "mount --bind \"$dir\" \"$dir\"; mount -o remount,bind,ro \"$dir\"";
    within(mount, "read-only", &folder);
}
