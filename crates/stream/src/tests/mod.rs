//! Two sessions on a path in virtual time, hostile peers, and two sockets.

mod forged;
mod late;
mod told;

use std::collections::BTreeMap;

use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::feedback::{Feedback as Report, Interval, Metric};
use dumbbell_media::player::{Clock, Delay, Late, Lost, PlayerConfig};
use dumbbell_media::source::{EncoderConfig, Fragment, Uniform};
use dumbbell_tfrc::packet::{Data, Feedback};
use dumbbell_tfrc::parallel::ParallelConfig;
use dumbbell_tfrc::sender::SenderConfig;
use proptest::prelude::*;

use crate::packet::{Answer, Hello, Packet};
use crate::receiving::Receiving;
use crate::sending::{Phase, RateControl, Sending, SendingConfig};
use crate::socket;

/// A session's number with two halves.
const SESSION: u64 = 3 << 32 | 7;

struct Constant;

impl Uniform for Constant {
    fn positive_uniform(&mut self) -> f64 {
        0.5
    }
}

fn tfrc() -> RateControl {
    RateControl::One(SenderConfig::rfc5348(1000))
}

fn config(lasts: Duration) -> SendingConfig {
    SendingConfig::new(SESSION, EncoderConfig::between(25.0, 100e3, 400e3), lasts)
}

fn player() -> PlayerConfig {
    PlayerConfig {
        delay: Delay::Fixed(Duration::from_millis(200)),
        late: Late::Show,
        lost: Lost::Freeze,
        clock: Clock::Unknown,
    }
}

/// Runs both ends over a path of 40 ms each way that loses every `every`th packet of the sender.
fn pair(control: RateControl, every: u64) -> (Sending<Constant>, Receiving, Instant) {
    let config = config(Duration::from_secs(20));
    let mut sending = Sending::new(config, control, Constant, Instant::ZERO);
    let mut receiving = Receiving::new(player());
    let mut flying: BTreeMap<(Instant, u64), (bool, Vec<u8>)> = BTreeMap::new();
    let (mut now, mut number, mut sent) = (Instant::ZERO, 0, 0);
    while sending.phase() != Phase::Over || !flying.is_empty() {
        let ready = flying.keys().next().map(|(at, _)| *at);
        let deadlines = [ready, sending.deadline(), receiving.deadline()];
        now = deadlines
            .into_iter()
            .flatten()
            .min()
            .expect("something happens")
            .max(now);
        let mut out: Vec<(bool, Vec<u8>)> = Vec::new();
        if let Some(entry) = flying.first_entry().filter(|entry| entry.key().0 <= now) {
            let (forward, bytes) = entry.remove();
            if forward {
                receiving.on_packet(now, &bytes, &mut |bytes| out.push((false, bytes.to_vec())));
            } else {
                sending.on_packet(now, &bytes, &mut |bytes| out.push((true, bytes.to_vec())));
            }
        }
        sending.on_timer(now, &mut |bytes| out.push((true, bytes.to_vec())));
        receiving.on_timer(now, &mut |bytes| out.push((false, bytes.to_vec())));
        for (forward, bytes) in out {
            number += 1;
            sent += u64::from(forward);
            if !(forward && sent % every == 0) {
                flying.insert((now + Duration::from_millis(40), number), (forward, bytes));
            }
        }
    }
    (sending, receiving, now)
}

/// A path without a bottleneck lets the encoder reach its ceiling: 25 frames a second, 2000 B each.
#[test]
fn a_stream_over_a_wide_path_reaches_its_ceiling() {
    let several = RateControl::Several(SenderConfig::rfc5348(1000), ParallelConfig::default());
    for control in [tfrc(), several, told::nada(), told::scream()] {
        let (sending, receiving, now) = pair(control, u64::MAX);
        let sent = sending.report(now);
        // Frames at 0, 40, ... 19,960 ms after the welcome.
        assert_eq!(
            (sent.frames, sent.discarded, sent.ignored),
            (500, 0, 0),
            "{sent:?}"
        );
        assert_eq!(sent.encoded, 400e3);
        let got = receiving.report(now).expect("a sender came");
        let shown = got.player;
        assert!(
            shown.shown >= 494 && shown.lost == 0 && shown.undecodable == 0,
            "{got:?}"
        );
        assert!(shown.frozen < Duration::from_millis(500), "{got:?}");
        assert_eq!(got.ignored, 0);
        assert!(receiving.is_over(now));
    }
}

