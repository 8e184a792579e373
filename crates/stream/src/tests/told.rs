//! Sessions whose rate control is told the fate of each packet: honest reports, and forged ones.

use std::collections::BTreeMap;

use dumbbell_control::controller::Value;
use dumbbell_control::units::{Duration, Instant};
use dumbbell_media::control::Ecn;
use dumbbell_media::feedback::{Feedback as Report, Interval, Metric};
use dumbbell_media::nada::{self, Nada};
use dumbbell_media::scream::{self, Scream};
use dumbbell_media::source::Fragment;

use super::{Constant, SESSION, config, pair, player, tfrc};
use crate::packet::{Answer, Hello, NUMBERED_HEADER, Packet};
use crate::receiving::Receiving;
use crate::sending::{Phase, RateControl, Sending};

const DELTA: Duration = Duration::from_millis(100);

pub(super) fn nada() -> RateControl {
    let control = Nada::new(nada::Config::default());
    RateControl::Told(Box::new(control), Interval::Fixed(DELTA))
}

pub(super) fn scream() -> RateControl {
    let control = Scream::new(scream::Config::default());
    RateControl::Told(Box::new(control), Interval::ByRate)
}

/// GCC between the bounds of the encoder.
#[cfg(feature = "gcc")]
fn gcc() -> RateControl {
    use dumbbell_media::gcc::{Config, Gcc};
    let config = Config {
        rate_min: 100e3,
        rate_start: 100e3,
        rate_max: 400e3,
        ..Config::default()
    };
    RateControl::Told(Box::new(Gcc::new(config)), Interval::Fixed(config.interval))
}

fn all() -> Vec<fn() -> RateControl> {
    vec![
        nada,
        scream,
        #[cfg(feature = "gcc")]
        gcc,
    ]
}

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// A frame of one packet.
pub(super) fn fragment(frame: u32, bytes: u16) -> Fragment {
    Fragment {
        frame,
        index: 0,
        count: 1,
        bytes,
        key: true,
        made_at: ms(0),
    }
}

/// A packet of the session as bytes.
pub(super) fn bytes(packet: &Packet) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.encode(SESSION, &mut bytes);
    bytes
}

fn known(sending: &Sending<Constant>, wanted: &str) -> f64 {
    let mut found = None;
    sending.explain(&mut |name, value| {
        if let (true, Value::Number(number) | Value::BitRate(number)) = (name == wanted, value) {
            found = Some(number);
        }
    });
    found.expect("the control knows it")
}

#[test]
fn losses_are_seen_at_both_ends_and_key_frames_come_when_asked_for() {
    for (control, name) in [(nada(), "loss_ratio"), (scream(), "loss_event_rate")] {
        let (sending, receiving, now) = pair(control, 20);
        let got = receiving.report(now).expect("a sender came");
        assert!(got.loss_events > 10 && got.player.requests > 3, "{got:?}");
        let sent = sending.report(now);
        assert!(known(&sending, name) > 0.01, "{name} {sent:?}");
        assert_eq!((sent.loss_event_rate, sent.ignored), (None, 0));
        // The end is said three times, and losses are one in twenty.
        assert!(got.received > sent.packets * 9 / 10 && got.received < sent.packets);
    }
}

/// NADA's reports come DELTA apart; SCReAM's, at 200 kb/s of payload, min(50, 20) times a second, but not without news.
#[test]
fn reports_come_at_the_interval_of_the_control() {
    for (interval, least, most) in [
        (Interval::Fixed(DELTA), 99, 101),
        (Interval::ByRate, 190, 201),
    ] {
        let mut receiving = Receiving::new(player());
        let hello = Hello {
            interval: Duration::from_millis(40),
            segment: 1000,
            answer: Answer::Each(interval),
        };
        receiving.on_packet(ms(0), &bytes(&Packet::Hello(hello)), &mut |_| {});
        let mut reports = 0;
        for step in 0..10_000_u64 {
            if step % 40 == 0 {
                let number = (step / 40) as u16;
                let packet = Packet::Numbered(number, fragment(number.into(), 1000));
                let packet = bytes(&packet);
                receiving.on_packet(ms(step), &packet, &mut |_| {});
            }
            receiving.on_timer(ms(step), &mut |out| {
                let report = matches!(Packet::decode(out), Some((SESSION, Packet::Report(_))));
                assert!(report, "{out:?}");
                reports += 1;
            });
        }
        assert!((least..=most).contains(&reports), "{interval:?}: {reports}");
    }
}

