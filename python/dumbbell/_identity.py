"""The identity of a control's code: a hash that changes whenever the control may decide otherwise.

It covers the compiled code of the class and of its parents, their fields, everything that a function
closes over, every global that it names, what it takes from modules of one's own, and the class'
`version`. What a function reaches in another way, such as a file that it reads, is not known: then
`version` tells.
"""

from __future__ import annotations

import datetime
import decimal
import dis
import enum
import fractions
import functools
import hashlib
import re
import sys
import sysconfig
import types
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions, version
from pathlib import Path, PurePath
from typing import Any

# What `repr` tells completely.
_SHOWN = (
    datetime.date,
    datetime.time,
    datetime.timedelta,
    decimal.Decimal,
    fractions.Fraction,
    PurePath,
    range,
    slice,
    bytearray,
)
# Fields of a class that say nothing about what it does.
_IGNORED = {
    "__module__",
    "__dict__",
    "__weakref__",
    "__doc__",
    "__firstlineno__",
    "__static_attributes__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__abstractmethods__",
    "_abc_impl",
    "__parameters__",
    "__orig_bases__",
    # Python adds it when an object of the class is copied.
    "__slotnames__",
}


class _Unknown(Exception):
    """Something whose identity is not known."""


def identity(control: type, base: type) -> tuple[bytes | None, str | None]:
    """The hash of the class' code; or None, and why nothing is known about a part of it."""
    told = _Teller()
    try:
        told.say("python", *(str(part) for part in sys.version_info[:2]))
        # The helpers of the base class, such as `grow`.
        told.say("dumbbell", Path(__file__).with_name("control.py").read_bytes(), _host())
        told.of_class(control, base)
        told.of(getattr(control, "version", None), "version")
    except _Unknown as why:
        return None, str(why)
    except RecursionError:
        return None, "it refers to too much"
    return told.hash.digest(), None


