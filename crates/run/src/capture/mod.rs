//! Captures of packets as bytes: pcap, which every analyser reads, and pcapng, which also tells where a packet was
//! seen, which packets are the same, and what became of them.
//!
//! Packets begin with their IP headers, and times have a resolution of 1 ns.

pub mod pcap;
pub mod pcapng;

/// The link type of packets that begin with their IP headers (LINKTYPE_RAW).
const RAW_IP: u32 = 101;
const SECOND: u64 = 1_000_000_000;

/// A packet at one place of a network.
#[derive(Clone, Copy, Debug)]
pub struct Packet<'p> {
    /// When it was seen, in nanoseconds of Unix time.
    pub at: u64,
    /// Its first bytes, no more than the capture's snap length.
    pub stored: &'p [u8],
    /// Its length in bytes, at least that of `stored`.
    pub length: u32,
}
