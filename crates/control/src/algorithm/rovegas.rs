//! RoVegas: Vegas that leaves out how long its ACKs waited, which routers tell.
//!
//! Paper: "Design and performance evaluation of an improved TCP congestion avoidance scheme"
//! (RoVegas), section 3, equations 2 and 3.
//!
//! QTf and QTb are what routers reported of the data packet and of its ACK (AQT-echo and AQT).
//!
//! | event | condition | rule |
//! |---|---|---|
//! | ACK | with a report | BaseRTT = min(BaseRTT, RTT - QTf - QTb) |
//! | | without | BaseRTT = min(BaseRTT, RTT) |
//! | round | | diff = cwnd * (1 - BaseRTT / (rtt - qb)), rtt and qb the round's means of RTT and QTb |
//! | round, avoidance | diff > beta | cwnd = max(2, cwnd - 1) |
//! | | diff < alpha | + 1 over the coming round |
//! | | else | no growth in the coming round |
//!
//! Slow start, loss, timeout: as Vegas, slow start with the same diff. Initial values and defaults:
//! Vegas' (alpha 1, beta 3: RoVegas, section 4).
//!
//! Readings
//! * "The newly measured RTT" is the mean of the round's samples, as in Vegas, and QTb that of the
//!   same samples. In a round with both kinds of ACK only those with a report count.
//! * rtt - qb is never below BaseRTT, since the samples of the round take part in BaseRTT first.
//! * A report of at least the RTT itself cannot be right; its ACK counts as one without.
//! * Timers go by the whole RTT.
//! * BaseRTT is never forgotten. With routers that report only on a part of the path it is the
//!   minimum of RTTs that are corrected in part.
//!
//! Deviations: none. Signals: RTT, the waiting times that routers report. Hosts: those whose routers
//! report them; the usual recovery is Vegas' own. The twin in C is `bpf/rovegas.h`.

use crate::algorithm::vegas::{Vegas, rules};
use crate::controller::{Algorithm, Controller, Signals, Value, Window};
use crate::event::{Ack, Loss, Path, Queueing, Sample, Timeout};
use crate::snapshot::Snapshot;
use crate::units::{Duration, Segments};

/// Vegas' parameters.
pub use crate::algorithm::vegas::Config;

/// RoVegas. 184 bytes, parameters included.
#[derive(Clone, Debug)]
pub struct RoVegas {
    vegas: Vegas,
    /// Sum of QTb over the round's samples.
    waits: Duration,
    /// Its mean when the last round was judged, for people.
    judged: Duration,
    /// Reports are what the round's samples have.
    reported: bool,
}

const _: () = assert!(size_of::<RoVegas>() <= 184);

impl RoVegas {
    fn begin_samples(&mut self, reported: bool) {
        self.vegas.forget_samples();
        self.waits = Duration::ZERO;
        self.reported = reported;
    }
}

impl Snapshot for RoVegas {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.vegas.snapshot(out);
        out("waits", self.waits.as_nanos());
        out("reported", self.reported.into());
    }
}

impl Algorithm for RoVegas {
    const NAME: &'static str = "rovegas";
    const ALIASES: &'static [&'static str] = &["ro-vegas", "ro_vegas"];
    const SUMMARY: &'static str =
        "Vegas without the queues that ACKs meet, which routers report (RoVegas, section 3)";
    const NEEDS: Signals = Signals {
        queueing: true,
        ..Signals::RTT
    };
    const RECOVERIES: &'static [&'static str] = Vegas::RECOVERIES;
    type Config = Config;

    fn new(config: &Config, path: &Path) -> Self {
        Self {
            vegas: Vegas::new(config, path),
            waits: Duration::ZERO,
            judged: Duration::ZERO,
            reported: false,
        }
    }
}

impl Controller for RoVegas {
    fn on_sample(&mut self, sample: &Sample) {
        let Some(rtt) = sample.rtt_of_new_data() else {
            return;
        };
        let credible = |q: &Queueing| q.forward + q.backward < rtt;
        let report = sample.queueing.filter(credible);
        let first = self.vegas.samples() == 0;
        if first || (report.is_some() && !self.reported) {
            self.begin_samples(report.is_some());
        }
        let (least, compared) = match report {
            Some(Queueing { forward, backward }) => {
                self.waits = self.waits + backward;
                let compared = rtt.saturating_sub(backward);
                (compared.saturating_sub(forward), Some(compared))
            }
            None => (rtt, (!self.reported).then_some(rtt)),
        };
        self.vegas.observe(sample.now, rtt, least, compared);
    }

