//! RoVegas: Vegas without the queueing time of ACKs, which routers report.
//!
//! Paper: "Design and performance evaluation of an improved TCP congestion avoidance scheme"
//! (RoVegas), section 3, equations 2 and 3.
//!
//! QTf and QTb are the queueing times that routers reported for the data packet and for its ACK
//! (AQT-echo and AQT).
//!
//! | event | condition | rule |
//! |---|---|---|
//! | ACK | with a report | BaseRTT = min(BaseRTT, RTT - QTf - QTb) |
//! | | without a report | BaseRTT = min(BaseRTT, RTT) |
//! | end of a round | | diff = cwnd * (1 - BaseRTT / (rtt - qb)), with the round's means rtt of RTT and qb of QTb |
//! | end of a round in avoidance | diff > beta | cwnd = max(2, cwnd - 1) |
//! | | diff < alpha | + 1 over the coming round |
//! | | else | no growth in the coming round |
//!
//! Slow start, loss, timeout: as in Vegas, but slow start uses this diff.
//!
//! Initial values: Vegas'. Defaults: Vegas' (alpha 1, beta 3: RoVegas, section 4).
//!
//! Readings
//! * "The newly measured RTT" is the mean of the round's samples, as in Vegas, and QTb is the mean of
//!   the same samples. In a round with both kinds of ACK, only those with a report count.
//! * rtt - qb is never below BaseRTT, since each sample of the round first lowers BaseRTT.
//! * A report of at least the RTT itself cannot be right; its ACK counts as one without a report.
//! * Timers use the whole RTT.
//! * BaseRTT is never forgotten. If only some of the routers report, BaseRTT is the minimum of RTTs
//!   that are corrected in part.
//!
//! Deviations
//! * Equation 3 has no floor of 2 segments (`min_cwnd`: ns-2's Vegas).
//! * The paper ran ns-2, whose Vegas differs: it rounds diff to whole segments (`int_diff`), and more;
//!   see [`vegas`](super::vegas).
//!
//! Signals: RTT, the queueing times that routers report. Hosts: those whose routers report queueing
//! times; the usual recovery is Vegas' own. The twin in C is `bpf/rovegas.h`.

use crate::algorithm::vegas::{Vegas, rules};
use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::event::{Ack, Loss, MssChange, Path, Queueing, Sample, Timeout};
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
    /// The mean of QTb when the last round was judged, for people.
    judged: Duration,
    /// Whether the round's samples are those of ACKs with a report.
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
        "Vegas without the queueing time of ACKs, which routers report (RoVegas, section 3)";
    const NEEDS: Signals = Signals::RTT.with_queueing();
    const RECOVERIES: &'static [&'static str] = Vegas::RECOVERIES;
    const FACTS: Facts = Vegas::FACTS;
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
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

    fn on_mss(&mut self, change: &MssChange) {
        self.vegas.on_mss(change);
    }

    #[inline]
    fn window(&self) -> Window {
        self.vegas.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.vegas.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.vegas.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.vegas.end_slow_start();
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
        sample(now, rtt).with_queueing(Queueing {
            forward: span(forward),
            backward: span(backward),
        })
    }

    /// Passes an ACK that ends a round. It is application-limited, so the window does not grow.
    fn end_round(control: &mut impl Controller, now: f64) {
        control.on_ack(&Ack {
            now: at(now),
            app_limited: true,
            ..ack(1.0)
        });
    }

    /// A control in congestion avoidance with a BaseRTT of 115 ms, whose first round ended at 1000 ms.
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
    fn base_rtt_leaves_out_the_reported_queueing_times() {
        let mut control: RoVegas = known(20.0);
        control.on_sample(&reported(1100.0, 150.0, 10.0, 30.0));
        assert_near(number(&control, "base_rtt"), 0.110);
        // Without a report the whole RTT counts.
        control.on_sample(&sample(1101.0, 109.0));
        assert_near(number(&control, "base_rtt"), 0.109);
    }

    #[test]
    fn the_queueing_time_of_acks_does_not_count_in_diff() {
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
    fn in_a_round_with_both_kinds_of_ack_only_reports_count() {
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
    fn a_round_without_a_report_is_judged_as_in_vegas() {
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
    fn a_report_of_at_least_the_rtt_is_ignored() {
        let mut control: RoVegas = known(20.0);
        control.on_sample(&reported(1100.0, 150.0, 100.0, 50.0));
        assert_near(number(&control, "base_rtt"), 0.115);
        assert_near(number(&control, "rtt"), 0.150);
    }
}
