use dumbbell_control::units::Duration;

use super::*;
use crate::packet::Data;

mod idle;
mod late;
mod ns2;

const S: f64 = 1000.0;

fn ms(ms: u64) -> Instant {
    Instant::from_nanos(ms * 1_000_000)
}

/// Feedback for a packet that was sent `rtt` ms before.
fn feedback(now: u64, rtt: u64, x_recv: f64, p: f64) -> Feedback {
    Feedback {
        connection: 0,
        t_recvdata: ms(now - rtt),
        t_delay: Duration::ZERO,
        x_recv,
        p,
        p_wireless: None,
        loss_events: u32::from(p > 0.0),
    }
}

struct Story {
    sender: Sender,
    sent: Vec<Data>,
}

impl Story {
    fn new(config: SenderConfig) -> Self {
        Self::of(Sender::backlogged(config))
    }

    fn of(sender: Sender) -> Self {
        let mut story = Self {
            sender,
            sent: Vec::new(),
        };
        story.sender.start(ms(0), &mut story.sent);
        story
    }

    /// Handles the timer up to and including `at`.
    fn until(&mut self, at: u64) -> &mut Self {
        while let Some(due) = self.sender.deadline().filter(|&due| due <= ms(at)) {
            self.sender.on_timer(due, &mut self.sent);
        }
        self
    }

    fn hear(&mut self, now: u64, rtt: u64, x_recv: f64, p: f64) -> State {
        self.until(now);
        let feedback = feedback(now, rtt, x_recv, p);
        self.sender.on_feedback(ms(now), &feedback, &mut self.sent);
        self.sender.state()
    }

    fn x(&self) -> f64 {
        self.sender.state().x
    }
}

fn story() -> Story {
    Story::new(SenderConfig::rfc5348(1000))
}

#[track_caller]
fn assert_close(value: f64, expected: f64) {
    assert!((value / expected - 1.0).abs() < 1e-6, "{value}");
}

#[test]
fn one_packet_per_second_until_there_is_feedback() {
    let mut story = story();
    story.until(1_999);
    let sent: Vec<_> = story.sent.iter().map(|data| data.sent_at).collect();
    assert_eq!(sent, [ms(0), ms(1_000)]);
    assert!(story.sent.iter().all(|data| data.rtt.is_none()));
    // The timer of 2 s halves the rate: the next packet is sent 2 s after the last.
    story.until(3_000);
    assert_eq!(story.sent.len(), 3);
    assert_eq!(story.x(), S / 2.0);
    // After 4 s more it is halved again.
    story.until(6_000);
    assert_eq!(story.x(), S / 4.0);
    for at in 1..2_000 {
        story.until(1_000 * at);
    }
    assert_eq!(story.x(), S / 64.0);
}

#[test]
fn slow_start_doubles_once_per_round_trip() {
    let mut story = story();
    assert_eq!(story.hear(100, 100, 0.0, 0.0).x, 40_000.0);
    // The limit is infinite at first; the rate is not doubled before a round-trip time has passed.
    assert_eq!(story.hear(150, 100, 10_000.0, 0.0).x, 40_000.0);
    assert_eq!(story.hear(200, 100, 30_000.0, 0.0).x, 80_000.0);
    assert_eq!(story.hear(300, 100, 40_000.0, 0.0).x, 160_000.0);
    // From two round-trip times after the first feedback on, twice the receive rate is the limit.
    assert_eq!(story.hear(400, 100, 70_000.0, 0.0).x, 140_000.0);
    // The rate does not fall below what the initial window allows.
    story.hear(500, 100, 1_000.0, 0.0);
    story.hear(600, 100, 1_000.0, 0.0);
    assert_eq!(story.hear(700, 100, 1_000.0, 0.0).x, 40_000.0);
}

#[test]
fn packets_carry_the_round_trip_time_and_their_send_times_follow_the_rate() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    story.sent.clear();
    story.until(199);
    let sent: Vec<_> = story.sent.iter().map(|data| data.sent_at).collect();
    // 40,000 B/s: a packet every 25 ms, counted from the last packet at 0. That due time has passed.
    assert_eq!(sent, [ms(125), ms(150), ms(175)]);
    let told = Some(Duration::from_millis(100));
    assert!(story.sent.iter().all(|data| data.rtt == told));
}

#[test]
fn the_equation_limits_the_rate_once_there_is_loss() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    let state = story.hear(200, 100, 1e6, 0.01);
    assert_close(state.x, 112_332.2);
    assert_eq!(state.x_calc, Some(state.x));
    assert_eq!((state.p, state.rtt), (0.01, Some(0.1)));
    // Twice the receive rate limits it once all receive rates of two round-trip times are low.
    for now in [300, 400, 500] {
        story.hear(now, 100, 20_000.0, 0.01);
    }
    assert_eq!(story.x(), 40_000.0);
}

