//! The loop between two TUN devices and a network: packets in, packets out, as punctually as the machine
//! can.

use std::io;
use std::os::fd::AsFd as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use dumbbell_run::{Emulation, End};
use nix::poll::{PollFd, PollFlags, ppoll};
use nix::sys::prctl::set_timerslack;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, clock_gettime};
use tun_rs::SyncDevice;

use super::lateness::Lateness;
use super::packet::{self, Reader};
use crate::system;

/// The loop's state.
pub(super) struct Router {
    pub(super) emulation: Emulation,
    /// At the sender, at the receiver.
    pub(super) devices: [SyncDevice; 2],
    reader: Reader,
    /// Until when a packet that came would have been taken in at once, at each device.
    attentive: [Duration; 2],
    /// Closer to an event than this the loop waits awake.
    spin: Duration,
    pub(super) count: Count,
}

/// What the loop has done.
#[derive(Clone, Debug, Default)]
pub(super) struct Count {
    /// Packets that came in, at the sender and at the receiver.
    pub(super) entered: [u64; 2],
    /// The least time that a packet took through the network, to the sender and to the receiver.
    pub(super) least_transit: [Option<Duration>; 2],
    /// Packets that a device did not take.
    pub(super) refused: u64,
    /// How late packets may have been taken in.
    pub(super) entering: Lateness,
    /// How late packets were put out.
    pub(super) leaving: Lateness,
    pub(super) elapsed: Duration,
    /// Processor time of the loop.
    pub(super) busy: Duration,
    /// The loop had the real-time policy to its end.
    pub(super) realtime: bool,
}

/// Closer to an event than this the loop waits awake at first: a sleep is that late at times.
const SPIN: Duration = Duration::from_micros(50);
/// The longest sleep: so well it is known whether the machine kept the loop from its work.
const NAP: Duration = Duration::from_millis(1);
/// Packets taken from a device in a row, so that none waits long for the other's.
const BURST: usize = 16;
/// A real-time loop that takes more of its core no longer waits awake. If that is not enough it gives the policy
/// back, since the kernel would throttle it, and waits awake again.
const MOST_BUSY: f64 = 0.8;
/// How often that is looked at.
const WATCH: Duration = Duration::from_secs(1);
const LARGEST_PACKET: usize = 65_536;

impl Router {
    pub(super) fn new(emulation: Emulation, devices: [SyncDevice; 2]) -> Self {
        Self {
            emulation,
            devices,
            reader: Reader::default(),
            attentive: [Duration::ZERO; 2],
            spin: SPIN,
            count: Count::default(),
        }
    }

    /// Runs until told to stop. Without the privilege for it, without the real-time policy.
    pub(super) fn run(mut self, stop: &AtomicBool) -> io::Result<Self> {
        // How exact sleeps are; where it cannot be set they are 50 us late.
        let _ = set_timerslack(1);
        self.count.realtime = system::make_realtime(1).is_ok();
        let start = Instant::now();
        let used = thread_time();
        let mut watched = (start, used);
        let mut buffer = vec![0; LARGEST_PACKET];
        while !stop.load(Ordering::Relaxed) {
            let busy = self.deliver(start) | self.take_in(start, &mut buffer)?;
            if self.count.realtime && watched.0.elapsed() > WATCH {
                let spent = thread_time().saturating_sub(watched.1);
                if spent.as_secs_f64() > MOST_BUSY * watched.0.elapsed().as_secs_f64() {
                    if self.spin.is_zero() {
                        self.count.realtime = system::make_ordinary().is_err();
                        self.spin = SPIN;
                    } else {
                        self.spin = Duration::ZERO;
                    }
                }
                watched = (Instant::now(), thread_time());
            }
            if !busy {
                self.wait(start)?;
            }
        }
        self.count.elapsed = start.elapsed();
        self.count.busy = thread_time().saturating_sub(used);
        Ok(self)
    }

    /// Moves the network on to the present, and puts out what has come through. Answers whether anything
    /// has.
    fn deliver(&mut self, start: Instant) -> bool {
        let now = network_time(start.elapsed());
        let (devices, count) = (&self.devices, &mut self.count);
        let mut any = false;
        self.emulation.advance(now, |through, bytes| {
            any = true;
            packet::write(bytes, through.marked, through.queueing);
            let to = usize::from(through.end == End::Receiver);
            match devices[to].send(bytes) {
                Ok(_) => {
                    let [entered, due] = [through.entered, through.due]
                        .map(|at| Duration::from_nanos(at.as_nanos()));
                    count.leaving.add(start.elapsed().saturating_sub(due));
                    let transit = due.saturating_sub(entered);
                    let least = &mut count.least_transit[to];
                    *least = Some(least.map_or(transit, |least| least.min(transit)));
                }
                Err(_) => count.refused += 1,
            }
        });
        any
    }

    /// Hands what has come in to the network. Answers whether anything has.
    fn take_in(&mut self, start: Instant, buffer: &mut [u8]) -> io::Result<bool> {
        let mut any = false;
        for (place, from) in [End::Sender, End::Receiver].into_iter().enumerate() {
            for _ in 0..BURST {
                let read = self.devices[place].recv(buffer);
                let now = start.elapsed();
                let length = match read {
                    Ok(length) => length,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                        self.attentive[place] = now;
                        break;
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    Err(error) => return Err(error),
                };
                any = true;
                let packet = &buffer[..length];
                if !packet::is_carried(packet) {
                    continue;
                }
                self.count.entered[place] += 1;
                let late = now.saturating_sub(self.attentive[place]);
                self.count.entering.add(late);
                let (sort, label) = self.reader.read(packet);
                // The network has to be at the time at which the packet comes.
                self.deliver(start);
                self.emulation.offer(from, packet, sort, label);
            }
        }
        Ok(any)
    }

    /// Sleeps until something happens in the network, or something comes in.
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
        let [sender, receiver] = &self.devices;
        let poll = |device| PollFd::new(device, PollFlags::POLLIN);
        let mut both = [poll(sender.as_fd()), poll(receiver.as_fd())];
        let sleep = left - self.spin;
        let answer = ppoll(&mut both, Some(TimeSpec::from_duration(sleep)), None);
        // What wakes the loop does so at once; but a sleep that lasts too long has missed it.
        let woken = start.elapsed().min(now + sleep);
        self.attentive = [woken; 2];
        match answer {
            Ok(_) | Err(nix::errno::Errno::EINTR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn network_time(elapsed: Duration) -> dumbbell_control::units::Duration {
    let nanos = u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX);
    dumbbell_control::units::Duration::from_nanos(nanos)
}

/// Processor time of the calling thread; zero where there is no such clock.
fn thread_time() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map_or(Duration::ZERO, Duration::from)
}