class _Teller:
    """Writes everything that determines the behaviour of objects to a hash."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self.seen: dict[int, int] = {}
        self.kept: list[object] = []
        # The names in the function that is told, and what was told of modules by name.
        self.names: frozenset[str] = frozenset()
        self.reached: set[tuple[int, str]] = set()

    def say(self, *words: str | bytes) -> None:
        for word in words:
            data = word.encode(errors="surrogatepass") if isinstance(word, str) else word
            self.hash.update(len(data).to_bytes(8, "little") + data)

    def is_known(self, thing: object) -> bool:
        """Whether this was told before: then its number is enough, and circles end."""
        number = self.seen.get(id(thing))
        if number is not None:
            self.say("again", str(number))
            return True
        self.seen[id(thing)] = len(self.seen)
        self.kept.append(thing)
        return False

    def of_class(self, cls: type, base: type | None = None) -> None:
        if self.is_known(cls):
            return
        self.say("class", cls.__name__)
        for parent in cls.__mro__[1:]:
            if parent is object or (base is not None and issubclass(base, parent)):
                self.say("base", parent.__qualname__)
            else:
                self.of(parent, parent.__name__)
        if type(cls) is not type:
            self.of(type(cls), f"the class of {cls.__name__}")
        around, self.names = self.names, frozenset(_names_of_class(cls))
        try:
            self.of_fields(cls)
        finally:
            self.names = around

    def of_fields(self, cls: type) -> None:
        for name, value in sorted(vars(cls).items()):
            if name == "__annotations__":
                self.say("annotations", *(f"{field}: {kind!r}" for field, kind in value.items()))
            elif name not in _IGNORED:
                self.say("field", name)
                self.of(value, f"{cls.__name__}.{name}")

    def of(self, thing: Any, what: str) -> None:
        """Tells an object; `what` names it in the reason why nothing is known about it."""
        kind = type(thing)
        if thing is None or kind in (bool, int, float, complex, str, bytes) or thing is Ellipsis:
            self.say(kind.__name__, repr(thing))
        elif isinstance(thing, enum.Enum):
            self.of(kind, what)
            self.say(str(thing.name))
            self.of(thing.value, what)
        elif kind in (tuple, list):
            self.say(kind.__name__, str(len(thing)))
            for part in thing:
                self.of(part, what)
        elif kind in (dict, types.MappingProxyType):
            self.say("dict", str(len(thing)))
            for key, value in thing.items():
                self.of(key, what)
                self.of(value, what)
        elif kind in (set, frozenset):
            self.say("set", *sorted(_hash_of(part, what) for part in thing))
        elif isinstance(thing, types.ModuleType):
            self.of_module(thing, what)
        elif isinstance(thing, type):
            self.of_type(thing, what)
        elif isinstance(thing, types.FunctionType):
            self.of_function(thing, what)
        elif isinstance(thing, types.CodeType):
            self.of_code(thing)
        elif isinstance(thing, staticmethod | classmethod):
            self.say(kind.__name__)
            self.of(thing.__func__, what)
        elif isinstance(thing, property):
            self.say("property")
            for part in (thing.fget, thing.fset, thing.fdel):
                self.of(part, what)
        elif isinstance(thing, types.MethodType):
            self.say("method")
            self.of(thing.__func__, what)
            self.of(thing.__self__, what)
        elif _is_of_c(thing):
            self.of_c(thing, what)
        elif isinstance(thing, types.GetSetDescriptorType | types.MemberDescriptorType):
            self.say("slot", thing.__name__)
        else:
            self.of_object(thing, what)

    def of_object(self, thing: Any, what: str) -> None:
        if self.is_known(thing):
            return
        kind = type(thing)
        kind_of_items = getattr(thing, "dtype", None)
        if kind.__module__ == "numpy" and kind_of_items is not None and not kind_of_items.hasobject:
            self.say("numpy", str(kind_of_items), repr(getattr(thing, "shape", ())))
            self.say(thing.tobytes())
            return
        if isinstance(thing, _SHOWN) and _released(kind.__module__) is not None:
            self.say(kind.__module__, kind.__qualname__, repr(thing))
            return
        if isinstance(thing, functools.partial):
            self.say("partial")
            self.of((thing.func, thing.args, thing.keywords), what)
            return
        if isinstance(thing, re.Pattern):
            self.say("pattern", repr(thing.pattern), str(thing.flags))
            return
        wrapped = getattr(thing, "__wrapped__", None)
        if wrapped is not None and kind.__module__ == "functools":
            self.say("wrapped")
            self.of(wrapped, what)
            return
        state = getattr(thing, "__dict__", None)
        # What an object of C holds beside its fields is not known.
        of_python = all(
            parent is object
            or (
                _released(parent.__module__) is None
                and "__slots__" not in vars(parent)
                and not _is_class_of_c(parent)
            )
            for parent in kind.__mro__
        )
        if state is None or not of_python:
            raise _Unknown(
                f"nothing is known about {what}, which is of the type {kind.__name__!r}; give the control "
                "a number, a string, or a function instead"
            )
        self.say("object")
        self.of(kind, what)
        self.of(dict(sorted(state.items())), what)

    def of_type(self, cls: type, what: str) -> None:
        released = _released(cls.__module__)
        if released is not None:
            self.say("type", cls.__module__, cls.__qualname__, released)
        elif _is_class_of_c(cls):
            raise _Unknown(f"nothing is known about {what}, a class that is not written in Python")
        else:
            self.of_class(cls)

    def of_c(self, thing: Any, what: str) -> None:
        """Tells a function of C: its name, and the object whose method it is."""
        owner = getattr(thing, "__self__", None)
        owner = owner if owner is not None else getattr(thing, "__objclass__", None)
        if isinstance(owner, type | types.ModuleType) or owner is None:
            place = thing.__module__ if getattr(thing, "__module__", None) else owner
            place = getattr(place, "__module__", None) or getattr(place, "__name__", place)
            released = _released(str(place or "builtins"))
            # A ufunc that was made from a function of Python is none of numpy's.
            is_made = type(thing).__name__ == "ufunc" and set("".join(thing.types)) <= set("O->")
            if released is None or is_made:
                raise _Unknown(f"nothing is known about {what}, a function that is not written in Python")
            self.say("builtin", str(place), getattr(thing, "__qualname__", repr(thing)), released)
        else:
            self.say("bound", thing.__name__)
            self.of(owner, what)

    def of_module(self, module: types.ModuleType, what: str) -> None:
        released = _released(module.__name__)
        if released is not None:
            self.say("module", module.__name__, released)
            return
        self.of_file(module)
        # What a function takes from the module may come from another one, or be set from outside.
        for name in sorted(self.names & vars(module).keys()):
            if (id(module), name) not in self.reached:
                self.reached.add((id(module), name))
                self.say("attribute", name)
                self.of(vars(module)[name], f"`{module.__name__}.{name}`, which {what} may name")

    def of_file(self, module: types.ModuleType) -> None:
        if self.is_known(module):
            return
        file = getattr(module, "__file__", None)
        try:
            content = Path(file).read_bytes() if file else None
        except OSError:
            content = None
        if content is None:
            raise _Unknown(f"nothing is known about the module {module.__name__!r}")
        self.say("file", module.__name__, content)

    def of_function(self, function: types.FunctionType, what: str) -> None:
        # The module in which it was written: a decorator can set `__module__` to any other.
        module = function.__globals__.get("__name__") or ""
        released = _released(module)
        is_whole = not function.__closure__ and not vars(function)
        if released is not None and module != "dumbbell.control" and is_whole:
            self.say("function", module, function.__qualname__, released)
            self.of((function.__defaults__, function.__kwdefaults__), what)
            return
        if self.is_known(function):
            return
        around, self.names = self.names, frozenset(_names(function.__code__))
        try:
            self.of_parts(function, what)
        finally:
            self.names = around

    def of_parts(self, function: types.FunctionType, what: str) -> None:
        self.of_code(function.__code__)
        self.of(dict(sorted(vars(function).items())), what)
        self.of(function.__defaults__, what)
        self.of(function.__kwdefaults__, what)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            self.say("closure", name)
            try:
                value = cell.cell_contents
            except ValueError:
                self.say("empty")
            else:
                self.of(value, f"`{name}`, which {what} closes over")
        for name in sorted(set(_globals(function.__code__))):
            if name in function.__globals__:
                self.say("global", name)
                self.of(function.__globals__[name], f"`{name}`, which {what} names")
        for name in sorted(set(_imports(function.__code__))):
            self.say("import", name)
            # One that is not part of Python is not loaded before the first run, and cannot be told.
            module = sys.modules.get(name)
            if module is not None:
                self.of_module(module, what)
            elif _released(name) is None:
                raise _Unknown(f"{what} imports {name!r}: import it at the top of the file")

    def of_code(self, code: types.CodeType) -> None:
        self.say("code", code.co_name, code.co_code, getattr(code, "co_exceptiontable", b""))
        self.say(str(code.co_argcount), str(code.co_kwonlyargcount), str(code.co_flags))
        self.say(*code.co_names, "", *code.co_varnames, "", *code.co_freevars, "")
        for const in code.co_consts:
            self.of(const, "a constant")


def _hash_of(thing: object, what: str) -> bytes:
    told = _Teller()
    told.of(thing, what)
    return told.hash.digest()


def _globals(code: types.CodeType) -> Iterator[str]:
    """The globals that code names, in functions inside it, too."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _globals(const)


