//! Stories worked out by hand, on a path of 10 segments of 1000 bytes in 80 ms: 1 Mb/s.

use super::*;
use crate::event::DeliveryRate;
use crate::units::Bytes;
use crate::units::Instant;

const RTT: Duration = Duration::from_millis(80);

struct Story {
    control: Bbr1,
    now: Instant,
    delivered: u64,
    lost: u64,
}

impl Story {
    fn new() -> Self {
        let path = Path::new(Bytes(1000));
        let mut control = Bbr1::new(&Config::default(), &path);
        let sent = Sent::new(Instant::ZERO, Segments::ONE, Segments::ZERO);
        control.on_sent(&sent);
        Self {
            control,
            now: Instant::ZERO,
            delivered: 0,
            lost: 0,
        }
    }

    /// An ACK, one RTT after the last, of a whole window: `segments` were delivered in the RTT.
    fn round(&mut self, segments: u64, in_flight: u64) -> &mut Self {
        self.ack(segments, in_flight, RTT, |_| {})
    }

    fn ack(
        &mut self,
        segments: u64,
        in_flight: u64,
        wait: Duration,
        change: impl FnOnce(&mut Delivery),
    ) -> &mut Self {
        self.now = self.now + wait;
        let before = self.delivered;
        self.delivered += segments;
        let mut delivery = Delivery::new(self.now, self.delivered, in_flight);
        delivery.newly_delivered = segments;
        delivery.prior_in_flight = in_flight;
        delivery.rtt = Some(RTT);
        delivery.srtt = Some(RTT);
        delivery.lost = self.lost;
        delivery.rate = Some(DeliveryRate {
            delivered: segments,
            interval: wait,
            prior_delivered: before,
            tx_in_flight: in_flight,
            lost: 0,
            app_limited: false,
        });
        change(&mut delivery);
        self.lost = delivery.lost;
        self.control.on_delivery(&delivery);
        self
    }

    /// Startup, until the path of 10 segments is found full.
    fn full(&mut self) -> &mut Self {
        for segments in [5, 10, 10, 10, 10] {
            self.round(segments, 40);
        }
        self
    }

    fn bandwidth(&self) -> f64 {
        self.control.bandwidth().as_bits_per_second()
    }

    fn paced(&self) -> f64 {
        self.control.pacing_rate.as_bits_per_second()
    }
}

fn near(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} {expected}");
}

#[test]
fn the_first_rate_is_the_window_in_a_millisecond_and_then_in_a_round_trip() {
    let mut story = Story::new();
    near(story.paced(), 0.99 * 739.0 / 256.0 * 80e6);
    story.round(1, 9);
    near(story.paced(), 0.99 * 739.0 / 256.0 * 1e6);
}

/// Ten segments of 1000 bytes in the 40 ms of the handshake: 2 Mb/s. Data takes 80 ms, which is no less, so RTprop
/// stays until it is too old, and the first ACK of data sets no first rate anew.
#[test]
fn the_round_trip_of_the_handshake_gives_the_first_rate_and_rtprop() {
    let opening = Duration::from_millis(40);
    let mut story = Story::new();
    story.now = Instant::ZERO + opening;
    story
        .control
        .on_handshake(&Handshake::new(story.now, opening));
    near(story.paced(), 0.99 * 739.0 / 256.0 * 2e6);
    story.round(1, 9);
    assert_eq!(story.control.rtt.least, Some(opening));
    near(story.paced(), 0.99 * 739.0 / 256.0 * 2e6);
    story.full();
    // A bandwidth of 1 Mb/s and 40 ms are 5 segments, and three times one at once make 8.
    near(story.bandwidth(), 1e6);
    assert_eq!(story.control.target(story.control.bandwidth(), UNIT), 8);
    // 40 ms + 10 s is over on the ACK after that: ProbeRTT, and the RTT of data is RTprop.
    while story.now < Instant::ZERO + opening + Duration::from_secs(10) {
        assert_ne!(story.control.state, State::ProbeRtt);
        story.round(10, 12);
    }
    story.round(10, 12);
    assert_eq!(story.control.state, State::ProbeRtt);
    assert_eq!(story.control.rtt.least, Some(RTT));
}

