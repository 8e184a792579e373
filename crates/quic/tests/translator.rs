//! The translation, by hand and with calls in any order.

use dumbbell_control::controller::{Controller as _, Signals, Value};
use dumbbell_control::units::{Duration, Instant};
use dumbbell_quic::{Choice, Congestion, Translator, Unusable};
use proptest::prelude::*;

const RTT: Signals = Signals::RTT;
const ALL: Signals = Signals::RECEIVER_TIME
    .with_pacing()
    .with_delivery()
    .with_marks();

fn at(ms: u64) -> Instant {
    Instant::from_nanos(1) + Duration::from_millis(ms)
}

fn path(name: &str, signals: Signals) -> Translator {
    Translator::new(&Choice::named(name, signals).expect(name), 1200)
}

/// Sends two packets at `sent`, whose ACK comes at `now`.
fn pair(path: &mut Translator, sent: u64, now: u64) {
    path.on_sent(at(sent), 2400);
    path.on_packet_acked(at(sent), 1200);
    path.on_packet_acked(at(sent), 1200);
    path.on_end_acks(at(now), 0, false);
}

fn number(path: &Translator, wanted: &str) -> Option<f64> {
    let mut found = None;
    path.control().explain(&mut |name, value: Value| {
        if name == wanted {
            found = value.number();
        }
    });
    found
}

#[test]
fn a_stack_chooses_by_name_or_learns_why_not() {
    let unknown = Choice::named("vano", RTT).expect_err("there is none");
    assert_eq!(unknown, Unusable::Unknown("vano".to_owned()));
    let bbr = Choice::named("bbr", RTT).expect_err("it needs more");
    assert!(
        bbr.to_string()
            .starts_with("bbr requires a sender that paces"),
        "{bbr}"
    );
    let usable = Choice::all(ALL)
        .filter(|(_, choice)| choice.is_ok())
        .count();
    // RoVegas needs routers, and Prague packets that they treat as L4S.
    assert_eq!(Choice::all(ALL).count() - usable, 2);
}

/// The handshake has 300 bytes in 40 ms, 60,000 bit/s; the flight after it two packets in 60 ms, 320,000 bit/s.
#[test]
fn the_handshake_is_no_sample_of_the_path() {
    let mut westwood = path("westwood+", RTT);
    let exchange = |path: &mut Translator, sent, now, bytes, app_limited| {
        path.on_sent(at(sent), bytes);
        path.on_packet_acked(at(sent), bytes);
        path.on_end_acks(at(now), 0, app_limited);
    };
    // A full first packet with nothing behind it, and a small one with the first data behind it.
    exchange(&mut westwood, 0, 41, 1200, true);
    exchange(&mut westwood, 41, 81, 300, false);
    assert_eq!(number(&westwood, "base_rtt"), None);
    // The first ACK of data begins the first round.
    exchange(&mut westwood, 81, 141, 1200, false);
    assert_eq!(number(&westwood, "base_rtt"), Some(0.06));
    assert_eq!(number(&westwood, "bwe"), None);
    pair(&mut westwood, 141, 201);
    assert_eq!(number(&westwood, "bwe"), Some(320_000.0));
    // From then on whatever comes is one.
    exchange(&mut westwood, 201, 251, 300, true);
    assert_eq!(number(&westwood, "base_rtt"), Some(0.05));
}

#[test]
fn a_spurious_loss_is_undone_and_what_was_measured_since_is_kept() {
    let mut veno = path("veno", RTT);
    pair(&mut veno, 0, 60);
    let before = veno.window();
    veno.on_sent(at(60), 2400);
    veno.on_congestion(at(120), at(60), Congestion::Loss, 1200);
    let cut = veno.window();
    assert!(cut < before);
    // A shorter round trip in between.
    veno.on_packet_acked(at(90), 1200);
    veno.on_end_acks(at(130), 0, false);
    veno.on_spurious();
    assert_eq!(veno.window(), before);
    assert_eq!(number(&veno, "base_rtt"), Some(0.04));
    // It is undone once.
    veno.on_spurious();
    assert_eq!(veno.window(), before);
    // A mark is never spurious.
    veno.on_sent(at(140), 1200);
    veno.on_congestion(at(200), at(140), Congestion::Mark, 0);
    let cut = veno.window();
    assert!(cut < before);
    veno.on_spurious();
    assert_eq!(veno.window(), cut);
}

/// Marks come with the ACK after them, never more than it acknowledges.
#[test]
fn marks_are_counted_once() {
    let mut dctcp = path("dctcp", ALL);
    pair(&mut dctcp, 0, 60);
    dctcp.on_marks(3);
    pair(&mut dctcp, 61, 121);
    pair(&mut dctcp, 62, 122);
    let marked = number(&dctcp, "marked").expect("it counts");
    assert_eq!(
        marked, 1.0,
        "the third, in the round that the second ACK begins"
    );
    pair(&mut dctcp, 63, 123);
    assert_eq!(number(&dctcp, "marked"), Some(1.0));
}

/// A control that counts marks hears of a loss in a window that a mark has cut; another does not.
#[test]
fn a_loss_after_a_mark() {
    let cuts = |signals| {
        let mut reno = path("reno", signals);
        pair(&mut reno, 0, 60);
        reno.on_sent(at(61), 2400);
        reno.on_congestion(at(120), at(61), Congestion::Mark, 0);
        let by_mark = reno.window();
        reno.on_congestion(at(121), at(61), Congestion::Loss, 1200);
        (by_mark, reno.window())
    };
    let (by_mark, both) = cuts(RTT);
    assert_eq!(by_mark, both);
    let (by_mark, both) = cuts(ALL);
    assert!(both < by_mark);
}

