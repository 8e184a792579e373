//! A comparison as CSV.

use std::fmt::Write as _;

use super::Comparison;
use crate::trials::Trial as _;

impl Comparison {
    /// Returns one line per run of the kernel and of the simulator.
    pub fn runs_csv(&self) -> String {
        let mut text = String::from(
            "control,host,seed,goodput_bps,segments,retransmits,cuts,rtt_mean_s,late_p99_s,faults,repeated\n",
        );
        let number = |value: Option<f64>| value.map_or_else(String::new, |it| it.to_string());
        for row in &self.rows {
            for run in &row.runs {
                let it = &run.measured;
                // Writing to a string cannot fail, here and below.
                let _ = writeln!(
                    text,
                    "{},kernel,{},{},{},{},{},{},{},{},{}",
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
            for it in &row.predicted {
                let _ = writeln!(
                    text,
                    "{},simulator,{},{},{},{},{},{},,,",
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
        text
    }

    /// Returns one line per sample of a connection.
    pub fn windows_csv(&self) -> String {
        let mut text = String::from("control,host,seed,time_s,cwnd,ssthresh,rtt_s\n");
        for row in &self.rows {
            for run in &row.runs {
                for it in &run.measured.samples {
                    let ssthresh = it.ssthresh.map_or_else(String::new, |it| it.to_string());
                    let _ = writeln!(
                        text,
                        "{},kernel,{},{:.6},{},{ssthresh},{}",
                        row.label, run.seed, it.at_s, it.cwnd, it.rtt_s
                    );
                }
            }
            for run in &row.predicted {
                for (at, cwnd) in &run.windows {
                    let _ = writeln!(
                        text,
                        "{},simulator,{},{at:.6},{cwnd},,",
                        row.label, run.seed
                    );
                }
            }
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Predicted, Row};
    use super::*;

    #[test]
    fn a_line_has_as_many_fields_as_the_header() {
        let predicted = Predicted {
            seed: 7,
            goodput_bps: 1e6,
            segments: 100,
            retransmits: 3,
            cuts: 2,
            rtt_mean_s: None,
            elapsed_s: 1.0,
            windows: vec![(0.5, 12.0)],
        };
        let found = Comparison {
            rows: vec![Row {
                label: "reno".to_owned(),
                kernel_name: "reno".to_owned(),
                simulated: Some("reno".to_owned()),
                runs: Vec::new(),
                predicted: vec![predicted],
            }],
            explanations: Vec::new(),
            planned: 1,
            duration_s: 1.0,
            interval_s: 0.5,
            first_seed: 7,
        };
        let line = |text: String| text.lines().nth(1).map(str::to_owned);
        let runs = line(found.runs_csv());
        assert_eq!(
            runs.as_deref(),
            Some("reno,simulator,7,1000000,100,3,2,,,,")
        );
        let windows = line(found.windows_csv());
        assert_eq!(windows.as_deref(), Some("reno,simulator,7,0.500000,12,,"));
    }
}