#[test]
fn startup_ends_after_three_rounds_without_a_quarter_more() {
    let mut story = Story::new();
    for (segments, phase) in [
        (5, State::Startup),
        (10, State::Startup),
        // 25 % more is enough, and 24 % is not.
        (13, State::Startup),
        (16, State::Startup),
        (16, State::Startup),
        (16, State::Drain),
    ] {
        story.round(segments, 60);
        assert_eq!(story.control.state, phase, "{segments}");
    }
    near(story.bandwidth(), 1.6e6);
    // 16 segments, three times two at once: 22, even.
    assert_eq!(story.control.ssthresh, Segments::whole(22));
    near(story.paced(), 0.99 * 88.0 / 256.0 * 1.6e6);
}

#[test]
fn rounds_limited_by_the_application_do_not_end_startup() {
    let mut story = Story::new();
    for _ in 0..9 {
        story.ack(10, 40, RTT, |it| {
            if let Some(rate) = &mut it.rate {
                rate.app_limited = true;
            }
        });
    }
    assert_eq!(story.control.state, State::Startup);
    near(story.bandwidth(), 1e6);
}

#[test]
fn drain_ends_when_what_fills_the_path_is_in_the_network() {
    let mut story = Story::new();
    story.full();
    assert_eq!(story.control.state, State::Drain);
    // Below 1.2 Mb/s one segment leaves at once: 10 + 3, even.
    story.round(10, 15);
    assert_eq!(story.control.state, State::Drain);
    story.round(10, 14);
    assert_eq!(story.control.state, State::ProbeBandwidth);
    assert_eq!(story.control.cwnd_gain, 2 * UNIT);
    // Twice the path, 100 ms for bursts of ACKs, and what leaves at once.
    assert!(story.control.cwnd <= 20 + 13 + 5);
}

#[test]
fn a_cycle_of_probing_takes_eight_round_trips() {
    let mut story = Story::new();
    story.full().round(10, 14);
    let mut gains = [0; 16];
    for gain in &mut gains {
        // A little longer than RTprop, with a full path.
        story.ack(10, 22, RTT + Duration::from_micros(1), |_| {});
        *gain = story.control.pacing_gain;
    }
    let count = |gain| gains.iter().filter(|&&other| other == gain).count();
    assert_eq!([count(320), count(192), count(256)], [2, 2, 12]);
    let up = gains.iter().position(|&gain| gain == 320);
    assert_eq!(up.and_then(|at| gains.get(at + 1)), Some(&192));
}

#[test]
fn probing_goes_on_until_the_network_holds_more() {
    let mut story = Story::new();
    story.full().round(10, 14);
    while story.control.pacing_gain != 320 {
        story.ack(10, 22, RTT + Duration::from_micros(1), |_| {});
    }
    // Above 1.2 Mb/s two leave at once: 1.25 x 10 + 6, even, and two more for probing are 22, with the next two.
    for in_flight in [10, 16, 19] {
        story.ack(10, in_flight, RTT + Duration::from_micros(1), |_| {});
        assert_eq!(story.control.pacing_gain, 320);
    }
    story.ack(10, 20, RTT + Duration::from_micros(1), |_| {});
    assert_eq!(story.control.pacing_gain, 192);
    // It ends early when the queue is gone.
    story.ack(1, 14, Duration::from_millis(1), |_| {});
    assert_eq!(story.control.pacing_gain, 256);
}

#[test]
fn an_old_round_trip_time_is_measured_anew_with_four_segments() {
    let mut story = Story::new();
    story.full().round(10, 14);
    let window = story.control.cwnd;
    let slow = |it: &mut Delivery| it.rtt = Some(RTT + RTT);
    while story.control.state == State::ProbeBandwidth {
        story.ack(10, 20, RTT, slow);
    }
    assert!(story.now > Instant::ZERO + Duration::from_secs(10));
    assert_eq!(
        (story.control.state, story.control.cwnd),
        (State::ProbeRtt, 4)
    );
    assert!(story.control.holds_back());
    story
        .ack(4, 4, RTT, |_| {})
        .ack(4, 4, RTT, |_| {})
        .ack(4, 4, RTT, |_| {});
    assert_eq!(story.control.state, State::ProbeRtt);
    story.ack(4, 4, RTT, |_| {});
    assert_eq!(story.control.state, State::ProbeBandwidth);
    assert!(story.control.cwnd >= window);
    assert_eq!(story.control.rtt.least, Some(RTT));
}

