//! Windows as they change: the events that a control in the kernel reports while there is a
//! listener.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dumbbell_control::units::Segments;
use libbpf_rs::{MapCore as _, MapFlags, MapHandle, RingBuffer, RingBufferBuilder};

use super::{Error, Loaded, Pins};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A connection began, or selected the control.
    Begin,
    /// An ACK while segments are missing or out of order: only the estimators were updated.
    Sample,
    /// An ACK that may let the window grow.
    Ack,
    /// A loss.
    Loss,
    /// The retransmission timer fired.
    Timeout,
    /// A loss was undone.
    Undo,
    /// The kernel lowered the window: after an idle period, or by a clamp.
    Restrict,
    /// A recovery ended.
    Leave,
    /// A connection ended, or selected another control.
    End,
}

/// An event, and the control's state after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The time by CLOCK_MONOTONIC.
    pub time: Duration,
    /// The kernel's cookie of the socket, once a process has requested it.
    pub cookie: Option<u64>,
    /// The number of the connection among those since the control was loaded.
    pub connection: u32,
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// What happened.
    pub kind: Kind,
    /// The control's window.
    pub cwnd: Segments,
    /// The control's threshold.
    pub ssthresh: Segments,
    /// The kernel's own window, in segments.
    pub snd_cwnd: u32,
    /// Segments in the network.
    pub in_flight: u32,
    /// The last RTT sample.
    pub rtt: Option<Duration>,
    /// BaseRTT, or RTTmin.
    pub base_rtt: Option<Duration>,
    /// The number of the rule that was applied last, in [`KernelControl::rules`](super::KernelControl::rules).
    pub rule: u8,
    /// The kernel's state: Open, Disorder, CWR, Recovery or Loss.
    pub state: u8,
}

impl TraceEvent {
    /// Returns N = cwnd (RTT - BaseRTT) / RTT, the segments that wait in queues by the last RTT, if
    /// both are known.
    pub fn backlog(&self) -> Option<f64> {
        let (rtt, base) = (self.rtt?.as_secs_f64(), self.base_rtt?.as_secs_f64());
        (rtt > 0.0).then(|| self.cwnd.as_f64() * ((rtt - base) / rtt).max(0.0))
    }

    /// Returns the name of the kernel's state.
    pub fn state_name(&self) -> &'static str {
        let names = ["Open", "Disorder", "CWR", "Recovery", "Loss"];
        names.get(usize::from(self.state)).copied().unwrap_or("?")
    }
}

/// Listens to a control. With several listeners, each event reaches one of them. Dropping a listener
/// turns the events off again. If a listener is killed, the control continues to report until the
/// next listener is dropped, which costs some tens of nanoseconds per event and is otherwise
/// harmless.
pub struct Trace {
    ring: RingBuffer<'static>,
    switch: MapHandle,
    heard: Arc<Mutex<Vec<TraceEvent>>>,
}

impl Trace {
    /// Listens to a control of this process.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn of(loaded: &Loaded) -> Result<Self, Error> {
        Self::open(&loaded.map("trace")?, loaded.map(".data.switch")?)
    }

    /// Listens to a pinned control.
    ///
    /// # Errors
    /// If it is not pinned, or the kernel refuses.
    pub fn pinned(pins: &Pins, name: &str) -> Result<Self, Error> {
        Self::open(&pins.map(name, "trace")?, pins.map(name, "switch")?)
    }

    fn open(events: &MapHandle, switch: MapHandle) -> Result<Self, Error> {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&heard);
        let mut builder = RingBufferBuilder::new();
        let refused = |e: libbpf_rs::Error| Error::refused("read the trace", &e);
        builder
            .add(events, move |bytes| {
                let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
                sink.extend(read(bytes));
                0
            })
            .map_err(refused)?;
        let ring = builder.build().map_err(refused)?;
        let trace = Self {
            ring,
            switch,
            heard,
        };
        trace.turn(1)?;
        Ok(trace)
    }

    fn turn(&self, on: u32) -> Result<(), Error> {
        let (key, value) = (0u32.to_ne_bytes(), on.to_ne_bytes());
        let done = self.switch.update(&key, &value, MapFlags::ANY);
        done.map_err(|e| Error::refused("switch the trace", &e))
    }

    /// Waits for events, at most for `most`, and returns those that came, in their order.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn poll(&mut self, most: Duration) -> Result<Vec<TraceEvent>, Error> {
        match self.ring.poll(most) {
            Err(e) if e.kind() != libbpf_rs::ErrorKind::Interrupted => {
                return Err(Error::refused("read the trace", &e));
            }
            _ => {}
        }
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *heard))
    }
}

