//! The TCP connections of an emulation's hosts.

use dumbbell_run::End;

use super::figures::ConnectionFigures;
use crate::error::Error;
use crate::namespace::Namespace;
use crate::watch::Rows;

/// The connections of two hosts, sample by sample.
#[derive(Debug, Default)]
pub(super) struct Connections {
    rows: [Rows; 2],
}

impl Connections {
    /// Samples them. Those within a host are left out.
    pub(super) fn look(
        &mut self,
        hosts: &[Namespace; 2],
        time: std::time::Duration,
    ) -> Result<Vec<ConnectionFigures>, Error> {
        let mut all = Vec::new();
        let ends = [End::Sender, End::Receiver].into_iter();
        for ((host, rows), end) in hosts.iter().zip(&mut self.rows).zip(ends) {
            let found = host.run(|| rows.look(time, None))?;
            let outside = found
                .into_iter()
                .filter(|row| !row.local.ip().is_loopback());
            all.extend(outside.map(|row| {
                ConnectionFigures {
                    host: match end {
                        End::Sender => "sender",
                        End::Receiver => "receiver",
                    }
                    .to_owned(),
                    local: row.local.to_string(),
                    remote: row.remote.to_string(),
                    control: row.control,
                    cwnd: row.cwnd,
                    ssthresh: row.ssthresh,
                    rtt_s: row.rtt_ms / 1e3,
                    goodput_bps: row.goodput_bps,
                    retransmits: row.resent,
                }
            }));
        }
        Ok(all)
    }
}
