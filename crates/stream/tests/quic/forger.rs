//! A receiver that knows what it does, and forges its feedback inside the connection.

use std::net::SocketAddr;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::control::Ecn;
use dumbbell_media::feedback::{Feedback as Report, Metric};
use dumbbell_pinned::Identity;
use dumbbell_stream::packet::Packet;
use dumbbell_stream::quic::{Peer, send};
use dumbbell_stream::sending::{RateControl, Sending};
use dumbbell_stream::socket::Clock;
use dumbbell_tfrc::packet::Feedback;
use quinn::Endpoint;

use crate::setting::{Half, config, nada, scream, tfrc};
use crate::stranger::run;

/// A receiver that welcomes a sender, and answers each of its packets with what `forge` makes of the number of packets so far.
fn forger(forge: impl Fn(u64) -> Vec<Vec<u8>> + Send + 'static) -> Peer {
    let identity = Identity::generate().expect("random numbers");
    let pin = identity.pin();
    let (tell, told) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        run(async {
            let tls = identity.server(b"dumbbell-stream/1").expect("TLS 1.3");
            let config = quinn::ServerConfig::with_crypto(tls);
            let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
            let endpoint = Endpoint::server(config, any).expect("a port");
            tell.send(endpoint.local_addr().expect("bound"))
                .expect("the test waits");
            let connection = endpoint
                .accept()
                .await
                .expect("a sender")
                .await
                .expect("a handshake");
            let mut count = 0;
            while let Ok(datagram) = connection.read_datagram().await {
                let Some((session, packet)) = Packet::decode(&datagram) else {
                    panic!("the sender is honest");
                };
                let mut answers = Vec::new();
                match packet {
                    Packet::Hello(_) => {
                        let mut welcome = Vec::new();
                        Packet::Welcome.encode(session, &mut welcome);
                        answers.push(welcome);
                    }
                    _ => {
                        count += 1;
                        answers.extend(
                            forge(count)
                                .into_iter()
                                .map(|forged| [&session.to_be_bytes()[..], &forged[8..]].concat()),
                        );
                    }
                }
                for answer in answers {
                    let _ = connection.send_datagram(answer.into());
                }
            }
        });
    });
    Peer {
        address: told.recv().expect("it listens"),
        pin,
        token: "whatever-it-takes".to_owned(),
    }
}

fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.encode(3 << 32 | 7, &mut bytes);
    bytes
}

/// TFRC's feedback that is absurd: received at 8 Tb/s, of the future, without losses; then the same bytes with rates that are no
/// numbers.
fn of_tfrc(count: u64) -> Vec<Vec<u8>> {
    let forged = bytes(&Packet::Feedback(Feedback {
        connection: 0,
        t_recvdata: Instant::from_nanos(3_600_000_000_000 + count),
        t_delay: Duration::ZERO,
        x_recv: 1e12,
        p: 0.0,
        p_wireless: None,
        loss_events: 0,
    }));
    let rate = 1e12_f64.to_be_bytes();
    let at = forged.windows(8).position(|window| window == rate);
    let no_number = at.map(|at| {
        let mut bytes = forged.clone();
        bytes[at..at + 8].copy_from_slice(&f64::NAN.to_be_bytes());
        bytes
    });
    [Some(forged), no_number].into_iter().flatten().collect()
}

/// Reports that packets arrived which were never sent: all of them, and at once, 25 times a second.
fn of_reports(count: u64) -> Vec<Vec<u8>> {
    let mut report = Report::with_room();
    report.reported_at = count as u32 * 65_536 / 25;
    report.begin = (count as u16).wrapping_add(5_000);
    report.metrics = vec![Metric::received(Ecn::NotEct, Some(0)); 100];
    vec![bytes(&Packet::Report(report))]
}

/// What a sender does in 3 s.
#[derive(Debug)]
struct Sent {
    packets: u64,
    /// What it ignores of what it hears.
    ignored: u64,
    /// The largest rate that its control allowed.
    fastest: f64,
}

fn sent(control: RateControl, peer: &Peer) -> Sent {
    let clock = Clock::start();
    let span = Duration::from_secs(3);
    let config = config(span, 50e3, 10e6);
    let begun = clock.now();
    let mut session = Sending::new(config, control, Half, begun);
    let mut fastest = 0.0_f64;
    let each = |session: &Sending<Half>, now: Instant| {
        // SCReAM's rate grows with time even without an answer: what a late machine does after the end does not count.
        if now.since(begun) <= span {
            fastest = fastest.max(session.report(now).allowed);
        }
        true
    };
    send(peer, clock, &mut session, each).expect("sent");
    let report = session.report(clock.now());
    Sent {
        packets: report.packets,
        ignored: report.ignored,
        fastest,
    }
}

/// A control, and what a forger answers in its language after so many packets.
type Case = (fn() -> RateControl, fn(u64) -> Vec<Vec<u8>>);

/// Against forged feedback, a sender is as slow as without any, and it counts what it ignores.
#[test]
fn forged_feedback_inside_the_connection_makes_no_sender_faster() {
    let controls: [Case; 3] = [(tfrc, of_tfrc), (nada, of_reports), (scream, of_reports)];
    for (control, forge) in controls {
        let silent = sent(control(), &forger(|_| Vec::new()));
        let forged = sent(control(), &forger(forge));
        // The machine may be slower in one of the two.
        assert!(
            forged.packets <= silent.packets + silent.packets / 10 + 3,
            "{forged:?}, without an answer {silent:?}"
        );
        // NADA's and SCReAM's least rates are a packet or less in each frame, and so are somewhat larger ones.
        assert!(
            forged.fastest <= 1.1 * silent.fastest,
            "{forged:?}, without an answer {silent:?}"
        );
        assert!(forged.ignored > 0, "{forged:?} {silent:?}");
    }
}
