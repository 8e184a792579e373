//! Frames as they are on a wire: the kernel hands on several segments as one large frame, and leaves checksums to the
//! device. Here both are done as a device would.

use super::checksum::{fold, sum};

/// What is left to do with a frame (`struct virtio_net_hdr`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offload {
    /// Where the summed part begins, and where in it the checksum is.
    checksum: Option<[usize; 2]>,
    /// The protocol of segments that the frame is to be cut into, and the bytes of each.
    segments: Option<(Transport, usize)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Tcp,
    Udp,
}

// From linux/virtio_net.h.
const NEEDS_CHECKSUM: u8 = 1;
const GSO_TCP4: u8 = 1;
const GSO_TCP6: u8 = 4;
const GSO_UDP: u8 = 5;
/// TCP with CWR in its first segment.
const GSO_ECN: u8 = 0x80;

// Bits of TCP's flags (RFC 9293; CWR: RFC 3168).
const FIN: u8 = 0x01;
const PSH: u8 = 0x08;
const CWR: u8 = 0x80;

impl Offload {
    /// Reads the kernel's description of a frame, which begins `before` bytes earlier than the kernel thinks; `None`
    /// if it says what is not known here.
    pub(super) fn read(bytes: &[u8; 10], before: usize) -> Option<Self> {
        let half = |at: usize| usize::from(u16::from_ne_bytes([bytes[at], bytes[at + 1]]));
        let checksum = (bytes[0] & NEEDS_CHECKSUM != 0).then(|| [half(6) + before, half(8)]);
        let transport = match bytes[1] & !GSO_ECN {
            0 => None,
            GSO_TCP4 | GSO_TCP6 => Some(Transport::Tcp),
            GSO_UDP => Some(Transport::Udp),
            _ => return None,
        };
        let segments = transport.map(|it| (it, half(4)));
        // Without a checksum to be completed, the transport header's place is not told.
        let is_known = segments.is_none_or(|(_, size)| size > 0 && checksum.is_some());
        is_known.then_some(Self { checksum, segments })
    }

    /// Returns whether the frame is one on the wire, too.
    pub(super) fn is_one(&self) -> bool {
        self.segments.is_none()
    }

    /// Completes the checksum of a frame that is one on the wire, too. Returns `false` if there is no such place.
    pub(super) fn complete(&self, frame: &mut [u8]) -> bool {
        self.checksum
            .is_none_or(|[start, offset]| complete(frame, start, offset).is_some())
    }

    /// Appends the frames that are on the wire to `out`, and their ends to `ends`. The network header begins at
    /// `network`. Returns `false`, without frames, if the frame is not what it is said to be.
    pub(super) fn cut(
        &self,
        frame: &mut [u8],
        network: usize,
        out: &mut Vec<u8>,
        ends: &mut Vec<usize>,
    ) -> bool {
        let done = match (self.segments, self.checksum) {
            (Some((transport, size)), Some(checksum)) => {
                cut(frame, network, transport, size, checksum, out, ends)
            }
            _ => self.complete(frame).then(|| {
                out.extend_from_slice(frame);
                ends.push(out.len());
            }),
        };
        done.is_some()
    }
}

/// Cuts a frame into segments of `size` bytes of payload.
fn cut(
    frame: &[u8],
    network: usize,
    transport: Transport,
    size: usize,
    [start, offset]: [usize; 2],
    out: &mut Vec<u8>,
    ends: &mut Vec<usize>,
) -> Option<()> {
    let header = match transport {
        Transport::Tcp => usize::from(frame.get(start + 12)? >> 4) * 4,
        Transport::Udp => 8,
    };
    let least = match transport {
        Transport::Tcp => 20,
        Transport::Udp => 8,
    };
    let payload = frame.get(start + header..)?;
    let headers = &frame[..start + header];
    if header < least || start < network + 20 || offset + 2 > header {
        return None;
    }
    let pseudo = half(frame, start + offset);
    let (chunks, whole) = (payload.chunks(size), frame.len() - start);
    let last = chunks.len().checked_sub(1)?;
    for (number, chunk) in chunks.enumerate() {
        let from = out.len();
        out.extend_from_slice(headers);
        out.extend_from_slice(chunk);
        let segment = &mut out[from..];
        address(segment, network, number);
        let length = (header + chunk.len()) as u16;
        match transport {
            Transport::Tcp => {
                let before = u32::from_be_bytes(*segment[start + 4..].first_chunk()?);
                let sequence = before.wrapping_add((number * size) as u32);
                segment[start + 4..start + 8].copy_from_slice(&sequence.to_be_bytes());
                let flags = &mut segment[start + 13];
                if number < last {
                    *flags &= !(FIN | PSH);
                }
                if number > 0 {
                    *flags &= !CWR;
                }
            }
            Transport::Udp => put(segment, start + 4, length),
        }
        // The sum of the pseudo header has the length of the whole.
        let shorter = fold(u32::from(pseudo) + u32::from(!(whole as u16)) + u32::from(length));
        put(segment, start + offset, shorter);
        complete(segment, start, offset)?;
        ends.push(out.len());
    }
    Some(())
}

