"""The one style of all figures: colours, dashes, markers, sizes of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias
from zlib import crc32

import matplotlib as mpl
from matplotlib.colors import to_hex, to_rgb

# The colours of Okabe and Ito (2008) without yellow, which is too light for lines on white, and
# with a dark grey for black. They can be distinguished with any colour vision.
VERMILION = "#D55E00"
BLUE = "#0072B2"
GREEN = "#009E73"
PURPLE = "#CC79A7"
ORANGE = "#E69F00"
SKY = "#56B4E9"
INK = "#3C3C3C"

# For names that are no control's. From the muted colours of Paul Tol (2021).
OTHERS = ("#882255", "#44AA99", "#332288", "#999933", "#AA4499", "#6F4E37")

Dash: TypeAlias = Literal["-"] | tuple[float, tuple[float, ...]]
"""A line style of matplotlib."""

SOLID: Dash = "-"
DASHED: Dash = (0.0, (5.0, 1.4))
DOTTED: Dash = (0.0, (1.1, 1.1))
DASH_DOT: Dash = (0.0, (5.0, 1.2, 1.1, 1.2))
SHORT: Dash = (0.0, (2.6, 1.2))
DASH_DOTS: Dash = (0.0, (4.5, 1.1, 1.1, 1.1, 1.1, 1.1))
LONG: Dash = (0.0, (8.0, 1.5))
DASHES = (SOLID, DASHED, DASH_DOT, SHORT, DASH_DOTS, LONG, DOTTED)
MARKERS = ("o", "s", "^", "D", "v", "p", "<", "h", ">", "*")


@dataclass(frozen=True)
class Look:
    """How a curve is drawn."""

    colour: str
    """An RGB colour, ``#rrggbb``."""
    dash: Dash
    """matplotlib's line style."""
    marker: str
    """matplotlib's marker."""

    def shade(self, number: int) -> Look:
        """The look of one more curve of the same control: another lightness, dash and marker."""
        if number == 0:
            return self
        towards, part = _SHADES[(number - 1) % len(_SHADES)]
        mixed = [a + (b - a) * part for a, b in zip(to_rgb(self.colour), towards, strict=True)]
        return replace(
            self,
            colour=to_hex((mixed[0], mixed[1], mixed[2])).upper(),
            dash=_after(DASHES, self.dash, number),
            marker=_after(MARKERS, self.marker, number),
        )


_BLACK, _WHITE = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
_SHADES = ((_BLACK, 0.5), (_WHITE, 0.45), (_BLACK, 0.25), (_WHITE, 0.25), (_BLACK, 0.7))

# Controls of one family share a colour and differ in dash and marker; those that are most often
# drawn together differ in colour.
_CONTROLS: dict[str, Look] = {
    "venodb": Look(VERMILION, SOLID, "o"),
    "veno": Look(BLUE, DASHED, "s"),
    "veno+": Look(BLUE, SHORT, "p"),
    "new-veno": Look(BLUE, DASH_DOTS, "h"),
    "westwood": Look(GREEN, DASH_DOT, "^"),
    "westwood+": Look(GREEN, SHORT, "v"),
    "reno": Look(INK, DOTTED, "D"),
    "newreno": Look(INK, DASHED, "d"),
    "sack": Look(INK, DASH_DOT, "H"),
    "tahoe": Look(INK, LONG, "8"),
    "multcp": Look(INK, DASH_DOTS, "*"),
    "cubic": Look(PURPLE, DASH_DOTS, "v"),
    "bbr": Look(PURPLE, DASHED, "X"),
    "bbr1": Look(PURPLE, SHORT, "P"),
    "dctcp": Look(GREEN, DASHED, "P"),
    "prague": Look(GREEN, LONG, "X"),
    "vegas": Look(ORANGE, LONG, "p"),
    "vegas-a": Look(ORANGE, SHORT, ">"),
    "vegas-a+": Look(ORANGE, DASH_DOT, "<"),
    "rovegas": Look(ORANGE, SOLID, "h"),
    "sarbe": Look(SKY, SOLID, "<"),
    "tfrc": Look(SKY, DASHED, "D"),
    "tfrc-veno": Look(PURPLE, SOLID, "o"),
    "multfrc": Look(GREEN, SOLID, "s"),
    "aio-tfrc": Look(GREEN, DOTTED, "v"),
    "ecn-tfrc": Look(SKY, DASH_DOT, "^"),
    "wm-tfrc": Look(SKY, SHORT, "p"),
    "aed-tfrc": Look(SKY, DOTTED, "h"),
    "nada": Look(VERMILION, DASHED, "v"),
    "scream": Look(VERMILION, DOTTED, "s"),
    "gcc": Look(BLUE, DASH_DOT, "X"),
}
_ALIASES = {"westwoodnr": "westwood", "newveno": "new-veno", "tfrcveno": "tfrc-veno"}

COMMON = ("venodb", "veno", "westwood", "reno", "cubic", "vegas", "sarbe")
"""The controls that have a colour of their own."""


