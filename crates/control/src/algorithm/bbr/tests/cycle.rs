//! ProbeBW, the bandwidth, and the outputs.

use super::*;

/// "ProbeBW Algorithm Details": down to the path's 40 segments, a wait of two to three seconds, a round of
/// refilling, and up until three rounds bring no more.
#[test]
fn a_cycle_goes_down_cruises_refills_and_goes_up() {
    let mut story = Story::cycles();
    assert_eq!(
        story.ack(Report {
            in_flight: 41,
            ..REPORT
        }),
        State::Down
    );
    assert_eq!(number(&story.bbr, "pacing_gain"), 0.9);
    assert_eq!(
        story.ack(Report {
            in_flight: 40,
            ..REPORT
        }),
        State::Cruise
    );
    let began = story.ms - 200.0;
    while story.ack(Report {
        round: false,
        ..REPORT
    }) == State::Cruise
    {}
    assert_eq!(story.bbr.state, State::Refill);
    assert!(
        (2_000.0..=3_100.0).contains(&(story.ms - began)),
        "{}",
        story.ms - began
    );
    assert_eq!(
        story.ack(Report {
            round: false,
            ..REPORT
        }),
        State::Refill
    );
    assert_eq!(story.ack(REPORT), State::Up);
    assert_eq!(number(&story.bbr, "pacing_gain"), 1.25);
    // 2.25 x 40 + 2 and what comes at once, 1 an ACK.
    for _ in 0..2 {
        assert_eq!(
            story.ack(Report {
                newly: 20,
                ..REPORT
            }),
            State::Up
        );
    }
    assert_eq!(story.ack(REPORT), State::Down);
}

/// "Time Scale for Bandwidth Probing": 40 segments fill the path, so Reno would need 40 rounds.
#[test]
fn a_probe_does_not_wait_for_more_rounds_than_segments_fill_the_path() {
    let mut story = Story::cycles();
    let rounds = story.bbr.cycle.rounds;
    let _ = story.ack(Report {
        in_flight: 40,
        ..REPORT
    });
    assert_eq!(story.bbr.state, State::Cruise);
    // 100 ms a round would take 4 s: let the rounds be quicker.
    for _ in rounds + 2..40 {
        story.ms -= 99.0;
        assert_eq!(story.ack(REPORT), State::Cruise);
    }
    story.ms -= 99.0;
    assert_eq!(story.ack(REPORT), State::Refill);
}

/// "Accelerating to Probe for Bandwidth": with a window of 81 at first, every 81st ACK counts in the first round, then
/// every 40th, then every 20th.
#[test]
fn the_bound_grows_twice_as_fast_each_round() {
    let mut story = Story::probes();
    story.bbr.model.inflight_longterm = 80;
    let full = Report {
        cwnd_limited: true,
        tx_in_flight: 80,
        round: false,
        rate: 90,
        ..REPORT
    };
    let mut bounds = [0; 3];
    for bound in &mut bounds {
        for i in 0..81 {
            // The rate stays: the window is what limits, so the full pipe is not looked for.
            story.bbr.cwnd = 80.max(story.bbr.model.inflight_longterm);
            story.ms -= 99.0;
            assert_eq!(
                story.ack(Report {
                    round: i == 80,
                    ..full
                }),
                State::Up
            );
        }
        *bound = story.bbr.model.inflight_longterm;
    }
    assert_eq!(bounds, [81, 83, 87]);
}

/// "Tracking Time for the BBR.max_bw Max Filter": a rate counts in its cycle and in the next.
#[test]
fn a_bandwidth_is_forgotten_after_two_cycles() {
    let mut story = Story::probes();
    let less = Report {
        rate: 20,
        in_flight: 20,
        ..REPORT
    };
    // The RTT falls all the time, so that it is not probed.
    let _ = story.ack(Report {
        rtt: 90.0,
        round: false,
        ..less
    });
    let mut cycles = 0;
    let mut seen = [0.0; 3];
    while cycles < 3 && story.ms < 100_000.0 {
        story.ms += 1_000.0;
        let before = story.bbr.state;
        let after = story.ack(Report {
            rtt: 90.0 - story.ms / 1e4,
            ..less
        });
        if before == State::Up && after == State::Down {
            let _ = story.ack(less);
            seen[cycles] = number(&story.bbr, "max_bw");
            cycles += 1;
        }
    }
    assert_eq!(seen, [3.2e6, 3.2e6, 1.6e6]);
}

/// "BBR.extra_acked": 40 segments in 100 ms are expected, and 60 come, so 20 more.
#[test]
fn the_window_allows_for_acks_in_bursts() {
    let mut story = Story::cycles();
    let _ = story.ack(Report {
        newly: 41,
        round: false,
        ..REPORT
    });
    let before = story.bbr.aggregation.most();
    let _ = story.ack(Report {
        newly: 60,
        round: false,
        ..REPORT
    });
    assert_eq!(story.bbr.aggregation.most(), before.max(61));
    let _ = story.ack(Report {
        newly: 60,
        round: false,
        ..REPORT
    });
    assert_eq!(story.bbr.cwnd, 80 + story.bbr.aggregation.most());
}

