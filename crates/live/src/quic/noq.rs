//! Transfers of noq.

use std::any::Any;
use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use noq as stack;
use noq::congestion::{Controller, ControllerFactory, ControllerMetrics};
use noq_proto::RttEstimator;

use super::bulk::bulk;
use super::counted::{Counter, Episodes};

pub(super) type Factory = Arc<dyn ControllerFactory + Send + Sync>;

/// No socket of noq tells when datagrams arrived.
pub(super) type Times = std::convert::Infallible;

bulk!();

fn others(times: &Times) -> Times {
    *times
}

/// Makes an endpoint.
fn made(
    server: Option<stack::ServerConfig>,
    socket: std::net::UdpSocket,
    _: Option<Times>,
) -> io::Result<stack::Endpoint> {
    let config = stack::EndpointConfig::default();
    stack::Endpoint::new(config, server, socket, Arc::new(stack::TokioRuntime))
}

/// The connection at this moment: its round-trip time, its window in bytes, packets sent and lost.
fn looked(connection: &stack::Connection) -> Looked {
    let path = connection
        .path_stats(noq_proto::PathId::ZERO)
        .unwrap_or_default();
    Looked {
        rtt: path.rtt,
        cwnd: path.cwnd,
        sent: path.sent_packets,
        lost: path.lost_packets,
    }
}

/// Builds controls that count episodes.
struct Counting {
    factory: Factory,
    episodes: Episodes,
}

impl ControllerFactory for Counting {
    fn build(self: Arc<Self>, now: Instant, mtu: u16) -> Box<dyn Controller> {
        Box::new(Counted {
            control: Arc::clone(&self.factory).build(now, mtu),
            counter: Counter::new(&self.episodes),
        })
    }
}

struct Counted {
    control: Box<dyn Controller>,
    counter: Counter,
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.control.fmt(f)
    }
}

impl Controller for Counted {
    fn on_sent(&mut self, now: Instant, bytes: u64, largest: u64) {
        self.control.on_sent(now, bytes, largest);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, number: u64) {
        self.control.on_packet_sent(now, bytes, number);
    }

    fn on_cwnd_limited(&mut self) {
        self.control.on_cwnd_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        number: u64,
        idle: bool,
        rtt: &RttEstimator,
    ) {
        self.control.on_ack(now, sent, bytes, number, idle, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, idle: bool, largest: Option<u64>) {
        self.control.on_end_acks(now, in_flight, idle, largest);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        persistent: bool,
        ecn: bool,
        lost: u64,
        largest: u64,
    ) {
        self.counter.on_loss(now, sent);
        self.control
            .on_congestion_event(now, sent, persistent, ecn, lost, largest);
    }

    fn on_packet_lost(&mut self, bytes: u16, number: u64, now: Instant) {
        self.control.on_packet_lost(bytes, number, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.control.on_spurious_congestion_event();
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.control.on_mtu_update(mtu);
    }

    fn on_ack_frequency_update(&mut self, threshold: u64, delay: Duration) {
        self.control.on_ack_frequency_update(threshold, delay);
    }

    fn window(&self) -> u64 {
        self.control.window()
    }

    fn metrics(&self) -> ControllerMetrics {
        self.control.metrics()
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Self {
            control: self.control.clone_box(),
            counter: self.counter.clone(),
        })
    }

    fn initial_window(&self) -> u64 {
        self.control.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
