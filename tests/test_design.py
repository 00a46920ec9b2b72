"""The search for a mechanism and the lookup table: what they write, what they refuse, what runs then."""

import json
import shlex
import signal
from pathlib import Path

import pytest
import yaml

from crawler_core.parameters import describe
from crawler_core.robot.robot_file import load_robot
from crawler_studies.bolt.design.mechanism_goal import MechanismGoal
from crawler_studies.miniaq.design.gait_goal import GaitGoal

PAGES = {"bolt": MechanismGoal, "miniaq": GaitGoal}

REFUSALS = [
    (["design", "three_link"], ["three_link", "no such search"]),
    (["design", "bolt", "--want", "strid=0.2"], ["strid", "did you mean 'stride'"]),
    (["design", "bolt", "--want", "stride=5"], ["stride = 5", "0.02 to 1 m"]),
    (["design", "bolt", "--want", "stride=["], ["stride=[", "0.02 to 1 m"]),
    (["design", "bolt", "--want", "stride"], ["'stride'", "name=value"]),
    (["design", "bolt", "--want", "leg_least=0.9,leg_most=1"], ["femur and tibia", "0.9 to 1 m"]),
    (["design", "bolt", "--over", "crank_length=0.01:0.02"], ["crank_length", "did you mean 'robot.crank_length'"]),
    (["design", "bolt", "--over", "robot.crank_length=0.02"], ["low:high"]),
    (["design", "bolt", "--over", "robot.crank_length=0.03:0.02"], ["empty"]),
    (["design", "bolt", "--over", "robot.crank_length=0:0.02"], ["robot.crank_length = 0", "0.002 to 0.5 m"]),
    (["design", "bolt", "--set", "gait.omega=3"], ["'gait' settings"]),
    (["design", "bolt", "--gait", "crank"], ["'bolt' is a mechanism", "leave the gait out"]),
    (["design", "bolt", "--only", "gait"], ["'bolt' is a mechanism", "leave the gait out"]),
    (["design", "miniaq", "--want", "aim=distance"], ["aim = 'distance'", "one of mismatch, speed"]),
    (["design", "miniaq", "--over", "gait.frequenzy=2:3"], ["did you mean 'gait.frequency'"]),
    (["design", "miniaq", "--over", "gait.frequency=2:20"], ["gait.frequency = 20", "-9.5 to 9.5 Hz"]),
    (["design", "miniaq", "--set", "backend.rate=100"], ["'backend' settings", "give robot and gait settings"]),
    (["design", "miniaq", "--set", "gait.frequency=0"], ["gait.frequency = 0", "too slow"]),
    (["design", "miniaq", "--gait", "serpenoid"], ["'serpenoid'", "choose one of"]),
    (["design", "bolt", "--seed", "-1"], ["--seed -1"]),
    (["design", "bolt", "--out", "found.txt"], ["found.txt", ".yaml"]),
    (["design", "bolt", "--out", "nowhere/found.yaml"], ["no directory nowhere"]),
    (["model", "bolt", "--table", "foot.txt"], ["foot.txt", ".h or .csv"]),
    (["model", "bolt", "--table", "foot.h", "--entries", "100"], ["100 entries", "power of two"]),
    (["model", "bolt", "--entries", "64"], ["--table"]),
    (["model", "bolt", "--table", "foot.h", "--set", "robot.crank_length=0.1"], ["cannot turn fully"]),
    (["model", "snake", "--table", "foot.h"], ["no lookup table of 'snake'"]),
]


