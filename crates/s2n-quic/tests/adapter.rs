//! Tests the adapter directly, and in a transfer over the loopback interface.

#[path = "../../quinn/tests/adapter/examples.rs"]
mod examples;

use std::net::SocketAddr;
use std::time::Duration;

use dumbbell_control::controller::{Controller as _, Value};
use dumbbell_s2n_quic::dumbbell_quic::{Choice, Unusable};
use dumbbell_s2n_quic::{Adapter, Packet, Provider, SIGNALS};
use s2n_quic_core::event::builder::{BbrState, SlowStartExitCause};
use s2n_quic_core::recovery::RttEstimator;
use s2n_quic_core::recovery::bandwidth::{Bandwidth, RateSample};
use s2n_quic_core::recovery::congestion_controller::{
    CongestionController as _, Endpoint as _, PathInfo, Publisher,
};
use s2n_quic_core::time::{Clock as _, StdClock, Timestamp};
use s2n_quic_core::{inet, path, random};

const RTT: Duration = Duration::from_millis(60);
const MTU: u32 = 1200;

struct Nobody;

impl Publisher for Nobody {
    fn on_slow_start_exited(&mut self, _: SlowStartExitCause, _: u32) {}
    fn on_delivery_rate_sampled(&mut self, _: RateSample) {}
    fn on_pacing_rate_updated(&mut self, _: Bandwidth, _: u32, _: num_rational::Ratio<u64>) {}
    fn on_bbr_state_changed(&mut self, _: BbrState) {}
}

struct Zeros;

impl random::Generator for Zeros {
    fn public_random_fill(&mut self, dest: &mut [u8]) {
        dest.fill(0);
    }
    fn private_random_fill(&mut self, dest: &mut [u8]) {
        dest.fill(0);
    }
}

/// An adapter as s2n-quic keeps it, and the time.
struct Driven {
    control: Adapter,
    now: Timestamp,
    rtt: RttEstimator,
}

impl Driven {
    fn new(name: &str) -> Self {
        let mut provider = Provider::named(name).expect("it can run");
        let address: SocketAddr = ([127, 0, 0, 1], 443).into();
        let address = inet::SocketAddress::from(address);
        let mut info = PathInfo::new(&path::Config::default(), &address);
        info.max_datagram_size = MTU as u16;
        Self {
            control: provider.new_congestion_controller(info),
            now: StdClock::default().get_time(),
            rtt: RttEstimator::new(RTT),
        }
    }

    fn send(&mut self, app_limited: bool) -> Packet {
        let limited = Some(app_limited);
        let control = &mut self.control;
        control.on_packet_sent(self.now, MTU as usize, limited, &self.rtt, &mut Nobody)
    }

    fn wait(&mut self, span: Duration) {
        self.now = self.now.checked_add(span).expect("a time");
    }

    /// An ACK of `packets` full packets, the newest of which is this.
    fn ack(&mut self, sent: Timestamp, newest: Packet, packets: u32, marked: u64) {
        let control = &mut self.control;
        control.on_rtt_update(sent, self.now, &self.rtt, &mut Nobody);
        if marked > 0 {
            control.on_explicit_congestion(marked, self.now, &mut Nobody);
        }
        let bytes = (packets * MTU) as usize;
        let (now, rtt) = (self.now, &self.rtt);
        control.on_ack(sent, bytes, newest, rtt, &mut Zeros, now, &mut Nobody);
    }

    fn lose(&mut self, packet: Packet, persistent: bool) {
        let control = &mut self.control;
        let now = self.now;
        control.on_packet_lost(MTU, packet, persistent, true, &mut Zeros, now, &mut Nobody);
    }

    /// Sends a window, and acknowledges it a round-trip time later, in pairs.
    fn round(&mut self, marked: u64) {
        let (sent, packets) = (self.now, self.control.congestion_window() / MTU / 2);
        let all: Vec<Packet> = (0..2 * packets).map(|_| self.send(false)).collect();
        self.wait(RTT);
        for pair in 0..packets {
            let newest = all[pair as usize * 2 + 1];
            self.ack(sent, newest, 2, if pair == 0 { marked } else { 0 });
        }
    }

