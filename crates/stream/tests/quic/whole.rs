//! Streams from begin to end.

use std::time::Duration as StdDuration;

use dumbbell_control::units::Duration;
use dumbbell_stream::quic::{Error, Limits};

use crate::relay::Relay;
use crate::setting::{Playing, behind, config, nada, over_udp, scream, steady, stream, tfrc};

const SPAN: Duration = Duration::from_secs(2);

#[test]
fn frames_arrive_and_nothing_is_withheld() {
    for control in [tfrc(), nada(), scream()] {
        let playing = Playing::new(Limits::default());
        let (sent, way) = stream(&playing.peer, config(SPAN, 100e3, 400e3), control).expect("sent");
        let (got, back) = playing.played();
        assert_eq!((sent.frames, sent.ignored, got.ignored), (50, 0, 0));
        assert_eq!(got.received, sent.packets, "{got:?} {sent:?}");
        assert!(got.player.shown > 20, "{got:?}");
        assert_eq!((way.withheld, back.withheld), (0, 0), "{way:?} {back:?}");
        // A greeting, an end that is said three times, and all packets: one datagram each.
        assert!(way.datagrams >= sent.packets + 4, "{way:?} {sent:?}");
    }
}

/// A stream of 1 Mb/s crosses a path of 100 ms that loses one packet in ten. QUIC's own NewReno would have a window of 2 to 4
/// packets there, at most 0.4 Mb/s.
#[test]
fn the_connection_holds_back_nothing_that_the_rate_control_allows() {
    let playing = Playing::new(Limits::default());
    let relay = Relay::new(playing.peer.address, StdDuration::from_millis(50), 10);
    let peer = behind(&playing.peer, relay.address());
    let span = Duration::from_secs(6);
    let (sent, way) = stream(&peer, config(span, 1e6, 1e6), steady()).expect("sent");
    let (got, _) = playing.played();
    // 25 frames of 5,000 bytes in 5 packets each second; the first one has four times as much.
    assert!((740..=775).contains(&sent.packets), "{sent:?}");
    assert_eq!(sent.discarded, 0, "{sent:?}");
    assert_eq!(way.withheld, 0, "{way:?}");
    assert!(got.received * 100 >= sent.packets * 85, "{got:?} {sent:?}");
    // The losses are QUIC's, too, and none of them is sent again: a tenth never arrives.
    assert!(got.received * 100 <= sent.packets * 95, "{got:?} {sent:?}");
    assert!(way.lost_packets > 50, "{way:?}");
    // What arrived did so at once: a window below the rate would make a queue of seconds.
    let delay = got.player.delay.expect("frames were shown");
    assert!(delay.p95 < 0.5, "{got:?}");
}

/// TFRC over the same path, with losses that it reacts to: its rate over QUIC is that over UDP.
#[test]
fn tfrc_is_as_fast_as_over_udp() {
    let (delay, every, span) = (StdDuration::from_millis(30), 50, Duration::from_secs(12));
    let playing = Playing::new(Limits::default());
    let relay = Relay::new(playing.peer.address, delay, every);
    let peer = behind(&playing.peer, relay.address());
    let plain =
        std::thread::spawn(move || over_udp(config(span, 100e3, 10e6), tfrc(), delay, every));
    let (sent, way) = stream(&peer, config(span, 100e3, 10e6), tfrc()).expect("sent");
    let (plain, got) = plain.join().expect("no panic");
    let ratio = sent.packets as f64 / plain.packets as f64;
    assert_eq!(way.withheld, 0, "{way:?}");
    assert!((0.75..1.33).contains(&ratio), "{sent:?} {plain:?} {got:?}");
}

/// A packet has to fit into the 1200 bytes that every path of QUIC carries.
#[test]
fn segments_that_do_not_fit_are_refused() {
    let playing = Playing::new(Limits::default());
    let mut large = config(SPAN, 100e3, 400e3);
    large.segment = 1200;
    let error = stream(&playing.peer, large, tfrc()).expect_err("it is too large");
    let Error::Input(why) = error else {
        panic!("{error}");
    };
    assert!(
        why.contains("1200 B") && why.contains("at most 1102 B"),
        "{why}"
    );
    let mut most = config(SPAN, 100e3, 400e3);
    most.segment = 1102;
    drop(playing);
    let playing = Playing::new(Limits::default());
    let (sent, way) = stream(&playing.peer, most, tfrc()).expect("it fits");
    assert_eq!((way.withheld, sent.ignored), (0, 0));
    assert_eq!(playing.played().0.received, sent.packets);
}

/// A peer that vanishes leaves neither end waiting for ever: 5 s, and what was played is told.
#[test]
fn a_path_that_breaks_ends_both_ends() {
    let playing = Playing::new(Limits::default());
    let relay = Relay::new(playing.peer.address, StdDuration::from_millis(1), u64::MAX);
    let peer = behind(&playing.peer, relay.address());
    let sender = std::thread::spawn(move || {
        stream(&peer, config(Duration::from_secs(60), 100e3, 400e3), tfrc())
    });
    std::thread::sleep(StdDuration::from_secs(2));
    relay.cut();
    let begin = std::time::Instant::now();
    let (got, _) = playing.played();
    let error = sender.join().expect("no panic").expect_err("it broke");
    assert!(matches!(error, Error::Lost(_)), "{error}");
    assert!(got.player.shown > 10, "{got:?}");
    let took = begin.elapsed();
    assert!(took < StdDuration::from_secs(20), "{took:?}");
}
