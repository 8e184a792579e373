"""What the class of a control declares."""

from __future__ import annotations

import inspect
import re
import types
from typing import Annotated, Any, ClassVar, Literal, get_args, get_origin, get_type_hints

from ._identity import identity
from .control import Control, Range, RateControl

_SIGNALS = ("rtt", "receiver_time", "queueing", "pacing", "marks", "l4s")
_HOOKS = ("on_sent", "on_sample", "window", "pacing", "sending_rate")
_MOST_COUNT = 2**32 - 1
_MOST_RATIO = _MOST_COUNT / 1e6


def is_control(value: object) -> bool:
    """Whether this is the class of a control or a rate control."""
    return isinstance(value, type) and issubclass(value, Control | RateControl)


def declare(control: Any) -> dict[str, Any]:
    """Collects what the class declares, for `_native`.

    Raises:
        TypeError: If a field cannot be a parameter, or the class is none of a control.
        ValueError: If a default is out of its range.
    """
    if not is_control(control) or control in (Control, RateControl):
        raise TypeError(
            f"{control!r} is no control: derive a class from dumbbell.Control or dumbbell.RateControl"
        )
    is_rate = issubclass(control, RateControl)
    base = RateControl if is_rate else Control
    own_doc = control.__dict__.get("__doc__") or ""
    summary = control.summary or inspect.cleandoc(own_doc).partition("\n")[0]
    needs = _words(control, "needs", ())
    wrong = [signal for signal in needs if signal not in _SIGNALS]
    if wrong:
        raise ValueError(f"{control.__name__} needs {wrong[0]!r}, but the signals are {', '.join(_SIGNALS)}")
    code, unknown = identity(control, base)
    return {
        "name": str(control.name or _name(control.__name__)),
        "summary": str(summary),
        "is_rate": is_rate,
        "parameters": [_parameter(control, *field) for field in _fields(control, base)],
        "recoveries": [] if is_rate else list(_words(control, "recoveries", ())),
        "needs": list(needs),
        "hooks": [hook for hook in _HOOKS if _overrides(control, base, hook)],
        "code": code,
        "unknown": unknown,
    }


def _name(of_class: str) -> str:
    """`MyControl` is `my-control`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", of_class).lower().strip("_")


def _words(control: type, field: str, usual: tuple[str, ...]) -> tuple[str, ...]:
    value = getattr(control, field, usual)
    return (value,) if isinstance(value, str) else tuple(value)


def _overrides(control: type, base: type, method: str) -> bool:
    return hasattr(base, method) and getattr(control, method) is not getattr(base, method)


def _fields(control: type, base: type) -> list[tuple[str, Any]]:
    """The annotated fields with a default, those of parents first, each with its type."""
    fields: dict[str, Any] = {}
    parents = [it for it in reversed(control.__mro__) if it is not object]
    for parent in parents:
        if issubclass(base, parent):
            continue
        for name in inspect.get_annotations(parent):
            if name.startswith("_") or not hasattr(control, name):
                continue
            fields[name] = _type(parent, name)
    return [(name, kind) for name, kind in fields.items() if get_origin(kind) is not ClassVar]


def _type(owner: type, name: str) -> Any:
    """The type of a field. An annotation that is text is evaluated."""
    text = inspect.get_annotations(owner)[name]
    if not isinstance(text, str):
        return text
    if re.match(r"(typing\.)?ClassVar\b", text):
        return ClassVar[Any]
    one = types.SimpleNamespace(__annotations__={name: text}, __module__=owner.__module__)
    module = __import__("sys").modules.get(owner.__module__)
    names = {**vars(__import__("typing")), "Range": Range, **vars(module or types.ModuleType("none"))}
    try:
        return get_type_hints(one, names, include_extras=True)[name]  # type: ignore[arg-type]
    except NameError as wrong:
        raise TypeError(
            f"the type of the parameter {name!r} of {owner.__name__} cannot be read: {wrong}"
        ) from None


def _parameter(
    control: type, name: str, kind: Any
) -> tuple[str, str, str, tuple[float, float], Any, list[str]]:
    """A parameter: name, description, sort, range, default, words."""
    span: Range | None = None
    about = ""
    if get_origin(kind) is Annotated:
        kind, *extras = get_args(kind)
        for extra in extras:
            span = extra if isinstance(extra, Range) else span
            about = extra if isinstance(extra, str) else about
    default = getattr(control, name)
    what = f"the parameter {name!r} of {control.__name__}"
    if kind is bool:
        if not isinstance(default, bool):
            raise TypeError(f"{what} is a bool, but its default is {default!r}")
        return name, about, "flag", (0.0, 1.0), default, []
    if get_origin(kind) is Literal:
        words = list(get_args(kind))
        if not all(isinstance(word, str) for word in words) or default not in words:
            raise TypeError(f"{what} must be one of a few strings, with one of them as its default")
        return name, about, "choice", (0.0, 0.0), default, words
    if kind is int or kind is float:
        whole = kind is int
        least, most = (span.least, span.most) if span else (0, _MOST_COUNT if whole else _MOST_RATIO)
        if not 0 <= least <= most <= (_MOST_COUNT if whole else _MOST_RATIO):
            limit = _MOST_COUNT if whole else _MOST_RATIO
            raise ValueError(f"{what} has a range outside 0 to {limit}, the range of parameters")
        sound = isinstance(default, int) if whole else isinstance(default, int | float)
        if isinstance(default, bool) or not sound:
            raise TypeError(f"{what} is a number, but its default is {default!r}")
        if not least <= default <= most:
            raise ValueError(f"{what} is {default}, which is outside its range {least} to {most}")
        return name, about, "count" if whole else "ratio", (least, most), default, []
    raise TypeError(
        f"{what} has the type {kind!r}: a parameter is a bool, an int, a float or a Literal of strings; "
        "a field that is no parameter is annotated with ClassVar, or its name begins with _"
    )