/// While a probe is drained, the network may be empty for a moment: then the rate stays at three quarters.
#[test]
fn only_an_application_that_paused_restarts_at_the_bandwidth() {
    let mut story = Story::new();
    story.full().round(10, 14);
    while story.control.pacing_gain != 192 {
        story.ack(10, 22, RTT + Duration::from_micros(1), |_| {});
    }
    let restarted = |limited| {
        let mut control = story.control.clone();
        let mut sent = Sent::new(story.now, Segments::ONE, Segments::ZERO);
        sent.was_app_limited = limited;
        control.on_sent(&sent);
        assert_eq!(control.idle, limited);
        control.pacing_rate.as_bits_per_second() / story.bandwidth()
    };
    near(restarted(false), 0.99 * 0.75);
    near(restarted(true), 0.99);
}

#[test]
fn an_episode_conserves_packets_for_a_round_and_gives_the_window_back() {
    let mut story = Story::new();
    story.full().round(10, 14).round(10, 20);
    let window = story.control.cwnd;
    story
        .control
        .on_loss(&Loss::new(story.now, Segments::whole(20)));
    assert_eq!(story.control.cwnd, window);
    let mut episode = |delivered, in_flight, lost| {
        story.ack(delivered, in_flight, Duration::from_millis(5), |it| {
            it.repair = Repair::Episode;
            it.newly_lost = lost;
            it.lost += lost;
            // Sent before the episode began.
            if let Some(rate) = &mut it.rate {
                rate.prior_delivered = 0;
            }
        });
        story.control.cwnd
    };
    assert_eq!(episode(1, 15, 1), 16);
    assert_eq!(episode(2, 13, 0), 16);
    assert_eq!(episode(3, 14, 0), 17);
    story.round(10, 14);
    assert!(
        story.control.cwnd >= window.min(26),
        "{}",
        story.control.cwnd
    );
}

#[test]
fn a_timeout_restarts_with_one_segment_and_returns_to_the_window() {
    let mut story = Story::new();
    story.full().round(10, 14).round(10, 20);
    let window = story.control.cwnd;
    story
        .control
        .on_timeout(&Timeout::new(story.now, Segments::whole(20)));
    assert_eq!(story.control.cwnd, 1);
    story.ack(1, 1, RTT, |it| it.repair = Repair::Timeout);
    assert_eq!(story.control.cwnd, 4);
    story.round(4, 4);
    assert_eq!(story.control.cwnd, window);
}

/// A quarter of the segments is lost, at one bandwidth: after two intervals of four rounds that is the rate.
#[test]
fn losses_at_one_bandwidth_are_those_of_a_policer() {
    let mut story = Story::new();
    story.full().round(10, 14);
    for _ in 0..10 {
        story.ack(6, 12, RTT, |it| {
            it.newly_lost = 2;
            it.lost += 2;
        });
    }
    near(story.bandwidth(), 6.0 * 8_000.0 / 0.08);
    assert_eq!(story.control.pacing_gain, UNIT);
    // It is used for 48 rounds.
    for _ in 0..48 {
        story.round(10, 12);
    }
    near(story.bandwidth(), 1e6);
}

#[test]
fn a_loss_now_and_then_is_no_policer() {
    let mut story = Story::new();
    story.full().round(10, 14);
    for i in 0..60 {
        story.ack(10, 12, RTT, |it| {
            it.newly_lost = u64::from(i % 2 == 0);
            it.lost += it.newly_lost;
        });
    }
    near(story.bandwidth(), 1e6);
    assert_eq!(story.control.policer.bandwidth(), None);
}

#[test]
fn acks_in_bursts_raise_the_window() {
    let (mut smooth, mut bursts) = (Story::new(), Story::new());
    for story in [&mut smooth, &mut bursts] {
        // After a pause, what was acknowledged in one go before no longer counts.
        story
            .full()
            .round(10, 14)
            .ack(1, 20, RTT + RTT + RTT, |_| {});
    }
    for _ in 0..60 {
        for _ in 0..10 {
            smooth.ack(1, 20, Duration::from_millis(8), |_| {});
        }
        bursts.ack(1, 20, Duration::from_millis(79), |_| {});
        bursts.ack(9, 20, Duration::from_millis(1), |it| {
            if let Some(rate) = &mut it.rate {
                rate.interval = RTT;
            }
        });
    }
    assert!(bursts.control.cwnd >= smooth.control.cwnd + 6);
}

#[test]
fn what_leaves_at_once_takes_about_a_millisecond() {
    let mut story = Story::new();
    for (bits, segments) in [
        (1_000_000, 1),
        (1_300_000, 2),
        (100_000_000, 12),
        (10_000_000_000, 44),
    ] {
        story.control.pacing_rate = Rate::from_raw((bits << 16) / 8);
        assert_eq!(story.control.send_quantum(), segments, "{bits}");
    }
}
