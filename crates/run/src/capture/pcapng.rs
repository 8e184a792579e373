//! pcapng: blocks, each with its type and its length (draft-ietf-opsawg-pcapng).

use std::io::{self, Write};

use super::{Packet, RAW_IP};

/// Block types (sections 4.1 to 4.3).
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const PACKET: u32 = 6;
/// Tells the order of bytes.
const MAGIC: u32 = 0x1a2b_3c4d;
const VERSION: [u16; 2] = [1, 0];
/// The length of a section that is not known in advance.
const UNKNOWN: u64 = u64::MAX;

/// Options: comments (section 3.5), the program (4.1), an interface's name and the resolution of its times (4.2), a
/// packet's direction and its number (4.3).
const COMMENT: u16 = 1;
const PROGRAM: u16 = 4;
const NAME: u16 = 2;
const RESOLUTION: u16 = 9;
const FLAGS: u16 = 2;
const NUMBER: u16 = 5;
/// Times are multiples of 10^-9 s.
const NANOSECONDS: [u8; 1] = [9];

/// What was seen of a packet at an interface.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'s> {
    /// The interface: its position among those of the file.
    pub interface: u32,
    /// Whether the interface's host sent or received it; `None` if it did neither.
    pub way: Option<Way>,
    /// A number that is the same wherever this packet is seen.
    pub number: u64,
    /// What else there is to say; empty for nothing.
    pub comment: &'s str,
}

/// The direction of a packet at an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To its host.
    Inbound,
    /// From its host.
    Outbound,
}

/// Writes the beginning of a file: interfaces with these names, whose packets have at most `snap` bytes stored.
///
/// # Errors
/// Those of `out`.
pub fn begin(out: &mut impl Write, interfaces: &[&str], snap: u32) -> io::Result<()> {
    let program = [(PROGRAM, "dumbbell".as_bytes())];
    let [major, minor] = VERSION.map(u16::to_le_bytes);
    let fixed = [
        &MAGIC.to_le_bytes()[..],
        &major,
        &minor,
        &UNKNOWN.to_le_bytes(),
    ];
    block(out, SECTION, &fixed, &program)?;
    for name in interfaces {
        let options = [(NAME, name.as_bytes()), (RESOLUTION, &NANOSECONDS[..])];
        // The link type takes two bytes; the two after it are reserved.
        let fixed = [&RAW_IP.to_le_bytes()[..], &snap.to_le_bytes()];
        block(out, INTERFACE, &fixed, &options)?;
    }
    Ok(())
}

/// Writes a packet as it was seen at an interface.
///
/// # Errors
/// Those of `out`.
pub fn packet(out: &mut impl Write, packet: &Packet<'_>, sight: &Sight<'_>) -> io::Result<()> {
    let flags: u32 = match sight.way {
        None => 0,
        Some(Way::Inbound) => 1,
        Some(Way::Outbound) => 2,
    };
    let (flags, number) = (flags.to_le_bytes(), sight.number.to_le_bytes());
    let options = [
        (FLAGS, &flags[..]),
        (NUMBER, &number[..]),
        (COMMENT, sight.comment.as_bytes()),
    ];
    let said = if sight.comment.is_empty() { 2 } else { 3 };
    let stored = packet.stored.len() as u32;
    let words = [
        sight.interface,
        (packet.at >> 32) as u32,
        packet.at as u32,
        stored,
        packet.length,
    ];
    let words = words.map(u32::to_le_bytes);
    let [interface, high, low, stored, length] = words.each_ref().map(|word| &word[..]);
    let padding = padding(packet.stored.len());
    let fixed = [interface, high, low, stored, length, packet.stored, padding];
    block(out, PACKET, &fixed, &options[..said])
}

/// Writes a block: its type, its length, its fixed part in pieces, its options, and its length again.
fn block(
    out: &mut impl Write,
    sort: u32,
    fixed: &[&[u8]],
    options: &[(u16, &[u8])],
) -> io::Result<()> {
    let option = |(_, value): &(u16, &[u8])| 4 + value.len() + padding(value.len()).len();
    let end = 4;
    let body: usize = fixed.iter().map(|piece| piece.len()).sum::<usize>()
        + options.iter().map(option).sum::<usize>()
        + end;
    let length = (body as u32 + 12).to_le_bytes();
    out.write_all(&sort.to_le_bytes())?;
    out.write_all(&length)?;
    for piece in fixed {
        out.write_all(piece)?;
    }
    for (code, value) in options {
        out.write_all(&code.to_le_bytes())?;
        out.write_all(&(value.len() as u16).to_le_bytes())?;
        out.write_all(value)?;
        out.write_all(padding(value.len()))?;
    }
    out.write_all(&[0; 4])?;
    out.write_all(&length)
}

/// The zeros that fill up a value of this length to a multiple of four bytes.
fn padding(length: usize) -> &'static [u8] {
    &[0; 3][..length.wrapping_neg() & 3]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By the figures of the draft: a section header (4.1), an interface (4.2), and a packet of 5 bytes of which 3
    /// are stored (4.3), with its options in multiples of 4 bytes.
    #[test]
    fn blocks_are_as_the_draft_draws_them() {
        let mut out = Vec::new();
        begin(&mut out, &["in"], 128).unwrap();
        let seen = Packet {
            at: 0x1_0000_0002,
            stored: &[0x45, 7, 8],
            length: 5,
        };
        let sight = Sight {
            interface: 0,
            way: Some(Way::Outbound),
            number: 3,
            comment: "lost!",
        };
        packet(&mut out, &seen, &sight).unwrap();
        let section = [
            &b"\x0a\x0d\x0d\x0a\x2c\0\0\0\x4d\x3c\x2b\x1a\x01\0\0\0"[..],
            &[0xff; 8],
            b"\x04\0\x08\0dumbbell\0\0\0\0\x2c\0\0\0",
        ];
        let interface = [
            &b"\x01\0\0\0\x28\0\0\0\x65\0\0\0\x80\0\0\0"[..],
            b"\x02\0\x02\0in\0\0\x09\0\x01\0\x09\0\0\0\0\0\0\0\x28\0\0\0",
        ];
        let packet = [
            &b"\x06\0\0\0\x48\0\0\0\0\0\0\0\x01\0\0\0\x02\0\0\0\x03\0\0\0\x05\0\0\0"[..],
            b"\x45\x07\x08\0",
            b"\x02\0\x04\0\x02\0\0\0\x05\0\x08\0\x03\0\0\0\0\0\0\0",
            b"\x01\0\x05\0lost!\0\0\0\0\0\0\0\x48\0\0\0",
        ];
        let expected = [section.concat(), interface.concat(), packet.concat()].concat();
        assert_eq!(out, expected);
    }
}
