//! Calls the adapter directly, in the way that quinn does.

use std::error::Error;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use dumbbell_control::controller::{Controller as _, Lacking, Signals, Value};
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::units::Segments;
use dumbbell_quinn::Factory;
use dumbbell_quinn::dumbbell_quic::Unusable;
use quinn_proto::RttEstimator;
use quinn_proto::congestion::{Controller, ControllerFactory};

use crate::pair::Pair;
use crate::{adapter, branch, named, venodb_by_acks};

const RTT: Duration = Duration::from_millis(60);

/// An estimator of quinn, taken from a connection, because only quinn can create one. The adapter ignores it.
fn estimator() -> &'static RttEstimator {
    static TAKEN: OnceLock<RttEstimator> = OnceLock::new();

    #[derive(Clone, Copy)]
    struct Spy;
    impl Controller for Spy {
        fn on_ack(&mut self, _: Instant, _: Instant, _: u64, _: bool, rtt: &RttEstimator) {
            let _ = TAKEN.set(*rtt);
        }
        fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}
        fn on_mtu_update(&mut self, _: u16) {}
        fn window(&self) -> u64 {
            12_000
        }
        fn clone_box(&self) -> Box<dyn Controller> {
            Box::new(*self)
        }
        fn initial_window(&self) -> u64 {
            12_000
        }
        fn into_any(self: Box<Self>) -> Box<dyn std::any::Any> {
            self
        }
    }
    impl ControllerFactory for Spy {
        fn build(self: Arc<Self>, _: Instant, _: u16) -> Box<dyn Controller> {
            Box::new(Spy)
        }
    }
    Pair::new(Arc::new(Spy)).transfer(1, Duration::from_secs(1), |_| {});
    TAKEN.get().expect("a packet was acknowledged")
}

/// An adapter as quinn stores it, and the time.
struct Driven {
    control: Box<dyn Controller>,
    now: Instant,
}

impl Driven {
    fn new(config: AnyConfig) -> Self {
        let now = Instant::now();
        let factory = Arc::new(Factory::new(config).expect("it can run"));
        let control = factory.build(now, 1200);
        Self { control, now }
    }

    /// An ACK of this many packets, which were sent a round-trip time ago.
    fn ack(&mut self, packets: u32) {
        self.ack_sent(RTT, packets, false);
    }

    fn ack_sent(&mut self, ago: Duration, packets: u32, app_limited: bool) {
        let sent = self.now - ago;
        for _ in 0..packets {
            let control = &mut self.control;
            control.on_ack(self.now, sent, 1200, app_limited, estimator());
        }
        self.control
            .on_end_acks(self.now, 12_000, app_limited, None);
    }

    /// The loss of a packet that was sent a round-trip time ago.
    fn lose(&mut self) {
        self.lose_sent(RTT);
    }

    fn lose_sent(&mut self, ago: Duration) {
        let sent = self.now - ago;
        self.control
            .on_congestion_event(self.now, sent, false, 1200);
    }

    fn wait(&mut self, span: Duration) -> &mut Self {
        self.now += span;
        self
    }

    fn window(&self) -> u64 {
        self.control.window()
    }

    fn branch(&self) -> &'static str {
        branch(&adapter(&*self.control))
    }

    fn number(&self, wanted: &str) -> Option<f64> {
        let mut found = None;
        let mut note = |name, value: Value| {
            if name == wanted {
                found = value.number();
            }
        };
        adapter(&*self.control).path().control().explain(&mut note);
        found
    }
}

fn lacking(algorithm: &'static str, signal: &'static str) -> Unusable {
    Unusable::Lacking(Lacking { algorithm, signal })
}

#[test]
fn controls_that_need_more_than_round_trip_times_are_refused() {
    let refused = |config| Factory::new(config).expect_err("quinn lacks a signal");
    let venodb = refused(AnyConfig::named("venodb").expect("venodb"));
    let time = "the receiver's arrival timestamps";
    assert_eq!(venodb, lacking("venodb", time));
    let error: Box<dyn Error> = Box::new(venodb);
    assert_eq!(
        error.to_string(),
        "venodb requires the receiver's arrival timestamps, which this host does not provide"
    );
    let sarbe = refused(AnyConfig::named("sarbe").expect("sarbe"));
    assert_eq!(sarbe, lacking("sarbe", time));
    let rovegas = refused(AnyConfig::named("rovegas").expect("rovegas"));
    let queueing = "reports of queueing times from routers";
    assert_eq!(rovegas, lacking("rovegas", queueing));
    let dctcp = refused(AnyConfig::named("dctcp").expect("dctcp"));
    assert_eq!(dctcp, lacking("dctcp", "counts of ECN marks"));
    let prague = refused(AnyConfig::named("prague").expect("prague"));
    let pacing = "a sender that paces at the rate of the control";
    assert_eq!(prague, lacking("prague", pacing));
}