/// Makes a copy of a whole frame's IP header that of its segment with this number.
fn address(segment: &mut [u8], network: usize, number: usize) {
    let length = segment.len() - network;
    if segment[network] >> 4 == 6 {
        // Without the fixed header.
        put(segment, network + 4, (length.saturating_sub(40)) as u16);
        return;
    }
    put(segment, network + 2, length as u16);
    let identification = half(segment, network + 4).wrapping_add(number as u16);
    put(segment, network + 4, identification);
    put(segment, network + 10, 0);
    let header = usize::from(segment[network] & 15) * 4;
    let end = (network + header).min(segment.len());
    let sum = !sum(&segment[network..end]);
    put(segment, network + 10, sum);
}

/// Replaces the sum of the pseudo header, where the checksum belongs, by the checksum; `None` if there is no such
/// place.
fn complete(frame: &mut [u8], start: usize, offset: usize) -> Option<()> {
    frame.get(start + offset..start + offset + 2)?;
    let checksum = match !sum(&frame[start..]) {
        // Zero is no checksum (RFC 768); all ones is the same number.
        0 => u16::MAX,
        checksum => checksum,
    };
    put(frame, start + offset, checksum);
    Some(())
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_be_bytes([bytes[at], bytes[at + 1]])
}

fn put(bytes: &mut [u8], at: usize, value: u16) {
    bytes[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use etherparse::{PacketBuilder, SlicedPacket, TransportSlice};

    use super::*;

    const NETWORK: usize = 14;

    /// A frame of which the kernel has only summed the pseudo header, and its description.
    fn left(frame: &mut [u8], [start, offset]: [usize; 2], kind: u8, size: u16) -> [u8; 10] {
        let transport = frame.len() - start;
        let six = frame[NETWORK] >> 4 == 6;
        let (addresses, protocol) = match six {
            true => (NETWORK + 8..NETWORK + 40, frame[NETWORK + 6]),
            false => (NETWORK + 12..NETWORK + 20, frame[NETWORK + 9]),
        };
        let pseudo = [
            &frame[addresses],
            &(transport as u32).to_be_bytes(),
            &[0, 0, 0, protocol],
        ];
        let pseudo = sum(&pseudo.concat());
        put(frame, start + offset, pseudo);
        let mut described = [0; 10];
        described[..2].copy_from_slice(&[NEEDS_CHECKSUM, kind]);
        described[4..6].copy_from_slice(&size.to_ne_bytes());
        described[6..8].copy_from_slice(&(start as u16).to_ne_bytes());
        described[8..].copy_from_slice(&(offset as u16).to_ne_bytes());
        described
    }

    fn frames(mut frame: Vec<u8>, described: &[u8; 10]) -> Vec<Vec<u8>> {
        let (mut out, mut ends) = (Vec::new(), Vec::new());
        let offload = Offload::read(described, 0).expect("known");
        assert!(offload.cut(&mut frame, NETWORK, &mut out, &mut ends));
        let mut begin = 0;
        let cut = ends.into_iter().map(|end| {
            let one = out[begin..end].to_vec();
            begin = end;
            one
        });
        cut.collect()
    }

    fn builder(six: bool) -> etherparse::PacketBuilderStep<etherparse::IpHeaders> {
        let ethernet = PacketBuilder::ethernet2([2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]);
        match six {
            true => ethernet.ipv6([1; 16], [2; 16], 64),
            false => ethernet.ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64),
        }
    }

    /// 2500 bytes in segments of 1000: what a device would send, of which each is what etherparse would build.
    #[test]
    fn a_large_segment_is_cut_as_by_a_device() {
        for (six, header, kind) in [(false, 20, GSO_TCP4), (true, 40, GSO_TCP6)] {
            let payload: Vec<u8> = (0..2500u32).map(|i| (i * 7) as u8).collect();
            let built = |sequence, payload: &[u8], flags: [bool; 3]| {
                let [cwr, psh, fin] = flags;
                let mut tcp = builder(six).tcp(40_000, 80, sequence, 1000).ack(9);
                for (is_set, set) in [
                    (cwr, etherparse::PacketBuilderStep::cwr as fn(_) -> _),
                    (psh, etherparse::PacketBuilderStep::psh),
                    (fin, etherparse::PacketBuilderStep::fin),
                ] {
                    tcp = if is_set { set(tcp) } else { tcp };
                }
                let mut bytes = Vec::new();
                tcp.write(&mut bytes, payload).expect("memory");
                bytes
            };
            // The number wraps within the frame.
            let first = u32::MAX - 1499;
            let mut whole = built(first, &payload, [true; 3]);
            let described = left(&mut whole, [NETWORK + header, 16], kind | GSO_ECN, 1000);
            let cut = frames(whole, &described);
            let expected = [
                built(first, &payload[..1000], [true, false, false]),
                built(first.wrapping_add(1000), &payload[1000..2000], [false; 3]),
                built(500, &payload[2000..], [false, true, true]),
            ];
            assert_eq!(cut.len(), 3);
            for (number, (found, mut expected)) in cut.into_iter().zip(expected).enumerate() {
                if !six {
                    // Each packet has an identification of its own (RFC 6864 lets it be anything with DF).
                    put(&mut expected, NETWORK + 4, number as u16);
                    put(&mut expected, NETWORK + 10, 0);
                    let checksum = !sum(&expected[NETWORK..NETWORK + 20]);
                    put(&mut expected, NETWORK + 10, checksum);
                }
                assert_eq!(found, expected, "{number}");
            }
        }
    }

    #[test]
    fn datagrams_are_cut_and_summed() {
        let mut whole = Vec::new();
        let udp = builder(false).udp(5, 6);
        udp.write(&mut whole, &[3; 1201]).expect("memory");
        let described = left(&mut whole, [NETWORK + 20, 6], GSO_UDP, 600);
        let cut = frames(whole, &described);
        assert_eq!(cut.iter().map(Vec::len).collect::<Vec<_>>(), [642, 642, 43]);
        for frame in &cut {
            let sliced = SlicedPacket::from_ethernet(frame).expect("a packet");
            let Some(TransportSlice::Udp(udp)) = sliced.transport else {
                panic!("{sliced:?}");
            };
            let right =
                udp.to_header()
                    .calc_checksum_ipv4_raw([10, 0, 0, 1], [10, 0, 0, 2], udp.payload());
            assert_eq!(right.expect("short"), udp.checksum());
        }
    }

    #[test]
    fn a_checksum_is_completed() {
        let mut whole = Vec::new();
        builder(false)
            .tcp(1, 2, 3, 4)
            .write(&mut whole, b"odd")
            .expect("memory");
        let right = whole.clone();
        let described = left(&mut whole, [NETWORK + 20, 16], 0, 0);
        assert_ne!(whole, right);
        assert_eq!(frames(whole, &described), std::slice::from_ref(&right));
        // Nothing is left to do.
        assert_eq!(frames(right.clone(), &[0; 10]), [right]);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        let described = |flags, kind, size: u16| {
            let mut described = [0; 10];
            described[..2].copy_from_slice(&[flags, kind]);
            described[4..6].copy_from_slice(&size.to_ne_bytes());
            Offload::read(&described, 0)
        };
        assert_eq!(described(0, GSO_TCP4, 100), None);
        assert_eq!(described(NEEDS_CHECKSUM, GSO_TCP4, 0), None);
        // Fragments of UDP, which Linux no longer makes.
        assert_eq!(described(NEEDS_CHECKSUM, 3, 100), None);
    }

    /// Places beyond the frame, and headers that are not there.
    #[test]
    fn hostile_descriptions_cut_nothing() {
        let mut whole = Vec::new();
        builder(false)
            .tcp(1, 2, 3, 4)
            .write(&mut whole, &[0; 90])
            .expect("memory");
        for kind in [0, GSO_TCP4, GSO_UDP] {
            for start in 0..200u16 {
                for offset in [0u16, 6, 16, 60, 65_000] {
                    let mut described = [0; 10];
                    described[..2].copy_from_slice(&[NEEDS_CHECKSUM, kind]);
                    described[4] = 10;
                    described[5] = 0;
                    described[6..8].copy_from_slice(&start.to_ne_bytes());
                    described[8..].copy_from_slice(&offset.to_ne_bytes());
                    let Some(offload) = Offload::read(&described, 0) else {
                        continue;
                    };
                    let (mut out, mut ends) = (Vec::new(), Vec::new());
                    let cut = offload.cut(&mut whole.clone(), NETWORK, &mut out, &mut ends);
                    let beyond = usize::from(start) + usize::from(offset) + 2 > whole.len();
                    assert!(!(cut && beyond), "{kind} {start} {offset}");
                }
            }
        }
    }
}
