"""Runs on more than the threads of this process: processes of this machine, or a Dask cluster.

`run` and `sweep` take a `client`: a `dask.distributed.Client`, or any `concurrent.futures.Executor`.

>>> import dumbbell as db
>>> from dumbbell.cluster import processes
>>> path = db.dumbbell(rate="1 Mb/s", flows=["veno"], duration="5 s")
>>> with processes(2) as client:
...     found = db.sweep(path, {"bottleneck.loss.bernoulli": [0.0, 0.01]}, repeat=2, client=client)
>>> len(found.runs)
4

Runs are handed out in batches of about a second, and what comes back is written to the store by this
process alone. The tables are those of a local sweep, byte for byte (docs/cluster.md).
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import queue
import signal
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar

from . import _native
from ._errors import Error
from ._extras import needed

__all__ = ["Client", "processes"]

_P = ParamSpec("_P")
_T = TypeVar("_T")

Client: TypeAlias = Any
"""A `dask.distributed.Client`, or any `concurrent.futures.Executor`."""


def processes(jobs: int | None = None) -> ProcessPoolExecutor:
    """Processes of this machine: controls in Python then run on all cores.

    Built-in controls need none: `run` and `sweep` use all cores by themselves.

    Use it in a ``with`` statement. In a script, put the code that uses it below
    ``if __name__ == "__main__":``, since each process imports the script.

    Args:
        jobs: The number of processes; without it, as many as this process may use cores.
    """
    context = multiprocessing.get_context("spawn")
    return _Processes(jobs or _cores(), mp_context=context, initializer=_leave_ctrl_c)


class _Processes(ProcessPoolExecutor):
    """Processes that leave Ctrl-C to this one from their first moment on: a submission may start one."""

    def submit(self, fn: Callable[_P, _T], /, *args: _P.args, **kwargs: _P.kwargs) -> Future[_T]:
        if not hasattr(signal, "pthread_sigmask"):
            return super().submit(fn, *args, **kwargs)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            return super().submit(fn, *args, **kwargs)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Pool(Protocol):
    """Where batches of runs are computed; `crates/python/src/cluster` calls it."""

    def workers(self) -> int:
        """The number of batches that can run at the same time."""
        ...

    def submit(self, number: int, order: bytes, texts: Sequence[str], controls: Sequence[type]) -> None:
        """Hands a batch out: what is asked for, the texts of its scenarios, and their controls."""
        ...

    def wait(self, seconds: float) -> list[tuple[int, bytes | BaseException]]:
        """The batches that have come back, after at most this time if there is none."""
        ...

    def cancel(self) -> None:
        """Takes back all batches that have not begun."""
        ...

    def explained(self, raised: BaseException, what: str) -> BaseException:
        """The exception for a batch, described by `what`, that raised another one."""
        ...


def pool(client: Client | None, jobs: int | None) -> Pool | None:
    """The pool of a client.

    Args:
        client: What a user gave to `run` or `sweep`.
        jobs: The number of threads that was asked for, which nobody can want as well.

    Raises:
        TypeError: If it is no client that can be used.
        ValueError: If both are given.
    """
    if client is None:
        return None
    if jobs is not None:
        raise ValueError("give either jobs, the number of threads here, or a client")
    if isinstance(client, Executor):
        return _Executors(client)
    if all(hasattr(client, name) for name in ("submit", "gather", "nthreads", "cancel")):
        if getattr(client, "asynchronous", False):
            raise TypeError(
                "this Dask client is asynchronous, but runs are waited for: make it with asynchronous=False"
            )
        return _Dask(client)
    raise TypeError(
        "a client is a dask.distributed.Client or a concurrent.futures.Executor, and this is "
        f"{type(client).__name__}"
    )


def work(order: bytes, controls: bytes, *texts: str) -> bytes:
    """Computes a batch of runs: what a worker calls."""
    return _native.work(order, list(texts), pickle.loads(controls) if controls else [])


def _pickled(controls: Sequence[type]) -> bytes:
    """The classes of controls, those of a notebook or a script with their code."""
    if not controls:
        return b""
    cloudpickle = needed("cloudpickle", "dask", "a control in Python on other processes")
    return cloudpickle.dumps(list(controls))


class _Executors:
    """The pool of an executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._workers = getattr(executor, "_max_workers", None) or _cores()
        self._came: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._futures: dict[int, Future[bytes]] = {}

    def workers(self) -> int:
        return self._workers

    def submit(self, number: int, order: bytes, texts: Sequence[str], controls: Sequence[type]) -> None:
        future = self._executor.submit(work, order, _pickled(controls), *texts)
        self._futures[number] = future
        future.add_done_callback(lambda _: self._came.put(number))

    def wait(self, seconds: float) -> list[tuple[int, bytes | BaseException]]:
        came = ((number, self._futures.pop(number)) for number in _drained(self._came, seconds))
        return [(number, _result(future)) for number, future in came]

    def cancel(self) -> None:
        for future in self._futures.values():
            future.cancel()

    def explained(self, raised: BaseException, what: str) -> BaseException:
        if type(raised).__name__ in ("BrokenProcessPool", "BrokenExecutor"):
            return _because(
                raised,
                f"a process of the pool ended abruptly ({raised}). The first batch that was lost "
                f"with it, though perhaps not the one that ended it, is {what}",
            )
        return _noted(raised, what)