def _names(code: types.CodeType) -> Iterator[str]:
    """All names in code, and in functions inside it."""
    yield from code.co_names
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _names(const)


def _names_of_class(cls: type) -> Iterator[str]:
    """All names in the methods of a class and of its parents."""
    for parent in cls.__mro__:
        for value in vars(parent).values():
            if isinstance(value, types.FunctionType):
                yield from _names(value.__code__)


def _imports(code: types.CodeType) -> Iterator[str]:
    """The modules that code imports, in functions inside it, too."""
    for instruction in dis.get_instructions(code):
        if instruction.opname == "IMPORT_NAME":
            yield instruction.argval
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from _imports(const)


def _is_of_c(thing: object) -> bool:
    """Whether this is a function of C."""
    kinds = (types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType)
    return isinstance(thing, (*kinds, types.ClassMethodDescriptorType)) or type(thing).__name__ == "ufunc"


def _is_class_of_c(cls: type) -> bool:
    """Whether a class is written in C: it has functions of C of its own."""
    own = (
        getattr(it, "__objclass__", getattr(it, "__self__", None))
        for it in vars(cls).values()
        if _is_of_c(it)
    )
    return any(owner is cls for owner in own)


def _released(module: str) -> str | None:
    """The version of a module that is part of Python or of an installed package; None for one's own."""
    top = module.partition(".")[0]
    if top == "dumbbell":
        return _own_version()
    found = sys.modules.get(module) or sys.modules.get(top)
    file = getattr(found, "__file__", None)
    if top in sys.stdlib_module_names and top != "__main__":
        # A file of one's own can have the name of one of Python's.
        places = (sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"))
        return "python" if file is None or any(map(Path(file).is_relative_to, places)) else None
    if file is None or not Path(file).is_relative_to(sysconfig.get_path("purelib")):
        return None
    names = _distributions().get(top)
    return version(names[0]) if names else None


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    return packages_distributions()


def _host() -> str:
    from ._native import _HOST

    return _HOST


def _own_version() -> str:
    from ._native import __version__

    return __version__
