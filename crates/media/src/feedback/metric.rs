//! What a report says of one packet, in 16 bits (RFC 8888, section 3.1).

use crate::control::Ecn;

/// Units of an arrival time offset in a second.
pub const ATO_PER_SECOND: u32 = 1024;

const RECEIVED: u16 = 0x8000;
/// The largest offset that is measured.
const LARGEST: u16 = 0x1ffd;
/// The packet arrived longer ago than can be said.
const OVER_RANGE: u16 = 0x1ffe;
/// When the packet arrived is unknown.
const UNAVAILABLE: u16 = 0x1fff;

/// What a report says of one packet: whether it was received, its ECN field, and how long before the report it arrived.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metric(u16);

impl Metric {
    /// The packet has not been received.
    pub const MISSING: Self = Self(0);

    /// A packet that was received this many 1/1024 s before the report, or at an unknown time.
    pub fn received(ecn: Ecn, offset: Option<u64>) -> Self {
        let offset = match offset {
            None => UNAVAILABLE,
            Some(offset) if offset > u64::from(LARGEST) => OVER_RANGE,
            Some(offset) => offset as u16,
        };
        Self(RECEIVED | u16::from(ecn.bits()) << 13 | offset)
    }

    /// Returns whether the packet was received.
    pub fn is_received(self) -> bool {
        self.0 & RECEIVED != 0
    }

    /// Returns its ECN field; [`Ecn::NotEct`] if it was not received.
    pub fn ecn(self) -> Ecn {
        Ecn::from_bits(if self.is_received() {
            (self.0 >> 13) as u8
        } else {
            0
        })
    }

    /// Returns how long before the report it arrived, in 1/1024 s; `None` if that is unknown or out of range.
    pub fn offset(self) -> Option<u32> {
        let offset = self.0 & 0x1fff;
        (self.is_received() && offset <= LARGEST).then_some(u32::from(offset))
    }

    /// Returns its bits.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Returns the metric with these bits. All but the first are ignored if that is zero.
    pub fn from_bits(bits: u16) -> Self {
        Self(if bits & RECEIVED == 0 { 0 } else { bits })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 8888, section 3.1: 512 is half a second; above 8189 it is 0x1FFE, unknown is 0x1FFF.
    #[test]
    fn the_bits_of_a_packet() {
        assert_eq!(Metric::received(Ecn::Ce, Some(512)).bits(), 0xe200);
        assert_eq!(Metric::received(Ecn::Ect1, Some(8189)).bits(), 0xbffd);
        assert_eq!(Metric::received(Ecn::NotEct, Some(8190)).bits(), 0x9ffe);
        assert_eq!(Metric::received(Ecn::Ect0, None).bits(), 0xdfff);
        assert_eq!(Metric::from_bits(0x7fff), Metric::MISSING);
        assert_eq!(Metric::MISSING.ecn(), Ecn::NotEct);
    }

    #[test]
    fn every_bit_pattern_is_read_as_it_was_written() {
        for bits in 0x8000..=u16::MAX {
            let metric = Metric::from_bits(bits);
            assert!(metric.is_received());
            assert_eq!(metric.bits(), bits);
            if let Some(offset) = metric.offset() {
                assert_eq!(Metric::received(metric.ecn(), Some(offset.into())), metric);
            }
        }
    }
}
