//! A receiver in a thread of its own, and senders.

use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration as StdDuration, Instant as StdInstant};

use dumbbell_control::units::Duration;
use dumbbell_media::feedback::Interval;
use dumbbell_media::nada::{self, Nada};
use dumbbell_media::player::{Clock as PeerClock, Delay, Late, Lost, PlayerConfig};
use dumbbell_media::scream::{self, Scream};
use dumbbell_media::source::{EncoderConfig, Uniform};
use dumbbell_pinned::{Crowd, Identity, Pin, Token};
use dumbbell_stream::quic::{Error, Limits, Listener, Peer, Tally, Transport, send};
use dumbbell_stream::receiving::{Receiving, ReceivingReport};
use dumbbell_stream::sending::{RateControl, Sending, SendingConfig, SendingReport};
use dumbbell_stream::socket::{self as udp, Clock};
use dumbbell_tfrc::sender::SenderConfig;

use crate::relay::Relay;

pub struct Half;

impl Uniform for Half {
    fn positive_uniform(&mut self) -> f64 {
        0.5
    }
}

/// Limits under which a test does not wait long.
pub fn impatient() -> Limits {
    Limits {
        crowd: Crowd {
            connections: 8,
            per_address: 6,
            validate_from: 4,
        },
        request: StdDuration::from_secs(1),
    }
}

/// A receiver that plays one stream.
pub struct Playing {
    pub peer: Peer,
    listener: Arc<Listener>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<(Option<ReceivingReport>, Option<Transport>)>>,
}

impl Playing {
    pub fn new(limits: Limits) -> Self {
        Self::at_leisure(limits, StdDuration::ZERO)
    }

    /// One whose session takes so long for each packet.
    pub fn at_leisure(limits: Limits, each_takes: StdDuration) -> Self {
        let clock = Clock::start();
        let identity = Identity::generate().expect("random numbers");
        let token = Token::random().expect("random numbers");
        let any = "127.0.0.1:0".parse().expect("an address");
        let listener = Listener::bind(any, &identity, token, limits, clock).expect("a free port");
        let listener = Arc::new(listener);
        let peer = Peer {
            address: listener.address(),
            pin: listener.pin(),
            token: listener.token().to_owned(),
        };
        let stop = Arc::new(AtomicBool::new(false));
        let (running, over) = (Arc::clone(&listener), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            let mut session = Receiving::new(player());
            let each = |_: &Receiving, _| {
                std::thread::sleep(each_takes);
                !over.load(Ordering::Relaxed)
            };
            let transport = running.receive(&mut session, each).expect("it works");
            (session.report(clock.now()), transport)
        });
        Self {
            peer,
            listener,
            stop,
            thread: Some(thread),
        }
    }

    pub fn tally(&self) -> Tally {
        self.listener.tally()
    }

    /// Waits until the counts are so, for at most 30 s.
    pub fn until(&self, what: &str, so: impl Fn(&Tally) -> bool) {
        let start = StdInstant::now();
        while !so(&self.tally()) {
            let tally = self.tally();
            assert!(
                start.elapsed() < StdDuration::from_secs(30),
                "{what}: {tally:?}"
            );
            std::thread::sleep(StdDuration::from_millis(10));
        }
    }

    /// What was played, once the stream is over.
    pub fn played(mut self) -> (ReceivingReport, Transport) {
        let thread = self.thread.take().expect("once");
        let (report, transport) = thread.join().expect("no panic");
        (
            report.expect("a sender came"),
            transport.expect("a sender came"),
        )
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

pub fn player() -> PlayerConfig {
    PlayerConfig {
        delay: Delay::Fixed(Duration::from_millis(200)),
        late: Late::Show,
        lost: Lost::Skip,
        clock: PeerClock::Unknown,
    }
}

pub fn tfrc() -> RateControl {
    RateControl::One(SenderConfig::rfc5348(1000))
}

pub fn nada() -> RateControl {
    let control = Nada::new(nada::Config::default());
    let interval = Interval::Fixed(Duration::from_millis(100));
    RateControl::Told(Box::new(control), interval)
}

pub fn scream() -> RateControl {
    let control = Scream::new(scream::Config::default());
    RateControl::Told(Box::new(control), Interval::ByRate)
}

/// A control that always allows 2 Mb/s, whatever is lost.
pub fn steady() -> RateControl {
    let config = nada::Config {
        rmin: 2e6,
        rmax: 2e6,
        ..nada::Config::default()
    };
    let interval = Interval::Fixed(Duration::from_millis(100));
    RateControl::Told(Box::new(Nada::new(config)), interval)
}

/// 25 frames a second between two rates.
pub fn config(lasts: Duration, least: f64, most: f64) -> SendingConfig {
    SendingConfig::new(
        3 << 32 | 7,
        EncoderConfig::between(25.0, least, most),
        lasts,
    )
}

/// Sends to a receiver, maybe at another address than its own.
pub fn stream(
    peer: &Peer,
    config: SendingConfig,
    control: RateControl,
) -> Result<(SendingReport, Transport), Error> {
    let clock = Clock::start();
    let mut session = Sending::new(config, control, Half, clock.now());
    let transport = send(peer, clock, &mut session, |_, _| true)?;
    Ok((session.report(clock.now()), transport))
}

/// The same over UDP, without a connection.
pub fn over_udp(
    config: SendingConfig,
    control: RateControl,
    delay: StdDuration,
    every: u64,
) -> (SendingReport, ReceivingReport) {
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    let relay = Relay::new(socket.local_addr().expect("bound"), delay, every);
    let receiver = std::thread::spawn(move || {
        let clock = Clock::start();
        let mut session = Receiving::new(player());
        udp::receive(socket, clock, &mut session, |_, _| true).expect("it works");
        session.report(clock.now()).expect("a sender came")
    });
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a port");
    socket.connect(relay.address()).expect("an address");
    let clock = Clock::start();
    let mut session = Sending::new(config, control, Half, clock.now());
    udp::send(socket, clock, &mut session, |_, _| true).expect("it works");
    (
        session.report(clock.now()),
        receiver.join().expect("no panic"),
    )
}

/// The same receiver behind another address.
pub fn behind(peer: &Peer, address: SocketAddr) -> Peer {
    Peer {
        address,
        ..peer.clone()
    }
}

/// The same receiver with another fingerprint.
pub fn with_pin(peer: &Peer, pin: Pin) -> Peer {
    Peer {
        pin,
        ..peer.clone()
    }
}
