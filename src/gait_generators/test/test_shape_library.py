"""Choosing a shape: by name, by file, or by the nearest omega, for the joints of any robot."""

import dataclasses
from typing import Any

import numpy as np
import pytest

from crawler_core.errors import UserError
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.shapes.shape_library import library_names, read_library
from gait_generators.transitions.gait_stream import GaitStream, TimeGrid

MS = 1_000_000
THREE = """
joints:
  joint_3: {mean: 100, cos: [3.0], sin: [0.0]}
  joint_1: {mean: 110, cos: [1.0], sin: [0.0]}
  joint_2: {mean: 120, cos: [2.0], sin: [0.0]}
"""


@pytest.fixture
def longer(crawler):
    """A robot with three actuated joints."""
    third = dataclasses.replace(crawler.joints[0], name="joint_3")
    return dataclasses.replace(crawler, joints=(*crawler.joints, third))


@pytest.mark.parametrize(("omega", "nearest"), [(0.3, 1.0), (3.3, 3.2), (7.9, 8.0), (13.1, 14.0), (19.0, 16.0)])
@pytest.mark.parametrize("library", ["swing_18", "swing_30"])
def test_without_a_name_the_shape_is_the_one_for_the_nearest_omega(crawler, library, omega, nearest):
    gait: Any = make_gait(crawler, "fourier", {"omega": omega, "library": library})
    expected = read_library(crawler, library)[f"omega_{nearest:g}"]
    assert gait.omega == omega
    assert np.array_equal(gait.shape.sin, expected.shape.sin)


def test_a_name_chooses_whatever_omega_is(crawler):
    gait: Any = make_gait(crawler, "fourier", {"omega": 4.0, "shape": "omega_16"})
    assert np.array_equal(gait.shape.cos, read_library(crawler, "swing_18")["omega_16"].shape.cos)


@pytest.mark.parametrize("library", ["swing_18", "swing_30"])
def test_a_shape_of_a_library_is_named_for_its_omega(crawler, library):
    for name, file in read_library(crawler, library).items():
        assert file.tuned_for is not None
        assert name == f"omega_{file.tuned_for.omega:g}"


def test_a_file_moves_the_joints_by_their_names_in_the_robots_order(longer, tmp_path):
    path = tmp_path / "three.yaml"
    path.write_text(THREE)
    gait = make_gait(longer, "fourier", {"shape": str(path)})
    assert np.degrees(gait.sample(0.0).position) == pytest.approx([111.0, 122.0, 103.0])


def test_a_shape_for_other_joints_is_refused(crawler, longer, tmp_path):
    path = tmp_path / "three.yaml"
    path.write_text(THREE)
    with pytest.raises(UserError) as refused:
        make_gait(crawler, "fourier", {"shape": str(path)})
    assert str(refused.value) == (
        "the shape 'three' moves joint_3, joint_1, joint_2, but the robot's actuated joints are joint_1, joint_2: "
        "choose another shape."
    )
    with pytest.raises(UserError, match="the shape 'omega_8' moves joint_1, joint_2, but the robot's actuated joints"):
        make_gait(longer, "fourier", {})


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"library": "swing_19"}, "there is no gait.library 'swing_19': did you mean 'swing_18'?"),
        ({"library": ""}, "there is no gait.library '': known are swing_18, swing_30."),
        ({"shape": "omega_7"}, "there is no shape in the library 'swing_18' 'omega_7'"),
    ],
)
def test_an_unknown_name_is_answered_with_those_that_there_are(crawler, values, sentence):
    with pytest.raises(UserError) as refused:
        make_gait(crawler, "fourier", values)
    assert sentence in str(refused.value)


def test_a_robot_without_libraries_asks_for_a_file(crawler, tmp_path):
    bare = dataclasses.replace(crawler, directory=tmp_path)
    assert library_names(bare) == ()
    with pytest.raises(UserError, match=r"has no library of shapes: set gait\.shape to the path of a shape file\.$"):
        make_gait(bare, "fourier", {})


def test_a_shape_that_does_not_say_its_omega_has_no_place_in_a_library(crawler, tmp_path):
    (tmp_path / "gaits/own").mkdir(parents=True)
    (tmp_path / "gaits/own/mine.yaml").write_text(THREE)
    bare = dataclasses.replace(crawler, directory=tmp_path)
    with pytest.raises(
        UserError, match=r"gaits/own/mine\.yaml: tuned_for is missing, and a library chooses by omega\.$"
    ):
        make_gait(bare, "fourier", {"library": "own"})


def test_omega_changes_while_it_crawls_and_with_it_the_shape(crawler):
    slow, fast = (make_gait(crawler, "fourier", {"omega": omega}) for omega in (5.1, 12.0))
    grid = TimeGrid(step=10 * MS, ahead=250 * MS, behind=50 * MS)
    stream = GaitStream(crawler, slow, 0, slow.sample(0.0).position, grid)
    points = {}

    def listen(begin_ms, end_ms):
        for now in range(begin_ms, end_ms, 50):
            horizon = stream.points(now * MS)
            for row in zip(horizon.time_ns, horizon.position, horizon.velocity, strict=True):
                points[row[0]] = row[1:]

    listen(0, 3000)
    begin = stream.adopt(stream.transition_to(fast, 3000 * MS))
    listen(3000, 8000)
    times = np.array(sorted(points))
    position, velocity = (np.array([points[t][k] for t in times]) for k in (0, 1))
    # a jump would show as a difference that the mean of the two velocities does not explain: h^3 / 12 of the jerk
    explained = 0.5 * (velocity[1:] + velocity[:-1]) * 0.01
    assert np.abs(np.diff(position, axis=0) - explained).max() < 2e-3
    assert np.abs(velocity).max() <= crawler.actuated[0].velocity
    last = times[-1]
    assert points[last][0] == pytest.approx(fast.sample((last - begin) * 1e-9).position, abs=1e-6)
