"""Shape files: what is read, and what is said of a file that is wrong."""

import dataclasses

import numpy as np
import pytest

from crawler_core.errors import UserError
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import Predicted, ShapeFile, TunedFor, read_shape, write_shape

GOOD = """
joints:
  joint_1: {mean: 110, cos: [1.0, 0.5], sin: [-17.0, 0.25]}
  joint_2: {mean: 112, cos: [2.0, 0.0], sin: [15.0, -1.5]}
"""


def path_with(tmp_path, text):
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    return path


def test_a_file_gives_degrees_by_joint_and_harmonic(tmp_path):
    file = read_shape(path_with(tmp_path, GOOD))
    assert file.name == "mine"
    assert file.shape.joints == ("joint_1", "joint_2")
    assert np.degrees(file.shape.mean) == pytest.approx([110.0, 112.0])
    assert np.degrees(file.shape.cos[1]) == pytest.approx([2.0, 0.0])
    assert np.degrees(file.shape.sin[0]) == pytest.approx([-17.0, 0.25])
    assert file.tuned_for is None


def test_what_is_written_is_read_back(tmp_path):
    random = np.random.default_rng(3)
    shape = Shape(("a", "b", "c"), random.uniform(0, 2, 3), *random.uniform(-0.4, 0.4, (2, 3, 5)))
    file = ShapeFile("mine", shape, TunedFor(omega=5.1, friction=0.172), Predicted(161.25, 170.5, 0.21))
    write_shape(tmp_path / "mine.yaml", file)
    again = read_shape(tmp_path / "mine.yaml")
    assert dataclasses.replace(again, shape=shape) == file
    for name in ("mean", "cos", "sin"):
        assert getattr(again.shape, name) == pytest.approx(getattr(shape, name), abs=1e-10)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ((GOOD, "- 1"), "must hold 'key: value' pairs, but holds a list."),
        ((GOOD, "name: x"), "joints is missing."),
        ((GOOD, "joints: []"), "joints must hold 'key: value' pairs, but is []."),
        ((GOOD, "joints: {a: 3}"), "joints.a must hold 'key: value' pairs, but is 3."),
        (("mean: 112, ", ""), "joints.joint_2.mean is missing."),
        (("mean: 112", "mean: true"), "joints.joint_2.mean = True is not allowed: it must be a number of degrees."),
        (("mean: 112", "mean: .nan"), "joints.joint_2.mean = nan is not allowed: it must be a number of degrees."),
        (("[15.0, -1.5]", "[15.0, x]"), "joints.joint_2.sin[1] = 'x' is not allowed: it must be a number of degrees."),
        (("[15.0, -1.5]", "15.0"), "joints.joint_2.sin = 15.0 is not allowed: it must be a list of 1 to 20 numbers."),
        (("[15.0, -1.5]", "[]"), "joints.joint_2.sin = [] is not allowed: it must be a list of 1 to 20 numbers."),
        (
            ("[15.0, -1.5]", "[15.0]"),
            "joints.joint_2.sin has 1 harmonics, but joints.joint_1.cos has 2: all must have the same number",
        ),
        (("mean: 112", "mean: 112, tan: [1]"), "there is no key 'joints.joint_2.tan'"),
        ((GOOD, GOOD + "tunedfor: {}"), "there is no key 'tunedfor': did you mean 'tuned_for'?"),
        ((GOOD, GOOD + "predicted: 3"), "predicted must hold 'key: value' pairs, but is 3."),
        ((GOOD, GOOD + "predicted: {worst_step: 1}"), "predicted.nominal_step is missing."),
        (
            (GOOD, GOOD + "predicted: {worst_step: 1, nominal_step: far, lightest_foot: 0.1}"),
            "predicted.nominal_step = 'far' is not allowed: it must be a number mm.",
        ),
    ],
)
def test_what_is_wrong_with_a_file_is_said_in_a_sentence_that_names_it(crawler, tmp_path, change, sentence):
    path = path_with(tmp_path, GOOD.replace(*change))
    with pytest.raises(UserError) as refused:
        make_gait(crawler, "fourier", {"shape": str(path)})
    assert str(path) in str(refused.value)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_named(crawler):
    with pytest.raises(UserError, match=r"^/nowhere/mine\.yaml cannot be read: No such file or directory\.$"):
        make_gait(crawler, "fourier", {"shape": "/nowhere/mine.yaml"})
