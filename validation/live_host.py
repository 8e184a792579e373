#!/usr/bin/env python3
"""Real TCP flows between the two hosts of an emulated path (`live_papers.py` starts it there; Linux alone).

    live_host.py sink PORT          takes connections until it is ended, and discards what arrives
    live_host.py send PORT FLOWS    FLOWS is a JSON array of flows; prints what became of each as JSON

All flows have the same `min_rto_us`, the minimum of the retransmission timeout (Linux 6.11). A flow has a `control`, a `segment`
in bytes, a `start` in seconds, and either `bytes`, which are sent and acknowledged, or `until`, a time in seconds at which it
ends. Segments have no timestamps, so that they are as large as in the papers.
"""

import json
import os
import socket
import struct
import sys
import threading
import time
from pathlib import Path

TCP_CONGESTION = 13
CHUNK = bytes(1 << 15)
# A sender asks this often whether it is over, and how large its window is.
LOOK_S = 0.05


def settings(values):
    """Sets this host's TCP: no timestamps, no memory of earlier connections to the peer, and these values."""
    for name, value in {"tcp_timestamps": 0, "tcp_no_metrics_save": 1, **values}.items():
        Path(f"/proc/sys/net/ipv4/{name}").write_text(f"{value}\n")


def sink(port):
    listener = socket.create_server(("0.0.0.0", port))
    while True:
        peer, _ = listener.accept()
        threading.Thread(target=discard, args=(peer,), daemon=True).start()


def discard(peer):
    with peer:
        try:
            while peer.recv(1 << 16):
                pass
        except ConnectionError:
            pass


def info(peer):
    """Returns fields of the kernel's `tcp_info`: segments, but for the timeout `rto` in s and the bytes `not_sent`."""
    raw = peer.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 232)
    at = lambda offset: struct.unpack_from("=I", raw, offset)[0]
    return {"unacked": at(24), "rto": at(8) / 1e6, "cwnd": at(80), "resent": at(100), "not_sent": at(144), "sent": at(156)}


def flow(spec, address, zero, results, number):
    """Runs a flow, and puts its times, its `info` at the end and (time, window, timeout) at each look into `results`."""
    sleep_until(zero + spec["start"])
    peer = socket.socket()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG, spec["segment"])
    peer.setsockopt(socket.IPPROTO_TCP, TCP_CONGESTION, spec["control"].encode())
    begin = time.monotonic()
    peer.connect(address)
    peer.setblocking(False)
    local = peer.getsockname()[1]
    left, until, looks, look = spec.get("bytes"), spec.get("until"), [], 0.0
    while True:
        now = time.monotonic()
        state = None
        if now >= look:
            state, look = info(peer), now + LOOK_S
            looks.append((now - zero, state["cwnd"], state["rto"]))
        if until is not None and now >= zero + until:
            break
        if left == 0:
            state = info(peer)
            if state["unacked"] == 0 and state["not_sent"] == 0:
                break
            time.sleep(0.002)
            continue
        try:
            sent = peer.send(CHUNK if left is None else CHUNK[:left])
            left = None if left is None else left - sent
        except BlockingIOError:
            time.sleep(0.005)
    results[number] = {"port": local, "seconds": time.monotonic() - begin, "began": begin - zero, "looks": looks} | info(peer)
    # A reset: what is still in the buffer must not be sent.
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    peer.close()


def sleep_until(moment):
    left = moment - time.monotonic()
    if left > 0:
        time.sleep(left)


def send(port, specs):
    settings({"tcp_rto_min_us": specs[0]["min_rto_us"]})
    results = [None] * len(specs)
    address, zero = (os.environ["DUMBBELL_PEER"], port), time.monotonic()
    threads = [threading.Thread(target=flow, args=(spec, address, zero, results, n)) for n, spec in enumerate(specs)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if None in results:
        sys.exit("a flow failed")
    print(json.dumps(results))


if __name__ == "__main__":
    if sys.argv[1] == "sink":
        settings({})
        sink(int(sys.argv[2]))
    else:
        send(int(sys.argv[2]), json.loads(sys.argv[3]))