impl Drop for Trace {
    fn drop(&mut self) {
        // If this fails, the control is gone, or continues to report until the next listener ends:
        // there is no remedy.
        let _ = self.turn(0);
    }
}

/// The size of `struct db_trace_event`.
const EVENT: usize = 104;
const AF_INET6: u16 = 10;

/// Parses an event as `bpf/trace.h` defines it; `None` if it has another layout.
fn read(bytes: &[u8]) -> Option<TraceEvent> {
    let bytes: &[u8; EVENT] = bytes.get(..EVENT)?.try_into().ok()?;
    let long = |at: usize| u64::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
    let word = |at: usize| u32::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
    let half = |at: usize| u16::from_ne_bytes(std::array::from_fn(|i| bytes[at + i]));
    let known = |nanos: u64| (nanos != 0).then(|| Duration::from_nanos(nanos));
    let v6 = half(92) == AF_INET6;
    let address = |at: usize| {
        if v6 {
            IpAddr::V6(Ipv6Addr::from(std::array::from_fn::<u8, 16, _>(|i| {
                bytes[at + i]
            })))
        } else {
            IpAddr::V4(Ipv4Addr::from(std::array::from_fn::<u8, 4, _>(|i| {
                bytes[at + i]
            })))
        }
    };
    Some(TraceEvent {
        time: Duration::from_nanos(long(0)),
        cookie: Some(long(8)).filter(|cookie| *cookie != 0),
        cwnd: Segments::from_raw(long(16)),
        ssthresh: Segments::from_raw(long(24)),
        rtt: known(long(32)),
        base_rtt: known(long(40)),
        connection: word(48),
        snd_cwnd: word(52),
        in_flight: word(56),
        local: SocketAddr::new(address(60), half(94)),
        remote: SocketAddr::new(address(76), u16::from_be(half(96))),
        kind: kind(bytes[98])?,
        rule: bytes[99],
        state: bytes[100],
    })
}

fn kind(number: u8) -> Option<Kind> {
    let kinds = [
        Kind::Begin,
        Kind::Sample,
        Kind::Ack,
        Kind::Loss,
        Kind::Timeout,
        Kind::Undo,
        Kind::Restrict,
        Kind::Leave,
        Kind::End,
    ];
    kinds.get(usize::from(number)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{find, layout};
    use libbpf_rs::btf::{Btf, HasSize as _, types::Struct};

    #[test]
    fn the_layout_is_that_of_the_object() {
        let veno = find("veno").unwrap();
        let btf = Btf::from_raw("veno", veno.object).unwrap().unwrap();
        let event: Struct<'_> = btf.type_by_name("db_trace_event").expect("it is used");
        assert_eq!(event.size(), EVENT);
        let places = [
            ("time", 0),
            ("cookie", 8),
            ("cwnd", 16),
            ("ssthresh", 24),
            ("rtt", 32),
            ("base_rtt", 40),
            ("connection", 48),
            ("snd_cwnd", 52),
            ("in_flight", 56),
            ("local", 60),
            ("remote", 76),
            ("family", 92),
            ("local_port", 94),
            ("remote_port", 96),
            ("kind", 98),
            ("rule", 99),
            ("ca_state", 100),
        ];
        for (name, offset) in places {
            assert_eq!(
                layout::member(&btf, "db_trace_event", name),
                Some(offset),
                "{name}"
            );
        }
    }

    #[test]
    fn the_backlog_is_the_part_of_the_window_that_waits() {
        let mut bytes = [0; EVENT];
        bytes[16..24].copy_from_slice(&(20u64 << 32).to_ne_bytes());
        bytes[32..40].copy_from_slice(&100_000_000u64.to_ne_bytes());
        bytes[40..48].copy_from_slice(&80_000_000u64.to_ne_bytes());
        let event = read(&bytes).unwrap();
        // 20 segments, with 20 ms of waiting in an RTT of 100 ms.
        assert!((event.backlog().unwrap() - 4.0).abs() < 1e-9);
        assert_eq!(event.state_name(), "Open");
    }
}