/// What a sender sends, and when, with an honest receiver 20 ms away, and `forger` beside it, who sees the packets: it gets
/// the honest report that has just arrived, or every millisecond the number of the next packet.
fn sent(
    control: RateControl,
    mut forger: impl FnMut(Option<&Report>, u16) -> Vec<Vec<u8>>,
) -> (Vec<(Instant, Vec<u8>)>, Sending<Constant>) {
    let mut sending = Sending::new(config(Duration::from_secs(10)), control, Constant, ms(0));
    let mut receiving = Receiving::new(player());
    let mut way: BTreeMap<(Instant, usize), (bool, Vec<u8>)> = BTreeMap::new();
    let (mut log, mut number) = (Vec::new(), 0);
    for now in (0..10_500).map(ms) {
        let mut out: Vec<(bool, Vec<u8>)> = Vec::new();
        while let Some(entry) = way.first_entry().filter(|entry| entry.key().0 <= now) {
            let (forward, packet) = entry.remove();
            if forward {
                receiving.on_packet(now, &packet, &mut |bytes| out.push((false, bytes.to_vec())));
                continue;
            }
            let mut all = vec![packet.clone()];
            if let Some((_, Packet::Report(report))) = Packet::decode(&packet)
                && sending.phase() == Phase::Sending
            {
                all.extend(forger(Some(&report), 0));
            }
            for packet in all {
                sending.on_packet(now, &packet, &mut |bytes| out.push((true, bytes.to_vec())));
            }
        }
        sending.on_timer(now, &mut |bytes| out.push((true, bytes.to_vec())));
        let next = log.len() + out.iter().filter(|(forward, _)| *forward).count();
        let next = if log.is_empty() { 0 } else { next as u16 };
        if sending.phase() == Phase::Sending {
            for packet in forger(None, next) {
                sending.on_packet(now, &packet, &mut |bytes| out.push((true, bytes.to_vec())));
            }
        }
        receiving.on_timer(now, &mut |bytes| out.push((false, bytes.to_vec())));
        for (forward, packet) in out {
            let numbered = matches!(
                Packet::decode(&packet),
                Some((_, Packet::Numbered(..) | Packet::Padding(..)))
            );
            if forward && numbered {
                log.push((now, packet.clone()));
            }
            number += 1;
            way.insert((now + Duration::from_millis(20), number), (forward, packet));
        }
    }
    (log, sending)
}

/// Reports of packets that were never sent, copies, absurd times, noise, and TFRC's feedback: the sender sends the same packets at the
/// same times as without them, and counts them.
#[test]
fn forged_reports_change_nothing_and_are_counted() {
    let metric = |offset| Metric::received(Ecn::NotEct, Some(offset));
    let tfrc = dumbbell_tfrc::packet::Feedback {
        connection: 0,
        t_recvdata: ms(1),
        t_delay: Duration::ZERO,
        x_recv: 1e9,
        p: 0.0,
        p_wireless: None,
        loss_events: 0,
    };
    for control in all() {
        let (honest, sending) = sent(control(), |_, _| Vec::new());
        assert!(honest.len() > 200, "{}", honest.len());
        assert_eq!(sending.report(ms(10_500)).ignored, 0);
        let forged = std::cell::Cell::new(0);
        let (attacked, sending) = sent(control(), |report, next| {
            let all = match report {
                Some(report) => {
                    let copy = bytes(&Packet::Report(report.clone()));
                    let mut later = report.clone();
                    later.reported_at = later.reported_at.wrapping_add(3600 * 65_536);
                    let cut = copy[..copy.len() - 1].to_vec();
                    let noise = [&copy[..9], &[0x8b, 205, 0, 1, 2, 3, 4, 5]].concat();
                    vec![
                        copy.clone(),
                        copy,
                        bytes(&Packet::Report(later)),
                        cut,
                        noise,
                    ]
                }
                None if next > 0 => {
                    // Packets that were never sent, alone and after one that was, and one that arrived before it was
                    // sent: 7.9 s ago, in a stream whose youngest packet is a few milliseconds old.
                    let told = [
                        (next, vec![0]),
                        (next + 1, vec![0]),
                        (next + 5000, vec![0]),
                        (next - 1, vec![0, 0]),
                        (next - 1, vec![8100]),
                    ];
                    let report = |(begin, offsets): (u16, Vec<u64>)| Report {
                        reported_at: 0,
                        begin,
                        metrics: offsets.into_iter().map(metric).collect(),
                    };
                    let told = told.map(|one| bytes(&Packet::Report(report(one))));
                    told.into_iter()
                        .chain([bytes(&Packet::Feedback(tfrc))])
                        .collect()
                }
                None => Vec::new(),
            };
            forged.set(forged.get() + all.len() as u64);
            all
        });
        assert!(attacked == honest, "{} {}", attacked.len(), honest.len());
        assert!(forged.get() > 40_000, "{}", forged.get());
        assert_eq!(sending.report(ms(10_500)).ignored, forged.get());
    }
}