    fn on_ack(&mut self, ack: &Ack) {
        if self.vegas.mean_of_past_round().is_some() {
            let samples = u64::from(self.vegas.samples().max(1));
            self.judged = Duration::from_nanos(self.waits.as_nanos() / samples);
        }
        self.vegas
            .take(ack, |vegas, diff| vegas.judge(diff, &rules::ROVEGAS));
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.vegas.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.vegas.on_timeout(timeout);
    }

    #[inline]
    fn window(&self) -> Window {
        self.vegas.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.vegas.restrict(cwnd);
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        out("ack_wait", Value::Seconds(self.judged.as_secs_f64()));
        self.vegas.explain(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{
        ack, assert_near, assert_segments, at, branch, number, path, sample, span,
    };

    /// A sample whose data and ACK waited `forward` and `backward` ms.
    fn reported(now: f64, rtt: f64, forward: f64, backward: f64) -> Sample {
        Sample {
            queueing: Some(Queueing {
                forward: span(forward),
                backward: span(backward),
            }),
            ..sample(now, rtt)
        }
    }

    /// An ACK that ends a round, of a window that is not used.
    fn end_round(control: &mut impl Controller, now: f64) {
        control.on_ack(&Ack {
            now: at(now),
            app_limited: true,
            ..ack(1.0)
        });
    }

    /// In congestion avoidance, BaseRTT being 115 ms, its first round over at 1000 ms.
    fn known<C: Algorithm>(cwnd: f64) -> C
    where
        C::Config: Default,
    {
        let mut control = C::new(&Default::default(), &path(cwnd, 2.0));
        control.on_sample(&sample(1000.0, 115.0));
        end_round(&mut control, 1000.0);
        control
    }

    #[test]
    fn v12_2_base_rtt() {
        let mut control: RoVegas = known(20.0);
        control.on_sample(&reported(1100.0, 150.0, 10.0, 30.0));
        assert_near(number(&control, "base_rtt"), 0.110);
        // Without a report the whole RTT counts.
        control.on_sample(&sample(1101.0, 109.0));
        assert_near(number(&control, "base_rtt"), 0.109);
    }

    #[test]
    fn v12_3_window() {
        let mut control: RoVegas = known(20.0);
        control.on_sample(&reported(1150.0, 150.0, 10.0, 30.0));
        end_round(&mut control, 1150.0);
        assert_eq!(branch(&control), "enough waits");
        assert_near(number(&control, "diff"), 1.666667);
        assert_near(number(&control, "ack_wait"), 0.030);
        assert_segments(control.window().cwnd, 20.0);

        // Plain Vegas with the same BaseRTT: 20 * (1 - 110 / 150).
        let mut vegas: Vegas = known(20.0);
        vegas.on_sample(&sample(1110.0, 110.0));
        end_round(&mut vegas, 1110.0);
        assert_segments(vegas.window().cwnd, 20.0);
        vegas.on_sample(&sample(1260.0, 150.0));
        end_round(&mut vegas, 1260.0);
        assert_eq!(branch(&vegas), "too much waits");
        assert_near(number(&vegas, "diff"), 5.333333);
        assert_segments(vegas.window().cwnd, 19.0);
    }

    #[test]
    fn a_round_with_both_kinds_goes_by_the_reports() {
        for reports_first in [false, true] {
            let mut control: RoVegas = known(20.0);
            let with = reported(1100.0, 150.0, 10.0, 30.0);
            let without = sample(1110.0, 200.0);
            let order = if reports_first {
                [with, without]
            } else {
                [without, with]
            };
            for sample in order {
                control.on_sample(&sample);
            }
            control.on_sample(&reported(1150.0, 150.0, 10.0, 30.0));
            end_round(&mut control, 1150.0);
            assert_near(number(&control, "diff"), 1.666667);
        }
    }

    #[test]
    fn a_round_without_a_report_is_vegas_s() {
        let mut control: RoVegas = known(20.0);
        control.on_sample(&reported(1150.0, 150.0, 10.0, 30.0));
        end_round(&mut control, 1150.0);
        // 20 * (1 - 110 / 150).
        control.on_sample(&sample(1300.0, 150.0));
        end_round(&mut control, 1300.0);
        assert_near(number(&control, "diff"), 5.333333);
        assert_near(number(&control, "ack_wait"), 0.0);
        assert_eq!(branch(&control), "too much waits");
        assert_segments(control.window().cwnd, 19.0);
    }

    #[test]
    fn a_report_of_more_than_the_rtt_is_none() {
        let mut control: RoVegas = known(20.0);
        control.on_sample(&reported(1100.0, 150.0, 100.0, 50.0));
        assert_near(number(&control, "base_rtt"), 0.115);
        assert_near(number(&control, "rtt"), 0.150);
    }
}
