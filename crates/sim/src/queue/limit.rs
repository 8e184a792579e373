//! How much a queue holds at most.

use super::Server;
use crate::time::Time;

/// How much a queue holds at most, what is in transmission included. A packet that finds the link idle is
/// always admitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// At most so many packets, at least 1.
    Packets(u32),
    /// At most so many bytes, at least 1.
    Bytes(u64),
    /// At most as many bytes as the link sends in this time at its rate of the moment; with opportunities,
    /// at their mean rate. More than zero.
    Time(Time),
}

impl Limit {
    /// Returns the limit in packets; `u32::MAX` if it is not in packets.
    pub(crate) fn packets(self) -> u32 {
        match self {
            Self::Packets(packets) => packets,
            Self::Bytes(_) | Self::Time(_) => u32::MAX,
        }
    }

    /// Returns what is wrong with the limit, if it is not in packets.
    pub(crate) fn fault(self) -> Option<&'static str> {
        match self {
            Self::Bytes(0) | Self::Time(Time::ZERO) => {
                Some("the limit of a queue must be more than zero")
            }
            _ => None,
        }
    }

    /// Returns whether the queue is too long if so many packets and bytes wait behind what the server
    /// transmits.
    #[inline(always)]
    pub(crate) fn is_exceeded(self, packets: usize, bytes: u64, server: &Server, now: u64) -> bool {
        match self {
            Self::Packets(limit) => packets + usize::from(server.is_busy(now)) > limit as usize,
            _ => self.is_exceeded_by_bytes(packets, bytes, server, now),
        }
    }

    /// The same for a limit that is not in packets.
    #[inline(never)]
    fn is_exceeded_by_bytes(self, packets: usize, bytes: u64, server: &Server, now: u64) -> bool {
        match self {
            Self::Packets(_) => false,
            // What is in transmission alone may be longer than the limit.
            _ if packets == 0 || packets == 1 && !server.is_busy(now) => false,
            Self::Bytes(limit) => bytes + server.bytes_in_transmission(now) > limit,
            Self::Time(limit) => {
                let bytes = bytes + server.bytes_in_transmission(now);
                let room = u128::from(limit.as_nanos()) * u128::from(server.rate(now));
                u128::from(bytes) * 8_000_000_000 > room
            }
        }
    }

    /// Returns whether what is in the system is a third of the limit or more.
    pub(crate) fn is_a_third_reached(self, line: &super::Line, server: &Server, now: u64) -> bool {
        let packets = line.len() as u64 + u64::from(server.is_busy(now));
        let bytes = line.bytes() + server.bytes_in_transmission(now);
        match self {
            Self::Packets(limit) => packets * 3 >= u64::from(limit),
            Self::Bytes(limit) => bytes >= limit.div_ceil(3),
            Self::Time(limit) => {
                let room = u128::from(limit.as_nanos()) * u128::from(server.rate(now));
                u128::from(bytes) * 24_000_000_000 >= room
            }
        }
    }

    /// Returns whether there is no room for one more packet of this size.
    #[inline]
    pub(crate) fn is_reached(
        self,
        line: &super::Line,
        arriving: u16,
        server: &Server,
        now: u64,
    ) -> bool {
        if let Self::Packets(limit) = self {
            return line.len() + usize::from(server.is_busy(now)) >= limit as usize;
        }
        let bytes = line.bytes() + u64::from(arriving);
        self.is_exceeded(line.len() + 1, bytes, server, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 8 Mb/s, 3 ms are 3000 bytes. A packet of 1000 bytes is in transmission from 0 to 1 ms.
    #[test]
    fn what_is_in_transmission_counts() {
        let mut server = Server::with_rate(8_000_000);
        server.send(1_000, 0);
        let limits = [
            Limit::Packets(3),
            Limit::Bytes(3_000),
            Limit::Time(Time::from_millis(3)),
        ];
        for limit in limits {
            let exceeded = |packets, bytes, now| limit.is_exceeded(packets, bytes, &server, now);
            assert!(!exceeded(2, 2_000, 0), "{limit:?}");
            assert!(exceeded(3, 2_001, 0), "{limit:?}");
            assert!(!exceeded(3, 3_000, 1_000_000), "{limit:?}");
            assert!(exceeded(4, 3_001, 1_000_000), "{limit:?}");
        }
    }

    #[test]
    fn an_idle_link_takes_any_packet() {
        let server = Server::with_rate(8_000_000);
        assert!(!Limit::Bytes(1).is_exceeded(1, 1_500, &server, 0));
        assert!(!Limit::Time(Time::from_nanos(1)).is_exceeded(1, 1_500, &server, 0));
        assert!(Limit::Bytes(1_500).is_exceeded(2, 3_000, &server, 0));
    }
}
