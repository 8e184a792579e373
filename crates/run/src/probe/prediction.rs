//! The throughput that an equation predicts for the flows of a run, from measurements between two
//! samples.
//!
//! The measurements follow Padhye et al. 1998, section 3, and TFRC Veno, section III-A, which apply
//! equations to traces. p is the number of loss indications (loss episodes and series of timeouts)
//! divided by the number of packets sent. R is the mean round-trip time. T0 is the mean of the
//! first timeouts of all series; without a timeout, it is the timeout in force. BaseRTT is the mean
//! over the loss episodes of the BaseRTT with which the control decided; without an episode, it is
//! the last known value. Wmax is the largest window.

use dumbbell_scenario::Equation;
use dumbbell_sim::Time;
use dumbbell_tfrc::equation::{Cut, Flow};

use crate::flow::tcp::TcpSender;
use crate::flow::watched::{Ledger, lock};

/// The predictions of a run.
pub(super) struct Predictions {
    equation: Equation,
    flows: Vec<Past>,
}

/// The state of a flow at the previous sample.
#[derive(Clone, Copy)]
struct Past {
    packets_per_ack: f64,
    totals: Option<Totals>,
    /// Mean BaseRTT of the last interval with a loss episode, in seconds.
    base_rtt: Option<f64>,
}

/// The totals of a flow so far.
#[derive(Clone, Copy, Debug, Default)]
struct Totals {
    sent: u64,
    indications: u64,
    rtts: u64,
    rtt_sum: u64,
    first_timeouts: u64,
    first_timeouts_time: u64,
    bases: u64,
    base_sum: f64,
}

/// The measurements between two samples.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    /// Packets per second.
    rate: f64,
    loss: f64,
    /// The other fields are times in seconds, and the window in packets.
    rtt: f64,
    base_rtt: Option<f64>,
    rto: f64,
    max_window: f64,
    packets_per_ack: f64,
}

impl Predictions {
    /// Creates predictions for flows with this many packets per ACK.
    pub(super) fn new(equation: Equation, packets_per_ack: Vec<f64>) -> Self {
        let past = |packets_per_ack| Past {
            packets_per_ack,
            totals: None,
            base_rtt: None,
        };
        Self {
            equation,
            flows: packets_per_ack.into_iter().map(past).collect(),
        }
    }

    /// Reports the measurements of a flow since the previous sample, an interval ago, and the
    /// predictions of the equation. Reports nothing if there was no packet or no round-trip time,
    /// and no prediction if there was no loss.
    pub(super) fn of(
        &mut self,
        flow: usize,
        sender: &TcpSender,
        interval: Time,
        out: &mut dyn FnMut(&str, f64),
    ) {
        let company = sender.company();
        let Some(ledger) = company.and_then(|company| lock(company).read_ledger()) else {
            return;
        };
        let past = &mut self.flows[flow];
        let now = Totals::of(sender, &ledger);
        let Some(before) = past.totals.replace(now) else {
            return;
        };
        let bases = now.bases - before.bases;
        if bases > 0 {
            past.base_rtt = Some((now.base_sum - before.base_sum) / bases as f64);
        }
        let sent = now.sent - before.sent;
        let rtts = now.rtts - before.rtts;
        if sent == 0 || rtts == 0 {
            return;
        }
        let timeouts = now.first_timeouts - before.first_timeouts;
        let peak = ledger.peak.max(sender.tcp().window().0.cwnd);
        let measured = Measured {
            rate: sent as f64 / interval.as_secs_f64(),
            loss: (now.indications - before.indications) as f64 / sent as f64,
            rtt: (now.rtt_sum - before.rtt_sum) as f64 / rtts as f64 / 1e9,
            base_rtt: past.base_rtt,
            rto: if timeouts > 0 {
                let time = now.first_timeouts_time - before.first_timeouts_time;
                time as f64 / timeouts as f64 / 1e9
            } else {
                sender.tcp().timeout().as_secs_f64()
            },
            max_window: peak.as_f64(),
            packets_per_ack: past.packets_per_ack,
        };
        measured.report(self.equation, out);
    }
}