def look(name: str) -> Look:
    """How the curve of this name is drawn, in every figure.

    A control, a short name such as ``newreno`` and a paper's name of a protocol such as
    ``WestwoodNR`` have a fixed look. Any other name has one of `OTHERS` that follows from its
    letters.
    """
    control = _control(name)
    if control is not None:
        return _CONTROLS[control]
    number = crc32(name.encode())
    return Look(
        OTHERS[number % len(OTHERS)],
        DASHES[number // 8 % len(DASHES)],
        MARKERS[number // 64 % len(MARKERS)],
    )


def looks(names: Sequence[str], like: Sequence[str] | None = None) -> list[Look]:
    """The looks of the curves of one figure, all different.

    `like` are the controls of the curves, where they are known: curves of one control are shades of
    its colour. Names that are no control's keep the colour of `look` unless another curve has it.
    """
    controls = [_control(each) for each in (like or names)]
    found: list[Look | None] = [None] * len(names)
    taken: dict[str, int] = {}
    for place, control in enumerate(controls):
        if control is not None:
            found[place] = _CONTROLS[control].shade(taken.get(control, 0))
            taken[control] = taken.get(control, 0) + 1
    # The colours of controls are free where there is none.
    free = OTHERS if taken else (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, INK, *OTHERS)
    used: list[str] = []
    known: dict[str, Look] = {}
    for place, name in enumerate(names):
        if found[place] is not None:
            continue
        key = like[place] if like else name
        if key in known:
            taken[key] = taken.get(key, 0) + 1
            found[place] = known[key].shade(taken[key])
            continue
        one = look(key)
        if not taken or one.colour in used:
            colour = next((each for each in free if each not in used), one.colour)
            number = len(used)
            one = Look(colour, DASHES[number % len(DASHES)], MARKERS[number % len(MARKERS)])
        used.append(one.colour)
        known[key] = found[place] = one
    return [one for one in found if one is not None]


def ramp(count: int) -> list[Look]:
    """Looks for values in order, from dark to light.

    The colours are of cividis, which are in order in grey and with any colour vision.
    """
    colours = mpl.colormaps["cividis"]
    spaced = [0.02 + 0.80 * number / max(count - 1, 1) for number in range(count)]
    return [
        Look(to_hex(colours(at)).upper(), DASHES[n % len(DASHES)], MARKERS[n % len(MARKERS)])
        for n, at in enumerate(spaced)
    ]


def _control(name: str) -> str | None:
    """The control that a name means."""
    plain = re.sub(r"\s*\(.*\)$", "", name.strip().lower())
    for text in (plain, plain.removeprefix("tcp "), plain.replace(" ", "-")):
        text = _ALIASES.get(text, text)
        if text in _CONTROLS:
            return text
    return None


def _after(all_of_them: Sequence[Any], one: Any, number: int) -> Any:
    at = all_of_them.index(one) if one in all_of_them else 0
    return all_of_them[(at + number) % len(all_of_them)]


MAP_COLOURS = "cividis"
"""The colours of maps: in order in grey and with any colour vision."""

GRID = "#DADADA"

SETTINGS: dict[str, Any] = {
    "figure.dpi": 150,
    "figure.facecolor": "white",
    "savefig.dpi": 300,
    "savefig.facecolor": "white",
    # TrueType fonts, as papers ask for; text stays text.
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "Liberation Sans", "DejaVu Sans"],
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.titlepad": 3,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.title_fontsize": 7,
    "figure.labelsize": 8,
    "figure.titlesize": 8,
    "mathtext.default": "regular",
    "axes.facecolor": "white",
    "axes.edgecolor": "#707070",
    "axes.labelcolor": "black",
    "text.color": "black",
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.which": "major",
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.4,
    "grid.linestyle": "-",
    "xtick.color": "#707070",
    "ytick.color": "#707070",
    "xtick.labelcolor": "black",
    "ytick.labelcolor": "black",
    "xtick.direction": "out",
    "ytick.direction": "out",
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "xtick.minor.size": 1.5,
    "ytick.minor.size": 1.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "xtick.major.pad": 2,
    "ytick.major.pad": 2,
    "axes.labelpad": 2.5,
    "axes.xmargin": 0.02,
    "axes.ymargin": 0.05,
    "axes.formatter.useoffset": False,
    "axes.formatter.limits": [-4, 5],
    "axes.formatter.use_mathtext": True,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "lines.markeredgewidth": 0.5,
    "lines.solid_joinstyle": "round",
    "patch.linewidth": 0.5,
    "hatch.linewidth": 0.4,
    "legend.frameon": False,
    "legend.handlelength": 2.4,
    "legend.handletextpad": 0.5,
    "legend.columnspacing": 1.2,
    "legend.borderaxespad": 0.2,
    "legend.labelspacing": 0.3,
    "figure.constrained_layout.use": True,
    "figure.constrained_layout.h_pad": 0.02,
    "figure.constrained_layout.w_pad": 0.02,
    "figure.constrained_layout.wspace": 0.04,
    "svg.hashsalt": "dumbbell",
}


@contextmanager
def style(**settings: Any) -> Iterator[None]:
    """The style of all figures, for the statements of a `with`.

    Global settings are as before afterwards.

    Args:
        settings: More settings of matplotlib, with `_` for a dot and `__` for an underscore:
            `style(font_size=9)`.
    """
    more = {
        name.replace("__", "\0").replace("_", ".").replace("\0", "_"): value
        for name, value in settings.items()
    }
    unknown = [name for name in more if name not in mpl.rcParams]
    if unknown:
        from ._columns import nearest

        raise ValueError(f"matplotlib has no setting `{unknown[0]}`{nearest(unknown[0], mpl.rcParams)}")
    both: Any = {**SETTINGS, **more}
    with mpl.rc_context(both):
        yield
        # The first figure of a notebook loads its backend, which turns this on: it must stay, or no
        # later figure is shown.
        interactive = mpl.is_interactive()
    mpl.interactive(interactive)
