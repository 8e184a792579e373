//! SARBE with LDED: a loss sets the threshold from the bandwidth measured at the receiver, and cuts the
//! window only if congestion had begun.
//!
//! Paper: Le Tuan Anh and Choong Seon Hong, "Enhanced TCP with End-to-End Bandwidth and Loss
//! Differentiation Estimate over Heterogeneous Networks", ICCS 2005, sections 2 and 3.
//!
//! N = RTTmin * (cwnd / RTTmin - cwnd / RTT); oCwnd = bwe * RTTmin / MSS. Congestion begins at
//! N >= beta and is over at N <= alpha; between the two, the state does not change.
//!
//! | event | condition | rule |
//! |---|---|---|
//! | every ACK | | B = bytes / spacing at the receiver; bwe = stability filter(B) |
//! | ACK, cwnd < ssthresh | congestion | ssthresh = max(oCwnd, 2), then as below |
//! | ACK, cwnd < ssthresh | | cwnd += 1 |
//! | ACK, cwnd >= ssthresh | | cwnd += 1/cwnd |
//! | loss (3 duplicate ACKs) | congestion | ssthresh = max(oCwnd, 2), cwnd = min(cwnd, ssthresh) |
//! | | no congestion | ssthresh = max(oCwnd, 2), cwnd stays |
//! | timeout | | ssthresh = max(oCwnd, 2), cwnd = 1 |
//!
//! Initial values: no congestion; bwe, RTT and RTTmin unknown. Defaults: alpha 1, beta 3 (section
//! 2), gain 0.8, and the current and last N = 8 instabilities (section 3.1).
//!
//! Readings
//! * The maximum in equation 3 runs over N + 1 values, as printed; the text says N.
//! * RTT is the latest sample. RTTmin is the minimum since the connection began.
//! * "The timestamp of the ACK" is the arrival time of the packet that triggered it. The bytes of an
//!   ACK without that time (of a retransmitted or reordered packet), or with one no later than the
//!   last, are counted with the next ACK.
//! * A duplicate ACK counts for the segment that left the network.
//! * Before the first sample oCwnd is 0, so a loss sets ssthresh to its floor, as in Westwood.
//! * A random loss while cwnd is below oCwnd leaves the window in slow start, as printed.
//! * At the end of a recovery, the window is that which the loss left, not ssthresh. The paper names
//!   no recovery: NewReno is the usual one here.
//! * "LDED" and "LDEA" are the same thing.
//!
//! Deviations: section 3.2 prints ssthresh = oCwnd, without a floor of 2 (`min_ssthresh`: RFC 5681, eq. 4).
//! Signals: RTT, the receiver's stamps. Hosts: those that carry stamps; the twin in C is `bpf/sarbe.h`.

mod rules;

use crate::controller::{Algorithm, Controller, Facts, Signals, Value, Window};
use crate::estimate::backlog;
use crate::estimate::bandwidth;
use crate::estimate::base_rtt::BaseRtt;
use crate::estimate::incipient::{Incipient, Thresholds};
use crate::estimate::rtt::Rtt;
use crate::estimate::sarbe;
use crate::event::{Ack, Loss, MssChange, Path, Sample, Timeout};
use crate::growth::{Cuts, Growth, Rules};
use crate::parameter::parameters;
use crate::snapshot::Snapshot;
use crate::units::{Rate, Segments};
use rules::Branch;

parameters! {
    /// SARBE's parameters.
    pub struct Config {
        use thresholds: Thresholds;
        use bandwidth: sarbe::Config;
        use growth: Rules;
    }
}

/// SARBE. 280 bytes, parameters included; 160 of them are the state of the filter.
#[derive(Clone, Debug)]
pub struct Sarbe {
    growth: Growth,
    rtt: Rtt,
    rtt_min: BaseRtt,
    thresholds: Thresholds,
    bandwidth: sarbe::Sarbe,
    tuning: sarbe::Config,
    mss: u32,
    congestion: Incipient,
    branch: Branch,
}

const _: () = assert!(size_of::<Sarbe>() <= 280);

impl Sarbe {
    /// The window that fills the path; zero while bandwidth or RTT are unknown.
    fn path_window(&self) -> Segments {
        let rate = self.bandwidth.rate().unwrap_or(Rate::ZERO);
        let rtt = self.rtt_min.duration().unwrap_or_default();
        bandwidth::window(rate, rtt, self.mss)
    }
}

