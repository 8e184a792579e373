"""`trace`: the command's files, and the same as a table."""

import csv
import subprocess
from pathlib import Path

import pytest

import dumbbell as db


@pytest.fixture(scope="module")
def path() -> db.Scenario:
    flows = [db.flow("veno", name="a", recovery="sack"), db.flow("reno", name="b", start=1)]
    udp = {"name": "c", "source": {"cbr": "100 kb/s"}}
    return db.dumbbell(loss=0.02, buffer=10, flows=[*flows, udp], duration="5 s")


def test_the_events_add_up_to_the_results_of_the_run(path: db.Scenario) -> None:
    events = list(db.trace(path).rows())
    for flow in db.run(path).flows.rows():
        kinds = [event["event"] for event in events if event["flow"] == flow["flow"]]
        sent = kinds.count("send") + kinds.count("retransmit") + kinds.count("datagram")
        assert sent == flow["sent"] > 0
        assert kinds.count("retransmit") == flow["retransmits"]
        assert kinds.count("timeout") == flow["timeouts"]
    times = [event["time_s"] for event in events]
    assert times == sorted(times) and times[-1] <= 5


def test_the_table_has_the_columns_and_values_of_the_file(path: db.Scenario, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"
    assert db.trace(path, to=file) is None
    table = db.trace(path)
    with open(file, newline="") as lines:
        head, *rows = csv.reader(lines)
    assert head == table.columns
    assert len(rows) == len(table)
    for name, texts in zip(head, zip(*rows, strict=True), strict=True):
        for text, value in zip(texts, table[name], strict=True):
            if text == "":
                assert value is None
            elif isinstance(value, str):
                assert value == text
            else:
                assert value == pytest.approx(float(text), abs=1e-9)


@pytest.mark.parametrize("ending", ["csv", "pcap", "qlog"])
def test_a_file_is_that_of_the_command(path: db.Scenario, ending: str, binary: Path, tmp_path: Path) -> None:
    scenario = tmp_path / "s.toml"
    scenario.write_text(path.to_toml())
    here, there = tmp_path / f"here.{ending}", tmp_path / f"there.{ending}"
    db.trace(db.Scenario.load(scenario), to=here, flows=["a", 2])
    asked = ["--trace", there, "--trace-flow", "a", "--trace-flow", "2"]
    subprocess.run([binary, "run", scenario, *asked], check=True, capture_output=True)
    assert here.read_bytes() == there.read_bytes()


def test_flows_are_chosen_by_name_or_number(path: db.Scenario) -> None:
    assert set(db.trace(path, flows="a")["flow"]) == {"a"}
    assert set(db.trace(path, flows=2)["flow"]) == {"b"}
    assert set(db.trace(path, flows=["a", 3])["flow"]) == {"a", "c"}
    with pytest.raises(ValueError, match="there is no flow `d`"):
        db.trace(path, flows="d")


def test_a_trace_is_there_as_a_whole_or_not_at_all(path: db.Scenario, tmp_path: Path) -> None:
    file = tmp_path / "run.csv"

    def stop(done: float, total: int) -> None:
        raise RuntimeError("enough")

    # Long enough for a look at the progress.
    long = path.set("duration", "5000 s")
    with pytest.raises(RuntimeError, match="enough"):
        db.trace(long, to=file, progress=stop)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match=r"should end in \.csv, \.pcap or \.qlog"):
        db.trace(path, to=tmp_path / "run.txt")
    with pytest.raises(ValueError, match="there is no folder"):
        db.trace(path, to=tmp_path / "nowhere" / "run.csv")
    db.trace(path, to=[file, tmp_path / "run.pcap"])
    assert sorted(it.name for it in tmp_path.iterdir()) == ["run.csv", "run.pcap"]


def test_the_seed_makes_the_trace(path: db.Scenario) -> None:
    assert db.trace(path) == db.trace(path, seed=path.seed)
    assert db.trace(path) != db.trace(path, seed=path.seed + 1)


def test_units_and_meanings_are_there(path: db.Scenario) -> None:
    table = db.trace(path, flows="a")
    assert table.units["rtt_s"] == "s" and table.units["cwnd"] == "segments"
    assert all(table.about.values())
    assert table["sack"].missing < len(table)  # a flow with SACK has blocks
