//! System calls that have no safe wrapper in any crate. This, with the files of its folder, is the only `unsafe` code.
#![allow(unsafe_code)]

pub mod packet;

use std::io;
use std::mem;
#[cfg(feature = "kernel")]
use std::os::fd::BorrowedFd;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Command;
use std::ptr;

use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg};

/// Sets an interface of the calling thread's network namespace up.
///
/// # Errors
/// If there is none of this name, or without CAP_NET_ADMIN.
pub fn set_up(interface: &str) -> io::Result<()> {
    // SAFETY: no arguments are pointers.
    let socket = unsafe { libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0) };
    checked(socket)?;
    // SAFETY: the descriptor was just created, and has no other owner.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    // SAFETY: all zeros is a valid ifreq.
    let mut request: libc::ifreq = unsafe { mem::zeroed() };
    if interface.len() >= request.ifr_name.len() {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    for (place, byte) in request.ifr_name.iter_mut().zip(interface.bytes()) {
        *place = byte as libc::c_char;
    }
    request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
    // SAFETY: SIOCSIFFLAGS reads an ifreq, which lives until the call returns.
    checked(unsafe {
        libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCSIFFLAGS as _,
            &raw mut request,
        )
    })
}

/// Gives the calling thread the real-time policy SCHED_FIFO with this priority, 1 to 99.
///
/// # Errors
/// Without CAP_SYS_NICE.
pub fn make_realtime(priority: i32) -> io::Result<()> {
    schedule(libc::SCHED_FIFO, priority)
}

/// Returns the calling thread to the usual policy.
///
/// # Errors
/// If the system does not permit it.
pub fn make_ordinary() -> io::Result<()> {
    schedule(libc::SCHED_OTHER, 0)
}

fn schedule(policy: libc::c_int, priority: libc::c_int) -> io::Result<()> {
    let parameter = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: the parameter lives until the call returns; 0 is the calling thread.
    checked(unsafe { libc::sched_setscheduler(0, policy, &raw const parameter) })
}

/// Returns the tick of the kernel's timers (1 / `CONFIG_HZ`).
///
/// # Errors
/// If the system has no coarse clock, which advances with it.
pub fn tick() -> io::Result<std::time::Duration> {
    let mut resolution = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the call writes to `resolution`, which lives until it returns.
    checked(unsafe { libc::clock_getres(libc::CLOCK_MONOTONIC_COARSE, &raw mut resolution) })?;
    Ok(std::time::Duration::new(
        resolution.tv_sec as u64,
        resolution.tv_nsec as u32,
    ))
}

/// The kernel's information about a TCP connection (TCP_INFO).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TcpInfo {
    /// State of its congestion control: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    pub ca_state: u8,
    /// Retransmission timeout in microseconds.
    pub rto_us: u32,
    /// Smoothed round-trip time in microseconds.
    pub rtt_us: u32,
    /// Smallest round-trip time in microseconds.
    pub min_rtt_us: u32,
    /// Congestion window in segments.
    pub cwnd: u32,
    /// Slow-start threshold in segments; 2^31 - 1 while there is none.
    pub ssthresh: u32,
    /// Segments retransmitted so far.
    pub retransmits: u32,
    /// Bytes acknowledged so far.
    pub bytes_acked: u64,
    /// Data segments sent so far, retransmissions included.
    pub segments_sent: u32,
    /// Payload of a full segment, in bytes.
    pub mss: u32,
    /// The time in which data was in flight or waited to be sent, in microseconds.
    pub busy_us: u64,
    /// The part of that time in which the receiver's window stopped it.
    pub receiver_limited_us: u64,
    /// The part of that time in which the send buffer was too small, or was not filled in time.
    pub buffer_limited_us: u64,
}

/// Queries the kernel about a TCP connection.
///
/// # Errors
/// If the socket is not a TCP socket.
pub fn tcp_info(socket: &impl AsRawFd) -> io::Result<TcpInfo> {
    // As in linux/tcp.h, whose fields never move; fields that an older kernel does not fill stay zero.
    let mut info = [0u8; 232];
    let mut length = info.len() as libc::socklen_t;
    // SAFETY: at most `length` bytes are written, which `info` has.
    checked(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            info.as_mut_ptr().cast(),
            &raw mut length,
        )
    })?;
    Ok(TcpInfo::read(&info))
}