/// A receiver that says of all packets that they arrived at once, as soon as they are sent: the rate stays within the bounds
/// of the controls, and grows no faster than they allow.
#[test]
fn a_receiver_that_flatters_makes_no_sender_faster_than_its_rule() {
    for (control, scream) in [(nada(), false), (scream(), true)] {
        let mut sending = Sending::new(config(Duration::from_secs(20)), control, Constant, ms(0));
        let mut numbers = Vec::new();
        sending.on_packet(ms(0), &bytes(&Packet::Welcome), &mut |_| {});
        let (mut window, mut last) = (std::collections::VecDeque::new(), 0.0);
        for at in 1..10_000 {
            let now = ms(at);
            let mut out = |packet: &[u8]| {
                if let Some((_, Packet::Numbered(number, fragment))) = Packet::decode(packet) {
                    numbers.push(number);
                    window.push_back((now, u64::from(fragment.bytes)));
                }
            };
            sending.on_timer(now, &mut out);
            for begin in std::mem::take(&mut numbers) {
                let report = Report {
                    reported_at: (at * 65_536 / 1000) as u32,
                    begin,
                    metrics: vec![Metric::received(Ecn::NotEct, Some(0))],
                };
                sending.on_packet(now, &bytes(&Packet::Report(report)), &mut |_| {});
            }
            while window
                .front()
                .is_some_and(|(then, _)| *then + Duration::from_millis(500) < now)
            {
                window.pop_front();
            }
            let allowed = sending.report(now).allowed;
            assert!((100e3..=1.5e6).contains(&allowed), "{allowed}");
            if scream {
                // RAMP_UP_SPEED, 200 kb/s in a second from 150 kb/s on, in steps of 200 ms.
                assert!(
                    allowed <= 150e3 + 200e3 * (at as f64 / 1e3 + 0.2),
                    "{at} {allowed}"
                );
            } else {
                // Equation 3 without a round-trip time: at most QBOUND/(DELTA + DFILT) more than what was sent in the
                // last 500 ms, before bytes that wait lower it.
                let allowed = known(&sending, "reference_rate");
                let bytes: u64 = window.iter().map(|(_, bytes)| bytes).sum();
                let most = ((1.0 + 0.05 / 0.22) * bytes as f64 * 8.0 / 0.5 + 1.0)
                    .max(150e3)
                    .max(last);
                assert!(allowed <= most, "{at} {allowed} {most}");
                last = allowed;
            }
        }
        assert!(sending.report(ms(10_000)).allowed > 500e3);
    }
}

/// A numbered packet has the RTP header that its content demands, and a report the SSRCs of the session.
#[test]
fn packets_with_another_header_are_none() {
    let report = Packet::Report(Report {
        reported_at: 0,
        begin: 0,
        metrics: vec![Metric::received(Ecn::NotEct, Some(0))],
    });
    let frame = Packet::Numbered(0x0102, fragment(1, 3));
    let padding = Packet::Padding(0x0102, 300);
    // Bytes 8 to 20 are the kind and the headers, of which the sequence number may be any.
    for (packet, free) in [(frame, 11..13), (report, 0..0), (padding, 11..13)] {
        let good = bytes(&packet);
        if let Packet::Numbered(_, fragment) = &packet {
            assert_eq!(good.len(), NUMBERED_HEADER + usize::from(fragment.bytes));
        }
        assert_eq!(Packet::decode(&good), Some((SESSION, packet)));
        for at in (8..21).filter(|at| !free.contains(at)) {
            let mut changed = good.clone();
            changed[at] ^= 0x10;
            assert_eq!(Packet::decode(&changed), None, "{at}");
        }
    }
}

/// A packet that is for the other kind of rate control is ignored and counted, at both ends.
#[test]
fn packets_of_the_other_kind_are_ignored() {
    let report = Packet::Report(Report {
        reported_at: 0,
        begin: 0,
        metrics: vec![Metric::received(Ecn::NotEct, Some(0))],
    });
    let mut sending = Sending::new(config(Duration::from_secs(1)), tfrc(), Constant, ms(0));
    sending.on_packet(ms(1), &bytes(&Packet::Welcome), &mut |_| {});
    sending.on_packet(ms(2), &bytes(&report), &mut |_| {});
    assert_eq!(sending.report(ms(2)).ignored, 1);
    for answer in [Answer::One, Answer::Each(Interval::ByRate)] {
        let mut receiving = Receiving::new(player());
        let hello = Hello {
            interval: Duration::from_millis(40),
            segment: 1000,
            answer,
        };
        receiving.on_packet(ms(0), &bytes(&Packet::Hello(hello)), &mut |_| {});
        let fragment = fragment(0, 10);
        let both = [
            Packet::Frame(dumbbell_tfrc::packet::Data::default(), fragment),
            Packet::Numbered(0, fragment),
        ];
        for packet in both {
            receiving.on_packet(ms(1), &bytes(&packet), &mut |_| {});
        }
        let got = receiving.report(ms(1)).expect("a sender came");
        assert_eq!((got.received, got.ignored), (1, 1), "{answer:?}");
    }
}
