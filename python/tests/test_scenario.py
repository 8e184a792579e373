import pickle

import cloudpickle
import numpy as np
import pytest

import dumbbell as db

TEXT = """\
name = "mine"
duration = "2 s"
seed = 7
[dumbbell]
access     = { rate = "10 Mb/s", delay = "1 ms" }
bottleneck = { rate = "1 Mb/s", delay = "20 ms", queue = { droptail = 9 } }
[[flow]]
control = "veno"
count = 2
"""


def test_a_file_a_text_and_a_mapping_make_the_same_scenario(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(TEXT)
    loaded = db.Scenario.load(file)
    parsed = db.Scenario.parse(TEXT)
    assert loaded == parsed == db.Scenario(parsed.to_dict())
    assert hash(loaded) == hash(parsed)
    assert loaded.name == "mine"
    assert (loaded.duration, loaded.warmup, loaded.seed) == (2.0, 0.0, 7)
    assert loaded.flows == ["veno.1", "veno.2"]
    assert loaded.to_toml() == TEXT
    assert db.Scenario.parse(loaded.canonical()) == loaded


def test_a_value_that_is_set_is_that_of_a_changed_file():
    scenario = db.Scenario.parse(TEXT)
    changed = scenario.set({"bottleneck.delay": "50 ms", "flow.veno.count": 3})
    edited = TEXT.replace('"20 ms"', '"50 ms"').replace("count = 2", "count = 3")
    assert changed == db.Scenario.parse(edited)
    assert changed == scenario.set("bottleneck.delay", "50 ms").set("flow.veno.count", np.int64(3))
    assert scenario == db.Scenario.parse(TEXT), "the first one has not changed"
    assert scenario != changed
    # What was set is in the text, too.
    assert db.Scenario.parse(changed.to_toml()) == changed
    assert changed.to_dict()["dumbbell"]["bottleneck"]["delay"] == "50 ms"


def test_a_mistake_has_its_place_and_the_nearest_right_name():
    with pytest.raises(db.ScenarioError) as wrong:
        db.Scenario.parse(TEXT.replace("veno", "vno"), name="mine.toml")
    assert "mine.toml:8:11" in str(wrong.value)
    assert "did you mean `veno`?" in str(wrong.value)
    with pytest.raises(db.ScenarioError, match=r"set:1:12[\s\S]*did you mean `loss`"):
        db.Scenario.parse(TEXT).set("bottleneck.los", 0.1)
    assert issubclass(db.ScenarioError, ValueError)


def test_a_missing_file_is_not_found(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nothing\.toml"):
        db.Scenario.load(tmp_path / "nothing.toml")


def test_what_toml_cannot_say_is_refused_with_its_path():
    with pytest.raises(TypeError, match=r"scenario\.duration is <object"):
        db.Scenario({"duration": object()})
    with pytest.raises(TypeError, match=r"scenario has the key 3, which is no string"):
        db.Scenario({3: 1})
    with pytest.raises(ValueError, match="out of TOML's range"):
        db.Scenario({"seed": 2**70})
    with pytest.raises(TypeError, match=r"Scenario\.load"):
        db.Scenario("my.toml")  # type: ignore[arg-type]


@pytest.mark.parametrize("pickler", [pickle, cloudpickle])
def test_a_scenario_is_pickled(pickler):
    scenario = db.Scenario.parse(TEXT).set("bottleneck.loss.bernoulli", 0.125)
    again = pickle.loads(pickler.dumps(scenario))
    assert again == scenario
    assert again.name == "mine"


def test_a_pickle_has_the_traces_that_a_file_names(tmp_path):
    (tmp_path / "lte.trace").write_text("".join(f"{ms}\n" for ms in range(1, 1001, 12)))
    file = tmp_path / "mine.toml"
    file.write_text(TEXT.replace('rate = "1 Mb/s"', 'rate = { trace = "lte.trace" }'))
    scenario = db.Scenario.load(file)
    text = pickle.dumps(scenario)
    file.unlink()
    (tmp_path / "lte.trace").unlink()
    again = pickle.loads(text)
    assert again == scenario
    assert db.run(again).flows == db.run(scenario).flows


def test_builders_say_what_a_file_says():
    built = db.dumbbell(
        rate="1 Mb/s",
        delay=0.02,
        buffer=9,
        access={"rate": "10 Mb/s", "delay": "1 ms"},
        flows=[db.flow("veno", count=2, parameters={"beta": 4}), "reno"],
        loss={"bernoulli": 0.5},
        duration=2,
        warmup="1 s",
        seed=3,
        name="built",
    )
    text = TEXT.replace('control = "veno"', 'control = { name = "veno", beta = 4 }')
    text = text.replace('name = "mine"', 'name = "built"\nwarmup = "1 s"')
    text = text.replace("seed = 7", "seed = 3") + '[[flow]]\ncontrol = "reno"\n'
    text = text.replace("droptail = 9 }", "droptail = 9 }, loss = { bernoulli = 0.5 }")
    assert built == db.Scenario.parse(text)


def test_a_scenario_shows_itself():
    scenario = db.dumbbell(flows=["reno", "veno"], duration="5 s", name="a<b")
    assert repr(scenario) == "<scenario a<b: 5 s, 2 flows: reno, veno>"
    page = scenario._repr_html_()
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert "[dumbbell.bottleneck]" in page
