//! A scenario's network as a real path: two hosts in separate network namespaces, and between them the
//! simulator's links, queues, losses and routers in real time.
//!
//! One flow of the scenario is real, or several are: they are the traffic between programs in the two namespaces.
//! All other flows are simulated beside it. A packet's fate is decided in the network's own time, so the rate of a
//! link never drifts: a machine that is too slow makes packets late, which is measured.

mod budget;
mod buffers;
mod capture;
mod checksum;
mod count;
mod frame;
mod frames;
mod judged;
mod lateness;
mod offload;
mod packet;
mod place;
mod port;
mod report;
mod router;
mod stalls;
mod tun;
mod window;
mod wire;

use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use dumbbell_run::{Emulation, End};
use dumbbell_scenario::{Flow, Scenario, Traffic, named_flows};

pub use capture::{Captured, Format};
pub(crate) use judged::is_trusted;
pub use judged::{Fault, Judged};
pub use lateness::{Lateness, Summary};
pub use packet::{Reader, write};
pub use place::Place;
pub use report::Report;
pub use stalls::Stalled;
pub(crate) use stalls::Stalls;
pub use window::Snapshot;
pub(crate) use window::Window;

use crate::error::Error;
use crate::namespace::Namespace;
use crate::sockets;
use capture::Capture;
use place::Ends;
use port::Port;
use router::Router;
use window::MOST_LINKS;

/// The options of an emulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The real flow: its position among the flows of a run, from 0 on.
    pub flow: usize,
    /// The seed of losses and of the simulated flows.
    pub seed: u64,
    /// The largest packet that the hosts send, in bytes, 68 to 65,535. Without it, a full segment of the
    /// flow in the file, so that a queue limit in packets means the same number of bytes.
    pub mtu: Option<u16>,
}

/// A network, until it is stopped or dropped.
#[derive(Debug)]
pub struct Emulator {
    hosts: [Namespace; 2],
    /// Whether the hosts were there before, and stay.
    is_guest: bool,
    /// Whether the hosts are other machines.
    is_between: bool,
    window: Arc<Window>,
    stop: Arc<AtomicBool>,
    state: State,
    mtu: u16,
}

enum State {
    /// Its time has not begun. The lock lets threads share the value.
    Waiting(Box<Mutex<Router>>),
    Running(JoinHandle<std::io::Result<Router>>),
    Ended,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Waiting(_) => "Waiting",
            Self::Running(_) => "Running",
            Self::Ended => "Ended",
        })
    }
}

/// The name of the network interface at both ends.
pub const INTERFACE: &str = "dumbbell0";
/// The smallest `mtu`: every IPv4 host must accept packets of this size (RFC 791).
pub const LEAST_MTU: u16 = 68;
/// The smallest `mtu` with IPv6 (RFC 8200, section 5).
pub const LEAST_MTU6: u16 = 1280;
/// How often a connection without a process sends again before it ends. By Linux's 8, those of a killed emulator
/// stay for two minutes; by 5, they stay for 13 s if the first timeout is after 200 ms, and a program that has closed
/// its connection still gets its last data across a path that loses a third of all packets.
const ORPHAN_RETRIES: &str = "5";
/// The number of packets that may wait in the kernel for the emulator. None must be dropped there.
const DEVICE_QUEUE: u32 = 20_000;