/// "Send Quantum": 1 ms at the rate, at least two segments and at most 64 KiB.
#[test]
fn the_quantum_is_a_millisecond_of_the_rate() {
    let mut bbr = Story::begins().bbr;
    for (bytes_per_second, segments) in [
        (1_000_000, 2),
        (9_999_000, 9),
        (10_000_000, 10),
        (900_000_000, 65),
    ] {
        bbr.pacing_rate = Rate::from_raw(bytes_per_second << 16);
        bbr.set_quantum();
        assert_eq!(bbr.send_quantum(), segments);
    }
}

/// "Minimum cwnd for Pipelining", and the budget of three quanta of two segments.
#[test]
fn a_path_of_less_than_a_segment_has_a_window_of_six() {
    let mut story = Story::begins();
    let tiny = Report {
        rate: 1,
        rtt: 10.0,
        in_flight: 1,
        ..REPORT
    };
    for _ in 0..20 {
        let _ = story.ack(Report { newly: 0, ..tiny });
    }
    assert_eq!(number(&story.bbr, "path_window"), 1.0);
    assert_eq!(story.bbr.cwnd, 6);
}

#[test]
fn the_digits_of_the_time_spread_the_waits() {
    let (mut rounds, mut sum) = (0, 0.0);
    for us in 0..1_000 {
        let mut cycle = Cycle::new();
        cycle.pick(Instant::from_nanos(us * 977_000));
        rounds += cycle.rounds;
        sum += cycle.waits();
    }
    assert!((400..600).contains(&rounds), "{rounds}");
    assert!((2_450.0..2_550.0).contains(&sum), "{sum}");
}

/// Case 22 of the appendix, "Handling Application-Limited Sending During PROBE_REFILL": its rates do not count, and the
/// round leads to a probe all the same.
#[test]
fn a_round_of_refilling_that_the_application_limits_leads_to_a_probe() {
    let mut story = Story::cycles();
    let few = Report {
        rate: 3,
        in_flight: 3,
        app_limited: true,
        ..REPORT
    };
    assert_eq!(story.ack(few), State::Cruise);
    story.ms += 3_000.0;
    for state in [State::Refill, State::Up, State::Up, State::Up, State::Up] {
        assert_eq!(story.ack(few), state);
        assert_eq!(number(&story.bbr, "max_bw"), 3.2e6);
    }
    // The probe ends by three rounds that show what the path gives.
    for state in [State::Up, State::Up, State::Up, State::Down] {
        assert_eq!(story.ack(REPORT), state);
    }
}

/// "Bounding cwnd Based on Recent Congestion": 40 less 15 %; and the whole bound in DOWN.
#[test]
fn cruising_leaves_headroom() {
    let mut story = Story::cycles();
    story.bbr.model.inflight_longterm = 40;
    let few = Report {
        tx_in_flight: 34,
        ..REPORT
    };
    assert_eq!(story.ack(few), State::Down);
    assert_eq!(story.bbr.cwnd, 40);
    assert_eq!(
        story.ack(Report {
            in_flight: 35,
            ..few
        }),
        State::Down
    );
    assert_eq!(
        story.ack(Report {
            in_flight: 34,
            ..few
        }),
        State::Cruise
    );
    assert_eq!(story.bbr.cwnd, 34);
}

/// "Computing BBR.max_inflight": 2.25 times 40, the ACK itself, and two more to probe with.
#[test]
fn the_window_is_larger_while_probing() {
    let mut story = Story::probes();
    story.bbr.cwnd = 200;
    let _ = story.ack(REPORT);
    assert_eq!(story.bbr.cwnd, 93);
}

/// "BBR.max_bw and Application-limited Delivery Rate Samples".
#[test]
fn a_bandwidth_is_not_replaced_by_rates_that_the_application_limits() {
    let mut story = Story::cycles();
    story.bbr.model.advance_filter();
    story.bbr.model.advance_filter();
    let few = Report {
        rate: 30,
        round: false,
        app_limited: true,
        ..REPORT
    };
    let _ = story.ack(few);
    assert_eq!(number(&story.bbr, "max_bw"), 3.2e6);
    let _ = story.ack(Report {
        app_limited: false,
        ..few
    });
    assert_eq!(number(&story.bbr, "max_bw"), 2.4e6);
}

/// "BBR.extra_acked": a burst counts for ten rounds, its own included, and in Startup for one.
#[test]
fn a_burst_is_remembered_for_ten_rounds() {
    for (mut story, rounds) in [(Story::cycles(), 9), (Story::begins(), 0)] {
        let _ = story.ack(Report {
            newly: 9,
            app_limited: true,
            ..REPORT
        });
        for _ in 0..rounds {
            let _ = story.ack(Report {
                app_limited: true,
                ..REPORT
            });
            assert_eq!(story.bbr.aggregation.most(), 9);
        }
        let _ = story.ack(Report {
            app_limited: true,
            ..REPORT
        });
        assert!(story.bbr.aggregation.most() < 9);
    }
}
