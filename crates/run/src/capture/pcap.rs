//! pcap: a header, and packets one after the other (draft-ietf-opsawg-pcap).

use std::io::{self, Write};

use super::{Packet, RAW_IP, SECOND};

/// Marks files with times in nanoseconds.
const MAGIC: u32 = 0xa1b2_3c4d;
const VERSION: [u16; 2] = [2, 4];

/// Writes the beginning of a file, whose packets have at most `snap` bytes stored.
///
/// # Errors
/// Those of `out`.
pub fn begin(out: &mut impl Write, snap: u32) -> io::Result<()> {
    out.write_all(&MAGIC.to_le_bytes())?;
    for number in VERSION {
        out.write_all(&number.to_le_bytes())?;
    }
    // The fields for the time zone and the accuracy of times are always 0.
    for word in [0, 0, snap, RAW_IP] {
        out.write_all(&word.to_le_bytes())?;
    }
    Ok(())
}

/// Writes a packet. Seconds are modulo 2^32, which ends in 2106.
///
/// # Errors
/// Those of `out`.
pub fn packet(out: &mut impl Write, packet: &Packet<'_>) -> io::Result<()> {
    let times = [packet.at / SECOND, packet.at % SECOND].map(|part| part as u32);
    let sizes = [packet.stored.len() as u32, packet.length];
    for word in times.into_iter().chain(sizes) {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(packet.stored)
}