impl TcpInfo {
    /// Parses the kernel's struct; missing fields stay zero.
    pub fn read(bytes: &[u8]) -> Self {
        let word = |at: usize| {
            let word = bytes.get(at..).and_then(<[u8]>::first_chunk);
            word.copied().map_or(0, u32::from_ne_bytes)
        };
        let double = |at: usize| {
            let double = bytes.get(at..).and_then(<[u8]>::first_chunk);
            double.copied().map_or(0, u64::from_ne_bytes)
        };
        Self {
            ca_state: bytes.get(1).copied().unwrap_or(0),
            rto_us: word(8),
            mss: word(16),
            rtt_us: word(68),
            ssthresh: word(76),
            cwnd: word(80),
            retransmits: word(100),
            bytes_acked: double(120),
            min_rtt_us: word(148),
            segments_sent: word(156),
            busy_us: double(168),
            receiver_limited_us: double(176),
            buffer_limited_us: double(184),
        }
    }
}

/// Makes a command run in a separate process namespace. The namespace ends, with everything in it, when
/// the command does, and when the thread that starts it ends. The command's exit code is passed on; if
/// a signal ends it, the exit code is 128 plus the signal's number, as in a shell.
pub fn contain(command: &mut Command) -> &mut Command {
    let owner = std::process::id();
    // SAFETY: between fork and exec `isolate` only makes calls that are safe after a fork.
    unsafe { command.pre_exec(move || isolate(owner)) }
}

/// Creates three generations: a keeper in the old process namespace, which dies with its parent; the
/// first process of the new namespace, whose end makes the kernel end all others in it; and the
/// command.
fn isolate(owner: u32) -> io::Result<()> {
    // SAFETY: plain system calls, all of them safe after a fork; pointers are to locals that outlive
    // the calls.
    unsafe {
        checked(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        // If the owner ended before the prctl above, no signal will come.
        if u32::try_from(libc::getppid()) != Ok(owner) {
            libc::_exit(127);
        }
        let mut all: libc::sigset_t = mem::zeroed();
        let mut before: libc::sigset_t = mem::zeroed();
        libc::sigfillset(&raw mut all);
        libc::sigprocmask(libc::SIG_BLOCK, &raw const all, &raw mut before);
        checked(libc::unshare(libc::CLONE_NEWPID | libc::CLONE_NEWNS))?;
        let mut ends = [0; 2];
        checked(libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC))?;
        let [tied, tell] = ends;
        let mut byte = 0u8;
        let first = libc::fork();
        checked(first)?;
        if first > 0 {
            // Keeps the read end of the pipe open until the child's life is tied to its own.
            libc::close(tell);
            libc::read(tied, (&raw mut byte).cast(), 1);
            wait_for(first);
        }
        libc::close(tied);
        checked(libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL))?;
        // In a new process namespace the parent has no number that could be compared, but the pipe has
        // no reader if the keeper has ended.
        if libc::write(tell, (&raw const byte).cast(), 1) != 1 {
            libc::_exit(127);
        }
        libc::close(tell);
        // Makes /proc show this namespace. If it cannot be mounted, the old one stays.
        let (root, proc, none) = (c"/".as_ptr(), c"proc".as_ptr(), ptr::null());
        let private = libc::MS_REC | libc::MS_PRIVATE;
        if libc::mount(none, root, none, private, ptr::null()) == 0 {
            libc::mount(proc, c"/proc".as_ptr(), proc, 0, ptr::null());
        }
        let command = libc::fork();
        checked(command)?;
        if command > 0 {
            wait_for(command);
        }
        libc::sigprocmask(libc::SIG_SETMASK, &raw const before, ptr::null_mut());
    }
    Ok(())
}

