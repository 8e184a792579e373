"""`reproduce` and `matrix`: the same verdicts and files as the command."""

import pickle
import subprocess
from pathlib import Path

import pytest

import dumbbell as db

FIGURE = "venodb-fig2"


@pytest.fixture(scope="module")
def found() -> db.Reproduction:
    return db.reproduce(FIGURE, quick=True)


def files(folder: Path) -> dict[str, bytes]:
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_the_verdicts_are_those_on_record(found: db.Reproduction) -> None:
    claims = found.claims
    assert len(claims) > 0
    assert claims["verdict"].to_list() == claims["recorded"].to_list()
    assert set(claims["figure"].to_list()) == {FIGURE}
    assert len(found.changes) == 0
    assert set(found.sentences["standing"].to_list()) <= {
        "holds",
        "elsewhere",
        "partly",
        "nowhere",
        "undecidable",
        "undecided",
    }


def test_a_printed_number_of_the_paper_is_beside_the_measured_one(found: db.Reproduction) -> None:
    # Section 4.1 of the paper: VenoDB exceeds Veno by 35.7 % at 2 % loss.
    row = next(row for row in found.claims.rows() if row["claim"] == "c-veno")
    assert "35.7 %" in row["text"] and "35.7" in row["stated"]
    points = [
        row for row in found.figures[FIGURE].rows() if row["x"] == 0.02 and row["measure"] == "throughput"
    ]
    means = {row["curve"]: row["mean"] for row in points}
    gain = (means["VenoDB"] / means["Veno"] - 1) * 100
    assert f"{gain:.0f}" in row["found"], (gain, row["found"])
    for row in points:
        assert row["low"] <= row["mean"] <= row["high"] and row["runs"] == 5


def test_a_drawing_shows_means_of_its_figure(found: db.Reproduction) -> None:
    drawing = found.drawings[FIGURE]
    assert (drawing.figure, drawing.kind, drawing.log_x) == (FIGURE, "curves", True)
    assert "loss rate" in drawing.x_label and "kb/s" in drawing.y_label
    of_figure = {
        (row["curve"], row["x"]): row["mean"]
        for row in found.figures[FIGURE].rows()
        if row["measure"] == "throughput"
    }
    shown = {(row["curve"], row["x"]): row["mean"] for row in drawing.table.rows()}
    assert shown == of_figure


def test_the_files_are_those_of_the_command(found: db.Reproduction, binary: Path, tmp_path: Path) -> None:
    path = found.write(tmp_path / "here")
    assert path == tmp_path / "here" / "report.html"
    asked = [binary, "reproduce", FIGURE, "--quick", "--out", tmp_path / "there"]
    subprocess.run(asked, check=True, capture_output=True)
    here, there = files(tmp_path / "here"), files(tmp_path / "there")
    # The command has its store beside them, and the report says how long it took.
    del there["runs.sqlite"]
    assert len(here.pop("report.html")) > 100_000 and there.pop("report.html")
    assert here == there


def test_a_pickle_has_everything(found: db.Reproduction, tmp_path: Path) -> None:
    again = pickle.loads(pickle.dumps(found))
    assert again.claims == found.claims and again.figures == found.figures
    assert again.drawings == found.drawings and again.report() == found.report()
    found.write(tmp_path / "one")
    again.write(tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert repr(again) == repr(found)


def test_wrong_names_are_told_with_the_nearest_right_one(tmp_path: Path) -> None:
    with pytest.raises(db.ScenarioError, match="did you mean `venodb-fig2`"):
        db.reproduce("venodb-fig22")
    with pytest.raises(db.ScenarioError, match="there is no folder"):
        db.reproduce(tmp_path / "nowhere")
    with pytest.raises(db.Error, match="cannot compare with"):
        db.reproduce(FIGURE, quick=True, against=tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError, match="it is a file"):
        db.reproduce(FIGURE, quick=True).write(tmp_path / "file")


def test_a_store_is_used(tmp_path: Path) -> None:
    store = tmp_path / "runs.sqlite"
    first = db.reproduce(FIGURE, quick=True, store=store)
    again = db.reproduce(FIGURE, quick=True, store=store)
    assert first.computed > 0 and (again.computed, again.taken) == (0, first.computed)
    assert first.claims == again.claims


def test_verdicts_are_compared_with_an_earlier_reproduction(found: db.Reproduction, tmp_path: Path) -> None:
    found.write(tmp_path)
    record = tmp_path / "venodb.verdicts.toml"
    record.write_text(record.read_text().replace('c-veno = "holds"', 'c-veno = "fails"'))
    against = db.reproduce(FIGURE, quick=True, against=tmp_path)
    assert list(against.changes.rows()) == [
        {
            "figure": FIGURE,
            "claim": "c-veno",
            "recorded": "fails",
            "found": "holds",
            "same_settings": True,
        }
    ]


def test_a_folder_of_ones_own(tmp_path: Path, binary: Path) -> None:
    asked = [binary, "new", "--kind", "paper", tmp_path / "mine"]
    subprocess.run(asked, check=True, capture_output=True)
    found = db.reproduce(tmp_path / "mine", quick=True)
    assert set(found.claims["paper"].to_list()) == {"mine"}
    assert found.claims["recorded"].missing == len(found.claims)


def test_a_matrix_of_chosen_controls_on_a_path_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    scenario = db.dumbbell(rate="1 Mb/s", loss=0.01, flows=["reno"], duration="10 s")
    path.write_text(scenario.to_toml())
    found = db.matrix(["veno", "veno:beta=6"], path, repeat=2)
    assert found.matrix is not None and len(found.claims) == 0
    rows = list(found.matrix.rows())
    assert {row["control"] for row in rows} == {"newreno", "veno", "veno-beta-6"}
    assert {row["path"] for row in rows} == {"mine", "overall"}
    assert {row["measure"] for row in rows} == {"goodput", "fairness", "friendliness", "delay"}
    goodput = {
        row["control"]: row["mean"] for row in rows if row["measure"] == "goodput" and row["path"] == "mine"
    }
    assert all(0 < mean <= 100 for mean in goodput.values())
    assert all(row["runs"] == 2 for row in rows)
    assert found.computed == 2 * 3 * 3 - 2  # flows, pairs and mixed; NewReno is not mixed
    assert "veno:beta=6" in found.command


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"controls": ["vno"]}, "did you mean `veno`"),
        ({"controls": "veno:betta=1"}, "beta"),
        ({"paths": "nowhere.toml"}, "nowhere.toml"),
    ],
)
def test_a_wrong_matrix(asked: dict[str, object], told: str) -> None:
    with pytest.raises((db.ScenarioError, OSError), match=told):
        db.matrix(**asked)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="repeat"):
        db.matrix(repeat=0)
