//! Only the controls that say so ask when segments were sent ([`Algorithm::ASKS_WHEN_SENT`]).
//!
//! [`Algorithm::ASKS_WHEN_SENT`]: dumbbell_control::controller::Algorithm::ASKS_WHEN_SENT

use dumbbell_control::controller::{Controller, Window};
use dumbbell_control::event::{Ack, Loss, Path, Sample, Stamps, Timeout};
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

/// The windows of a control over rounds whose round-trip times vary, with losses, duplicates and timeouts. `told` is
/// whether it is told when segments were sent.
fn windows(config: &AnyConfig, told: bool) -> Vec<Window> {
    let mut control = config.build(&Path::new(Bytes(1000)));
    let mut random = 1_u64;
    let mut now = Instant::ZERO + Duration::from_secs(1);
    (0..20_000_u64)
        .map(|step| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(step);
            let draw = random >> 33;
            let rtt = Duration::from_micros(50_000 + draw % 40_000);
            now = now + Duration::from_micros(500 + draw % 3_000);
            let duplicate = draw.is_multiple_of(13);
            let mut sample = Sample::new(now, Segments::ONE);
            sample.duplicate = duplicate;
            sample.rtt = (!duplicate).then_some(rtt);
            if told {
                sample.stamps = Some(Stamps {
                    sent_at: now - rtt - Duration::from_micros(draw % 700),
                    received_at: now - Duration::from_micros(draw % 9_000),
                });
            }
            control.on_sample(&sample);
            let in_flight = Segments::whole((draw % 40) as u32);
            match draw % 151 {
                0 => {
                    let mut loss = Loss::new(now, in_flight);
                    if told {
                        loss = loss
                            .with_lost_sent_at(now - Duration::from_millis(draw % 200))
                            .with_transmissions(1 + (draw % 4) as u32);
                    }
                    control.on_loss(&loss);
                }
                1 if step.is_multiple_of(3) => control.on_timeout(&Timeout::new(now, in_flight)),
                _ if !duplicate => control.on_ack(&Ack::new(now, Segments::ONE, in_flight)),
                _ => {}
            }
            control.window()
        })
        .collect()
}

#[test]
fn controls_that_do_not_ask_when_segments_were_sent_do_not_change_if_told() {
    for config in registry::all() {
        let same = windows(&config, true) == windows(&config, false);
        assert!(same || config.asks_when_sent(), "{}", config.name());
    }
}

/// The events tell those that ask from the others.
#[test]
fn most_controls_that_ask_change_if_told() {
    let asks = [
        "vegas", "vegas-a", "vegas-a+", "rovegas", "veno+", "venodb", "sarbe",
    ];
    for name in asks {
        let config = AnyConfig::named(name).expect(name);
        assert!(config.asks_when_sent(), "{name}");
        assert!(windows(&config, true) != windows(&config, false), "{name}");
    }
}
