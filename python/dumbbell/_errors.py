"""The exceptions of the library."""


class Error(RuntimeError):
    """Something that the library cannot do. The message says what, and why."""


class ScenarioError(Error, ValueError):
    """A scenario is wrong. The message shows every mistake with its place and a hint."""


class StoreError(Error):
    """A file of finished runs cannot be used."""


class Panic(Error):
    """The library itself is wrong: a bug, with the message of the code that found it."""