#[test]
fn the_rate_falls_while_the_round_trip_time_grows() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    let state = story.hear(320, 120, 1e6, 0.01);
    // R_sqmean/sqrt(R_sample) = .3192460/.3464102.
    assert_close(state.x_inst / state.x, 0.921_584);
    let mut plain = Story::new(SenderConfig {
        oscillation_prevention: false,
        ..SenderConfig::rfc5348(1000)
    });
    plain.hear(100, 100, 0.0, 0.0);
    let state = plain.hear(320, 120, 1e6, 0.01);
    assert_eq!(state.x_inst, state.x);
}

#[test]
fn without_feedback_the_rate_is_halved_in_congestion_avoidance() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    for now in [200, 300, 400, 500] {
        story.hear(now, 100, 100_000.0, 0.01);
    }
    let before = story.x();
    assert_close(before, 112_332.2);
    // The rate was limited by the equation: it falls to X_calc/2, and then to half of that.
    story.until(900);
    assert_close(story.x(), before / 2.0);
    story.until(1_300);
    assert_close(story.x(), before / 4.0);
    assert_eq!(story.sender.counters().expiries, 2);
    // Feedback raises it again, to twice the receive rate.
    assert_close(story.hear(1_350, 100, 30_000.0, 0.01).x, 60_000.0);
}

#[test]
fn without_feedback_a_rate_limited_by_the_receiver_is_halved() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    for now in [200, 300, 400, 500] {
        story.hear(now, 100, 30_000.0, 0.01);
    }
    assert_close(story.x(), 60_000.0);
    story.until(900);
    assert_close(story.x(), 30_000.0);
}

#[test]
fn without_feedback_slow_start_is_halved() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    story.hear(200, 100, 40_000.0, 0.0);
    assert_eq!(story.x(), 80_000.0);
    story.until(600);
    assert_eq!(story.x(), 40_000.0);
}

#[test]
fn too_little_to_send_does_not_reduce_the_rate_but_a_loss_then_does() {
    let config = SenderConfig::rfc5348(1000);
    let mut story = Story::of(Sender::offered(config));
    story.sender.offer(ms(0), 1_000_000, &mut story.sent);
    story.hear(100, 100, 0.0, 0.0);
    for now in [200, 300, 400, 500, 600] {
        story.hear(now, 100, 50_000.0, 0.01);
    }
    assert_close(story.x(), 100_000.0);
    story.sender.stop();
    // From here on one packet is offered now and then: the largest rate stays the limit.
    for now in (700..3_000).step_by(100) {
        story.sender.offer(ms(now - 50), 1, &mut story.sent);
        story.hear(now, 100, 10_000.0, 0.01);
    }
    assert_close(story.x(), 100_000.0);
    // After a loss the limit is half of it, without doubling.
    story.sender.offer(ms(2_950), 1, &mut story.sent);
    story.until(3_000);
    let loss = Feedback {
        loss_events: 2,
        ..feedback(3_000, 100, 10_000.0, 0.01)
    };
    story.sender.on_feedback(ms(3_000), &loss, &mut story.sent);
    assert_close(story.x(), 25_000.0);
}

#[test]
fn offered_packets_wait_for_their_send_times() {
    let mut story = Story::of(Sender::offered(SenderConfig::rfc5348(1000)));
    story.sender.offer(ms(0), 3, &mut story.sent);
    assert_eq!((story.sent.len(), story.sender.waiting()), (1, Some(2)));
    story.until(1_000);
    assert_eq!((story.sent.len(), story.sender.waiting()), (2, Some(1)));
}

#[test]
fn credit_makes_up_for_a_round_trip_of_send_times() {
    let sent_at_once = |credit| {
        let config = SenderConfig {
            credit,
            ..SenderConfig::rfc5348(1000)
        };
        let mut story = Story::of(Sender::offered(config));
        story.sender.offer(ms(0), 1, &mut story.sent);
        story.hear(100, 100, 0.0, 0.0);
        story.sent.clear();
        story.sender.offer(ms(400), 100, &mut story.sent);
        story.sent.len()
    };
    // 25 ms per packet: the current due time, and those of the last 100 ms, including the first of them.
    assert_eq!(sent_at_once(0.0), 1);
    assert_eq!(sent_at_once(1.0), 5);
}