    fn window(&self) -> u32 {
        self.control.congestion_window()
    }

    fn number(&self, wanted: &str) -> Option<f64> {
        let mut found = None;
        self.control
            .path()
            .control()
            .explain(&mut |name, value: Value| {
                if name == wanted {
                    found = value.number();
                }
            });
        found
    }
}

#[test]
fn controls_that_need_more_than_s2n_quic_tells_are_refused() {
    let refused: Vec<_> = Choice::all(SIGNALS)
        .filter_map(|(name, choice)| match choice {
            Err(Unusable::Lacking(lacking)) => Some((name, lacking.signal)),
            _ => None,
        })
        .collect();
    let rate = "measurements of the rate of delivery";
    let expected = [
        ("rovegas", "reports of queueing times from routers"),
        ("sarbe", "the receiver's arrival timestamps"),
        ("prague", "packets that routers treat as L4S"),
        ("bbr1", rate),
        ("bbr", rate),
    ];
    assert_eq!(refused, expected);
}

#[test]
fn the_flight_is_what_was_sent_less_what_was_acknowledged_lost_or_discarded() {
    let mut reno = Driven::new("reno");
    let (sent, all) = (reno.now, [(); 10].map(|()| ()));
    let packets = all.map(|()| reno.send(false));
    assert_eq!(reno.control.bytes_in_flight(), 12_000);
    assert!(reno.control.is_congestion_limited());
    reno.wait(RTT);
    reno.ack(sent, packets[1], 2, 0);
    assert_eq!(reno.control.bytes_in_flight(), 9_600);
    assert!(!reno.control.is_congestion_limited());
    reno.lose(packets[2], false);
    assert_eq!(reno.control.bytes_in_flight(), 8_400);
    reno.control.on_packet_discarded(1_200, &mut Nobody);
    assert_eq!(reno.control.bytes_in_flight(), 7_200);
    // A packet of ACKs alone is not counted.
    let now = reno.now;
    let rtt = &reno.rtt;
    reno.control.on_packet_sent(now, 0, None, rtt, &mut Nobody);
    assert_eq!(reno.control.bytes_in_flight(), 7_200);
}

#[test]
fn several_losses_in_a_round_cut_the_window_once() {
    let mut veno = Driven::new("veno");
    veno.round(0);
    assert_eq!(veno.window(), 24_000);
    let packets = [(); 3].map(|()| veno.send(false));
    veno.wait(RTT);
    assert!(!veno.control.requires_fast_retransmission());
    for packet in packets {
        veno.lose(packet, false);
        assert_eq!(veno.window(), 19_200);
    }
    // One packet leaves at once, whatever the window.
    assert!(veno.control.requires_fast_retransmission());
    veno.send(false);
    assert!(!veno.control.requires_fast_retransmission());
}

#[test]
fn persistent_congestion_is_one_timeout_however_many_packets_are_lost() {
    let mut reno = Driven::new("reno");
    reno.round(0);
    let packets = [(); 5].map(|()| reno.send(false));
    reno.wait(RTT * 20);
    for packet in packets {
        reno.lose(packet, true);
    }
    // Half of the 20 packets of the window; and the least that a QUIC stack sends.
    assert_eq!(reno.window(), 2 * MTU);
    assert_eq!(reno.control.path().ssthresh(), Some(12_000));
}

/// DCTCP starts with alpha = 1, and a round in which a tenth is marked lowers it by 1/16 of the difference.
#[test]
fn dctcp_hears_how_many_packets_were_marked() {
    let mut dctcp = Driven::new("dctcp");
    dctcp.round(0);
    let alpha = dctcp.number("alpha").expect("it has one");
    let before = dctcp.window();
    dctcp.round(1);
    let cut = dctcp.window();
    assert!(cut < before, "{cut} {before}");
    // The same round without marks, and with all marked.
    let mut none = Driven::new("dctcp");
    let mut all = Driven::new("dctcp");
    for (driven, marked) in [(&mut none, 0), (&mut all, 2)] {
        driven.round(0);
        for _ in 0..10 {
            driven.round(marked);
        }
    }
    let [none, all] = [none, all].map(|it| it.number("alpha").expect("it has one"));
    assert!(none < all && all < alpha, "{none} {all} {alpha}");
}

