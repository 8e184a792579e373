"""What a capture of the sender's host says about its flows: packets sent, and TCP's losses and round-trip times."""

import struct
from dataclasses import dataclass, field

TCP, UDP = 6, 17
# The bytes of a link's header before the IP packet, by the capture's type of link.
LINKS = {1: 14, 101: 0, 228: 0}
MAGICS = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}


@dataclass(frozen=True)
class Packet:
    """A packet of TCP or UDP."""

    time: float
    protocol: int
    source: int
    target: int
    payload: int
    sequence: int = 0
    acknowledged: int = 0


@dataclass
class Trace:
    """What a TCP sender sent and heard: times of its data segments; times of loss indications, each with BaseRTT; samples."""

    sent: list = field(default_factory=list)
    indications: list = field(default_factory=list)
    rtts: list = field(default_factory=list)


def read(path):
    """Yields the packets of a file in pcap's classic format."""
    data = path.read_bytes()
    order = "<" if struct.unpack_from("<I", data)[0] in MAGICS else ">"
    magic, *_, link = struct.unpack_from(order + "IHHiIII", data)
    unit, header = MAGICS[magic], LINKS[link & 0xFFFF]
    at = 24
    while at + 16 <= len(data):
        seconds, fraction, stored, _ = struct.unpack_from(order + "IIII", data, at)
        packet = parsed(seconds + fraction * unit, data[at + 16 + header : at + 16 + stored])
        at += 16 + stored
        if packet:
            yield packet


def parsed(time, ip):
    """Returns the packet, or None if it is neither TCP nor UDP over IPv4."""
    if len(ip) < 28 or ip[0] >> 4 != 4 or ip[9] not in (TCP, UDP):
        return None
    words = 4 * (ip[0] & 15)
    length = struct.unpack_from(">H", ip, 2)[0] - words
    source, target = struct.unpack_from(">HH", ip, words)
    if ip[9] == UDP:
        return Packet(time, UDP, source, target, length - 8)
    sequence, acknowledged, offset = struct.unpack_from(">IIB", ip, words + 4)
    return Packet(time, TCP, source, target, length - 4 * (offset >> 4), sequence, acknowledged)


def sent_to(packets, port, least=1):
    """Returns the times of UDP packets to a port with at least so many bytes."""
    return [it.time for it in packets if it.protocol == UDP and it.target == port and it.payload >= least]


def trace(packets, port):
    """Returns what the TCP sender at a port did, by the method of Padhye et al. 1998, section 3.

    The first retransmission of a window is a loss indication. Later ones belong to it, as long as they resend what had been sent
    by then. Round-trip times are those of segments that were sent once, when they are newly acknowledged. BaseRTT is the
    smallest since the last indication, as in Veno.
    """
    found = Trace()
    first = highest = recovery = una = None
    flight, again, base = {}, set(), None
    for it in packets:
        if it.protocol != TCP:
            continue
        if it.source == port and it.payload:
            first = it.sequence if first is None else first
            start = (it.sequence - first) % 2**32
            end = start + it.payload
            found.sent.append(it.time)
            if highest is not None and start < highest:
                again.add(end)
                flight.pop(end, None)
                if recovery is None or start >= recovery:
                    found.indications.append((it.time, base))
                    recovery, base = highest, None
            else:
                flight[end] = it.time
            highest = max(highest or 0, end)
        elif it.target == port and first is not None:
            acked = (it.acknowledged - first) % 2**32
            if acked > 2**31 or (una is not None and acked <= una):
                continue
            # The newest of what is acknowledged, unless something of it was sent again.
            ends = [end for end in flight if end <= acked]
            if acked in flight and not any(end <= acked and end > (una or 0) for end in again):
                rtt = it.time - flight[acked]
                found.rtts.append((it.time, rtt))
                base = rtt if base is None else min(base, rtt)
            for end in ends:
                del flight[end]
            again = {end for end in again if end > acked}
            una = acked
    return found
