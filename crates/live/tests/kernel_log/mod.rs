//! The kernel's log: a test that makes the kernel warn fails.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Seek as _, SeekFrom};
use std::os::unix::fs::OpenOptionsExt as _;
use std::sync::Once;
use std::thread;

use nix::libc::O_NONBLOCK;

/// Watches the log until it is dropped, and then panics if the kernel has warned meanwhile. Other programs'
/// lines do not count. Without access to the log, it does nothing. The kernel prints most warnings once until it
/// boots again, so a machine that has warned already shows fewer.
#[derive(Debug)]
pub struct KernelLog {
    log: Option<File>,
}

/// The longest record of /dev/kmsg.
const LONGEST: usize = 8192;

impl KernelLog {
    pub fn watch() -> Self {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| {
            if has_warned() {
                println!(
                    "the kernel has warned since it booted: it prints most warnings only once"
                );
            }
        });
        let open = || {
            let mut options = OpenOptions::new();
            let mut log = options
                .read(true)
                .custom_flags(O_NONBLOCK)
                .open("/dev/kmsg")?;
            log.seek(SeekFrom::End(0))?;
            Ok::<_, std::io::Error>(log)
        };
        Self { log: open().ok() }
    }
}

impl Drop for KernelLog {
    fn drop(&mut self) {
        let Some(log) = &mut self.log else {
            return;
        };
        let mut alarms = Vec::new();
        let mut buffer = vec![0; LONGEST];
        loop {
            match log.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => alarms.extend(alarm(&String::from_utf8_lossy(&buffer[..length]))),
                // Records were overwritten before they were read; the next read continues after them.
                Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        // A second panic would end all tests.
        if !thread::panicking() {
            assert!(alarms.is_empty(), "the kernel warns: {alarms:#?}");
        }
    }
}

/// Returns whether the kernel has warned since it booted (TAINT_WARN).
fn has_warned() -> bool {
    let flags = fs::read_to_string("/proc/sys/kernel/tainted").unwrap_or_default();
    flags
        .trim()
        .parse()
        .is_ok_and(|flags: u64| flags >> 9 & 1 == 1)
}

/// Returns the text of a record `priority,number,time,flags;text`, if the kernel itself warns in it.
fn alarm(record: &str) -> Option<String> {
    let (head, text) = record.split_once(';')?;
    let priority: u32 = head.split(',').next()?.parse().ok()?;
    // The upper bits are the facility: 0 is the kernel's.
    let begins = [
        "WARNING: ",
        "BUG: ",
        "UBSAN: ",
        "Oops",
        "general protection fault",
    ];
    let text = text.lines().next().unwrap_or_default();
    let alarming = begins.iter().any(|word| text.starts_with(word));
    (priority < 8 && (alarming || text.contains("kernel BUG at"))).then(|| text.to_owned())
}

#[test]
fn only_the_kernels_own_warnings_are_alarms() {
    let warning = "4,812,700000,-;WARNING: CPU: 1 PID: 7 at net/ipv4/tcp_input.c:2786 tcp_undo_cwnd_reduction\n";
    let found = alarm(warning).expect("an alarm");
    assert!(found.starts_with("WARNING: CPU: 1"), "{found}");
    assert!(alarm("1,813,700001,-;BUG: kernel NULL pointer dereference\n").is_some());
    // Priority 12: a program's.
    assert_eq!(alarm("12,815,700003,-;WARNING: a program\n"), None);
    assert_eq!(
        alarm("6,816,700004,-;tun: (C) 1999-2004\n SUBSYSTEM=tun\n"),
        None
    );
}
