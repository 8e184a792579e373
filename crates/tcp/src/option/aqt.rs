//! The AQT option of IPv4: the accumulated queueing time of a packet on its way and, in an ACK, that of
//! the packet that it acknowledges (RoVegas, section 3).
//!
//! | byte | field | value |
//! |---|---|---|
//! | 0 | type | 0x5E: not copied, class 2 (measurement), number 30 (RFC 4727, an experiment) |
//! | 1 | length | 10 |
//! | 2 to 5 | AQT | microseconds, big endian, saturating |
//! | 6 to 9 | AQT-echo | the same format |
//! | 10, 11 | padding | 0, the end of the list (RFC 791) |
//!
//! Readings: figure 1 of the paper gives the fields and their order; type and encoding are chosen here.

use dumbbell_control::units::Duration;

/// The values in the AQT option of a packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aqt {
    /// How long the packet itself has waited in queues (AQT), in microseconds.
    pub queueing: u32,
    /// How long the packet that it acknowledges had waited (AQT-echo), in microseconds; 0 in a data
    /// packet.
    pub echo: u32,
}

/// No more options follow (RFC 791).
const END: u8 = 0;
/// A filler of one byte (RFC 791).
const NO_OPERATION: u8 = 1;

impl Aqt {
    /// The option's type.
    pub const TYPE: u8 = 0x5e;
    /// The option's length without padding, in bytes.
    pub const LENGTH: usize = 10;
    /// Bytes that the option adds to a packet: the length of a header is a multiple of 4 bytes.
    pub const WIRE_BYTES: u64 = 12;

    /// The option with its padding.
    pub fn encode(self) -> [u8; Self::WIRE_BYTES as usize] {
        let mut bytes = [END; Self::WIRE_BYTES as usize];
        bytes[0] = Self::TYPE;
        bytes[1] = Self::LENGTH as u8;
        bytes[2..6].copy_from_slice(&self.queueing.to_be_bytes());
        bytes[6..10].copy_from_slice(&self.echo.to_be_bytes());
        bytes
    }

    /// The first AQT option among the options of an IPv4 header. Options of its type with another length
    /// than 10 are skipped. `None` if there is none, or if the list is malformed before it.
    pub fn find(options: &[u8]) -> Option<Self> {
        let option = &options[Self::position(options)?..];
        let [_, _, a, b, c, d, e, f, g, h, ..] = *option else {
            return None;
        };
        Some(Self {
            queueing: u32::from_be_bytes([a, b, c, d]),
            echo: u32::from_be_bytes([e, f, g, h]),
        })
    }

    /// The position of the type byte of the option that [`find`](Self::find) returns. The list holds all
    /// 10 bytes from there.
    pub fn position(options: &[u8]) -> Option<usize> {
        let mut at = 0;
        loop {
            match options[at..] {
                [] | [END, ..] => return None,
                [NO_OPERATION, ..] => at += 1,
                [kind, length, ..] => {
                    let length = usize::from(length);
                    if length < 2 || length > options.len() - at {
                        return None;
                    }
                    if kind == Self::TYPE && length == Self::LENGTH {
                        return Some(at);
                    }
                    at += length;
                }
                [_] => return None,
            }
        }
    }

    /// The option after a router in which the packet has waited this long, rounded to the nearest
    /// microsecond.
    #[must_use]
    pub fn delayed(self, waited: Duration) -> Self {
        let micros = waited.as_nanos() / 1000 + u64::from(waited.as_nanos() % 1000 >= 500);
        let micros = u32::try_from(micros).unwrap_or(u32::MAX);
        Self {
            queueing: self.queueing.saturating_add(micros),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: Aqt = Aqt {
        queueing: 30_000,
        echo: 10_000,
    };
    const BYTES: [u8; 12] = [0x5e, 10, 0, 0, 0x75, 0x30, 0, 0, 0x27, 0x10, 0, 0];

    #[test]
    fn the_option_is_encoded_and_found() {
        assert_eq!(EXAMPLE.encode(), BYTES);
        assert_eq!(Aqt::find(&BYTES), Some(EXAMPLE));
        assert_eq!(
            Aqt::find(&BYTES[..10]),
            Some(EXAMPLE),
            "padding is optional"
        );
    }

    #[test]
    fn the_option_is_found_after_other_options() {
        let timestamp = [1, 68, 8, 5, 0, 1, 2, 3, 4];
        assert_eq!(Aqt::find(&[&timestamp[..], &BYTES].concat()), Some(EXAMPLE));
        let longer = [&[0x5e, 12][..], &[7; 10], &BYTES].concat();
        assert_eq!(Aqt::find(&longer), Some(EXAMPLE), "one of 12 bytes is none");
        let shorter = [&[0x5e, 4, 9, 9][..], &BYTES].concat();
        assert_eq!(Aqt::find(&shorter), Some(EXAMPLE));
    }

    #[test]
    fn malformed_lists_hold_no_option() {
        let ended = [&[0][..], &BYTES].concat();
        for list in [
            &[][..],
            &[0x5e],
            &[0x5e, 0],
            &[0x5e, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            &BYTES[..9],
            &[0x44, 255, 0],
            &ended,
        ] {
            assert_eq!(Aqt::find(list), None, "{list:?}");
        }
    }

    #[test]
    fn a_router_adds_the_wait_to_the_nearest_microsecond() {
        let before = Aqt {
            queueing: 5,
            echo: 7,
        };
        let waited = Duration::from_nanos(12_345_600);
        let after = before.delayed(waited);
        assert_eq!((after.queueing, after.echo), (12_351, 7));
    }

    #[test]
    fn the_queueing_time_saturates() {
        let before = Aqt {
            queueing: 4_294_967_290,
            echo: 0,
        };
        let micros = |n| before.delayed(Duration::from_micros(n)).queueing;
        assert_eq!([micros(5), micros(100)], [u32::MAX; 2]);
        assert_eq!(
            before.delayed(Duration::from_secs(10_000)).queueing,
            u32::MAX
        );
        assert_eq!(before.delayed(Duration::from_nanos(499)), before);
        assert_eq!(micros(0), 4_294_967_290);
    }
}
