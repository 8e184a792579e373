//! What limits a connection beside its network and its congestion control.

use std::fmt;

use serde::Serialize;

use crate::system::TcpInfo;

/// What limited a connection, for how much of the time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limited {
    /// What it was.
    pub by: Limit,
    /// The part of the time in which it had data to send, 0 to 1.
    pub share: f64,
}

/// What may limit a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The window that the receiver offers.
    ReceiverWindow,
    /// The send buffer, which was too small, or which the program did not fill in time.
    SendBuffer,
    /// The buffer of a UDP socket, which was full when datagrams came: the part of them that were lost.
    SocketBuffer,
}

/// The tolerance for the part of the time.
const TOLERABLE: f64 = 0.02;

/// Returns what limited a connection for more of the time than is tolerable, by the kernel's account
/// (`tcpi_rwnd_limited`, `tcpi_sndbuf_limited`, `tcpi_busy_time`).
pub(crate) fn limits(info: &TcpInfo) -> Vec<Limited> {
    let both = [
        (Limit::ReceiverWindow, info.receiver_limited_us),
        (Limit::SendBuffer, info.buffer_limited_us),
    ];
    let limited = both.map(|(by, spent)| Limited {
        by,
        share: spent as f64 / info.busy_us.max(1) as f64,
    });
    let too_much = |it: &Limited| it.share > TOLERABLE;
    limited.into_iter().filter(too_much).collect()
}

impl fmt::Display for Limited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.by {
            Limit::SocketBuffer => {
                return write!(
                    f,
                    "a socket's buffer, not the network, lost {:.2} % of the datagrams",
                    self.share * 1e2
                );
            }
            Limit::ReceiverWindow => "the receiver's window, not the network, limited the sender",
            Limit::SendBuffer => {
                "the send buffer, too small or not filled in time, limited the sender and not the network"
            }
        };
        write!(
            f,
            "{what} for {:.1} % of the time; {:.0} % is tolerable",
            self.share * 1e2,
            TOLERABLE * 1e2
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A connection of 3 s that offered 80 kB: 2.9 s behind the receiver's window.
    #[test]
    fn a_share_of_the_busy_time_is_judged() {
        let mut info = TcpInfo {
            busy_us: 3_000_000,
            receiver_limited_us: 2_900_000,
            ..TcpInfo::default()
        };
        let found = limits(&info);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].by, Limit::ReceiverWindow);
        assert!(found[0].to_string().contains("96.7 % of the time"));
        info.receiver_limited_us = 60_000;
        assert_eq!(limits(&info), []);
        info.buffer_limited_us = 61_000;
        assert_eq!(limits(&info)[0].by, Limit::SendBuffer);
        // Nothing was ever sent.
        assert_eq!(limits(&TcpInfo::default()), []);
    }
}
