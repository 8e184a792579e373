//! The windows of a network namespace's connections as they change, sample by sample.

#[cfg(feature = "kernel")]
mod facts;

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

#[cfg(feature = "kernel")]
pub use facts::Facts;

use crate::error::Error;
use crate::machine;
use crate::sockets::{self, Connection};

/// The kernel's value for no threshold.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// The state of a connection at one moment.
#[derive(Clone, Debug)]
pub struct Row {
    /// The time since the beginning.
    pub time: Duration,
    /// The kernel's number of the socket.
    pub cookie: u64,
    /// This end.
    pub local: SocketAddr,
    /// The other end.
    pub remote: SocketAddr,
    /// Its congestion control, by its name in the kernel.
    pub control: String,
    /// Its window, in segments.
    pub cwnd: u32,
    /// Its slow-start threshold, in segments; `None` while there is none.
    pub ssthresh: Option<u32>,
    /// The smoothed round-trip time, in milliseconds.
    pub rtt_ms: f64,
    /// The smallest round-trip time, in milliseconds; 0 before the first sample.
    pub min_rtt_ms: f64,
    /// The number of retransmitted segments.
    pub resent: u32,
    /// The rate of acknowledged bytes since the last sample, in bit/s.
    pub goodput_bps: f64,
    /// The state of its recovery.
    pub state: &'static str,
    /// N of a Dumbbell control, if it reports it.
    pub backlog: Option<f64>,
    /// The rule that it applied last.
    pub rule: Option<String>,
    /// The last time that a loss or a timeout cut its window, if it reports it.
    pub last_cut: Option<Cut>,
}

/// A cut of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The time of the sample that saw it first, since the beginning.
    pub seen: Duration,
    /// The rule that decided about it.
    pub rule: String,
    /// The window after it, in segments.
    pub cwnd: u64,
}

/// The state of the last sample: the time, and what was acknowledged by then.
#[derive(Debug, Default)]
pub struct Rows {
    before: HashMap<u64, (Duration, u64)>,
}

impl Rows {
    /// Samples the connections of these controls, or all connections.
    ///
    /// # Errors
    /// If the kernel does not return them.
    pub fn look(&mut self, time: Duration, wanted: Option<&[String]>) -> Result<Vec<Row>, Error> {
        let mut all = sockets::connections()?;
        all.retain(|one| wanted.is_none_or(|names| names.contains(&one.control)));
        all.sort_by_key(|one| one.cookie);
        let rows = all.into_iter().map(|one| self.row(time, one)).collect();
        self.before.retain(|_, (last, _)| *last == time);
        Ok(rows)
    }

    fn row(&mut self, time: Duration, one: Connection) -> Row {
        let info = one.info;
        let seen = (time, info.bytes_acked);
        let goodput_bps = self.before.insert(one.cookie, seen).map_or(0.0, |before| {
            let bits = (info.bytes_acked - before.1) as f64 * 8.0;
            bits / (time - before.0).as_secs_f64()
        });
        // The kernel's value for "none yet".
        let least = if info.min_rtt_us == u32::MAX {
            0
        } else {
            info.min_rtt_us
        };
        let states = ["open", "disorder", "cwr", "recovery", "loss"];
        Row {
            time,
            cookie: one.cookie,
            local: one.local,
            remote: one.remote,
            control: one.control,
            cwnd: info.cwnd,
            ssthresh: (info.ssthresh < NO_THRESHOLD).then_some(info.ssthresh),
            rtt_ms: f64::from(info.rtt_us) / 1e3,
            min_rtt_ms: f64::from(least) / 1e3,
            resent: info.retransmits,
            goodput_bps,
            state: states.get(usize::from(info.ca_state)).unwrap_or(&"?"),
            backlog: None,
            rule: None,
            last_cut: None,
        }
    }
}

/// The columns of a CSV file.
pub const COLUMNS: &str = "time_s,local,remote,control,cwnd,ssthresh,rtt_ms,min_rtt_ms,resent,goodput_bps,state,\
     backlog,rule,last_cut_s,last_cut_rule,last_cut_cwnd";

impl Row {
    /// Returns its line below the [`COLUMNS`].
    pub fn csv(&self) -> String {
        let or_nothing = |value: Option<String>| value.unwrap_or_default();
        let cut = self.last_cut.as_ref();
        format!(
            "{:.6},{},{},{},{},{},{:.3},{:.3},{},{:.0},{},{},{},{},{},{}",
            self.time.as_secs_f64(),
            self.local,
            self.remote,
            self.control,
            self.cwnd,
            or_nothing(self.ssthresh.map(|it| it.to_string())),
            self.rtt_ms,
            self.min_rtt_ms,
            self.resent,
            self.goodput_bps,
            self.state,
            or_nothing(self.backlog.map(|it| format!("{it:.3}"))),
            or_nothing(self.rule.clone()),
            or_nothing(cut.map(|it| format!("{:.6}", it.seen.as_secs_f64()))),
            or_nothing(cut.map(|it| it.rule.clone())),
            or_nothing(cut.map(|it| it.cwnd.to_string())),
        )
    }
}

/// Returns the names in the kernel that a given name may mean: itself, and that of the Dumbbell
/// control.
///
/// # Errors
/// [`Error::Refused`] if the kernel has neither.
pub fn names(given: &str) -> Result<Vec<String>, Error> {
    let ours = format!("db_{}", given.replace('+', "plus"));
    let available = machine::available();
    let names: Vec<_> = [given.to_owned(), ours]
        .into_iter()
        .filter(|name| available.contains(name))
        .collect();
    if names.is_empty() {
        return Err(Error::Refused(format!(
            "there is no congestion control {given} in the kernel; there are {} (`dumbbell kernel load` adds Dumbbell's)",
            available.join(", ")
        )));
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::TcpInfo;

    fn seen(bytes_acked: u64) -> Connection {
        Connection {
            local: "10.0.0.1:5000".parse().unwrap(),
            remote: "[::1]:80".parse().unwrap(),
            cookie: 7,
            control: "db_veno".to_owned(),
            info: TcpInfo {
                ca_state: 3,
                cwnd: 12,
                ssthresh: NO_THRESHOLD,
                rtt_us: 50_250,
                min_rtt_us: u32::MAX,
                retransmits: 4,
                bytes_acked,
                ..TcpInfo::default()
            },
        }
    }

    #[test]
    fn a_row_is_a_line_of_its_columns() {
        let mut rows = Rows::default();
        rows.row(Duration::from_secs(1), seen(1_000));
        // 125,000 bytes in half a second are 2 Mb/s.
        let row = rows.row(Duration::from_millis(1_500), seen(126_000));
        let line =
            "1.500000,10.0.0.1:5000,[::1]:80,db_veno,12,,50.250,0.000,4,2000000,recovery,,,,,";
        assert_eq!(row.csv(), line);
        assert_eq!(line.split(',').count(), COLUMNS.split(',').count());
        assert_eq!((row.ssthresh, row.state), (None, "recovery"));
    }
}
