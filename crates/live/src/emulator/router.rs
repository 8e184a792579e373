//! The loop between two ends and a network: packets in, packets out, as exactly on time as the machine permits.

use std::io;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dumbbell_run::{Emulation, End, Event};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};

use super::budget::{Advice, Budget, Sharer};
use super::capture::Capture;
use super::count::Count;
use super::frame::Way;
use super::judged::Judged;
use super::packet::{self, Reader};
use super::port::Port;
use super::window::{MOST_LINKS, Sill, Snapshot};
use crate::cpu_latency;
use crate::system;

/// The loop's state.
pub(super) struct Router {
    pub(super) emulation: Emulation,
    /// At the sender, and at the receiver.
    pub(super) ports: [Port; 2],
    reader: Reader,
    /// The ports of the receiver's host whose packets belong to the second real flow, to the third, and so on.
    services: Vec<u16>,
    /// For each port, the time up to which an arriving packet would have been read at once.
    attentive: [Duration; 2],
    /// The time up to which the loop has looked at the network, or has planned to sleep.
    awake: Duration,
    /// The loop waits without sleeping if the next event is closer than this.
    spin: Duration,
    /// If the next event is closer than this, the loop sleeps so long, whatever comes in: events are then handled together.
    rest: Duration,
    pub(super) capture: Option<Capture>,
    sill: Sill,
    pub(super) count: Count,
}

/// The initial `spin`: a sleep may be this late.
const SPIN: Duration = Duration::from_micros(50);
/// The `rest` of a loop that has to save processor time: a fifth of the lateness that every path tolerates.
const REST: Duration = Duration::from_micros(100);
/// The longest sleep. A short one shows quickly whether the machine has delayed the loop.
const NAP: Duration = Duration::from_millis(1);
/// The number of packets read from one port in a row, if the last is not one of several that came together, so that packets
/// at the other do not wait long.
const BURST: usize = 16;
/// The largest packet, in a frame.
const LARGEST_PACKET: usize = 65_536 + 64;

impl Router {
    pub(super) fn new(
        emulation: Emulation,
        ports: [Port; 2],
        services: Vec<u16>,
        sill: Sill,
    ) -> Self {
        Self {
            emulation,
            ports,
            reader: Reader::default(),
            services,
            attentive: [Duration::ZERO; 2],
            awake: Duration::ZERO,
            spin: SPIN,
            rest: Duration::ZERO,
            capture: None,
            sill,
            count: Count::default(),
        }
    }

    /// Runs until `stop` is set. If the process is not permitted to use the real-time policy, or to keep the
    /// processors awake, it runs without that.
    pub(super) fn run(mut self, stop: &AtomicBool) -> io::Result<Self> {
        // Makes sleeps exact; if it cannot be set, they are 50 us late.
        let _ = set_timerslack(1);
        let _request = cpu_latency::Request::make();
        let mut realtime = system::make_realtime(1).is_ok().then(Sharer::new);
        let mut budget = Budget::of_this_machine();
        let start = Instant::now();
        if let Some(capture) = &mut self.capture {
            capture.begin();
        }
        let used = thread_time();
        let mut buffer = vec![0; LARGEST_PACKET];
        while !stop.load(Ordering::Relaxed) {
            if let Some(failure) = self.emulation.failure() {
                return Err(io::Error::other(failure));
            }
            let now = self.look(start);
            let busy = self.deliver(start) | self.take_in(start, &mut buffer)?;
            if let (Some(sharer), Some(budget)) = (&realtime, &mut budget)
                && budget.is_due(now)
            {
                let spent = thread_time().saturating_sub(used);
                match budget.check(now, spent, sharer.per_core()) {
                    Advice::Continue => {}
                    Advice::Save => (self.spin, self.rest) = (Duration::ZERO, REST),
                    Advice::Leave if system::make_ordinary().is_ok() => realtime = None,
                    Advice::Leave => {}
                }
            }
            if self.sill.is_asked() {
                self.tell(now);
            }
            if !busy {
                self.wait(start)?;
            }
        }
        self.look(start);
        self.count.realtime = realtime.is_some();
        self.count.elapsed = start.elapsed();
        self.count.busy = thread_time().saturating_sub(used);
        Ok(self)
    }

    /// Records how long the loop has not looked at the network, beyond a planned sleep. Returns the time.
    fn look(&mut self, start: Instant) -> Duration {
        let now = start.elapsed();
        self.count.stalls.add(now.saturating_sub(self.awake));
        self.awake = now;
        now
    }

    /// Tells how things are to those who look.
    fn tell(&self, now: Duration) {
        let count = &self.count;
        self.sill.tell(Snapshot {
            elapsed: now,
            links: self.emulation.link_counts(MOST_LINKS),
            entered_bytes: count.entered_bytes,
            left_bytes: count.left_bytes,
            judged: Judged::of(count, now, count.refused),
        });
    }

