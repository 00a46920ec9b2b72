"""crawler witness, as a user calls it."""

import json

import pytest

pytest.importorskip("pybullet")


def test_equations_and_physics_agree_on_the_first_papers_gait(call, tmp_path):
    code, out, _ = call(
        "witness", "--set", "gait.omega=8", "--backends", "model,pybullet", "--save", str(tmp_path / "w.png"), "--json"
    )
    found = json.loads(out)
    assert code == 0
    assert found["agree"]
    model, bullet = found["runs"]
    assert model["stride_m"] == pytest.approx(2.8304e-3, rel=1e-3)  # of the README's table
    assert abs(bullet["stride_m"] - model["stride_m"]) <= 1.5e-4
    assert (tmp_path / "w.png").stat().st_size > 10_000


def test_what_is_not_believed_has_an_exit_code_of_its_own(call, tmp_path):
    """PyBullet's leg runs 1.5 % shorter strides than the equations', and there are no others for these 2 s."""
    words = ("bolt", "--within", "1", "--duration", "2", "--backends", "model,pybullet")
    code, out, _ = call("witness", *words, "--save", str(tmp_path / "w.png"), "--json")
    found = json.loads(out)
    assert (code, found["agree"]) == (1, False)
    assert 0.0 < found["runs"][1]["parted_s"] < 2.0
    assert found["runs"][1]["off"] == pytest.approx(-0.015, abs=0.005)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--backends", "model"), "it takes two to compare"),
        (("--backends", "model,model"), "names one twice"),
        (("--backends", "modle"), "did you mean 'model'"),
        (("--backends", "model,mock"), "mock"),
        (("--within", "0"), "--within 0"),
        (("--duration", "0.1"), "too short"),
        (("--save", "picture.jpg"), ".png"),
        (("--set", "backend.gui=true"), "backend"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(call, words, said):
    code, _, told = call("witness", *words)
    assert code == 2
    assert said in told
    assert len(told.strip().splitlines()) == 1