impl Emulator {
    /// Creates two hosts, and starts the network between them.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn start(scenario: &Scenario, options: Options) -> Result<Self, Error> {
        let mut path = Self::prepare(scenario, options)?;
        path.begin()?;
        Ok(path)
    }

    /// Creates two hosts, and the network between them, whose time begins later: until then the simulated
    /// flows do not send, and packets of the hosts wait at its ends.
    ///
    /// # Errors
    /// Without the privileges for namespaces and TUN devices, and if the scenario's flow cannot be real.
    pub fn prepare(scenario: &Scenario, options: Options) -> Result<Self, Error> {
        Self::prepare_with(scenario, options, &[])
    }

    /// As [`prepare`](Self::prepare), with further real flows. The packets to and from a port of the receiver's host
    /// are those of the flow beside it, so they take that flow's way through the network. All other packets belong
    /// to the flow of `options`.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_with(
        scenario: &Scenario,
        options: Options,
        others: &[(u16, usize)],
    ) -> Result<Self, Error> {
        Self::build(Place::Own, scenario, options, others)
    }

    /// As [`prepare`](Self::prepare), with the ends of the network at this place. Nothing that exists there is changed,
    /// and everything that the network adds to it goes with it, however the process ends.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare), and if the place cannot be used.
    pub fn at(place: Place, scenario: &Scenario, options: Options) -> Result<Self, Error> {
        Self::build(place, scenario, options, &[])
    }

    fn build(
        place: Place,
        scenario: &Scenario,
        options: Options,
        others: &[(u16, usize)],
    ) -> Result<Self, Error> {
        let mut flows = vec![options.flow];
        flows.extend(others.iter().map(|(_, flow)| flow));
        let emulation = Emulation::of(scenario, &flows, options.seed).map_err(Error::Refused)?;
        let entry = named_flows(scenario).nth(options.flow);
        let full = entry.map_or(u16::MAX, |(flow, _)| full_segment(flow));
        let mtu = options.mtu.unwrap_or(full);
        let is_guest = !matches!(place, Place::Own);
        let is_between = matches!(place, Place::Between(_));
        let room = buffers::room(scenario, &flows, mtu);
        let Ends { hosts, ports, mtu } = place.ends(mtu, room)?;
        let (window, sill) = Window::new();
        let services = others.iter().map(|(port, _)| *port).collect();
        let router = Router::new(emulation, ports, services, sill);
        Ok(Self {
            hosts,
            is_guest,
            is_between,
            window,
            stop: Arc::new(AtomicBool::new(false)),
            state: State::Waiting(Box::new(Mutex::new(router))),
            mtu,
        })
    }

    /// Captures the packets of the hosts, as the emulator sees them enter and leave. `out` is written to by a thread
    /// of its own, in pieces.
    ///
    /// # Errors
    /// If the network's time has begun, or the system starts no thread.
    pub fn capture(
        &mut self,
        format: Format,
        out: impl Write + Send + 'static,
    ) -> Result<(), Error> {
        let State::Waiting(router) = &mut self.state else {
            let why = "a capture begins before the network's time".to_owned();
            return Err(Error::Refused(why));
        };
        let router = router.get_mut().unwrap_or_else(PoisonError::into_inner);
        let capture = Capture::start(format, out)
            .map_err(|reason| Error::system("start a capture", reason))?;
        router.capture = Some(capture);
        Ok(())
    }

    /// Begins the network's time, unless it has begun.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub fn begin(&mut self) -> Result<(), Error> {
        match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(router) => {
                let router = unlocked(*router);
                let stopped = Arc::clone(&self.stop);
                let running = thread::Builder::new()
                    .name("emulator".to_owned())
                    .spawn(move || router.run(&stopped))
                    .map_err(|reason| Error::system("start the emulator", reason))?;
                self.state = State::Running(running);
            }
            begun => self.state = begun,
        }
        Ok(())
    }

    /// Returns what others may look through, and the names of the links that they see.
    pub(crate) fn window(&mut self) -> (Arc<Window>, Vec<String>) {
        let names = match &mut self.state {
            State::Waiting(router) => {
                let router = router.get_mut().unwrap_or_else(PoisonError::into_inner);
                router.emulation.link_names(MOST_LINKS)
            }
            _ => Vec::new(),
        };
        (Arc::clone(&self.window), names)
    }

    /// Returns both hosts once more; `None` if they are other machines.
    pub(crate) fn hosts(&self) -> Result<Option<[Namespace; 2]>, Error> {
        let [sender, receiver] = &self.hosts;
        Ok(match self.is_between {
            true => None,
            false => Some([sender.try_clone()?, receiver.try_clone()?]),
        })
    }

    /// Returns the host at an end; for a box in the middle, this machine.
    pub fn host(&self, end: End) -> &Namespace {
        match end {
            End::Sender => &self.hosts[0],
            End::Receiver => &self.hosts[1],
        }
    }

    /// Returns the address of the host at an end.
    pub fn address(end: End) -> Ipv4Addr {
        match end {
            End::Sender => packet::ADDRESSES[0],
            End::Receiver => packet::ADDRESSES[1],
        }
    }

    /// Returns the IPv6 address of the host at an end. It has none if the kernel has no IPv6, or if packets are
    /// smaller than [`LEAST_MTU6`].
    pub fn address6(end: End) -> Ipv6Addr {
        match end {
            End::Sender => packet::ADDRESSES6[0],
            End::Receiver => packet::ADDRESSES6[1],
        }
    }

    /// Returns whether the hosts have IPv6 addresses.
    pub fn has_ipv6(&self) -> bool {
        has_ipv6(self.mtu)
    }

    /// Returns the size of the largest packet that the hosts send, in bytes.
    pub fn mtu(&self) -> u16 {
        self.mtu
    }

    /// Returns whether the network is running. Once begun, it stops by itself only if a device fails.
    pub fn is_running(&self) -> bool {
        matches!(&self.state, State::Running(router) if !router.is_finished())
    }

    /// Stops the network, and returns its report.
    ///
    /// # Errors
    /// If a device has failed.
    pub fn stop(mut self) -> Result<Report, Error> {
        self.stop.store(true, Ordering::Relaxed);
        let mut router = match std::mem::replace(&mut self.state, State::Ended) {
            State::Waiting(router) => unlocked(*router),
            State::Running(router) => match router.join() {
                Ok(ended) => ended.map_err(|reason| Error::system("carry packets", reason))?,
                Err(panic) => std::panic::resume_unwind(panic),
            },
            State::Ended => {
                return Err(Error::Refused("the emulator has been stopped".to_owned()));
            }
        };
        let mut overflow = 0;
        for (host, port) in self.hosts.iter().zip(&router.ports) {
            overflow += match port {
                Port::Tun(tun) => host.run(report::dropped_by_device)? + tun.unreadable(),
                Port::Wire(wire) => wire
                    .missed()
                    .map_err(|reason| Error::system("ask what an interface has dropped", reason))?,
            };
        }
        let captured = router.capture.take().map(Capture::finish);
        Ok(Report::new(&router, overflow, captured))
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let State::Running(router) = std::mem::replace(&mut self.state, State::Ended) {
            // A caller that drops the value does not need the result.
            let _ = router.join();
        }
        for host in &self.hosts {
            // Others' hosts have other connections, too. If the kernel cannot do this, they end by themselves (see
            // `ORPHAN_RETRIES`).
            let is_guest = self.is_guest;
            let _ = host.run(|| sockets::end(|address| !is_guest || packet::is_ours(address)));
        }
    }
}

/// Returns the bytes of a full segment of a flow on the wire.
fn full_segment(flow: &Flow) -> u16 {
    let bytes = match &flow.traffic {
        Traffic::Tcp(tcp) => tcp.data_wire_bytes() + tcp.probe_wire_bytes(),
        Traffic::Workload(workload) => workload.tcp.data_wire_bytes(),
        Traffic::Media(media) => media.wire_bytes(),
        Traffic::Udp(udp) => udp.packet.0,
    };
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

fn unlocked(router: Mutex<Router>) -> Router {
    router.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn has_ipv6(mtu: u16) -> bool {
    mtu >= LEAST_MTU6 && Path::new("/proc/sys/net/ipv6").exists()
}
