"""crawler compare, as a user calls it."""

import json

import pytest

from crawler_core.robot.robot_file import robots_directory
from sim_bridge.physics.engines import default_physics

ENGINE = default_physics()


def test_equations_and_physics_agree_on_the_first_papers_gait(call, tmp_path):
    code, out, _ = call(
        "compare", "--set", "gait.omega=8", "--backends", f"model,{ENGINE}", "--out", str(tmp_path / "w.png"), "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["agree"]
    model, physics = found["runs"]
    assert model["stride_m"] == pytest.approx(2.8304e-3, rel=1e-3)  # of the README's table
    assert abs(physics["stride_m"] - model["stride_m"]) <= 1.5e-4
    assert (tmp_path / "w.png").stat().st_size > 10_000


def test_what_is_not_believed_has_an_exit_code_of_its_own(call, tmp_path):
    """Physics' leg runs shorter strides than the equations' by some per cent."""
    thrown = str(robots_directory() / "bolt" / "thrown_start.yaml")  # steady from the start
    words = ("bolt", "--params", thrown, "--within", "0.2", "--duration", "2", "--backends", f"model,{ENGINE}")
    code, out, _ = call("compare", *words, "--out", str(tmp_path / "w.png"), "--json")
    found = json.loads(out)
    assert (code, found["agree"]) == (1, False)
    assert 0.0 < found["runs"][1]["parted_s"] < 2.0
    assert found["runs"][1]["off"] == pytest.approx(0.0, abs=0.03)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--backends", "model"), "it takes two to compare"),
        (("--backends", "model,model"), "names one twice"),
        (("--backends", "modle"), "did you mean 'model'"),
        (("--backends", "model,mock"), "mock"),
        (("--within", "0"), "--within 0"),
        (("--duration", "0.1"), "too short"),
        (("--out", "picture.jpg"), ".png"),
        (("--set", "backend.gui=true"), "backend"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(call, words, sentence):
    code, _, output = call("compare", *words)
    assert code == 2
    assert sentence in output
    assert len(output.strip().splitlines()) == 1