/// Stacks tell of persistent congestion for each packet, and then again.
#[test]
fn persistent_congestion_is_told_once_at_a_time() {
    let mut reno = path("reno", RTT);
    pair(&mut reno, 0, 60);
    reno.on_sent(at(61), 2400);
    for _ in 0..5 {
        reno.on_congestion(at(5_000), at(61), Congestion::Persistent, 1200);
    }
    assert_eq!((reno.window(), reno.ssthresh()), (2400, Some(7200)));
}

#[test]
fn rates_of_delivery_need_packet_numbers() {
    let mut bbr = path("bbr", ALL);
    // 100 packets, of which two come every 2 ms: 1.2 MB/s.
    for number in 0..100 {
        bbr.on_sent(at(0), 1200);
        bbr.on_packet_sent(at(0), number);
    }
    for ack in 0..50 {
        let now = at(60 + 2 * ack);
        for number in [2 * ack, 2 * ack + 1] {
            bbr.on_packet_acked(at(0), 1200);
            bbr.on_number_acked(now, number, at(0));
        }
        bbr.on_end_acks(now, (98 - 2 * ack) * 1200, false);
    }
    // 100 packets in 158 ms.
    let rate = number(&bbr, "max_bw").expect("a rate");
    assert!((rate - 100.0 * 1200.0 * 8.0 / 0.158).abs() < 1e3, "{rate}");
    assert!(bbr.pacing_rate().is_some() && bbr.send_quantum() >= 1200);
}

/// The numbers of the handshake's packets are taken again: the ACK of a forgotten packet gives no rate.
#[test]
fn a_number_that_is_taken_again_is_another_packet() {
    let rate = |sent| {
        let mut bbr = path("bbr", ALL);
        for left in [0, 50] {
            bbr.on_sent(at(left), 1200);
            bbr.on_packet_sent(at(left), 0);
        }
        bbr.on_packet_acked(at(sent), 1200);
        bbr.on_number_acked(at(60), 0, at(sent));
        bbr.on_end_acks(at(60), 1200, false);
        number(&bbr, "max_bw").unwrap_or(0.0)
    };
    assert_eq!(rate(0), 0.0);
    assert!(rate(50) > 0.0);
}

#[derive(Clone, Debug)]
enum Call {
    Sent(u64, u64),
    Acked(u64, u64, u64),
    Ends(u64, bool),
    Lost(u64),
    Congestion(u64, u8, u64),
    Marks(u64),
    Spurious,
    Mtu(u16),
    Full,
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        (0u64..70_000, any::<u64>()).prop_map(|(bytes, number)| Call::Sent(bytes, number)),
        (0u64..500, any::<u64>(), any::<u64>())
            .prop_map(|(ago, bytes, n)| Call::Acked(ago, bytes, n)),
        (any::<u64>(), any::<bool>()).prop_map(|(flight, limited)| Call::Ends(flight, limited)),
        any::<u64>().prop_map(Call::Lost),
        (0u64..500, 0u8..3, any::<u64>())
            .prop_map(|(ago, by, lost)| Call::Congestion(ago, by, lost)),
        any::<u64>().prop_map(Call::Marks),
        Just(Call::Spurious),
        any::<u16>().prop_map(Call::Mtu),
        Just(Call::Full),
    ]
}

proptest! {
    /// A peer decides about many of these calls: none may panic, or leave less than two packets of window.
    #[test]
    fn calls_in_any_order_leave_a_window(
        which in 0usize..19,
        calls in prop::collection::vec((0u64..100, call()), 0..200),
    ) {
        let (name, choice) = Choice::all(ALL).nth(which).expect("there are 19");
        let Ok(choice) = choice else { return Ok(()) };
        let mut path = Translator::new(&choice, 1200);
        let (mut now, mut mtu) = (0, 1200);
        for (wait, call) in calls {
            now += wait;
            let ago = |ago: u64| at(now.saturating_sub(ago));
            match call {
                Call::Sent(bytes, number) => {
                    path.on_sent(at(now), bytes);
                    path.on_packet_sent(at(now), number);
                }
                Call::Acked(span, bytes, number) => {
                    path.on_packet_acked(ago(span), bytes);
                    path.on_number_acked(at(now), number, ago(span));
                }
                Call::Ends(flight, limited) => path.on_end_acks(at(now), flight, limited),
                Call::Lost(number) => path.on_packet_lost(at(now), number),
                Call::Congestion(span, by, lost) => {
                    let by = [Congestion::Loss, Congestion::Mark, Congestion::Persistent][usize::from(by)];
                    path.on_congestion(at(now), ago(span), by, lost);
                }
                Call::Marks(packets) => path.on_marks(packets),
                Call::Spurious => path.on_spurious(),
                Call::Mtu(size) => {
                    mtu = size.max(1);
                    path.on_mtu(size);
                }
                Call::Full => path.on_window_full(at(now)),
            }
            prop_assert!(path.window() >= 2 * u64::from(mtu), "{name}");
            prop_assert!(path.pacing_rate() != Some(0), "{name}");
        }
    }
}
