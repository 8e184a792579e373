//! ProbeRTT and idle periods.

use super::*;

/// "ProbeRTT": 5 s after the least RTT, half of the path's 40 segments, for 200 ms and a round.
#[test]
fn the_least_rtt_is_measured_anew() {
    let mut story = Story::cycles();
    let later = Report {
        rtt: 110.0,
        in_flight: 40,
        ..REPORT
    };
    while story.ms < 5_100.0 {
        assert_ne!(story.ack(later), State::ProbeRtt);
    }
    let window = story.bbr.cwnd;
    assert_eq!(story.ack(later), State::ProbeRtt);
    assert_eq!(story.bbr.cwnd, 20);
    assert!(story.bbr.holds_back());
    // Too much is in flight at first.
    let _ = story.ack(Report {
        in_flight: 21,
        ..later
    });
    let few = Report {
        in_flight: 20,
        ..later
    };
    assert_eq!(story.ack(few), State::ProbeRtt);
    assert_eq!(story.ack(few), State::ProbeRtt);
    assert_eq!(story.ack(few), State::ProbeRtt, "exactly 200 ms");
    assert_eq!(story.ack(few), State::Cruise);
    assert!(!story.bbr.holds_back());
    assert!(story.bbr.cwnd >= window.min(80), "{}", story.bbr.cwnd);
    // The RTT of 100 ms counts for 10 s, until 10.1 s.
    while story.ms < 10_100.0 {
        let _ = story.ack(few);
    }
    assert_eq!(number(&story.bbr, "base_rtt"), 0.1);
    let _ = story.ack(few);
    assert_eq!(number(&story.bbr, "base_rtt"), 0.11);
}

#[test]
fn a_probe_of_the_rtt_in_startup_leads_back_to_it() {
    let mut story = Story::begins();
    let _ = story.ack(Report {
        app_limited: true,
        ..REPORT
    });
    story.ms += 5_000.0;
    let few = Report {
        rtt: 110.0,
        in_flight: 4,
        app_limited: true,
        ..REPORT
    };
    for _ in 0..3 {
        assert_eq!(story.ack(few), State::ProbeRtt);
    }
    assert_eq!(story.ack(few), State::Startup);
}

/// "Restarting From Idle": no ProbeRTT, although the least RTT is old, and the bandwidth itself as rate.
#[test]
fn after_an_idle_period_the_rtt_is_not_probed() {
    let mut story = Story::cycles();
    story.ms += 6_000.0;
    let mut sent = Sent::new(at(story.ms), Segments::ONE, Segments::ZERO);
    let mut busy = story.bbr.clone();
    busy.on_sent(&sent);
    sent.was_app_limited = true;
    story.bbr.on_sent(&sent);
    // 0.99 x 3.2 Mb/s.
    assert!((number(&story.bbr, "pacing_rate") - 3.168e6).abs() < 1.0);
    assert_ne!(story.ack(REPORT), State::ProbeRtt);
    // A sender that was not idle probes.
    story.bbr = busy;
    assert_eq!(story.ack(REPORT), State::ProbeRtt);
}

#[test]
fn a_probe_of_the_rtt_lasts_for_a_round() {
    let mut story = Story::cycles();
    story.ms += 5_000.0;
    let few = Report {
        rtt: 110.0,
        in_flight: 4,
        round: false,
        ..REPORT
    };
    for _ in 0..9 {
        assert_eq!(story.ack(few), State::ProbeRtt);
    }
    assert_eq!(story.ack(Report { round: true, ..few }), State::Cruise);
}