@pytest.fixture(autouse=True)
def own_signals():
    """The command takes Ctrl-C and SIGTERM for itself, here from the tests' process."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("words", "expected"), REFUSALS, ids=[" ".join(words) for words, _ in REFUSALS])
def test_bad_input_is_one_sentence_and_exit_code_2_and_leaves_nothing(call, tmp_path, words, expected):
    code, out, err = call(*words)
    assert code == 2
    assert out == ""
    assert len(err.strip().splitlines()) == 1
    for text in expected:
        assert text in err
    assert not list(tmp_path.iterdir())


def test_what_is_found_is_a_parameter_file_that_the_other_commands_take(call, tmp_path):
    code, out, err = call("design", "bolt", "--out", "found.yaml", "--json")
    assert code == 0
    assert err == ""
    result = json.loads(out)
    assert result["better"]
    assert result["new"]["J"] < 0.35 * result["old"]["J"]
    assert yaml.safe_load((tmp_path / "found.yaml").read_text()) == result["settings"]
    assert (tmp_path / "found.png").read_bytes().startswith(b"\x89PNG")
    assert shlex.split(result["command"])[-2:] == ["--params", "found.yaml"]
    load_robot("bolt", result["settings"]["robot"])

    code, out, _ = call("model", "bolt", "--params", "found.yaml", "--table", "foot.csv", "--entries", "64", "--json")
    assert code == 0
    table = json.loads(out)
    assert table["entries"] == 64
    assert table["foot_error_m"] < 3e-4
    assert len((tmp_path / "foot.csv").read_text().splitlines()) == 65

    # to make it again, with its own mechanism as the one to beat, finds nothing better
    code, out, err = call("design", "bolt", "--params", "found.yaml", "--out", "again.yaml")
    assert code in (0, 1)  # by the last rounding
    assert "2.78 mm" in out


def test_ranges_in_which_nothing_turns_end_with_code_1_and_no_file(call, tmp_path):
    code, out, err = call("design", "bolt", "--over", "robot.crank_length=0.3:0.4", "--out", "found.yaml")
    assert code == 1
    assert out == ""
    assert "upper loops open" in err
    assert not list(tmp_path.iterdir())


def test_the_options_are_listed_without_a_search(call, tmp_path):
    code, out, _ = call("design", "bolt", "--options", "--json")
    assert code == 0
    options = json.loads(out)
    assert set(options["goal"]) == {info.name for info in describe(MechanismGoal)}
    assert options["ranges"]["robot.hip_distance"] == [0.075, 0.12]  # Table 1
    assert not list(tmp_path.iterdir())
    code, out, _ = call("design", "bolt", "--options")
    assert code == 0
    assert "robot.crank_length" in out


def test_a_gait_that_is_found_is_a_parameter_file_too_with_a_table_of_all_that_none_beats(call, tmp_path):
    words = ["--only", "gait", "--over", "gait.frequency=2.5:2.5", "--want", "budget=15,physics=false"]
    code, out, err = call("design", "miniaq", *words, "--set", "robot.hind_x=-0.038", "--out", "found.yaml", "--json")
    assert err == ""
    result = json.loads(out)
    assert code == (0 if result["better"] else 1)
    assert result["gait"] == "trot"
    assert result["settings"].keys() == {"gait"}
    assert yaml.safe_load((tmp_path / "found.yaml").read_text()) == {"robot": {"hind_x": -0.038}, **result["settings"]}
    assert shlex.split(result["command"])[-4:] == ["--gait", "trot", "--params", "found.yaml"]
    head = (tmp_path / "found.csv").read_text().splitlines()[0].split(",")
    assert {*result["ranges"], "mismatch", "speed_m_s", "cost_of_transport"} == set(head)

    code, out, _ = call("model", "miniaq", "--gait", "trot", "--params", "found.yaml", "--json")
    assert code == 0
    for key in ("mismatch", "speed_m_s", "cost_of_transport"):
        assert json.loads(out)[key] == pytest.approx(result["new"][key], rel=1e-12)


@pytest.mark.parametrize("robot", PAGES)
def test_the_page_lists_every_option_with_its_default_and_range(robot):
    page = Path(__file__).parents[1] / f"docs/{robot}.md"
    rows = [line.strip("| ").split(" | ") for line in page.read_text().splitlines() if line.startswith("| `")]
    options = {name.strip("`"): rest for name, *rest in rows}
    for info in describe(PAGES[robot]):
        default, allowed, meaning = options[info.name]
        assert yaml.safe_load(default.strip("`")) == info.default
        assert allowed == info.range_text()
        assert meaning == info.doc