/// Waits for a process, and ends in the same way.
///
/// # Safety
/// Only for a process between fork and exec.
unsafe fn wait_for(process: libc::pid_t) -> ! {
    // SAFETY: as in `isolate`. The descriptors are closed because the parent waits until the command's
    // pipe for errors is closed everywhere.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3, u32::MAX, 0);
        loop {
            let mut status = 0;
            let ended = libc::waitpid(-1, &raw mut status, 0);
            if ended == process && libc::WIFEXITED(status) {
                libc::_exit(libc::WEXITSTATUS(status));
            }
            if ended == process && libc::WIFSIGNALED(status) {
                libc::_exit(128 + libc::WTERMSIG(status));
            }
            if ended < 0 && *libc::__errno_location() != libc::EINTR {
                libc::_exit(127);
            }
        }
    }
}

/// The hook of a device at which a tc program runs.
#[cfg(feature = "kernel")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Incoming packets, after existing programs.
    Ingress,
    /// Outgoing packets before they are queued, after existing programs.
    Egress,
    /// Outgoing packets before they are queued, before existing programs.
    EgressFirst,
}

/// Attaches a tc program to a device of the calling thread's network namespace. It stays attached as
/// long as the returned link, or a pin of it, exists.
///
/// # Errors
/// If there is no such device, without CAP_NET_ADMIN and CAP_BPF, or before Linux 6.6.
#[cfg(feature = "kernel")]
pub fn attach_tcx(program: BorrowedFd<'_>, device: u32, hook: Hook) -> io::Result<OwnedFd> {
    use libbpf_rs::libbpf_sys as sys;

    let device = i32::try_from(device).map_err(|_| io::ErrorKind::InvalidInput)?;
    let (kind, flags) = match hook {
        Hook::Ingress => (sys::BPF_TCX_INGRESS, 0),
        Hook::Egress => (sys::BPF_TCX_EGRESS, 0),
        Hook::EgressFirst => (sys::BPF_TCX_EGRESS, sys::BPF_F_BEFORE),
    };
    // SAFETY: all zeros is a valid set of options.
    let mut options: sys::bpf_link_create_opts = unsafe { mem::zeroed() };
    options.sz = mem::size_of_val(&options) as _;
    options.flags = flags;
    // SAFETY: the options live until the call returns.
    let link =
        unsafe { sys::bpf_link_create(program.as_raw_fd(), device, kind, &raw const options) };
    if link < 0 {
        return Err(io::Error::from_raw_os_error(-link));
    }
    // SAFETY: the descriptor was just created, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(link) })
}

/// Gives a BPF link, program or map a name in a BPF file system, which keeps it.
///
/// # Errors
/// If the name is taken, or its directory is not in such a file system.
#[cfg(feature = "kernel")]
pub fn pin(object: BorrowedFd<'_>, path: &std::path::Path) -> io::Result<()> {
    use std::os::unix::ffi::OsStrExt as _;

    let path = std::ffi::CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: the string lives until the call returns.
    let answer = unsafe { libbpf_rs::libbpf_sys::bpf_obj_pin(object.as_raw_fd(), path.as_ptr()) };
    if answer < 0 {
        return Err(io::Error::from_raw_os_error(-answer));
    }
    Ok(())
}

/// Receives a descriptor that another process passes on (SCM_RIGHTS, unix(7)).
///
/// # Errors
/// If the socket ends without one.
pub fn receive_descriptor(socket: &UnixStream) -> io::Result<OwnedFd> {
    let mut byte = [0];
    let mut space = nix::cmsg_space!([RawFd; 1]);
    let mut parts = [io::IoSliceMut::new(&mut byte)];
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let message = recvmsg::<()>(socket.as_raw_fd(), &mut parts, Some(&mut space), flags)?;
    let found = message.cmsgs()?.find_map(|one| match one {
        ControlMessageOwned::ScmRights(all) => all.first().copied(),
        _ => None,
    });
    let descriptor = found.ok_or(io::ErrorKind::UnexpectedEof)?;
    // SAFETY: the descriptor was just received, and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
}

fn checked(answer: libc::c_int) -> io::Result<()> {
    if answer < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}
