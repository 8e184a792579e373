//! Losses, timeouts and undos.

use super::super::state::{LOSSY, TOO_HIGH};
use super::*;

/// "Probing for Bandwidth In ProbeBW": 3 of 100 is more than 2 %. The one before was in flight with 99.
#[test]
fn a_probe_that_loses_too_much_bounds_what_is_in_flight() {
    let mut story = Story::probes();
    story.lose(1, 100, 2);
    assert_eq!(story.bbr.state, State::Up);
    story.lose(2, 100, 3);
    assert_eq!(story.bbr.state, State::Down);
    assert_eq!(story.bbr.model.inflight_longterm, 99);
    // Once a probe: the next losses do not count.
    story.lose(3, 20, 9);
    assert_eq!(story.bbr.model.inflight_longterm, 99);
    let _ = story.ack(Report {
        round: false,
        ..REPORT
    });
    assert_eq!(branch(&story.bbr), TOO_HIGH.branch);
}

/// The same with few in flight: not below 0.7 of the path's 40 segments.
#[test]
fn the_bound_is_not_below_a_part_of_what_fills_the_path() {
    let mut story = Story::probes();
    story.lose(1, 20, 1);
    assert_eq!(story.bbr.model.inflight_longterm, 28);
}

/// "Precautionary Bandwidth Probing": the next probe ends as soon as the bound is reached; if a round later nothing
/// has been lost, the path is probed again at once.
#[test]
fn after_a_probe_that_lost_the_next_is_short_and_then_repeated() {
    let mut story = Story::probes();
    story.lose(1, 60, 2);
    assert_eq!(story.bbr.model.inflight_longterm, 59);
    let below = Report {
        in_flight: 58,
        tx_in_flight: 40,
        rtt: 99.0,
        ..REPORT
    };
    assert_eq!(
        story.ack(Report {
            in_flight: 40,
            ..below
        }),
        State::Cruise
    );
    story.ms += 3_000.0;
    assert_eq!(story.ack(below), State::Refill);
    assert_eq!(story.ack(below), State::Up);
    assert_eq!(
        story.ack(Report {
            round: false,
            ..below
        }),
        State::Up
    );
    assert_eq!(
        story.ack(Report {
            in_flight: 59,
            round: false,
            ..below
        }),
        State::Down
    );
    assert_eq!(story.ack(below), State::Refill);
    // This time the bound may be reached.
    assert_eq!(story.ack(below), State::Up);
    assert_eq!(
        story.ack(Report {
            in_flight: 59,
            round: false,
            ..below
        }),
        State::Up
    );
}

/// "When not Probing for Bandwidth": 0.7 of 40 in 100 ms and of the window of 80; what is delivered if more.
#[test]
fn a_round_with_losses_lowers_the_short_term_bounds() {
    for (delivers, bandwidth, volume) in [(10, 2.24e6, 56), (38, 3.04e6, 56), (60, 4.8e6, 60)] {
        let mut story = Story::cycles();
        let few = Report {
            rate: delivers,
            ..IN_EPISODE
        };
        // What the round's first ACK delivers counts.
        let _ = story.ack(Report {
            repair: Repair::None,
            ..few
        });
        story.lose(1, 100, 1);
        story.episode();
        let _ = story.ack(Report {
            round: false,
            ..few
        });
        assert_eq!(story.bbr.model.bw_bound(), None);
        let _ = story.ack(few);
        assert_eq!(branch(&story.bbr), LOSSY.branch);
        assert!((number(&story.bbr, "bw_shortterm") - bandwidth).abs() < 1.0);
        assert_eq!(story.bbr.model.inflight_shortterm, volume);
        assert_eq!(story.bbr.cwnd, volume);
        // The next round has no losses.
        let _ = story.ack(few);
        assert_eq!(story.bbr.model.inflight_shortterm, volume);
        // Refilling forgets both.
        story.ms += 3_000.0;
        assert_eq!(story.ack(few), State::Refill);
        assert_eq!(story.bbr.model.bw_bound(), None);
        assert_eq!(story.bbr.model.inflight_shortterm, UNLIMITED);
    }
}

