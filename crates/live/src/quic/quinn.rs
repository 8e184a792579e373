//! Transfers of quinn.

use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use dumbbell_quinn::{TimedSocket, Times};
use quinn as stack;
use quinn::congestion::{Controller, ControllerFactory, ControllerMetrics};
use quinn_proto::RttEstimator;

use super::bulk::bulk;
use super::counted::{Counter, Episodes};

pub(super) type Factory = Arc<dyn ControllerFactory + Send + Sync>;

bulk!();

/// Times for the receiver's socket, whose control does not use what it is told.
fn others(_: &Times) -> Times {
    Times::default()
}

/// Makes an endpoint, with a socket that tells when datagrams arrived, if that is wanted.
fn made(
    server: Option<stack::ServerConfig>,
    socket: std::net::UdpSocket,
    times: Option<Times>,
) -> io::Result<stack::Endpoint> {
    let runtime = Arc::new(stack::TokioRuntime);
    let mut socket = stack::Runtime::wrap_udp_socket(&*runtime, socket)?;
    if let Some(times) = times {
        socket = Arc::new(TimedSocket::new(socket, times));
    }
    let config = stack::EndpointConfig::default();
    stack::Endpoint::new_with_abstract_socket(config, server, socket, runtime)
}

/// The connection at this moment: its round-trip time, its window in bytes, packets sent and lost.
fn looked(connection: &stack::Connection) -> Looked {
    let path = connection.stats().path;
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

impl Controller for Counted {
    fn on_sent(&mut self, now: Instant, bytes: u64, last: u64) {
        self.control.on_sent(now, bytes, last);
    }

    fn on_ack(&mut self, now: Instant, sent: Instant, bytes: u64, idle: bool, rtt: &RttEstimator) {
        self.control.on_ack(now, sent, bytes, idle, rtt);
    }

    fn on_end_acks(&mut self, now: Instant, in_flight: u64, idle: bool, largest: Option<u64>) {
        self.control.on_end_acks(now, in_flight, idle, largest);
    }

    fn on_congestion_event(&mut self, now: Instant, sent: Instant, persistent: bool, lost: u64) {
        self.counter.on_loss(now, sent);
        self.control
            .on_congestion_event(now, sent, persistent, lost);
    }

    fn on_mtu_update(&mut self, mtu: u16) {
        self.control.on_mtu_update(mtu);
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
