//! A control whose calls are counted: round-trip times by the packet, which the stack keeps to itself.

use std::any::Any;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory, ControllerMetrics};

use crate::round_trips::RoundTrips;

/// What the calls have told so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    /// One round-trip time for each ACK: of the newest packet that it acknowledges.
    pub round_trips: RoundTrips,
    /// Bytes of acknowledged packets.
    pub acked_bytes: u64,
    /// Bytes in flight after the last ACK.
    pub in_flight: u64,
    newest: Option<Instant>,
}

/// The record of one connection. Its clones are the same record.
#[derive(Clone, Debug, Default)]
pub(crate) struct Record(Arc<Mutex<Told>>);

impl Record {
    pub fn told(&self) -> Told {
        *self.lock()
    }

    fn lock(&self) -> MutexGuard<'_, Told> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Builds controls that write into a record.
pub(crate) struct Watching {
    pub inner: Arc<dyn ControllerFactory + Send + Sync>,
    pub record: Record,
}

impl ControllerFactory for Watching {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Watched {
            inner: Arc::clone(&self.inner).build(now, mtu),
            record: self.record.clone(),
        })
    }
}

struct Watched {
    inner: Box<dyn Controller>,
    record: Record,
}

impl Controller for Watched {
    fn on_sent(&mut self, now: Instant, bytes: u64, last: u64) {
        self.inner.on_sent(now, bytes, last);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        let mut told = self.record.lock();
        told.acked_bytes += bytes;
        told.newest = told.newest.max(Some(sent));
        drop(told);
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, app_limited: bool, last: Option<u64>) {
        let mut told = self.record.lock();
        told.in_flight = in_flight;
        // A datagram has the time of its arrival, and a packet may leave before the datagram is read.
        let newest = told.newest.take();
        if let Some(rtt) = newest.and_then(|sent| now.checked_duration_since(sent)) {
            told.round_trips.add(rtt);
        }
        drop(told);
        self.inner.on_end_acks(now, in_flight, app_limited, last);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        self.inner.on_congestion_event(now, sent, persistent, lost);
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.inner.on_mtu_update(mtu);
    }

    fn window(&self) -> u64 {
        self.inner.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.inner.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            inner: self.inner.clone_box(),
            record: self.record.clone(),
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self.inner.into_any()
    }
}