#[test]
fn controls_that_need_at_most_round_trip_times_are_accepted() {
    for config in registry::all() {
        let enough = config.needs().lacking(Signals::RTT).is_none();
        assert_eq!(Factory::new(config).is_ok(), enough, "{}", config.name());
    }
    assert!(Factory::new(venodb_by_acks()).is_ok());
    // By name, VenoDB takes the arrival times of ACKs, and growth counts what they cover.
    let by_name = Factory::named("venodb").expect("it can run");
    assert_eq!(by_name.config(), &venodb_by_acks());
    let unknown = Factory::named("fast").expect_err("there is none");
    let text = unknown.to_string();
    assert!(
        text.starts_with("there is no control `fast`; there are tahoe, reno, "),
        "{text}"
    );
    let mut config = venodb_by_acks();
    let spacing = Setting::Choice("recv");
    config.set("bw_spacing", spacing).expect("a parameter");
    assert!(Factory::new(config).is_err());
}

#[test]
fn the_initial_window_is_that_of_rfc_9002() {
    let factory = Arc::new(Factory::new(named("veno")).expect("veno"));
    for (mtu, bytes) in [
        (1200, 12_000),
        (1472, 14_720),
        (1500, 14_720),
        (9000, 18_000),
    ] {
        let control = factory.clone().build(Instant::now(), mtu);
        // The conversion to segments rounds down.
        assert!(control.initial_window().abs_diff(bytes) <= 1, "{mtu}");
        assert_eq!(control.window(), control.initial_window());
    }
}

#[test]
fn the_newest_packet_of_an_ack_gives_the_round_trip_time() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(Duration::from_secs(1)).ack(2);
    assert_eq!(veno.number("rtt"), Some(0.06));
    assert_eq!(veno.number("base_rtt"), Some(0.06));
    // The ACK of a packet that is older than one acknowledged before gives no round-trip time.
    veno.wait(RTT / 2).ack_sent(RTT * 2, 1, false);
    assert_eq!(veno.number("rtt"), Some(0.06));
    // That of a newer packet does: the smoothed RTT moves by 1/8 of the difference (RFC 6298).
    veno.ack_sent(RTT / 3, 1, false);
    assert_eq!(veno.number("base_rtt"), Some(0.02));
    assert_eq!(veno.number("rtt"), Some(0.055));
}

#[test]
fn an_ack_is_one_event_however_many_packets_it_covers() {
    // Slow start: one segment per ACK, or all that it covers (RFC 9002, section 7.3.1).
    let mut by_acks = Driven::new(AnyConfig::named("veno").expect("veno"));
    let mut by_bytes = Driven::new(named("veno"));
    by_acks.wait(RTT).ack(3);
    by_bytes.wait(RTT).ack(3);
    assert_eq!(by_acks.window(), 13_200);
    assert_eq!(by_bytes.window(), 15_600);
}

#[test]
fn an_application_limited_window_does_not_grow() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(RTT).ack_sent(RTT, 2, true);
    assert_eq!(veno.window(), 12_000);
}

#[test]
fn several_losses_in_a_round_cut_the_window_once() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(RTT).ack(1);
    veno.wait(RTT).lose();
    assert_eq!(veno.branch(), "random loss");
    let cut = veno.window();
    assert_eq!(cut, 13_200 * 4 / 5 - 1);
    // Packets sent before the cut neither cut again, if lost, nor grow the window, if acknowledged.
    veno.wait(RTT).lose();
    veno.ack(9);
    assert_eq!(veno.window(), cut);
    // Packets sent after it do.
    veno.wait(RTT).ack(9);
    let grown = veno.window();
    assert!(grown > cut);
    veno.wait(RTT).lose();
    assert!(veno.window() < grown);
}

