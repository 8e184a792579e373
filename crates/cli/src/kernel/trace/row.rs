//! A connection at a moment.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use dumbbell_live::sockets::{self, Connection};
use serde_json::{Value, json};

use crate::exit::Exit;

/// The kernel's threshold while there is none.
const NO_THRESHOLD: u32 = 0x7fff_ffff;

/// What is shown of a connection.
#[derive(Clone, Debug)]
pub struct Row {
    /// Since the beginning.
    pub time: Duration,
    pub cookie: u64,
    pub local: SocketAddr,
    pub remote: SocketAddr,
    pub control: String,
    pub cwnd: u32,
    pub ssthresh: Option<u32>,
    pub rtt_ms: f64,
    pub min_rtt_ms: f64,
    pub resent: u32,
    /// Acknowledged since the last look.
    pub goodput_bps: f64,
    pub state: &'static str,
    /// N of one of ours, where it tells.
    pub backlog: Option<f64>,
    /// The rule that it applied last.
    pub rule: Option<String>,
}

/// What the last look saw: the time, and what was acknowledged by then.
#[derive(Default)]
pub struct Rows {
    before: HashMap<u64, (Duration, u64)>,
}

impl Rows {
    /// The connections of these controls, or of all.
    pub fn look(&mut self, time: Duration, wanted: Option<&[String]>) -> Result<Vec<Row>, Exit> {
        let mut all = sockets::connections().map_err(|e| Exit::Failed(e.to_string()))?;
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
        // The kernel's own mark for "none yet".
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
        }
    }
}

/// The columns of a file.
pub const COLUMNS: &str = "time_s,local,remote,control,cwnd,ssthresh,rtt_ms,min_rtt_ms,resent,goodput_bps,state,\
     backlog,rule";

impl Row {
    pub fn json(&self) -> Value {
        json!({
            "time_s": self.time.as_secs_f64(),
            "local": self.local,
            "remote": self.remote,
            "control": self.control,
            "cwnd": self.cwnd,
            "ssthresh": self.ssthresh,
            "rtt_ms": self.rtt_ms,
            "min_rtt_ms": self.min_rtt_ms,
            "resent": self.resent,
            "goodput_bps": self.goodput_bps.round(),
            "state": self.state,
            "backlog": self.backlog,
            "rule": self.rule,
        })
    }

    pub fn csv(&self) -> String {
        let or_nothing = |value: Option<String>| value.unwrap_or_default();
        format!(
            "{:.6},{},{},{},{},{},{:.3},{:.3},{},{:.0},{},{},{}",
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
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dumbbell_live::system::TcpInfo;

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
        let line = "1.500000,10.0.0.1:5000,[::1]:80,db_veno,12,,50.250,0.000,4,2000000,recovery,,";
        assert_eq!(row.csv(), line);
        assert_eq!(line.split(',').count(), COLUMNS.split(',').count());
        let json = row.json();
        assert_eq!(json["ssthresh"], Value::Null);
        assert_eq!(
            (&json["rtt_ms"], &json["state"]),
            (&json!(50.25), &json!("recovery"))
        );
    }
}