impl Snapshot for Sarbe {
    fn snapshot(&self, out: &mut dyn FnMut(&'static str, u64)) {
        self.growth.snapshot(out);
        self.rtt.snapshot(out);
        self.rtt_min.snapshot(out);
        self.bandwidth.snapshot(out);
        out("congestion", self.congestion.is_on().into());
        out("rule", self.branch as u64);
    }
}

impl Algorithm for Sarbe {
    const NAME: &'static str = "sarbe";
    const ALIASES: &'static [&'static str] = &["lded"];
    const SUMMARY: &'static str = "Reno that cuts the window to the bandwidth at the receiver, and only in congestion \
         (Anh and Hong 2005)";
    const NEEDS: Signals = Signals::RECEIVER_TIME;
    const RECOVERIES: &'static [&'static str] = &["newreno", "reno", "sack"];
    const FACTS: Facts = Facts {
        ack_moves_ssthresh: true,
        ..Facts::WESTWOOD
    };
    type Config = Config;

    fn create(config: &Config, path: &Path) -> Self {
        Self {
            growth: Growth::new(&config.growth, &Cuts::default(), path),
            rtt: Rtt::default(),
            rtt_min: BaseRtt::default(),
            thresholds: config.thresholds,
            bandwidth: sarbe::Sarbe::default(),
            tuning: config.bandwidth,
            mss: path.mss.segment_size(),
            congestion: Incipient::default(),
            branch: Branch::None,
        }
    }
}

impl Controller for Sarbe {
    fn on_sample(&mut self, sample: &Sample) {
        if let Some(rtt) = sample.rtt_of_new_data() {
            self.rtt_min.observe(rtt);
            self.rtt.replace(rtt);
        }
        let bytes = bandwidth::bytes(sample.credited, self.mss);
        let arrival = sample.stamps.map(|stamps| stamps.received_at);
        self.bandwidth.observe(&self.tuning, arrival, bytes);
        let cwnd = self.growth.cwnd();
        self.congestion
            .observe(&self.thresholds, cwnd, &self.rtt, &self.rtt_min);
    }

    fn on_ack(&mut self, ack: &Ack) {
        self.branch = if !self.growth.is_slow_start() {
            Branch::Avoidance
        } else if !self.congestion.is_on() {
            Branch::SlowStart
        } else {
            self.growth.set_ssthresh(self.path_window());
            if self.growth.is_slow_start() {
                Branch::CongestedSlowStart
            } else {
                Branch::CutShort
            }
        };
        self.growth.grow(ack);
    }

    fn on_loss(&mut self, _: &Loss) {
        if self.congestion.is_on() {
            self.growth.limit(self.path_window());
            self.branch = Branch::Congestion;
        } else {
            self.growth.set_ssthresh(self.path_window());
            self.branch = Branch::Random;
        }
    }

    fn on_timeout(&mut self, timeout: &Timeout) {
        self.growth.restart(self.path_window(), timeout.in_flight);
        self.branch = Branch::Timeout;
    }

    fn on_mss(&mut self, change: &MssChange) {
        self.growth.rescale(change);
        self.mss = change.after.segment_size();
    }

    #[inline]
    fn window(&self) -> Window {
        self.growth.window()
    }

    fn restrict(&mut self, cwnd: Segments) {
        self.growth.restrict(cwnd);
    }

    fn restore(&mut self, before: &Window) {
        self.growth.restore(before);
    }

    fn end_slow_start(&mut self) {
        self.growth.end_slow_start();
    }

    fn explain(&self, out: &mut dyn FnMut(&'static str, Value)) {
        self.growth.explain(out);
        let backlog = backlog::estimate(self.growth.cwnd(), &self.rtt, &self.rtt_min);
        if let Some(n) = backlog {
            out("backlog", Value::Segments(n));
        }
        if let Some(rtt) = self.rtt_min.duration() {
            out("base_rtt", Value::Seconds(rtt.as_secs_f64()));
        }
        if let Some(rtt) = self.rtt.duration() {
            out("rtt", Value::Seconds(rtt.as_secs_f64()));
        }
        if let Some(rate) = self.bandwidth.rate() {
            out("bwe", Value::BitRate(rate.as_bits_per_second()));
        }
        let target = self.growth.permitted(self.path_window());
        out("path_window", Value::Segments(target.as_f64()));
        let begun = self.congestion.is_on();
        out(
            "congestion",
            Value::State(if begun { "begun" } else { "none" }),
        );
        out("rule", Value::Rule(self.branch.rule(&self.growth)));
    }
}

#[cfg(test)]
mod tests;
