//! The checksum of the Internet protocols (RFC 1071).

/// The ones' complement sum of 16-bit words.
pub(super) fn sum(bytes: &[u8]) -> u16 {
    let mut words = bytes.chunks_exact(2);
    let sum: u64 = words
        .by_ref()
        .map(|word| u64::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    let odd = words.remainder().first().copied().unwrap_or(0);
    let sum = sum + (u64::from(odd) << 8);
    fold((sum & 0xffff_ffff) as u32)
}

/// Adds the carries.
pub(super) fn fold(sum: u32) -> u16 {
    let once = (sum & 0xffff) + (sum >> 16);
    ((once & 0xffff) + (once >> 16)) as u16
}
