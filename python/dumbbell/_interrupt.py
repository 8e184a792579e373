"""Ends Python code in another thread."""

from __future__ import annotations

import ctypes


def raise_in(thread: int) -> None:
    """Raises `KeyboardInterrupt` in the Python code that a thread executes.

    Args:
        thread: The thread's number, as `threading.get_ident` gives it.
    """
    raised = ctypes.py_object(KeyboardInterrupt)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
