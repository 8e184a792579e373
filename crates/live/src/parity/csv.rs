//! A parity as CSV.

use std::fmt::Write as _;

use super::Parity;
use crate::trials::Trial as _;

impl Parity {
    /// Returns one line per run.
    pub fn runs_csv(&self) -> String {
        let mut text = String::from(
            "control,host,seed,goodput_bps,packets,lost,cuts,rtt_mean_s,late_p99_s,faults,repeated\n",
        );
        let number = |value: Option<f64>| value.map_or_else(String::new, |it| it.to_string());
        for row in &self.rows {
            for side in &row.sides {
                let host = side.host.name();
                for run in &side.runs {
                    let it = &run.measured;
                    // Writing to a string cannot fail, here and below.
                    let _ = writeln!(
                        text,
                        "{},{host},{},{},{},{},{},{},{},{},{}",
                        row.label,
                        run.seed,
                        it.goodput_bps,
                        it.segments,
                        it.retransmits,
                        it.cuts,
                        number(it.rtt_mean_s),
                        run.network.lateness.p99_s,
                        run.doubts().len(),
                        run.repeated
                    );
                }
                for it in &side.simulated {
                    let _ = writeln!(
                        text,
                        "{},{host},{},{},{},{},{},{},,,",
                        row.label,
                        it.seed,
                        it.goodput_bps,
                        it.segments,
                        it.retransmits,
                        it.cuts,
                        number(it.rtt_mean_s)
                    );
                }
            }
        }
        text
    }

    /// Returns one line per sample of a window.
    pub fn windows_csv(&self) -> String {
        let mut text = String::from("control,host,seed,time_s,cwnd\n");
        for row in &self.rows {
            for side in &row.sides {
                let host = side.host.name();
                let real = side.runs.iter().flat_map(|run| {
                    let samples = run.measured.samples.iter();
                    samples.map(|it| (run.seed, it.at_s, f64::from(it.cwnd)))
                });
                let simulated = side.simulated.iter().flat_map(|run| {
                    let windows = run.windows.iter();
                    windows.map(|(at, cwnd)| (run.seed, *at, *cwnd))
                });
                for (seed, at, cwnd) in real.chain(simulated) {
                    let _ = writeln!(text, "{},{host},{seed},{at:.6},{cwnd}", row.label);
                }
            }
        }
        text
    }
}
