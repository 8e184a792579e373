"""Tests of what `live_papers.py` makes of captures and of numbers, without a network."""

import struct
import tempfile
import unittest
from pathlib import Path

import live_capture
import live_experiments
import live_papers


def packet(protocol, source, target, payload, sequence=0, acknowledged=0):
    """An IPv4 packet of TCP or UDP, of which a capture stores the headers alone."""
    if protocol == live_capture.UDP:
        segment = struct.pack(">HHHH", source, target, 8 + payload, 0)
    else:
        segment = struct.pack(">HHIIBBHHH", source, target, sequence, acknowledged, 5 << 4, 16, 0, 0, 0)
    length = 20 + len(segment) + payload
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 0, 0, 64, protocol, 0, bytes(4), bytes(4)) + segment


def capture(packets):
    """Packets with their times, as a file's packets are read."""
    file = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 128, 101)
    for time, data in packets:
        seconds = int(time)
        file += struct.pack("<IIII", seconds, round((time - seconds) * 1e9), len(data), len(data)) + data
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "sender.pcap"
        path.write_bytes(file)
        return list(live_capture.read(path))


def data(time, sequence, payload=100):
    return time, packet(live_capture.TCP, 40000, 5001, payload, 2**32 - 50 + sequence if sequence < 50 else sequence - 50)


def ack(time, acknowledged):
    return time, packet(live_capture.TCP, 5001, 40000, 0, 1, (acknowledged - 50) % 2**32)


class Capture(unittest.TestCase):
    def test_packets_of_a_stream_are_those_to_its_port_with_a_payload(self):
        udp = lambda time, port, payload: (time, packet(live_capture.UDP, 999, port, payload))
        packets = capture([udp(1, 4500, 588), udp(2, 4500, 20), udp(3, 999, 588), udp(4.25, 4500, 588)])
        self.assertEqual(live_capture.sent_to(packets, 4500, 500), [1, 4.25])
        self.assertEqual(live_experiments.within([1, 4.25, 9], 5), [0, 3.25])

    def test_losses_of_one_window_are_one_indication_and_round_trips_are_karns(self):
        # Five segments, of which the first two are lost; numbers wrap. Both are sent again: one indication. Then two more, and the
        # second of these is lost: another one.
        trace = live_capture.trace(capture([
            data(1.0, 0), ack(1.1, 100), data(1.2, 100), data(1.21, 200), data(1.22, 300), data(1.23, 400),
            data(1.4, 100), data(1.41, 200), ack(1.5, 500), data(1.6, 500), data(1.61, 600), ack(1.65, 600), data(2.0, 600),
            ack(2.2, 700),
        ]), 40000)
        self.assertEqual(len(trace.sent), 10)
        self.assertEqual([time for time, _ in trace.indications], [1.4, 2.0])
        self.assertEqual([round(rtt, 6) for _, rtt in trace.rtts], [0.1, 0.05])
        # BaseRTT is the smallest since the indication before: 0.1 s, then 0.05 s.
        self.assertEqual([round(base, 6) for _, base in trace.indications], [0.1, 0.05])


class Numbers(unittest.TestCase):
    def test_the_variation_is_that_of_bins(self):
        # Bins of 2 s have 3, 1 and 2 packets: mean 2, variance 2/3.
        self.assertAlmostEqual(live_experiments.variation([0, 0.5, 1.9, 2.5, 4.1, 5.9], 6, 2), (2 / 3) ** 0.5 / 2)

    def test_an_agreement_is_an_error_and_a_correlation(self):
        mean, error, correlation = live_experiments.agreement([(100, 110), (200, 180), (300, 330)])
        self.assertEqual(mean, 200)
        self.assertAlmostEqual(error, 10)
        self.assertAlmostEqual(correlation, 0.9787, places=4)

    def test_a_verdict_says_what_the_interval_allows(self):
        self.assertEqual(live_papers.verdict([1.5, 1.6, 1.55], 1.0), "holds")
        self.assertEqual(live_papers.verdict([0.5, 0.6, 0.55], 1.0), "fails")
        self.assertEqual(live_papers.verdict([0.5, 1.6, 1.2], 1.0), "undecided (holds on the mean)")
        self.assertEqual(live_papers.verdict([0.5, 1.6, 0.2], 1.0), "undecided (fails on the mean)")
        self.assertEqual(live_papers.all_of(["holds", "fails", "undecided (holds on the mean)"]), "fails")

    def test_means_agree_within_the_bound_and_both_intervals(self):
        row = lambda live, simulated: live_experiments.Row("", None, live, simulated)
        self.assertTrue(live_papers.agrees(row([109.0], [100.0]), 0.1))
        self.assertFalse(live_papers.agrees(row([111.0], [100.0]), 0.1))
        self.assertTrue(live_papers.agrees(row([111.0, 115.0], [100.0]), 0.1))
        self.assertIsNone(live_papers.agrees(row([], [100.0]), 0.1))
        # Two equal live runs beside simulated ones that vary: 23 of 15 +- 2.2.
        varied = [10.0, 20.0] * 10
        self.assertTrue(live_papers.agrees(row([23.0, 23.0], varied), 0.25))
        self.assertFalse(live_papers.agrees(row([33.0, 33.0], varied), 0.25))


if __name__ == "__main__":
    unittest.main()
