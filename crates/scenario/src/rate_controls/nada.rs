//! The parameters of NADA.

use dumbbell_control::parameter::Kind;
use dumbbell_control::units::{Duration, Ratio};
use dumbbell_media::nada;

use super::group::{group, ratio, words};
use super::media::{MOST_RATE, SHORT, share, span};
use crate::document::Table;

words! {
    /// The average loss interval after several of which a loss is forgotten.
    pub enum Average {
        /// That of the closed intervals.
        Closed = "closed",
        /// With the open interval, as RFC 5348 has it.
        WithOpen = "with_open",
    }
}

group! {
    /// The parameters of NADA (RFC 8698, table 2).
    pub struct Nada {
        prio: Ratio = ratio(1_000_000), share(1_000, 100_000_000),
            "PRIO: the weight of the flow (RFC 8698, table 2: 1).";
        rmin: u32 = 150_000, Kind::Rate(1, MOST_RATE),
            "RMIN: the least rate of the encoder in bit/s (150 kb/s); at most rmax.";
        rmax: u32 = 1_500_000, Kind::Rate(1, MOST_RATE),
            "RMAX: the largest rate of the encoder in bit/s (1.5 Mb/s).";
        xref: Duration = Duration::from_millis(10), span(SHORT),
            "XREF: the reference congestion level (10 ms).";
        kappa: Ratio = ratio(500_000), share(1_000, 10_000_000),
            "KAPPA: how fast the gradual update is (0.5).";
        eta: Ratio = ratio(2_000_000), share(0, 100_000_000),
            "ETA: the weight of the congestion signal's change in the gradual update (2).";
        tau: Duration = Duration::from_millis(500), span(SHORT),
            "TAU: the bound of the round-trip time in the gradual update (500 ms).";
        delta: Duration = Duration::from_millis(100), span(SHORT),
            "DELTA: the interval of reports (100 ms).";
        logwin: Duration = Duration::from_millis(500), span(SHORT),
            "LOGWIN: the window of the statistics (500 ms).";
        qeps: Duration = Duration::from_millis(10), span(Duration::ZERO),
            "QEPS: the queueing delay from which the queue counts as building up (10 ms).";
        dfilt: Duration = Duration::from_millis(120), span(Duration::ZERO),
            "DFILT: the bound of the filtering delay (120 ms).";
        gamma_max: Ratio = ratio(500_000), share(0, 10_000_000),
            "GAMMA_MAX: the bound of the increase in the accelerated ramp-up (0.5).";
        qbound: Duration = Duration::from_millis(50), span(Duration::ZERO),
            "QBOUND: the bound of the flow's own queueing delay during the ramp-up (50 ms).";
        multiloss: Ratio = ratio(7_000_000), share(0, 1_000_000_000),
            "MULTILOSS: after how many average loss intervals a loss is forgotten (7).";
        loss_interval: Average = Average::Closed, Kind::Choice(Average::WORDS),
            "The average loss interval: that of the closed intervals, or with the open one as RFC 5348, section 5.4, has it, with which a loss is never forgotten.";
        xmax: Duration = Duration::from_nanos(3_276_700_000), span(SHORT),
            "The largest congestion signal (section 5.3: 3276.7 ms, the largest that 15 bits can say; the authors' simulator has 500 ms).";
        qth: Duration = Duration::from_millis(50), span(SHORT),
            "QTH: the queueing delay from which it is warped (50 ms).";
        lambda: Ratio = ratio(500_000), share(0, 100_000_000),
            "LAMBDA: how strongly it is warped (0.5).";
        plrref: Ratio = ratio(10_000), share(1, 1_000_000),
            "PLRREF: the reference loss ratio (0.01).";
        pmrref: Ratio = ratio(10_000), share(1, 1_000_000),
            "PMRREF: the reference marking ratio (0.01).";
        dloss: Duration = Duration::from_millis(10), span(Duration::ZERO),
            "DLOSS: the delay penalty at the reference loss ratio (10 ms).";
        dmark: Duration = Duration::from_millis(2), span(Duration::ZERO),
            "DMARK: the delay penalty at the reference marking ratio (2 ms).";
        fps: u32 = 30, Kind::Count(1, 1000),
            "FPS: the frames per second with which waiting bytes are weighed (30).";
        beta_s: Ratio = ratio(100_000), share(0, 1_000_000),
            "BETA_S: how much the waiting bytes raise the sending rate (0.1).";
        beta_v: Ratio = ratio(100_000), share(0, 1_000_000),
            "BETA_V: how much the waiting bytes lower the encoder's rate (0.1).";
        alpha: Ratio = ratio(100_000), share(1_000, 1_000_000),
            "ALPHA: the weight of a new loss and marking ratio (0.1).";
    }
}

impl Nada {
    /// Records what contradicts itself in the table from which this was read.
    pub(super) fn check(&self, table: &Table<'_>) {
        if self.rmin > self.rmax {
            table.wrong(
                "`rmin` is above `rmax`",
                "the least rate is at most the largest one",
            );
        }
    }

    /// Returns the configuration.
    pub(super) fn config(&self) -> nada::Config {
        nada::Config {
            prio: self.prio.as_f64(),
            rmin: self.rmin.into(),
            rmax: self.rmax.into(),
            xref: self.xref.as_secs_f64(),
            kappa: self.kappa.as_f64(),
            eta: self.eta.as_f64(),
            tau: self.tau.as_secs_f64(),
            delta: self.delta.as_secs_f64(),
            logwin: self.logwin.as_secs_f64(),
            qeps: self.qeps.as_secs_f64(),
            dfilt: self.dfilt.as_secs_f64(),
            gamma_max: self.gamma_max.as_f64(),
            qbound: self.qbound.as_secs_f64(),
            multiloss: self.multiloss.as_f64(),
            with_open: self.loss_interval == Average::WithOpen,
            xmax: self.xmax.as_secs_f64(),
            qth: self.qth.as_secs_f64(),
            lambda: self.lambda.as_f64(),
            plrref: self.plrref.as_f64(),
            pmrref: self.pmrref.as_f64(),
            dloss: self.dloss.as_secs_f64(),
            dmark: self.dmark.as_secs_f64(),
            fps: self.fps.into(),
            beta_s: self.beta_s.as_f64(),
            beta_v: self.beta_v.as_f64(),
            alpha: self.alpha.as_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_those_of_the_control() {
        assert_eq!(Nada::default().config(), nada::Config::default());
    }
}
