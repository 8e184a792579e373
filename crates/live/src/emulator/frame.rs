//! Ethernet frames: which of them cross the network, and where in them the packet is.

use std::ops::Range;

/// What becomes of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// It crosses the network, as a packet at this place of it.
    Network(Range<usize>),
    /// It belongs to the link: without loss, delay or rate it goes to the other interface.
    Past,
    /// It ends here.
    Nowhere,
}

/// Two addresses and a type.
pub(super) const HEADER: usize = 14;
const TYPE: usize = 12;
/// The bytes of a VLAN tag.
const TAG: usize = 4;
// Types of contents, by IEEE 802.
const IPV4: u16 = 0x0800;
const ARP: u16 = 0x0806;
const IPV6: u16 = 0x86dd;
const TAGS: [u16; 2] = [0x8100, 0x88a8];
/// The first five bytes of addresses that no bridge forwards (IEEE 802.1Q, table 8-1), with a sixth below 16.
const RESERVED: [u8; 5] = [0x01, 0x80, 0xc2, 0x00, 0x00];
const ICMPV6: u8 = 58;
/// The types of neighbour discovery (RFC 4861).
const NEIGHBOUR: std::ops::RangeInclusive<u8> = 133..=137;

/// Returns what becomes of a frame.
pub(super) fn way(frame: &[u8]) -> Way {
    let Some((kind, at)) = contents(frame) else {
        return Way::Nowhere;
    };
    if frame[..5] == RESERVED && frame[5] < 16 {
        return Way::Nowhere;
    }
    let packet = &frame[at..];
    let discovers = kind == IPV6
        && packet.get(6) == Some(&ICMPV6)
        && packet.get(40).is_some_and(|kind| NEIGHBOUR.contains(kind));
    if kind == ARP || discovers {
        return Way::Past;
    }
    Way::Network(at..at + length(kind, packet))
}

/// Returns the packet's place in a frame that crosses the network.
pub(super) fn packet(frame: &[u8]) -> Range<usize> {
    let (kind, at) = contents(frame).unwrap_or((0, frame.len()));
    at..at + length(kind, &frame[at..])
}

/// Returns the type and the place of what is in a frame, behind its VLAN tags; `None` if it has none.
fn contents(frame: &[u8]) -> Option<(u16, usize)> {
    let mut at = TYPE;
    loop {
        let kind = u16::from_be_bytes(*frame.get(at..)?.first_chunk()?);
        if !TAGS.contains(&kind) {
            return Some((kind, at + 2));
        }
        at += TAG;
    }
}

/// The bytes of a packet without the padding of a short frame.
fn length(kind: u16, packet: &[u8]) -> usize {
    let half = |at: usize| {
        let bytes = packet.get(at..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| usize::from(u16::from_be_bytes(*bytes)))
    };
    match kind {
        IPV4 => half(2),
        IPV6 => 40 + half(4),
        _ => packet.len(),
    }
    .min(packet.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(to: [u8; 6], rest: &[u8]) -> Vec<u8> {
        [&to[..], &[2, 0, 0, 0, 0, 1], rest].concat()
    }

    const HOST: [u8; 6] = [2, 0, 0, 0, 0, 2];

    /// A segment of 40 bytes in a frame of 60, the shortest of Ethernet without its checksum.
    #[test]
    fn padding_is_no_part_of_a_packet() {
        let mut packet = vec![0; 46];
        packet[..4].copy_from_slice(&[0x45, 0, 0, 40]);
        let short = frame(HOST, &[&[0x08, 0x00][..], &packet].concat());
        assert_eq!(short.len(), 60);
        assert_eq!(way(&short), Way::Network(14..54));
        // A length of more than there is.
        packet[3] = 200;
        let cut = frame(HOST, &[&[0x08, 0x00][..], &packet].concat());
        assert_eq!(way(&cut), Way::Network(14..60));
    }

    #[test]
    fn a_packet_is_found_behind_tags() {
        let tagged = [0x88, 0xa8, 0, 7, 0x81, 0, 0, 9, 0x08, 0x00, 0x45, 0, 0, 20];
        let tagged = frame(HOST, &[&tagged[..], &[0; 16]].concat());
        assert_eq!(way(&tagged), Way::Network(22..42));
        assert_eq!(packet(&tagged), 22..42);
    }

    #[test]
    fn what_finds_neighbours_is_not_slowed_down() {
        assert_eq!(way(&frame([0xff; 6], &[0x08, 0x06, 0, 1])), Way::Past);
        let mut icmp = vec![0x60; 48];
        icmp[4..7].copy_from_slice(&[0, 8, ICMPV6]);
        for (kind, expected) in [
            (128, Way::Network(14..62)),
            (133, Way::Past),
            (137, Way::Past),
            (143, Way::Network(14..62)),
        ] {
            icmp[40] = kind;
            let found = way(&frame(HOST, &[&[0x86, 0xdd][..], &icmp].concat()));
            assert_eq!(found, expected, "{kind}");
        }
    }

    #[test]
    fn what_a_bridge_keeps_goes_nowhere() {
        let spanning_tree = frame([0x01, 0x80, 0xc2, 0, 0, 0], &[0, 38, 0x42, 0x42]);
        assert_eq!(way(&spanning_tree), Way::Nowhere);
        let other = frame([0x01, 0x80, 0xc2, 0, 0, 0x21], &[0x88, 0xf5, 1]);
        assert_eq!(way(&other), Way::Network(14..15));
        for length in 0..HEADER {
            assert_eq!(way(&vec![0xff; length]), Way::Nowhere);
        }
        assert_eq!(packet(&[]), 0..0);
    }

    /// Nothing but tags.
    #[test]
    fn endless_tags_end_with_the_frame() {
        assert_eq!(way(&[0x81, 0x00].repeat(50)), Way::Nowhere);
    }
}