/// Marks in one round cut once, as losses do.
#[test]
fn a_mark_cuts_once_in_a_round() {
    let mut reno = Driven::new("reno");
    reno.round(0);
    let sent = reno.now;
    let packets = [(); 6].map(|()| reno.send(false));
    reno.wait(RTT);
    for pair in packets.chunks(2) {
        reno.ack(sent, pair[1], 2, 1);
    }
    assert_eq!(reno.window(), 12_000);
}

#[test]
fn a_window_that_was_not_used_does_not_grow() {
    let mut reno = Driven::new("reno");
    let sent = reno.now;
    let packet = reno.send(true);
    reno.wait(RTT);
    reno.ack(sent, packet, 1, 0);
    assert_eq!(reno.window(), 12_000);
}

/// Ten packets leave at once. After that, in slow start, twice a window in a round-trip time.
#[test]
fn packets_are_paced_once_a_round_trip_is_known() {
    let mut reno = Driven::new("reno");
    reno.round(0);
    reno.wait(RTT);
    let start = reno.now;
    let mut left = 0;
    for _ in 0..20 {
        match reno.control.earliest_departure_time() {
            Some(due) if due > reno.now => {
                let wait = due.saturating_duration_since(reno.now);
                // 60 ms / 20 packets / 2.
                assert!(wait <= Duration::from_micros(1_501), "{wait:?}");
                reno.wait(wait.max(Duration::from_micros(1)));
            }
            _ => {
                reno.send(false);
                left += 1;
                if reno.now == start {
                    assert!(left <= 10);
                }
            }
        }
    }
    let span = reno.now.saturating_duration_since(start);
    assert!(left > 10 && span > Duration::ZERO, "{left} {span:?}");
}

/// A megabyte from a server to a client, with our control at both ends.
#[test]
fn a_transfer_over_the_loopback_interface() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let transfer = async {
        let signed = rcgen::generate_simple_self_signed(["localhost".into()]).expect("signed");
        let (certificate, key) = (signed.cert.pem(), signed.signing_key.serialize_pem());
        let control = |name| Provider::named(name).expect("it can run");
        let mut server = s2n_quic::Server::builder()
            .with_tls((certificate.as_str(), key.as_str()))
            .expect("TLS")
            .with_io("127.0.0.1:0")
            .expect("a socket")
            .with_congestion_controller(control("veno"))
            .expect("a control")
            .start()
            .expect("a server");
        let address = server.local_addr().expect("its address");
        tokio::spawn(async move {
            let mut connection = server.accept().await.expect("a connection");
            let mut stream = connection.open_send_stream().await.expect("a stream");
            stream.send(vec![7; 1_000_000].into()).await.expect("sent");
            stream.close().await.expect("closed");
            // The connection ends with the client.
            let _ = connection.accept().await;
        });
        let client = s2n_quic::Client::builder()
            .with_tls(certificate.as_str())
            .expect("TLS")
            .with_io("127.0.0.1:0")
            .expect("a socket")
            .with_congestion_controller(control("cubic"))
            .expect("a control")
            .start()
            .expect("a client");
        let connect = s2n_quic::client::Connect::new(address).with_server_name("localhost");
        let mut connection = client.connect(connect).await.expect("a connection");
        let stream = connection.accept_receive_stream().await.expect("a stream");
        let mut stream = stream.expect("it is open");
        let mut bytes = 0;
        while let Some(chunk) = stream.receive().await.expect("data") {
            bytes += chunk.len();
        }
        bytes
    };
    let within = Duration::from_secs(60);
    let bytes = runtime.block_on(async { tokio::time::timeout(within, transfer).await });
    assert_eq!(bytes.expect("in time"), 1_000_000);
}

#[test]
fn the_example_programs_transfer() {
    examples::transfer("s2n_server", "s2n_client");
}
