//! Startup and Drain.

use super::super::state::TOO_HIGH;
use super::*;

/// "Exiting Acceleration Based on Bandwidth Plateau": 49 is less than a quarter above 40, 50 is not.
#[test]
fn startup_ends_in_the_third_round_without_a_quarter_more() {
    let mut story = Story::begins();
    for rate in [10, 20, 40, 49, 49, 50, 50, 50] {
        assert_eq!(
            story.ack(Report { rate, ..REPORT }),
            State::Startup,
            "{rate}"
        );
    }
    assert_eq!(story.ack(Report { rate: 50, ..REPORT }), State::Drain);
    assert_eq!(number(&story.bbr, "max_bw"), 4e6);
    assert_eq!(number(&story.bbr, "pacing_gain"), 0.5);
    // 0.99 x 0.5 x 4 Mb/s.
    assert!((number(&story.bbr, "pacing_rate") - 1.98e6).abs() < 1.0);
}

/// "Initialization" and "Pacing Rate": ten segments in 1 ms, and later in the first round-trip time, times 2.77.
#[test]
fn the_first_rate_is_the_initial_window_in_a_round_trip() {
    let mut story = Story::begins();
    assert_eq!(number(&story.bbr, "pacing_rate"), 221.6e6);
    let _ = story.ack(Report { rate: 1, ..REPORT });
    assert_eq!(number(&story.bbr, "pacing_rate"), 2.216e6);
}

#[test]
fn rounds_that_the_application_limits_do_not_end_startup() {
    let mut story = Story::begins();
    for _ in 0..20 {
        let state = story.ack(Report {
            app_limited: true,
            ..REPORT
        });
        assert_eq!(state, State::Startup);
    }
    // The first rate counts although it is limited: it is larger than none.
    assert_eq!(number(&story.bbr, "max_bw"), 3.2e6);
    let _ = story.ack(Report { rate: 39, ..REPORT });
    assert_eq!(number(&story.bbr, "max_bw"), 3.2e6);
}

/// "Exiting Startup Based on Packet Loss": six gaps in a round of the recovery, and 3 of 100 lost.
#[test]
fn startup_ends_after_a_round_of_many_losses() {
    for (gaps, lost, state) in [
        (6, 3, State::Drain),
        (5, 3, State::Startup),
        (6, 2, State::Startup),
    ] {
        let mut story = Story::begins();
        let _ = story.ack(REPORT);
        for gap in 0..gaps {
            // Two neighbours each: one range.
            story.lose(10 * gap, 100, 1);
            story.lose(10 * gap + 1, 100, 1);
        }
        story.episode();
        assert_eq!(
            story.ack(Report {
                round: false,
                ..IN_EPISODE
            }),
            State::Startup
        );
        let report = Report {
            lost,
            rate: 90,
            ..IN_EPISODE
        };
        assert_eq!(story.ack(report), state, "{gaps} gaps, {lost} lost");
        if state == State::Drain {
            // What the round delivered is more than the 40 that fill the path.
            assert_eq!(story.bbr.model.inflight_longterm, 90);
            assert_eq!(branch(&story.bbr), TOO_HIGH.branch);
        }
    }
}

/// "Drain": by what is in flight, or when more than three rounds have begun since.
#[test]
fn drain_ends_when_the_path_is_just_full_or_after_three_rounds() {
    let mut story = Story::begins();
    for _ in 0..4 {
        let _ = story.ack(Report {
            newly: 30,
            ..REPORT
        });
    }
    assert_eq!(story.bbr.state, State::Drain);
    let mut timed = Story {
        bbr: story.bbr.clone(),
        ..story
    };
    assert_eq!(
        story.ack(Report {
            in_flight: 41,
            ..REPORT
        }),
        State::Drain
    );
    // The queue of the cycle's first phase is gone, too.
    assert_eq!(
        story.ack(Report {
            in_flight: 40,
            round: false,
            ..REPORT
        }),
        State::Cruise
    );
    for _ in 0..3 {
        assert_eq!(timed.ack(REPORT), State::Drain);
    }
    assert_eq!(timed.ack(REPORT), State::Down);
}

/// The same before the recovery has lasted for a round.
#[test]
fn losses_before_the_recovery_do_not_end_startup() {
    let mut story = Story::begins();
    let _ = story.ack(REPORT);
    (0..6).for_each(|gap| story.lose(10 * gap, 100, 1));
    let _ = story.ack(Report {
        newly: 49,
        round: false,
        ..REPORT
    });
    story.episode();
    let sent_before = Report {
        lost: 9,
        round: false,
        prior: 49,
        ..IN_EPISODE
    };
    assert_eq!(story.ack(sent_before), State::Startup);
}