#[test]
fn invalid_feedback_is_ignored() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    let good = feedback(200, 100, 30_000.0, 0.01);
    let bad = [
        Feedback {
            p: f64::NAN,
            ..good
        },
        Feedback { p: 1.1, ..good },
        Feedback {
            x_recv: f64::NAN,
            ..good
        },
        Feedback {
            x_recv: -1.0,
            ..good
        },
        Feedback {
            p_wireless: Some(f64::INFINITY),
            ..good
        },
        Feedback {
            t_recvdata: ms(201),
            ..good
        },
        Feedback {
            t_delay: Duration::from_millis(101),
            ..good
        },
        Feedback {
            connection: 1,
            ..good
        },
    ];
    for one in &bad {
        story.sender.on_feedback(ms(200), one, &mut story.sent);
    }
    assert_eq!(story.sender.counters().ignored, bad.len() as u64);
    assert_eq!(story.sender.counters().feedback, 1);
    story.sender.on_feedback(ms(200), &good, &mut story.sent);
    // Feedback for an earlier packet arrives after it.
    let late = Feedback {
        t_recvdata: ms(99),
        ..good
    };
    story.sender.on_feedback(ms(210), &late, &mut story.sent);
    assert_eq!(story.sender.counters().ignored, bad.len() as u64 + 1);
}

#[test]
fn losses_of_the_link_are_subtracted_from_the_loss_event_rate() {
    let mut story = story();
    story.hear(100, 100, 0.0, 0.0);
    let both = |now, p, wireless| Feedback {
        p_wireless: Some(wireless),
        ..feedback(now, 100, 1e9, p)
    };
    story
        .sender
        .on_feedback(ms(200), &both(200, 0.06, 0.05), &mut story.sent);
    assert_close(story.x(), 112_332.2);
    story
        .sender
        .on_feedback(ms(300), &both(300, 0.05, 0.06), &mut story.sent);
    // At p = 1e-6, without timeouts: s/R sqrt(3/(2p)) = 12.247 million bytes per second.
    assert!((12.1e6..12.248e6).contains(&story.x()), "{}", story.x());
}

fn veno(config: VenoConfig) -> Story {
    Story::new(SenderConfig {
        law: Law::Veno(config),
        oscillation_prevention: false,
        ..SenderConfig::rfc5348(1000)
    })
}

#[test]
fn tfrc_veno_with_a_fixed_cut() {
    for (g, p, rate) in [
        (0.95, 0.001, 1_380_274.0),
        (0.95, 0.01, 395_201.5),
        (0.95, 0.05, 121_022.3),
        (0.95, 0.1, 54_882.3),
        (0.5, 0.01, 112_332.2),
    ] {
        let mut story = veno(VenoConfig {
            fixed: Some(g),
            ..VenoConfig::default()
        });
        story.hear(100, 100, 0.0, 0.0);
        assert_close(story.hear(200, 100, 1e9, p).x, rate);
    }
}

#[test]
fn tfrc_veno_with_a_queue() {
    // R and BaseRTT are 80 ms. The rate is doubled four times, from W = 4 packets to 64, and is then limited
    // to 250,000 B/s. One sample of 280 ms makes R 100 ms.
    let mut story = veno(VenoConfig::default());
    assert_eq!(story.sender.state().g, 0.5);
    assert_eq!(story.hear(80, 80, 0.0, 0.0).g, 0.95);
    story.hear(160, 80, 1e6, 0.0);
    story.hear(240, 80, 1e6, 0.0);
    story.hear(320, 80, 125_000.0, 0.0);
    for now in [400, 480, 560] {
        story.hear(now, 80, 125_000.0, 0.0);
    }
    let state = story.sender.state();
    let w_max = state.w_max.unwrap();
    assert_close(w_max, 64.0);
    let state = story.hear(900, 280, 1e9, 0.01);
    assert_close(state.rtt.unwrap(), 0.1);
    assert_eq!(state.base_rtt, Some(0.08));
    // .5 + .45 * 3 * .1/(.02 * 64).
    assert_close(state.g, 0.605_468_75);
    // The window at this rate is below 64.
    assert_eq!(state.w_max, Some(w_max));
}

/// TFRC Veno, section III-B: equation 22 ignores the maximum window of equation 16.
#[test]
fn a_configured_window_does_not_limit_the_rate() {
    let mut story = veno(VenoConfig {
        window: WindowMode::Configured(2),
        ..VenoConfig::default()
    });
    story.hear(100, 100, 0.0, 0.0);
    // g is 0.95 without a queue. 395,201.5 B/s are 39.5 packets per round-trip time.
    let state = story.hear(200, 100, 1e9, 0.01);
    assert_close(state.x, 395_201.5);
    assert_eq!(state.w_max, Some(2.0));
}

#[test]
fn all_in_one_multiplies_the_equation() {
    let mut story = Story::new(SenderConfig {
        all_in_one: Some(crate::parallel::ParallelConfig::default()),
        oscillation_prevention: false,
        ..SenderConfig::rfc5348(1000)
    });
    for now in (100..=1_100).step_by(100) {
        story.hear(now, 100, 1e9, 0.0);
    }
    // After a second n is 2, after another second 2.5.
    assert_eq!(story.sender.state().n, Some(2.0));
    for now in (1_200..=2_100).step_by(100) {
        story.hear(now, 100, 1e9, 0.01);
    }
    let state = story.sender.state();
    assert_eq!(state.n, Some(2.5));
    assert_close(state.x, 280_830.6);
}