#[test]
fn a_loss_with_a_queue_is_congestion() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(RTT).ack(1);
    for _ in 0..40 {
        veno.wait(RTT).ack_sent(RTT / 2 * 3, 1, false);
    }
    let before = veno.window();
    veno.wait(RTT).lose();
    assert_eq!(veno.branch(), "congestion");
    assert_eq!(veno.window(), before / 2);
}

#[test]
fn an_ack_that_reveals_a_loss_does_not_grow_the_window() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(RTT).ack(1);
    veno.wait(RTT);
    let mut plain = veno.control.clone_box();
    plain.on_congestion_event(veno.now, veno.now - RTT, false, 1200);
    veno.ack(2);
    assert_eq!(veno.window(), 15_600);
    veno.lose();
    assert_eq!(veno.window(), plain.window());
}

#[test]
fn an_ecn_mark_cuts_as_a_loss_does() {
    let mut reno = Driven::new(named("reno"));
    reno.wait(RTT).ack(1);
    let (now, sent) = (reno.now, reno.now - RTT / 2);
    reno.control.on_congestion_event(now, sent, false, 0);
    assert_eq!(reno.window(), 6_000);
}

#[test]
fn persistent_congestion_is_a_timeout() {
    let mut reno = Driven::new(named("reno"));
    reno.wait(RTT);
    let now = reno.now;
    let fire = |reno: &mut Driven| {
        let (now, sent) = (reno.now, now - RTT / 2);
        reno.control.on_congestion_event(now, sent, true, 12_000);
    };
    fire(&mut reno);
    let window = adapter(&*reno.control).path().control().window();
    assert_eq!(
        (window.cwnd, window.ssthresh),
        (Segments::ONE, Segments::whole(5))
    );
    // quinn sends nothing with a window of one packet.
    assert_eq!(reno.window(), 2_400);
    // A repetition in the same episode leaves the threshold unchanged.
    fire(reno.wait(RTT));
    assert_eq!(adapter(&*reno.control).path().control().window(), window);
}

#[test]
fn the_flight_is_what_was_sent_less_what_was_acknowledged_or_lost() {
    let mut config = named("reno");
    let window = Setting::Choice("flight");
    config.set("loss_window", window).expect("a parameter");
    let least = Setting::Count(1);
    config.set("min_ssthresh", least).expect("a parameter");
    let mut reno = Driven::new(config);
    reno.control.on_end_acks(reno.now, 2_400, false, None);
    reno.control.on_sent(reno.now, 7_200, 8);
    reno.wait(RTT).lose();
    assert_eq!(reno.window(), 4_800);
    // Six more losses of the same round leave one packet in flight. Another one is sent and lost.
    for _ in 0..6 {
        reno.lose();
    }
    reno.control.on_sent(reno.now, 1_200, 9);
    reno.wait(RTT).lose_sent(RTT / 2);
    let window = adapter(&*reno.control).path().control().window();
    assert_eq!(window.ssthresh, Segments::ONE);
}

#[test]
fn a_change_of_mtu_keeps_the_window_in_bytes() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(RTT).ack(2);
    assert_eq!(veno.window(), 14_400);
    veno.control.on_mtu_update(1452);
    assert_eq!(veno.window(), 14_399);
    let segments = adapter(&*veno.control).path().control().window().cwnd;
    assert_eq!(segments.floor(), 9);
    // Packets are larger now, and an ACK adds a larger packet to the window.
    let (now, sent) = (veno.now, veno.now - RTT);
    veno.control.on_ack(now, sent, 1452, false, estimator());
    veno.control.on_end_acks(now, 12_000, false, None);
    assert_eq!(veno.window(), 14_399 + 1452);
    // After an MTU black hole, quinn lowers the MTU and then reports a loss, which cuts the rescaled window.
    veno.control.on_mtu_update(1200);
    veno.lose_sent(RTT / 2);
    assert_eq!(veno.window(), (14_400 + 1452) * 4 / 5);
}

#[test]
fn a_clone_is_independent_of_the_original() {
    let mut veno = Driven::new(named("veno"));
    veno.wait(RTT).ack(2);
    let mut copy = veno.control.clone_box();
    assert_eq!(copy.window(), veno.window());
    copy.on_congestion_event(veno.now + RTT, veno.now, false, 1200);
    assert_eq!(copy.window(), 11_519);
    assert_eq!(veno.window(), 14_400);
    // It has a copy of the whole state, so the same loss gives the same window.
    veno.wait(RTT).lose();
    assert_eq!(copy.window(), veno.window());
}
