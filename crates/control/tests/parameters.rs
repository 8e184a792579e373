//! Every parameter has an effect: for each there is a value and a mode of the algorithm that change a
//! window or a reported number, on a stream that reaches every rule.

use dumbbell_control::controller::Controller;
use dumbbell_control::event::{
    Ack, Delivery, DeliveryRate, Loss, LossSignal, LostSegment, Marks, Path, Queueing, Repair,
    Sample, Sent, Stamps, Timeout,
};
use dumbbell_control::parameter::{Kind, Parameter, Setting};
use dumbbell_control::registry::{self, AnyConfig};
use dumbbell_control::units::{Bytes, Duration, Instant, Ratio, Segments};

mod deliveries;

const ROUNDS: u64 = 400;

/// What has been delivered and lost.
#[derive(Default)]
struct Deliveries {
    delivered: u64,
    lost: u64,
}

impl Deliveries {
    /// An ACK on a path that holds 24 segments. For a while a segment is lost for every four delivered, as at a
    /// policer.
    fn next(
        &mut self,
        i: u64,
        now: Instant,
        rtt: Duration,
        in_flight: u64,
        control: &mut impl Controller,
    ) {
        let newly_delivered = 1 + i % 3;
        self.delivered += newly_delivered;
        let policed = (2_000..4_000).contains(&i);
        let newly_lost = u64::from(i.is_multiple_of(if policed { 2 } else { 301 }));
        for _ in 0..newly_lost {
            self.lost += 1;
            control.on_lost_segment(&LostSegment::new(now, in_flight, 1 + i % 5));
        }
        let mut delivery = Delivery::new(now, self.delivered, in_flight);
        delivery.lost = self.lost;
        delivery.newly_delivered = newly_delivered;
        delivery.newly_lost = newly_lost;
        // The path becomes longer, so that its least RTT becomes old.
        delivery.rtt = Some(rtt + Duration::from_micros(i));
        delivery.srtt = Some(rtt);
        delivery.repair = [Repair::None, Repair::Episode][usize::from(i % 613 > 590)];
        delivery.rate = Some(DeliveryRate {
            delivered: in_flight.clamp(1, 24),
            interval: rtt,
            prior_delivered: self.delivered.saturating_sub(in_flight),
            tx_in_flight: in_flight,
            lost: newly_lost,
            app_limited: !policed && i % 50 == 49,
        });
        control.on_delivery(&delivery);
    }
}

/// Now and then nothing was in the network before a segment was sent.
fn in_flight_before(i: u64, in_flight: u64) -> Segments {
    Segments::saturating_whole(if i.is_multiple_of(1_201) {
        0
    } else {
        in_flight
    })
}

/// All windows and reported numbers of a run, as bits.
fn trace(config: &AnyConfig) -> Vec<u64> {
    let mut control = config.build(
        &Path::new(Bytes(1000))
            .with_initial_window(Segments::whole(2))
            .with_ssthresh(Segments::whole(24)),
    );
    let mut deliveries = Deliveries::default();
    let mut trace = Vec::new();
    if config.needs().delivery {
        deliveries::drive(&mut control, |control| {
            trace.push(control.window().cwnd.raw());
            control.explain(&mut |_, value| trace.extend(value.number().map(f64::to_bits)));
        });
        return trace;
    }
    let marks = config.needs().marks;
    let mut now = Instant::ZERO + Duration::from_secs(1);
    for i in 0..ROUNDS * 16 {
        let round = i / 16;
        // Queues of 0 to 40 ms, with occasional silences.
        let queue = Duration::from_micros((round % 21) * 2_000 + (i * 7) % 5 * 300);
        // ACKs wait as well, but not as long as data.
        let back = Duration::from_micros((i * 3) % 7 * 200);
        let rtt = Duration::from_millis(60) + queue + back;
        now = now + Duration::from_micros(3_700 + (i * i) % 600);
        if i % 331 == 330 {
            now = now + Duration::from_micros(505_000 + (i % 7) * 40_000);
        }
        let sent_at = now - rtt;
        let received_at = sent_at + Duration::from_millis(30) + queue;
        control.on_sample(
            &Sample::new(
                now,
                Segments::whole((i % 5 == 0).into()) + Segments::whole((i % 4) as u32),
            )
            .with_rtt(rtt)
            .with_marks(match marks && i % 11 < 3 {
                true => Marks::Counted(Segments::ONE),
                false => Marks::None,
            })
            .with_duplicate(i % 97 < 4)
            .with_stamps(Stamps {
                sent_at,
                received_at,
            })
            .with_queueing((i % 3 > 0).then_some(Queueing {
                forward: queue,
                backward: back,
            })),
        );
        let cwnd = control.window().cwnd;
        let in_flight = cwnd.saturating_sub(Segments::whole((round % 6) as u32));
        match i {
            _ if i % 613 == 612 => control.on_loss(
                &Loss::new(now, in_flight)
                    .with_lost_sent_at(sent_at)
                    .with_transmissions(1 + (i % 2) as u32),
            ),
            _ if marks && i % 67 == 66 => {
                control.on_loss(&Loss::new(now, in_flight).with_signal(LossSignal::Ecn));
            }
            _ if i % 1_511 >= 1_509 => {
                now = now + Duration::from_millis(1_250);
                let consecutive = (i % 1_511 - 1_508) as u32;
                control.on_timeout(&Timeout::new(now, in_flight).with_consecutive(consecutive));
            }
            _ => control.on_ack(
                &Ack::new(now, Segments::from_raw((1 + i % 6) << 31), in_flight)
                    .with_app_limited(i % 50 == 49),
            ),
        }
        if config.needs().delivery {
            let in_flight = cwnd.floor();
            control.on_sent(&Sent::new(
                now,
                Segments::ONE,
                in_flight_before(i, in_flight),
            ));
            deliveries.next(i, now, rtt, in_flight, &mut control);
        }
        trace.extend([control.window().cwnd.raw(), control.window().ssthresh.raw()]);
        control.explain(&mut |_, value| {
            trace.extend(value.number().map(f64::to_bits));
        });
    }
    trace
}

