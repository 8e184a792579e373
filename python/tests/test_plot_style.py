"""The style of figures: colours, sizes, fonts, and what is left alone."""

from __future__ import annotations

import io
import itertools
import subprocess
import sys
import zlib

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

import dumbbell as db
from dumbbell.plot import _style
from dumbbell.plot._style import COMMON, INK, OTHERS, look, looks, ramp

# Viénot, Brettel and Mollon (1999) for protanopia and deuteranopia, and Machado, Oliveira and
# Fernandes (2009), severity 1, for tritanopia; all for linear RGB.
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array([[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]]),
    "deuteranopia": np.array([[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]]),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}


def lab(colour: str, vision: str) -> np.ndarray:
    """CIELAB coordinates of a colour as it is seen."""
    rgb = np.array(mpl.colors.to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISIONS[vision] @ linear, 0, 1)
    to_xyz = np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    part = to_xyz @ seen / np.array([0.95047, 1.0, 1.08883])
    root = np.where(part > 0.008856, np.cbrt(part), 7.787 * part + 16 / 116)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


def nearest_pair(colours: list[str], vision: str) -> float:
    """The least distance (CIE 1976) of two of the colours."""
    seen = [lab(colour, vision) for colour in colours]
    return min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(seen, 2))


@pytest.mark.parametrize("vision", VISIONS)
def test_common_controls_are_told_apart_with_any_colour_vision(vision: str) -> None:
    # 2.3 is a difference that is just noticed; 10 is one that is seen at a glance.
    assert nearest_pair([look(name).colour for name in COMMON], vision) >= 10


@pytest.mark.parametrize("vision", VISIONS)
def test_the_simulation_finds_colours_that_are_confused(vision: str) -> None:
    alike = {"protanopia": ["#BC0000", "#434304"], "deuteranopia": ["#BC0000", "#6B6B00"]}
    if vision in alike:
        assert nearest_pair(alike[vision], vision) < 10 < nearest_pair(alike[vision], "usual")


def test_no_two_controls_look_alike_in_grey() -> None:
    names = list(_style._CONTROLS)
    assert len({look(name) for name in names}) == len(names)
    # Those that are drawn together most often differ in dashes and in markers.
    assert len({look(name).dash for name in COMMON}) >= 5
    assert len({look(name).marker for name in COMMON}) == len(COMMON)


def test_every_built_in_control_has_a_look_of_its_own() -> None:
    if not hasattr(db, "list"):
        pytest.skip("this build has no list of names")
    names = [row["name"] for row in db.list().rows() if row["sort"] in ("control", "rate control")]
    assert len(names) >= 15
    assert {name for name in names if _style._control(name) is None} == set()


def test_a_control_looks_the_same_in_every_figure() -> None:
    assert look("VenoDB") == look("venodb") == looks(["cubic", "venodb"])[1]
    assert look("WestwoodNR") == look("westwood")
    assert look("TCP Sack") == look("sack")
    assert look("Vegas-A+ (reconstructed)") == look("vegas-a+")
    # These are the colours of Okabe and Ito (2008), as in the command's drawings.
    assert [look(name).colour for name in ("venodb", "veno", "westwood")] == [
        "#D55E00",
        "#0072B2",
        "#009E73",
    ]


def test_a_control_of_ones_own_keeps_its_colour_beside_others() -> None:
    alone = looks(["mine", "veno"])[0]
    assert alone == look("mine")
    assert looks(["cubic", "reno", "mine"])[2] == alone
    assert alone.colour in OTHERS and alone.colour != INK


def test_names_without_a_control_look_different() -> None:
    names = [f"flow {number}" for number in range(10)]
    assert len({one.colour for one in looks(names)}) == 10
    # Two names that prefer one colour.
    same = [name for name in map(str, range(100)) if zlib.crc32(name.encode()) % len(OTHERS) == 0]
    both = looks([*same[:2], "veno"])
    assert both[0].colour != both[1].colour


def test_flows_of_one_control_are_shades_of_its_colour() -> None:
    three = looks(["a", "b", "c"], ["veno", "veno", "cubic"])
    assert three[0] == look("veno") and three[2] == look("cubic")
    assert three[1] != three[0] and three[1].dash != three[0].dash
    hues = [mpl.colors.rgb_to_hsv(mpl.colors.to_rgb(one.colour))[0] for one in three]
    assert hues[0] == pytest.approx(hues[1], abs=0.02) and abs(hues[2] - hues[0]) > 0.2