/// "Handling a Spurious Loss Recovery".
#[test]
fn an_undone_loss_leads_back_to_the_probe() {
    let mut story = Story::probes();
    let window = story.bbr.cwnd;
    story.lose(1, 20, 1);
    story.episode();
    assert_eq!(
        story.ack(Report {
            newly: 0,
            tx_in_flight: 20,
            ..IN_EPISODE
        }),
        State::Down
    );
    assert_eq!(story.bbr.model.inflight_longterm, 28);
    assert!(story.bbr.cwnd < window);
    story.bbr.restore(&Window {
        cwnd: Segments::ONE,
        ssthresh: Segments::MAX,
    });
    assert_eq!(story.bbr.state, State::Refill);
    assert_eq!(story.bbr.model.inflight_longterm, UNLIMITED);
    assert_eq!(story.bbr.cwnd, window);
    assert_eq!(branch(&story.bbr), "undone");
}

#[test]
fn an_undone_loss_leads_back_to_startup() {
    let mut story = Story::begins();
    let _ = story.ack(REPORT);
    (0..6).for_each(|gap| story.lose(10 * gap, 100, 1));
    story.episode();
    assert_eq!(
        story.ack(Report {
            lost: 9,
            ..IN_EPISODE
        }),
        State::Drain
    );
    story.bbr.restore(&Window {
        cwnd: Segments::ONE,
        ssthresh: Segments::MAX,
    });
    assert_eq!(story.bbr.state, State::Startup);
    assert!(!story.bbr.full.reached);
    assert_eq!(story.ack(REPORT), State::Startup);
}

/// "Modulating cwnd in Loss Recovery".
#[test]
fn after_a_timeout_one_segment_leaves_and_at_the_end_the_window_is_back() {
    let mut story = Story::cycles();
    story
        .bbr
        .on_timeout(&Timeout::new(at(story.ms), Segments::whole(40)));
    assert_eq!(story.bbr.cwnd, 1);
    story.lose(1, 100, 1);
    let repairs = Report {
        repair: Repair::Timeout,
        round: false,
        in_flight: 1,
        ..REPORT
    };
    let _ = story.ack(repairs);
    assert_eq!(story.bbr.cwnd, LEAST);
    let _ = story.ack(repairs);
    assert_eq!(story.bbr.cwnd, 5);
    let _ = story.ack(Report {
        round: false,
        ..REPORT
    });
    assert_eq!(story.bbr.cwnd, 81);
}

#[test]
fn a_probe_is_not_slowed_down_by_a_round_with_few_losses() {
    let mut story = Story::probes();
    story.lose(1, 100, 1);
    story.episode();
    assert_eq!(
        story.ack(Report {
            rate: 60,
            ..IN_EPISODE
        }),
        State::Up
    );
    assert_eq!(story.bbr.model.bw_bound(), None);
}

/// ACKS_PROBE_STOPPING: a round after the probe its data has been acknowledged.
#[test]
fn losses_after_the_probe_do_not_bound_what_is_in_flight() {
    let mut story = Story::probes();
    for state in [State::Up, State::Up, State::Down] {
        assert_eq!(story.ack(REPORT), state);
    }
    let mut soon = Story {
        bbr: story.bbr.clone(),
        ..story
    };
    soon.lose(1, 60, 2);
    assert_eq!(soon.bbr.model.inflight_longterm, 59);
    story.delivered = soon.delivered;
    story.ms = soon.ms;
    assert_eq!(story.ack(REPORT), State::Down);
    story.lose(1, 60, 2);
    assert_eq!(story.bbr.model.inflight_longterm, UNLIMITED);
}

/// The state from before an episode is that before its first loss, although the round has seen a loss before and the
/// host reports the episode after its losses.
#[test]
fn what_an_episode_changes_is_undone_whatever_was_lost_before_it() {
    let mut story = Story::probes();
    story.lose(1, 100, 1);
    let _ = story.ack(Report {
        round: false,
        ..REPORT
    });
    story.lose(9, 20, 1);
    story.episode();
    assert_eq!(story.bbr.state, State::Down);
    story.bbr.restore(&Window {
        cwnd: Segments::ONE,
        ssthresh: Segments::MAX,
    });
    assert_eq!(story.bbr.state, State::Refill);
    assert_eq!(story.bbr.model.inflight_longterm, UNLIMITED);
}
