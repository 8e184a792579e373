//! Veno+, reconstructed: VenoDB without the improvements that VenoDB claims over it. Not the published
//! scheme.
//!
//! Source: only VenoDB, section 2.2: Veno+ "joined the throughput estimation and relative delay together
//! as the judgment conditions to realize a more detailed division of the network states"; its
//! throughput is "gained simply by the ratio of cwnd and round-trip time", its relative delay is "the
//! difference of ACK packet arrival interval and packet transmission interval", and it leaves "the
//! traditional FF algorithm intact". The original table is not known, so VenoDB's is used. The two then
//! differ only in what VenoDB claims to have improved.
//!
//! | | Veno+, reconstructed | VenoDB |
//! |---|---|---|
//! | bandwidth | Th = cwnd / RTT, the RTT in N | Westwood's estimate |
//! | relative delay | between arrivals of ACKs | between arrivals of data, by the receiver |
//! | recovery | Reno's | NewReno's |
//!
//! Everything else is as in [`venodb`]. VenoDB with `bw_source` = throughput and `stamp_source` = ack is
//! the same control.
//!
//! Initial values: VenoDB's. Defaults: VenoDB's.
//!
//! Readings: VenoDB's. Deviations: unknown. Signals: RTT; sending times. Hosts: all.

use crate::algorithm::venodb::{self, BandwidthSource, StampSource, Table, VenoDb, rules};
use crate::controller::{Algorithm, Controller, Origin, Signals, Value, Window};
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Rules};
use crate::parameter::parameters;
use crate::units::Segments;

parameters! {
    /// Veno+'s parameters: VenoDB's, without those of its bandwidth estimate.
    pub struct Config {
        use table: Table;
        use growth: Rules;
        use cuts: Cuts;
    }
}

/// Veno+, reconstructed: a [`VenoDb`] with other sources of its signals.
#[derive(Clone, Debug)]
pub struct VenoPlus(VenoDb);

impl Algorithm for VenoPlus {
    const NAME: &'static str = "veno+";
    const ALIASES: &'static [&'static str] = &["venoplus", "veno_plus"];
    const SUMMARY: &'static str =
        "VenoDB with cwnd/RTT, ACK arrivals and Reno's recovery, after VenoDB, section 2.2";
    const ORIGIN: Origin = Origin::Reconstruction;
    const NEEDS: Signals = Signals::RTT;
    const RECOVERIES: &'static [&'static str] = &["reno", "newreno", "sack"];
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        let Config {
            table,
            growth,
            cuts,
        } = *config;
        let config = venodb::Config {
            table,
            growth,
            cuts,
            bw_source: BandwidthSource::Throughput,
            stamp_source: StampSource::Ack,
            ..venodb::Config::default()
        };
        Self(VenoDb::new(&config, path))
    }
}

impl Controller for VenoPlus {
    #[inline]
    fn on_sample(&mut self, sample: &Sample) {
        self.0.on_sample(sample);
    }

    #[inline]
    fn on_ack(&mut self, ack: &Ack) {
        self.0.on_ack(ack);
    }

    fn on_loss(&mut self, loss: &Loss) {
        self.0.on_loss(loss);
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.0.on_timeout(timeout);
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.0.on_mss(change);
    }

    #[inline]
    fn window(&self) -> Window {
        self.0.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.0.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.0.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.0.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.0.explain_by(&rules::VENO_PLUS, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::algorithm::testing::{
        ack, assert_near, at, branch, number, path, sample, span, stamps_at,
    };
    use crate::estimate::rtt::RttMode;

    /// A control with cwnd 20 in congestion avoidance that uses the last RTT.
    fn control() -> VenoPlus {
        let mut config = Config::default();
        config.table.rtt_mode = RttMode::Last;
        VenoPlus::new(&config, &path(20.0, 2.0))
    }

    /// A control after an RTT of 60 ms and, a while later, two ACKs 4 ms apart with RTTs of 74 ms and
    /// `rtt`.
    fn judged(rtt: f64) -> VenoPlus {
        let mut control = control();
        control.on_sample(&sample(1000.0, 60.0));
        control.on_sample(&sample(1200.0, 74.0));
        control.on_sample(&sample(1204.0, rtt));
        control.on_ack(&Ack {
            now: at(1204.0),
            ..ack(1.0)
        });
        control
    }

    #[test]
    fn the_throughput_is_that_of_the_window() {
        // 20,000 bytes in 75 ms now, in 60 ms an RTT ago.
        let control = judged(75.0);
        assert_near(number(&control, "bwe"), 2_133_333.333333);
        assert_near(number(&control, "bwe_past"), 2_666_666.666667);
    }

    #[test]
    fn the_relative_delay_compares_arrivals_of_acks() {
        assert_near(number(&judged(75.0), "relative_delay"), 0.001);
        assert_near(number(&judged(73.0), "relative_delay"), -0.001);
        // D > 0, Th falls: S3; dD = 1 ms - 14 ms < 0. D < 0: S1.
        assert_eq!(branch(&judged(75.0)), "S3, easing");
        assert_eq!(branch(&judged(73.0)), "S1");
    }

    #[test]
    fn only_the_sending_time_of_the_receivers_stamps_counts() {
        let mut control = control();
        for (sent, received, now) in [(940.0, 5.0, 1000.0), (944.0, 7.0, 1006.0)] {
            control.on_sample(&Sample {
                stamps: Some(stamps_at(sent, received)),
                rtt: Some(span(50.0)),
                duplicate: true,
                ..sample(now, 0.0)
            });
        }
        // ACKs 6 ms apart of packets 4 ms apart.
        assert_near(number(&control, "relative_delay"), 0.002);
    }
}