impl Totals {
    fn of(sender: &TcpSender, ledger: &Ledger) -> Self {
        let counters = sender.tcp().counters();
        Self {
            sent: counters.sent,
            indications: counters.fast_recoveries + ledger.first_timeouts,
            rtts: sender.tcp().rtt_samples(),
            rtt_sum: sender.seen.rtt_sum(),
            first_timeouts: ledger.first_timeouts,
            first_timeouts_time: ledger.first_timeouts_time,
            bases: ledger.bases,
            base_sum: ledger.base_sum,
        }
    }
}

impl Measured {
    /// The inputs of an equation for this mean cut.
    fn flow(&self, cut: f64) -> Flow {
        Flow {
            rtt: self.rtt,
            rto: self.rto,
            packets_per_ack: self.packets_per_ack,
            cut,
            max_window: self.max_window,
        }
    }

    fn report(&self, equation: Equation, out: &mut dyn FnMut(&str, f64)) {
        out("measured", self.rate);
        out("loss", self.loss);
        out("rtt", self.rtt);
        if let Some(base_rtt) = self.base_rtt {
            out("base_rtt", base_rtt);
        }
        out("rto", self.rto);
        out("max_window", self.max_window);
        if self.loss <= 0.0 {
            return;
        }
        let cut = match equation {
            Equation::Reno => 0.5,
            Equation::Veno => {
                // Without a BaseRTT no backlog is known, so every loss counts as random.
                let base_rtt = self.base_rtt.unwrap_or(self.rtt);
                out(
                    "least",
                    self.flow(Cut::TCP_VENO.congestion).approximate(self.loss),
                );
                out(
                    "most",
                    self.flow(Cut::TCP_VENO.random).approximate(self.loss),
                );
                Cut::TCP_VENO.mean(self.rtt, base_rtt, self.max_window)
            }
        };
        out("cut", cut);
        out("approximate", self.flow(cut).approximate(self.loss));
        out("complete", self.flow(cut).complete(self.loss));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn reported(measured: Measured, equation: Equation) -> BTreeMap<String, f64> {
        let mut all = BTreeMap::new();
        measured.report(equation, &mut |name, number| {
            all.insert(name.to_owned(), number);
        });
        all
    }

    const MEASURED: Measured = Measured {
        rate: 90.0,
        loss: 0.01,
        rtt: 0.2,
        base_rtt: Some(0.1),
        rto: 0.4,
        max_window: 64.0,
        packets_per_ack: 1.0,
    };

    /// The results of Padhye's and Veno's equations for R = 0.2 s, T0 = 0.4 s, Wmax = 64 were
    /// calculated independently: 57.847 and 58.592 with g = 1/2, 100.615 by the approximation with
    /// g = 0.8.
    #[test]
    fn equations_use_the_measurements() {
        let reno = reported(MEASURED, Equation::Reno);
        assert!((reno["complete"] - 57.847).abs() < 1e-3);
        assert!((reno["approximate"] - 58.592).abs() < 1e-3);
        assert!(!reno.contains_key("least"));
        let veno = reported(MEASURED, Equation::Veno);
        assert!((veno["least"] - 58.592).abs() < 1e-3);
        assert!((veno["most"] - 100.615).abs() < 1e-3);
        // 0.5 + 0.3 * 3 * 0.2 / (0.1 * 64) = 0.528125
        assert!((veno["cut"] - 0.528125).abs() < 1e-12);
        assert!(veno["approximate"] > veno["least"] && veno["approximate"] < veno["most"]);
    }

    #[test]
    fn there_is_no_prediction_without_losses() {
        let measured = Measured {
            loss: 0.0,
            base_rtt: None,
            ..MEASURED
        };
        let all = reported(measured, Equation::Veno);
        let names: Vec<&str> = all.keys().map(String::as_str).collect();
        assert_eq!(names, ["loss", "max_window", "measured", "rto", "rtt"]);
    }

    #[test]
    fn every_loss_is_random_without_a_backlog() {
        let measured = Measured {
            base_rtt: None,
            ..MEASURED
        };
        assert_eq!(reported(measured, Equation::Veno)["cut"], 0.8);
    }
}
