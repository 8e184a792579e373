"""Libraries that are not needed until somebody asks for what they do."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def needed(module: str, extra: str, what: str) -> Any:
    """Imports a module of an extra.

    Args:
        module: The module's name.
        extra: The extra that has it.
        what: What needs it, for the message.

    Raises:
        ImportError: If it is not installed; the message says how to install it.
    """
    try:
        return import_module(module)
    except ImportError as wrong:
        name = module.partition(".")[0]
        raise ImportError(
            f'{what} needs {name}, which is not installed: pip install "dumbbell[{extra}]"',
            name=name,
        ) from wrong
