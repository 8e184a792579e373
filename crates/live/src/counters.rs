//! The counters of TCP in a network namespace, by which the kernel counts loss episodes exactly.

use std::fs;

use crate::error::Error;

/// The counters of the calling thread's namespace.
const FILE: &str = "/proc/thread-self/net/netstat";
/// Episodes that began with duplicate ACKs, tails that a probe has repaired, and expiries of the timer.
const CUTS: [&str; 4] = [
    "TCPSackRecovery",
    "TCPRenoRecovery",
    "TCPLossProbeRecovery",
    "TCPTimeouts",
];
/// Those of the timer's expiries that sent the opening segment again.
const OPENINGS: &str = "TCPSynRetrans";

/// Returns how often the connections of the calling thread's namespace have cut their windows for losses: loss
/// episodes, tails that a probe has repaired, and expiries of the retransmission timer.
///
/// # Errors
/// If the kernel does not tell.
pub fn cuts() -> Result<u64, Error> {
    let text =
        fs::read_to_string(FILE).map_err(|reason| Error::system(format!("read {FILE}"), reason))?;
    counted(&text).ok_or_else(|| Error::Refused(format!("{FILE} does not count the losses of TCP")))
}

/// The counters of IP and UDP there.
#[cfg(feature = "quic")]
const UDP_FILE: &str = "/proc/thread-self/net/snmp";

/// Returns how many datagrams the sockets of the calling thread's namespace have lost, since their buffers were full,
/// and how many they have received.
///
/// # Errors
/// If the kernel does not tell.
#[cfg(feature = "quic")]
pub fn datagrams() -> Result<(u64, u64), Error> {
    let text = fs::read_to_string(UDP_FILE)
        .map_err(|reason| Error::system(format!("read {UDP_FILE}"), reason))?;
    let count = |wanted| named(&text, "Udp: ", wanted);
    count("RcvbufErrors")
        .zip(count("InDatagrams"))
        .ok_or_else(|| Error::Refused(format!("{UDP_FILE} does not count the losses of UDP")))
}

/// Returns a number of a text of the kernel: names in one line with this beginning, their numbers in the next.
fn named(text: &str, beginning: &str, wanted: &str) -> Option<u64> {
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(beginning));
    let (names, numbers) = (lines.next()?, lines.next()?);
    let position = names.split(' ').position(|name| name == wanted)?;
    numbers.split(' ').nth(position)?.parse().ok()
}

/// Returns the number of cuts that a text of the kernel counts.
fn counted(text: &str) -> Option<u64> {
    let count = |wanted: &str| named(text, "TcpExt: ", wanted);
    let sum = CUTS
        .iter()
        .try_fold(0, |sum, name| Some(sum + count(name)?))?;
    Some(sum.saturating_sub(count(OPENINGS)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_episodes_repaired_tails_and_timeouts_without_those_of_the_opening() {
        let names = "TcpExt: A TCPRenoRecovery TCPSackRecovery TCPTimeouts TCPLossProbeRecovery TCPSynRetrans";
        let text = format!("{names}\nTcpExt: 9 1 20 300 4000 50\nIpExt: A\nIpExt: 7\n");
        assert_eq!(counted(&text), Some(1 + 20 + 300 + 4000 - 50));
        assert_eq!(counted("TcpExt: A\nTcpExt: 9\n"), None);
        assert_eq!(counted(""), None);
    }

    #[test]
    fn this_kernel_counts() {
        cuts().expect("Linux counts");
    }
}
