"""The compiled module as its stub describes it.

The classes of `dumbbell._native` have their types and their documentation in `_native.pyi`. So that
autodoc finds them, the classes and functions of the stub take their places in the package.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
import typing
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest import mock

NATIVE = "dumbbell._native"

Form = Callable[..., Any]
"""One of the signatures of an overloaded function."""


def take_over() -> None:
    """Puts what the stub describes into every module of the package that has the compiled one."""
    package = importlib.import_module("dumbbell")
    for module in pkgutil.iter_modules(package.__path__, "dumbbell."):
        # What an extra is missing for has no page either.
        if not module.name.startswith("dumbbell._"):
            importlib.import_module(module.name)
    native = importlib.import_module(NATIVE)
    described = read(Path(inspect.getfile(package)).parent / "_native.pyi")
    public = set(package.__all__)
    places = {
        id(getattr(native, name)): item
        for name, item in vars(described).items()
        if getattr(item, "__module__", None) == NATIVE and hasattr(native, name)
    }
    modules = [it for name, it in sys.modules.items() if name.split(".")[0] == "dumbbell"]
    for module in modules:
        for name, value in list(vars(module).items()):
            if module is not native and id(value) in places:
                item = places[id(value)]
                if name in public:
                    item.__module__ = "dumbbell"
                setattr(module, name, item)


def read(path: Path) -> ModuleType:
    """The stub as a module."""
    module = ModuleType(NATIVE)
    forms: dict[str, list[Form]] = defaultdict(list)

    def overload(function: Form) -> Form:
        forms[function.__qualname__].append(function)
        return function

    source = "from __future__ import annotations\n" + path.read_text(encoding="utf-8")
    # `type_check_only` exists for type checkers alone.
    forms_kept = mock.patch.object(typing, "overload", overload)
    only = mock.patch.object(typing, "type_check_only", lambda item: item, create=True)
    with forms_kept, only:
        exec(compile(source, str(path), "exec"), vars(module))
    for same in forms.values():
        merge(same)
    return module


def merge(forms: list[Form]) -> None:
    """Names the other forms of an overloaded function in the documentation of the last one."""
    about = [inspect.cleandoc(form.__doc__) for form in forms if form.__doc__]
    others = ", ".join(f"``{form.__name__}{signature(form)}``" for form in forms[:-1])
    # In front of the sections, such as what it raises.
    head, *sections = "\n".join(about).split("\n\n")
    forms[-1].__doc__ = "\n\n".join(filter(None, [head, f"Also: {others}.", *sections]))


def signature(form: Form) -> str:
    """A signature as it is written in the stub."""
    found = inspect.signature(form)
    parameters = [it for it in found.parameters.values() if it.name != "self"]
    text = str(found.replace(parameters=parameters))
    # Annotations are texts, which Python shows in quotes.
    return text.replace("'", "")