def test_a_ramp_is_in_order_in_grey() -> None:
    for count in (2, 5, 12):
        light = [lab(one.colour, "usual")[0] for one in ramp(count)]
        assert light == sorted(light) and len(set(light)) == count
        # The lightest can still be seen on white.
        assert light[-1] < 80


def test_drawing_leaves_all_settings_as_they_were(tidy: dict[str, list]) -> None:
    before = dict(mpl.rcParams)
    figures = plt.get_fignums()
    ax = db.plot.sweep(tidy)
    ax.figure.savefig(io.BytesIO(), format="pdf")
    with db.plot.style(font_size=11):
        assert mpl.rcParams["font.size"] == 11
    with pytest.raises(ZeroDivisionError), db.plot.style():
        _ = 1 / 0
    assert dict(mpl.rcParams) == before
    plt.close(ax.figure)
    assert plt.get_fignums() == figures


def test_an_unknown_setting_is_answered_with_the_nearest() -> None:
    with pytest.raises(ValueError, match=r"did you mean `font.size`"), db.plot.style(font_sise=9):
        pass


@pytest.mark.parametrize(
    ("size", "inches"),
    [("one", (3.5, None)), ("two", (7.16, None)), (5, (5.0, None)), ((4, 3), (4.0, 3.0))],
)
def test_a_figure_is_as_wide_as_a_column(tidy, size, inches) -> None:
    wide, high = db.plot.sweep(tidy, size=size).figure.get_size_inches()
    assert wide == pytest.approx(inches[0])
    assert high == pytest.approx(inches[1]) if inches[1] else 1 < high < wide
    assert db.plot.SIZES == {"one": 3.5, "two": 7.16}


@pytest.mark.parametrize("size", ["three", 0, -1, (1, 2, 3), (1, 0), None, float("nan")])
def test_a_wrong_size_is_explained(tidy, size) -> None:
    with pytest.raises(ValueError, match=r"size = .*\(3.5 in\)"):
        db.plot.sweep(tidy, size=size)


def test_a_figure_is_saved_with_its_fonts_and_its_width(tidy) -> None:
    ax = db.plot.sweep(tidy)
    found = {}
    for kind in ("pdf", "svg", "png", "eps"):
        file = io.BytesIO()
        ax.figure.savefig(file, format=kind)
        found[kind] = file.getvalue()
    # TrueType (Type 42), and not the outlines of Type 3, which publishers refuse.
    assert b"/CIDFontType2" in found["pdf"] and b"/Type3" not in found["pdf"]
    assert b"/MediaBox [ 0 0 252 " in found["pdf"]
    assert found["svg"].startswith(b"<?xml") and found["png"].startswith(b"\x89PNG")


def test_text_can_be_read_at_the_width_of_a_column(tidy) -> None:
    ax = db.plot.sweep(tidy)
    ax.figure.draw_without_rendering()
    texts = [*ax.get_xticklabels(), *ax.get_yticklabels(), ax.xaxis.label, ax.yaxis.label]
    texts += [text for legend in ax.figure.legends for text in legend.get_texts()]
    assert min(text.get_size() for text in texts) >= 7


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_package_does_not_import_matplotlib() -> None:
    code = (
        "import dumbbell, dumbbell.plot, sys; print([n for n in ('matplotlib', 'numpy') if n in sys.modules])"
    )
    assert run(code) == "[]"


def test_without_matplotlib_the_error_names_the_extra() -> None:
    code = """
import sys
sys.modules["matplotlib"] = None
import dumbbell as db
try:
    db.plot.windows({})
except ImportError as error:
    print(error)
runs = db.run(db.dumbbell(rate="2 Mb/s", delay="20 ms", flows=["veno"], duration="1 s"))
print(repr(db.plot.picture(runs)), "<table" in db.plot.html(runs), type(runs.plot).__name__)
"""
    said, shown = run(code).splitlines()
    assert 'pip install "dumbbell[plot]"' in said and "matplotlib" in said
    assert shown == "'' True RunPlots"


def test_a_misspelt_function_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="window"):
        db.plot.window  # noqa: B018
    assert set(db.plot.__all__) <= set(dir(db.plot))
    assert all(getattr(db.plot, name) is not None for name in db.plot.__all__)
