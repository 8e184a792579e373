//! Mixtures as CSV.

use std::fmt::Write as _;

use super::{Carried, Together};
use crate::trials::Trial as _;

impl Together {
    /// Returns one line per connection and run, of the kernel and of the simulator. Positions in a mixture count from 1.
    pub fn runs_csv(&self) -> String {
        let mut text = String::from(
            "mixture,place,flow,host,seed,goodput_bps,sent,retransmits,received,rtt_mean_s,jain,faults,repeated\n",
        );
        for mixed in &self.mixtures {
            let mixture = quoted(&mixed.label);
            for run in &mixed.runs {
                for (place, (flow, label)) in run.flows.iter().zip(&mixed.members).enumerate() {
                    let (sent, resent, received, rtt) = match flow {
                        Carried::Tcp(it) => {
                            (it.segments, Some(it.retransmits), None, it.rtt_mean_s)
                        }
                        Carried::Udp(it) => (it.sent, None, Some(it.received), None),
                    };
                    // Writing to a string cannot fail, here and below.
                    let _ = writeln!(
                        text,
                        "{mixture},{},{},kernel,{},{},{sent},{},{},{},{},{},{}",
                        place + 1,
                        quoted(label),
                        run.seed,
                        flow.goodput_bps(),
                        optional(resent),
                        optional(received),
                        optional(rtt),
                        optional(run.jain),
                        run.doubts().len(),
                        run.repeated
                    );
                }
            }
            for flows in &mixed.predicted {
                for (place, (it, label)) in flows.iter().zip(&mixed.members).enumerate() {
                    let _ = writeln!(
                        text,
                        "{mixture},{},{},simulator,{},{},{},{},,{},,,",
                        place + 1,
                        quoted(label),
                        it.seed,
                        it.goodput_bps,
                        it.segments,
                        it.retransmits,
                        optional(it.rtt_mean_s)
                    );
                }
            }
        }
        text
    }

    /// Returns one line per sample of a connection.
    pub fn windows_csv(&self) -> String {
        let mut text = String::from("mixture,place,flow,host,seed,time_s,cwnd,ssthresh,rtt_s\n");
        for mixed in &self.mixtures {
            let start = |place: usize, label: &str| {
                format!("{},{},{}", quoted(&mixed.label), place + 1, quoted(label))
            };
            for run in &mixed.runs {
                for (place, (flow, label)) in run.flows.iter().zip(&mixed.members).enumerate() {
                    let start = start(place, label);
                    for it in flow.tcp().map_or(&[][..], |it| &it.samples) {
                        let _ = writeln!(
                            text,
                            "{start},kernel,{},{:.6},{},{},{}",
                            run.seed,
                            it.at_s,
                            it.cwnd,
                            optional(it.ssthresh),
                            it.rtt_s
                        );
                    }
                }
            }
            for flows in &mixed.predicted {
                for (place, (it, label)) in flows.iter().zip(&mixed.members).enumerate() {
                    let start = start(place, label);
                    for (at, cwnd) in &it.windows {
                        let _ = writeln!(text, "{start},simulator,{},{at:.6},{cwnd},,", it.seed);
                    }
                }
            }
        }
        text
    }
}

fn optional(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |it| it.to_string())
}

/// A field that may contain commas (RFC 4180).
fn quoted(text: &str) -> String {
    match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}