#[test]
fn losses_slow_the_stream_and_key_frames_come_when_asked_for() {
    let (sending, receiving, now) = pair(tfrc(), 50);
    let got = receiving.report(now).expect("a sender came");
    assert!(got.loss_events > 3 && got.player.requests > 3, "{got:?}");
    assert!(got.player.shown > 250, "{got:?}");
    assert!(sending.report(now).loss_event_rate > Some(0.0));
}

/// Feedback about packets that were never sent, of the future, with absurd rates, and of another session changes nothing.
#[test]
fn forged_feedback_makes_no_sender_faster() {
    let mut out = |_: &[u8]| {};
    let at = |ms: u64| Instant::from_nanos(ms * 1_000_000);
    let mut sending = Sending::new(config(Duration::from_secs(20)), tfrc(), Constant, at(0));
    sending.on_timer(at(0), &mut out);
    let mut bytes = Vec::new();
    Packet::Welcome.encode(SESSION, &mut bytes);
    sending.on_packet(at(50), &bytes, &mut out);
    let before = sending.report(at(100)).allowed;
    let honest = Feedback {
        connection: 0,
        t_recvdata: at(50),
        t_delay: Duration::ZERO,
        x_recv: 1e12,
        p: 0.0,
        p_wireless: None,
        loss_events: 0,
    };
    let forged = [
        (SESSION + 1, honest),
        (
            SESSION,
            Feedback {
                t_recvdata: at(5000),
                ..honest
            },
        ),
        (
            SESSION,
            Feedback {
                t_delay: Duration::from_secs(9),
                ..honest
            },
        ),
        (
            SESSION,
            Feedback {
                connection: 3,
                ..honest
            },
        ),
    ];
    for (session, feedback) in forged {
        Packet::Feedback(feedback).encode(session, &mut bytes);
        sending.on_packet(at(100), &bytes, &mut out);
        assert_eq!(sending.report(at(100)).allowed, before, "{feedback:?}");
    }
    // An absurd rate does not even have bytes of its own, and is none when it is written.
    for x_recv in [f64::NAN, f64::INFINITY, -1.0] {
        Packet::Feedback(Feedback { x_recv, ..honest }).encode(SESSION, &mut bytes);
        assert!(bytes.is_empty());
    }
    assert_eq!(sending.report(at(100)).ignored, 4);
}

/// Nobody answers: the session greets 25 times in 5 s, and gives up.
#[test]
fn a_sender_without_a_receiver_gives_up() {
    let config = config(Duration::from_secs(1));
    let mut sending = Sending::new(config, tfrc(), Constant, Instant::ZERO);
    let mut greetings = 0;
    while let Some(at) = sending.deadline() {
        sending.on_timer(at, &mut |_| greetings += 1);
    }
    assert_eq!((sending.phase(), greetings), (Phase::Alone, 25));
}

#[test]
fn two_sockets_stream_on_the_loopback() {
    for control in [tfrc(), told::nada(), told::scream()] {
        let listening = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        let to = listening.local_addr().expect("an address");
        let receiver = std::thread::spawn(move || {
            let clock = socket::Clock::start();
            let mut receiving = Receiving::new(player());
            socket::receive(listening, clock, &mut receiving, |_, _| true).expect("it works");
            receiving.report(clock.now()).expect("a sender came")
        });
        let sender = std::net::UdpSocket::bind("127.0.0.1:0").expect("a socket");
        sender.connect(to).expect("an address");
        let clock = socket::Clock::start();
        let config = config(Duration::from_secs(2));
        let mut sending = Sending::new(config, control, Constant, clock.now());
        socket::send(sender, clock, &mut sending, |_, _| true).expect("it works");
        let got = receiver.join().expect("no panic");
        let sent = sending.report(clock.now());
        assert_eq!((sending.phase(), sent.ignored), (Phase::Over, 0));
        assert!(got.player.shown > 20 && got.received > 40, "{got:?}");
        assert!(sent.rtt.is_some_and(|rtt| rtt < 0.1), "{sent:?}");
    }
}

