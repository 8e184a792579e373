"""Tests of what `live_papers.py` makes of captures and of numbers, without a network."""

import contextlib
import io
import socket
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path

import live_capture
import live_experiments
import live_host
import live_papers


def packet(protocol, source, target, payload, sequence=0, acknowledged=0):
    """An IPv4 packet of TCP or UDP, of which a capture stores the headers alone."""
    if protocol == live_capture.UDP:
        segment = struct.pack(">HHHH", source, target, 8 + payload, 0)
    else:
        segment = struct.pack(">HHIIBBHHH", source, target, sequence, acknowledged, 5 << 4, 16, 0, 0, 0)
    length = 20 + len(segment) + payload
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 0, 0, 64, protocol, 0, bytes(4), bytes(4)) + segment


def capture(packets, link=101, header=b""):
    """Packets with their times, as they are read from a file with this type of link and header."""
    file = struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 128, link)
    for at, data in packets:
        data = header + data
        seconds = int(at)
        file += struct.pack("<IIII", seconds, round((at - seconds) * 1e9), len(data), len(data)) + data
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
        self.assertEqual(live_capture.sent_to(capture([udp(2.5, 4500, 588)], 1, bytes(14)), 4500), [2.5])

    def test_times_are_counted_from_the_first(self):
        self.assertEqual(live_experiments.within([11, 14.25, 19], 5), [0, 3.25])
        self.assertEqual(live_experiments.within([], 5), [])

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

    def test_base_rtt_is_the_smallest_since_the_last_indication(self):
        # Round-trip times of 0.1 and 0.3 s, a loss, one of 0.2 s, another loss. An ACK of before the first segment says nothing.
        trace = live_capture.trace(capture([
            data(1.0, 0), ack(1.05, -10), ack(1.1, 100), data(1.2, 100), ack(1.5, 200), data(1.6, 200), data(1.61, 300),
            data(1.9, 200), ack(2.0, 400), data(2.1, 400), ack(2.3, 500), data(2.4, 500), data(2.8, 500),
        ]), 40000)
        self.assertEqual([round(rtt, 6) for _, rtt in trace.rtts], [0.1, 0.3, 0.2])
        self.assertEqual([(time, round(base, 6)) for time, base in trace.indications], [(1.9, 0.1), (2.8, 0.2)])


class Equation(unittest.TestCase):
    def test_each_interval_with_a_loss_asks_the_equation(self):
        asked = []

        class Machine:
            def asked(self, command):
                asked.append(dict(zip(command[2:-1:2], command[3:-1:2])))
                return {"points": [{"approximate": 7}]}

        # Intervals of 10 s: one with BaseRTT, one whose indication has none, and whose rtt is below the last one, one without a loss.
        trace = live_capture.Trace(
            sent=[100, 101, 105, 111, 112, 125],
            indications=[(105, 0.08), (112, None)],
            rtts=[(101, 0.1), (104, 0.2), (113, 0.05), (125, 0.1)],
        )
        looks = [(3, 3, 0.2), (8, 7, 0.4), (15, 9, 0.5), (25, 9, 0.5)]
        size = live_experiments.FULL._replace(interval=10, count=3)
        self.assertEqual(list(live_experiments.measured(Machine(), trace, looks, size)), [(3, 70), (2, 70)])
        first = {"--rtt": "0.150000 s", "--base-rtt": "0.080000 s", "--rto": "0.300000 s", "--wmax": "7", "--loss": str(1 / 3), "--b": "2"}
        second = first | {"--rtt": "0.050000 s", "--base-rtt": "0.050000 s", "--rto": "0.500000 s", "--wmax": "9", "--loss": "0.5"}
        self.assertEqual(asked, [first, second])


class Emulations(unittest.TestCase):
    def emulated(self, doubts):
        """A machine whose emulator doubts the first runs of a test, and the folder that it returns."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            program = folder / "dumbbell"
            program.write_text(
                "#!/bin/sh\n"
                'faults="\\"late\\""\n'
                f'case "$PWD" in *-[{doubts}-9]) faults=;; esac\n'
                'echo "{\\"faults\\": [$faults]}" > report.json\n'
            )
            program.chmod(0o755)
            machine = live_papers.Machine(program, folder)
            return machine, machine.emulated("test", 1, "file", {}, "true", 1, "true", "flow").name

    def test_a_doubted_run_is_repeated_twice_and_counted_if_it_stays_doubted(self):
        for doubts, last, doubted in ((0, "test-1-0", 0), (2, "test-1-2", 0), (3, "test-1-2", 1)):
            machine, folder = self.emulated(doubts)
            self.assertEqual((folder, machine.runs, machine.doubted), (last, 1, doubted))

    @unittest.skipUnless(sys.platform == "linux", "tcp_info is Linux's")
    def test_the_kernel_tells_of_a_connection_what_the_offsets_say(self):
        with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()) as peer:
            other, _ = listener.accept()
            with other:
                peer.sendall(bytes(1000))
                other.recv(1000, socket.MSG_WAITALL)
                for _ in range(100):
                    info = live_host.info(peer)
                    if not info["unacked"]:
                        break
                    time.sleep(0.02)
        self.assertEqual({it: info[it] for it in ("unacked", "resent", "not_sent", "sent")}, {"unacked": 0, "resent": 0, "not_sent": 0, "sent": 1})
        self.assertGreaterEqual(info["cwnd"], 2)
        self.assertTrue(0.2 <= info["rto"] < 2, info)


class Numbers(unittest.TestCase):
    def test_the_variation_is_that_of_bins(self):
        # Bins of 2 s have 3, 1 and 2 packets: mean 2, variance 2/3.
        self.assertAlmostEqual(live_experiments.variation([0, 0.5, 1.9, 2.5, 4.1, 5.9], 6, 2), (2 / 3) ** 0.5 / 2)
        # The very end belongs to the last bin.
        self.assertEqual(live_experiments.variation([0, 2.5, 6.0], 6, 2), 0)

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
        # Two equal live runs beside 20 simulated ones of 15 +- 2.40: two of these would have 15 +- 7.59. So the means may differ by
        # 3.75 + 7.59 + 2.40.
        varied = [10.0, 20.0] * 10
        self.assertTrue(live_papers.agrees(row([28.7, 28.7], varied), 0.25))
        self.assertFalse(live_papers.agrees(row([28.8, 28.8], varied), 0.25))

    def test_a_table_counts_and_marks_the_rows_that_do_not_agree(self):
        table = live_experiments.Table("T", "", [live_experiments.Row("a", 1, [1.0], [1.0]), live_experiments.Row("b", None, [2.0], [1.0])])
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            self.assertEqual(live_papers.show(table, 0.1), 1)
        self.assertIn("| a | 1 | 1.00 | 1.00 | 1.000 |", printed.getvalue())
        self.assertIn("| b | - | 2.00 | 1.00 | **2.000** |", printed.getvalue())


if __name__ == "__main__":
    unittest.main()
