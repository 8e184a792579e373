//! VenoDB without its two signals is Veno, and with the signal sources of the earlier schemes it is
//! Veno+: an ablation removes exactly what it claims to remove.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{Ack, Loss, Path, Sample, Stamps, Timeout};
use dumbbell_control::parameter::Setting;
use dumbbell_control::registry::AnyConfig;
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};
use proptest::prelude::*;

const PATH: Path = Path::new(Bytes(1000))
    .with_initial_window(Segments::whole(2))
    .with_ssthresh(Segments::whole(24));

/// One event of a path of 60 ms whose queue holds up to 40 ms.
#[derive(Clone, Copy, Debug)]
enum Event {
    /// An ACK of new data: the queueing time in microseconds, and the halves of a segment it covers.
    New(u64, u32),
    Duplicate(u64),
    Loss,
    Timeout(u32),
}

fn event() -> impl Strategy<Value = Event> {
    let queue = || 0..40_000u64;
    prop_oneof![
        40 => (queue(), 1..5u32).prop_map(|(queue, halves)| Event::New(queue, halves)),
        4 => queue().prop_map(Event::Duplicate),
        1 => Just(Event::Loss),
        1 => (1..4u32).prop_map(Event::Timeout),
    ]
}

fn tell(control: &mut impl Controller, now: Instant, event: Event) {
    let in_flight = Segments::whole(12);
    let sample = |queue, duplicate| {
        let rtt = Duration::from_millis(60) + Duration::from_micros(queue);
        let sent_at = now - rtt;
        let received_at = now - Duration::from_millis(30);
        Sample::new(now, Segments::ONE)
            .with_rtt(rtt)
            .with_duplicate(duplicate)
            .with_stamps(Stamps {
                sent_at,
                received_at,
            })
    };
    match event {
        Event::New(queue, halves) => {
            control.on_sample(&sample(queue, false));
            control.on_ack(
                &Ack::new(now, Segments::from_raw(u64::from(halves) << 31), in_flight)
                    .with_app_limited(queue % 16 == 0),
            );
        }
        Event::Duplicate(queue) => control.on_sample(&sample(queue, true)),
        Event::Loss => control
            .on_loss(&Loss::new(now, in_flight).with_lost_sent_at(now - Duration::from_millis(60))),
        Event::Timeout(consecutive) => {
            control.on_timeout(&Timeout::new(now, in_flight).with_consecutive(consecutive))
        }
    }
}

fn config(name: &str, settings: &[(&str, Setting)]) -> AnyConfig {
    let mut config = AnyConfig::named(name).expect("a control");
    for (name, value) in settings {
        config.set(name, *value).expect("a parameter");
    }
    config
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    /// 1/cwnd every other ACK and half of it each ACK are the same on average only, so Veno uses
    /// `busy_growth` = half here.
    #[test]
    fn without_signals_venodb_is_veno(
        counting in prop::sample::select(vec!["ack", "segment", "abc"]),
        precedence in prop::sample::select(vec!["ordered", "score", "literal"]),
        events in prop::collection::vec(event(), 1..600),
    ) {
        let counting = ("counting", Setting::Choice(counting));
        let off = Setting::Flag(false);
        let venodb = [
            counting,
            ("precedence", Setting::Choice(precedence)),
            ("use_delay", off),
            ("use_bandwidth", off),
        ];
        let veno = [counting, ("busy_growth", Setting::Choice("half"))];
        let mut venodb = config("venodb", &venodb).build(&PATH);
        let mut veno = config("veno", &veno).build(&PATH);
        let mut now = Instant::ZERO + Duration::from_secs(1);
        for event in events {
            now = now + Duration::from_micros(3_700);
            tell(&mut venodb, now, event);
            tell(&mut veno, now, event);
            prop_assert_eq!(venodb.window(), veno.window());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn with_other_sources_venodb_is_veno_plus(events in prop::collection::vec(event(), 1..600)) {
        let sources = [
            ("bw_source", Setting::Choice("throughput")),
            ("stamp_source", Setting::Choice("ack")),
        ];
        let mut venodb = config("venodb", &sources).build(&PATH);
        let mut veno_plus = config("veno+", &[]).build(&PATH);
        let mut now = Instant::ZERO + Duration::from_secs(1);
        for event in events {
            now = now + Duration::from_micros(3_700);
            tell(&mut venodb, now, event);
            tell(&mut veno_plus, now, event);
            prop_assert_eq!(venodb.window(), veno_plus.window());
        }
    }
}

/// On a stream like those of the first test, VenoDB differs from Veno as soon as one signal counts.
#[test]
fn each_signal_alone_makes_a_difference() {
    for kept in ["use_delay", "use_bandwidth"] {
        let mut settings = vec![
            ("use_delay", Setting::Flag(false)),
            ("use_bandwidth", Setting::Flag(false)),
        ];
        let mut without = config("venodb", &settings).build(&PATH);
        settings.push((kept, Setting::Flag(true)));
        let mut with = config("venodb", &settings).build(&PATH);
        let mut differs = false;
        for i in 0..2_000u64 {
            // The queue fills over 400 ACKs; their spacing doubles and halves.
            let now =
                Instant::ZERO + Duration::from_millis(1_000 + 4 * i + (i / 100 % 2) * (i % 100));
            let event = Event::New(i % 400 * 100 + 1, 2);
            tell(&mut with, now, event);
            tell(&mut without, now, event);
            differs |= with.window() != without.window();
        }
        assert!(differs, "{kept}");
    }
}