    /// Advances the network to the present, and sends the packets that have come through. Returns whether
    /// there were any.
    fn deliver(&mut self, start: Instant) -> bool {
        let now = network_time(start.elapsed());
        let (ports, count) = (&self.ports, &mut self.count);
        let mut capture = self.capture.as_mut();
        let mut any = false;
        self.emulation.follow(now, |event| {
            let (through, bytes) = match event {
                Event::Through(through, bytes) => (through, bytes),
                Event::Gone(gone, bytes) => {
                    if let Some(capture) = &mut capture {
                        capture.gone(gone, &bytes[ports[0].packet(bytes)]);
                    }
                    return;
                }
            };
            any = true;
            let to = usize::from(through.end == End::Receiver);
            let place = ports[to].packet(bytes);
            packet::write(&mut bytes[place.clone()], through.marked, through.queueing);
            let sent = ports[to].send(bytes);
            match sent {
                Ok(()) => {
                    count.left_bytes[to] += place.len() as u64;
                    let [entered, due] = [through.entered, through.due]
                        .map(|at| Duration::from_nanos(at.as_nanos()));
                    count.leaving.add(start.elapsed().saturating_sub(due));
                    let transit = due.saturating_sub(entered);
                    let least = &mut count.least_transit[to];
                    *least = Some(least.map_or(transit, |least| least.min(transit)));
                }
                Err(_) => count.refused += 1,
            }
            if let Some(capture) = &mut capture {
                capture.left(through, &bytes[place], sent.is_ok());
            }
        });
        if let Some(capture) = capture {
            capture.settle(now);
        }
        any
    }

    /// Passes arrived packets to the network. Returns whether there were any.
    fn take_in(&mut self, start: Instant, buffer: &mut [u8]) -> io::Result<bool> {
        let mut any = false;
        for (place, from) in [End::Sender, End::Receiver].into_iter().enumerate() {
            let mut now = start.elapsed();
            let mut taken = 0;
            // What the kernel has handed on together is not torn apart.
            while taken < BURST || self.ports[place].holds_more() {
                // It came at the same time.
                let is_next = !self.ports[place].holds_more();
                let read = self.ports[place].receive(buffer);
                if is_next {
                    now = start.elapsed();
                }
                taken += 1;
                match read {
                    Ok(length) => self.enter(start, now, from, &buffer[..length], is_next),
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.attentive[place] = now;
                        break;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                }
                any = true;
            }
        }
        Ok(any)
    }

    /// Passes what was read at this time to the network. If it does not belong to what came before, the network advances
    /// to the present first.
    fn enter(&mut self, start: Instant, now: Duration, from: End, bytes: &[u8], is_next: bool) {
        let place = usize::from(from == End::Receiver);
        let packet = match self.ports[place].way(bytes) {
            Way::Network(packet) => &bytes[packet],
            Way::Past => {
                self.count.refused += u64::from(self.ports[1 - place].send(bytes).is_err());
                return;
            }
            Way::Nowhere => return,
        };
        self.count.entered[place] += 1;
        self.count.entered_bytes[place] += packet.len() as u64;
        let late = now.saturating_sub(self.attentive[place]);
        self.count.entering.add(late);
        let (sort, label) = self.reader.read(packet);
        if is_next {
            // The network must be at the time at which the packet arrives.
            self.deliver(start);
        }
        let at = self.emulation.now();
        let size = packet.len();
        let flow = flow_of(&self.services, from, packet);
        let number = self
            .emulation
            .offer_framed(flow, from, bytes, size, sort, label);
        if let (Some(capture), Some(number)) = (&mut self.capture, number) {
            capture.entered(from, at, number, packet);
        }
    }

    /// Sleeps until the next event of the network, or until a packet arrives.
    fn wait(&mut self, start: Instant) -> io::Result<()> {
        let now = start.elapsed();
        let next = match self.emulation.next_event() {
            Some(next) => Duration::from_nanos(next.as_nanos()),
            None => now + NAP,
        };
        let left = next.saturating_sub(now).min(NAP);
        if left <= self.spin {
            std::hint::spin_loop();
            return Ok(());
        }
        let [sender, receiver] = &self.ports;
        let poll = |port| PollFd::new(port, PollFlags::POLLIN);
        let mut both = [poll(sender.as_fd()), poll(receiver.as_fd())];
        let (sleep, woken_by) = match left <= self.rest {
            true => (self.rest, &mut both[..0]),
            false => (left - self.spin, &mut both[..]),
        };
        let answer = ppoll(woken_by, Some(TimeSpec::from_duration(sleep)), None);
        // An arriving packet wakes the loop at once; but if the sleep took too long, the packet was late.
        let woken = start.elapsed().min(now + sleep);
        self.attentive = [woken; 2];
        self.awake = woken;
        match answer {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Returns the place of a packet's flow among those that are real.
fn flow_of(services: &[u16], from: End, packet: &[u8]) -> usize {
    if services.is_empty() {
        return 0;
    }
    let Some([source, destination]) = packet::ports(packet) else {
        return 0;
    };
    let receivers = match from {
        End::Sender => destination,
        End::Receiver => source,
    };
    let place = services.iter().position(|port| *port == receivers);
    place.map_or(0, |place| place + 1)
}

fn network_time(elapsed: Duration) -> dumbbell_control::units::Duration {
    let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
    dumbbell_control::units::Duration::from_nanos(nanos)
}

/// Returns the processor time of the calling thread; zero if there is no such clock.
fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