fn packets() -> impl Strategy<Value = Packet> {
    let answers = prop_oneof![
        Just(Answer::One),
        Just(Answer::Several),
        Just(Answer::Each(Interval::ByRate)),
        (1_000_000_u64..=60_000_000_000)
            .prop_map(|span| Answer::Each(Interval::Fixed(Duration::from_nanos(span)))),
    ];
    let hello = (1_000_000_u64..=1_000_000_000, 1_u16.., answers).prop_map(
        |(interval, segment, answer)| {
            let interval = Duration::from_nanos(interval);
            Packet::Hello(Hello {
                interval,
                segment,
                answer,
            })
        },
    );
    let report = (
        any::<u32>(),
        any::<u16>(),
        prop::collection::vec(any::<u16>(), 0..40),
    )
        .prop_map(|(reported_at, begin, metrics)| {
            let metrics = metrics.into_iter().map(Metric::from_bits).collect();
            Packet::Report(Report {
                reported_at,
                begin,
                metrics,
            })
        });
    let frame = (any::<[u64; 3]>(), 1_u16..1024, 0_u16..2000, any::<bool>()).prop_map(
        |([seq, sent, made], count, bytes, key)| {
            let data = Data {
                seq,
                sent_at: Instant::from_nanos(sent),
                ..Data::default()
            };
            let made_at = Instant::from_nanos(made);
            let (frame, index) = (seq as u32, sent as u16 % count);
            let fragment = Fragment {
                frame,
                index,
                count,
                bytes,
                key,
                made_at,
            };
            if seq % 2 == 0 {
                Packet::Frame(data, fragment)
            } else {
                Packet::Numbered(sent as u16, fragment)
            }
        },
    );
    let feedback = (any::<[u64; 2]>(), 0.0..1e12, 0.0..=1.0).prop_map(|([at, late], x_recv, p)| {
        Packet::Feedback(Feedback {
            connection: 0,
            t_recvdata: Instant::from_nanos(at),
            t_delay: Duration::from_nanos(late),
            x_recv,
            p,
            p_wireless: None,
            loss_events: 1,
        })
    });
    let plain = prop_oneof![
        Just(Packet::Welcome),
        Just(Packet::KeyRequest),
        Just(Packet::End)
    ];
    prop_oneof![hello, frame, feedback, report, plain]
}

proptest! {
    #[test]
    fn packets_arrive_as_they_were_sent(session: u64, packet in packets()) {
        let mut bytes = Vec::new();
        packet.encode(session, &mut bytes);
        prop_assert_eq!(Packet::decode(&bytes), Some((session, packet)));
    }

    /// Whatever arrives, neither end panics, or remembers more than its room.
    #[test]
    fn neither_end_minds_what_arrives(
        packets in prop::collection::vec(packets(), 1..60),
        noise in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        for (control, answer) in [
            (tfrc(), Answer::One),
            (told::nada(), Answer::Each(Interval::Fixed(Duration::from_millis(100)))),
            (told::scream(), Answer::Each(Interval::ByRate)),
        ] {
            let config = config(Duration::from_secs(9));
            let mut sending = Sending::new(config, control, Constant, Instant::ZERO);
            let mut receiving = Receiving::new(player());
            let (mut now, mut out, mut bytes) = (Instant::ZERO, |_: &[u8]| {}, Vec::new());
            sending.on_packet(now, &noise, &mut out);
            receiving.on_packet(now, &noise, &mut out);
            let hello = Hello { interval: Duration::from_millis(40), segment: 1000, answer };
            let greetings = [Packet::Welcome, Packet::Hello(hello)];
            for packet in greetings.iter().chain(&packets) {
                packet.encode(SESSION, &mut bytes);
                now = now + Duration::from_millis(3);
                sending.on_packet(now, &bytes, &mut out);
                receiving.on_packet(now, &bytes, &mut out);
                sending.on_timer(now, &mut out);
                receiving.on_timer(now, &mut out);
            }
            prop_assert!(sending.report(now).allowed.is_finite());
            let _ = receiving.report(now);
        }
    }
}
