//! The growth of VenoDB at each ACK, compared with the table of the paper's section 3.1 D in floating
//! point. The signals are computed independently: delays in seconds, signs by plain comparison.

use dumbbell_control::algorithm::venodb::{Config, VenoDb};
use dumbbell_control::controller::{Algorithm, Controller};
use dumbbell_control::event::{Ack, Loss, LossSignal, Path, Sample, Stamps};
use dumbbell_control::parameter::{Config as _, Setting};
use dumbbell_control::units::{Bytes, Duration, Instant, Segments};

use crate::random::Random;

/// The paper's signals, one packet at a time.
#[derive(Default)]
struct Signals {
    one_way: Option<f64>,
    d: Option<f64>,
    dd: f64,
    base: Option<f64>,
    rtt: f64,
}

impl Signals {
    fn packet(&mut self, sent: f64, received: f64) {
        let one_way = received - sent;
        if let Some(before) = self.one_way {
            let d = one_way - before;
            self.dd = self.d.map_or(0.0, |old| d - old);
            self.d = Some(d);
        }
        self.one_way = Some(one_way);
    }

    fn rtt(&mut self, rtt: f64) {
        self.base = Some(self.base.map_or(rtt, |base| base.min(rtt)));
        self.rtt = rtt;
    }

    fn backlog(&self, cwnd: f64) -> f64 {
        self.base
            .map_or(0.0, |base| cwnd * (self.rtt - base) / self.rtt)
    }

    /// Whether D or dD is within 2 ns of its tolerance, or N within a millionth of beta.
    fn is_tie(&self, cwnd: f64) -> bool {
        let near = |seconds: f64| (seconds.abs() - 1e-6).abs() < 2e-9;
        near(self.d.unwrap_or(0.0)) || near(self.dd) || (self.backlog(cwnd) - 3.0).abs() < 3e-6
    }
}

/// The sign, -1, 0 or 1, with a tolerance of 1 us.
fn sign(seconds: f64) -> i32 {
    if seconds.abs() <= 1e-6 {
        0
    } else {
        seconds.signum() as i32
    }
}

/// Segments per RTT by the printed table, taking the first match in printed order. The bandwidth counts
/// as equal, since eps_bw is 100 % and the bandwidth does not double.
fn table(signals: &Signals, cwnd: f64) -> f64 {
    let (d, dd) = (sign(signals.d.unwrap_or(0.0)), sign(signals.dd));
    if signals.backlog(cwnd) < 3.0 {
        return if dd < 0 { 2.0 } else { 1.0 };
    }
    if d < 0 || dd < 0 { 1.0 } else { 0.5 }
}

fn bandwidth(control: &VenoDb) -> f64 {
    let mut found = 0.0;
    control.explain(&mut |name, value| {
        if name == "bwe" {
            found = value.number().unwrap_or(found);
        }
    });
    found
}

#[test]
fn growth_follows_the_table_within_a_millionth() {
    let mut config = Config::default();
    config
        .set("rtt_mode", Setting::Choice("last"))
        .expect("a mode");
    let all = dumbbell_control::units::Ratio::ONE;
    config.set("eps_bw", Setting::Ratio(all)).expect("a ratio");
    let path = Path::new(Bytes(1000))
        .with_initial_window(Segments::whole(20))
        .with_ssthresh(Segments::whole(2));
    let mut seen = [0u32; 3];
    for seed in 0..4 {
        let mut control = VenoDb::new(&config, &path);
        let mut signals = Signals::default();
        let mut random = Random::new(seed);
        let mut now = Instant::ZERO + Duration::from_secs(1);
        let mut peak = 0.0f64;
        let mut trough = f64::INFINITY;
        for i in 0..100_000 {
            // A constant spacing settles the bandwidth. The first 8 s are not checked.
            now = now + Duration::from_millis(4);
            let jitter = [0.0, 0.0, random.between(0.0, 8e6)][i % 3];
            let queue = Duration::from_nanos((5e6 + jitter) as u64);
            let rtt = Duration::from_millis(60) + queue;
            let sent_at = now - rtt;
            let received_at = sent_at + Duration::from_millis(30) + queue;
            let stamps = Some(Stamps {
                sent_at,
                received_at,
            });
            let (rtt_is, credited) = (Some(rtt), Segments::ONE);
            control.on_sample(
                &Sample::new(now, credited)
                    .with_rtt(rtt_is)
                    .with_stamps(stamps),
            );
            signals.packet(sent_at.as_secs_f64(), received_at.as_secs_f64());
            signals.rtt(rtt.as_secs_f64());

            if i % 997 == 996 {
                let (lost_sent_at, in_flight) = (sent_at, Segments::CAP);
                let by = LossSignal::DupAcks;
                control.on_loss(
                    &Loss::new(now, in_flight)
                        .with_lost_sent_at(lost_sent_at)
                        .with_signal(by),
                );
                signals.base = None;
                continue;
            }
            let before = control.window().cwnd.as_f64();
            let (acked, in_flight) = (Segments::ONE, Segments::CAP);
            control.on_ack(&Ack::new(now, acked, in_flight));
            if i < 2_000 || signals.is_tie(before) {
                continue;
            }
            peak = peak.max(bandwidth(&control));
            trough = trough.min(bandwidth(&control));
            let g = table(&signals, before);
            seen[(g * 2.0).log2() as usize] += 1;
            let expected = before + g / before;
            let error = (control.window().cwnd.as_f64() - expected).abs() / expected;
            assert!(error < 1e-6, "seed {seed}, ACK {i}: gain {g}, {error:e}");
        }
        assert!(
            peak < 1.5 * trough,
            "the bandwidth counts as equal: {trough} to {peak}"
        );
    }
    assert!(
        seen.iter().all(|&times| times > 1_000),
        "every gain takes part: {seen:?}"
    );
}