/// The ends of the range, and some values between them.
fn candidates(kind: Kind) -> Vec<Setting> {
    let steps = |least: u64, most: u64| {
        [0, 1, 10, 90, 500, 1_000]
            .map(move |part| least + ((u128::from(most - least) * part) / 1_000) as u64)
    };
    let segments = |raw| Setting::Segments(Segments::from_raw(raw));
    let nanos = |ns| Setting::Duration(Duration::from_nanos(ns));
    let millionths = |parts| Setting::Ratio(Ratio::from_millionths(parts as u32));
    match kind {
        Kind::Segments(least, most) => {
            let small = (1..8).map(|whole| segments(whole << 32));
            let all = steps(least.raw(), most.raw())
                .into_iter()
                .map(segments)
                .chain(small);
            all.collect()
        }
        Kind::Duration(least, most) => steps(least.as_nanos(), most.as_nanos()).map(nanos).to_vec(),
        Kind::Count(least, most) | Kind::Rate(least, most) => steps(least.into(), most.into())
            .map(|n| Setting::Count(n as u32))
            .to_vec(),
        Kind::Ratio(least, most) => {
            let ends = [least, most].map(|ratio| ratio.millionths().into());
            steps(ends[0], ends[1]).map(millionths).to_vec()
        }
        Kind::Flag => vec![Setting::Flag(false), Setting::Flag(true)],
        Kind::Choice(words) => words.iter().copied().map(Setting::Choice).collect(),
    }
}

/// The defaults, and the defaults with one choice or flag changed.
fn modes(config: &AnyConfig) -> Vec<AnyConfig> {
    let switches = config
        .parameters()
        .iter()
        .filter(|parameter| matches!(parameter.kind, Kind::Choice(_) | Kind::Flag));
    let switched = switches.flat_map(|parameter| {
        candidates(parameter.kind)
            .into_iter()
            .map(|value| with(config, parameter, value))
    });
    [*config].into_iter().chain(switched).collect()
}

fn with(config: &AnyConfig, parameter: &Parameter, value: Setting) -> AnyConfig {
    let mut changed = *config;
    changed.set(parameter.name, value).expect(parameter.name);
    changed
}

#[test]
fn every_parameter_has_an_effect() {
    for config in registry::all() {
        let modes: Vec<_> = modes(&config)
            .into_iter()
            .map(|mode| (mode, trace(&mode)))
            .collect();
        for parameter in config.parameters() {
            let moves = modes.iter().any(|(mode, trace_of_mode)| {
                let mut values = candidates(parameter.kind).into_iter();
                values.any(|value| trace(&with(mode, parameter, value)) != *trace_of_mode)
            });
            assert!(moves, "{} {}", config.name(), parameter.name);
        }
    }
}