class _Dask:
    """The pool of a Dask cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._came: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._futures: dict[int, Any] = {}
        self._texts: dict[str, Any] = {}
        self._workers, self._asked = 0, float("-inf")
        self._name = f"dumbbell-{os.urandom(6).hex()}"

    def workers(self) -> int:
        now = time.monotonic()
        if now - self._asked > _ASK:
            self._workers, self._asked = sum(self._client.nthreads().values()), now
        return self._workers

    def submit(self, number: int, order: bytes, texts: Sequence[str], controls: Sequence[type]) -> None:
        key = f"{self._name}-{number}"
        texts = [self._text(text) for text in texts]
        future = self._client.submit(work, order, _pickled(controls), *texts, key=key, pure=False)
        self._futures[number] = future
        future.add_done_callback(lambda _: self._came.put(number))

    def _text(self, text: str) -> Any:
        """A short text itself; a long one as a task, whose result goes to each worker once."""
        if len(text) < _LONG:
            return text
        if text not in self._texts:
            key = f"{self._name}-text-{len(self._texts)}"
            self._texts[text] = self._client.submit(str, text, key=key, pure=False)
        return self._texts[text]

    def wait(self, seconds: float) -> list[tuple[int, bytes | BaseException]]:
        came = {number: self._futures.pop(number) for number in _drained(self._came, seconds)}
        good = [number for number, future in came.items() if future.status == "finished"]
        results: dict[int, bytes | BaseException] = {}
        try:
            gathered = self._client.gather([came[number] for number in good])
            results = dict(zip(good, gathered, strict=True))
        except Exception:
            # One of them failed in the meantime: which one is found below.
            results = {}
        return [
            (number, results[number] if number in results else _result(future))
            for number, future in came.items()
        ]

    def cancel(self) -> None:
        self._client.cancel(list(self._futures.values()))

    def explained(self, raised: BaseException, what: str) -> BaseException:
        name = type(raised).__name__
        if name == "KilledWorker":
            return _because(
                raised,
                f"a batch of runs ended every worker that had it ({raised}). It is {what}",
            )
        if isinstance(raised, ModuleNotFoundError) and raised.name == "dumbbell":
            return _because(raised, "the workers have no dumbbell: install the same wheel there")
        if name in ("CancelledError", "FutureCancelledError"):
            return _because(raised, f"the cluster has dropped a batch of runs ({raised}). It is {what}")
        return _noted(raised, what)


_ASK = 1.0
"""How often a cluster is asked for its workers, which come and go, in seconds."""
_LONG = 32 * 1024
"""The length from which on a scenario's text goes to each worker once; with a trace it is long."""


def _drained(came: queue.SimpleQueue[int], seconds: float) -> list[int]:
    """All that is in a queue, after at most this time if it is empty."""
    numbers: list[int] = []
    try:
        numbers.append(came.get(timeout=seconds))
        while True:
            numbers.append(came.get_nowait())
    except queue.Empty:
        return numbers


def _result(future: Any) -> bytes | BaseException:
    """The result of a future that is done, or what it raised."""
    try:
        return future.result()
    except BaseException as raised:
        return raised


def _because(raised: BaseException, message: str) -> Error:
    error = Error(message)
    error.__cause__ = raised
    return error


def _noted(raised: BaseException, what: str) -> BaseException:
    if not isinstance(raised, Error):
        raised.add_note(f"in a batch of runs: {what}")
    return raised


def _cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _leave_ctrl_c() -> None:
    """Ctrl-C in a terminal reaches every process, but only the first one handles it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
