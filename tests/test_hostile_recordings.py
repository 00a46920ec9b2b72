"""Pictures and films of recordings whose robot cannot be drawn: one sentence, or a picture of the rest."""

import argparse
import math
import re
from dataclasses import replace

import pytest
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message, serialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from crawler_cli.commands import plot
from crawler_cli.recordings.film_frames import make_film
from crawler_cli.recordings.film_options import FilmOptions
from crawler_core.errors import UserError
from crawler_nodes.run_log.log import MAX_NAMES
from crawler_testing.file_fuzz.sample_recording import sample_recording

FILM = FilmOptions(end=0.4, fps=5.0, width=200)


def with_messages(topic, kind, change):
    """Return the sample recording with `change` applied to every message of a topic."""
    file = sample_recording()
    messages = list(file.messages)
    for k, message in enumerate(messages):
        if file.channels[message.channel].topic == topic:
            content = deserialize_message(message.data, kind)
            change(content)
            messages[k] = message._replace(data=bytes(serialize_message(content)))
    return replace(file, messages=tuple(messages))


def urdf(pattern, text, count=1):
    def change(message):
        message.data, changed = re.subn(pattern, text, message.data, count=count)
        assert changed

    return with_messages("/robot_description", String, change)


COUNT = 8_000


def many_links(message):
    links = "".join(f'<link name="l{k}"/>' for k in range(COUNT))
    joints = "".join(
        f'<joint name="j{k}" type="fixed"><parent link="l{k}"/><child link="l{k + 1}"/></joint>'
        for k in range(COUNT - 1)
    )
    message.data = f'<robot name="long">{links}{joints}</robot>'


REJECTED = {
    "a size of NaN": (lambda: urdf('size="[^"]*"', 'size="nan nan nan"'), "is not 3 numbers"),
    "a radius of infinity": (lambda: urdf('radius="[^"]*"', 'radius="inf"', 0), "is not 1 numbers"),
    "an axis of length 0": (lambda: urdf('axis xyz="[^"]*"', 'axis xyz="0 0 0"'), "has the length 0"),
    "an origin of NaN": (lambda: urdf('xyz="[^"]*"', 'xyz="nan 0 0"', 0), "numbers|cannot be drawn"),
    "a cycle": (lambda: urdf('child link="[^"]*"', 'child link="body"'), "no tree"),
    "thousands of links": (lambda: with_messages("/robot_description", String, many_links), "more than 2000 joints"),
    "a colour of 9": (lambda: urdf('rgba="[^"]*"', 'rgba="9 0 0 1"'), "not of 0 to 1"),
    "no XML": (lambda: urdf("<robot", "robot"), "cannot be drawn"),
}


@pytest.mark.parametrize("case", REJECTED)
def test_a_film_that_cannot_be_drawn_is_one_sentence(tmp_path, case):
    make, words = REJECTED[case]
    (tmp_path / "run.mcap").write_bytes(make().write())
    with pytest.raises(UserError, match=words) as error:
        make_film(tmp_path / "run.mcap", None, FILM, quiet=True)
    assert "run.mcap has a robot_description that cannot be drawn" in str(error.value)
    assert [file.name for file in tmp_path.iterdir()] == ["run.mcap"]


def no_names(message):
    message.name = []


def no_numbers(message):
    message.position = [math.nan] * len(message.position)


def far_away(message):
    message.pose.pose.position.x = 1e308


def no_pose(message):
    message.pose.pose.position.x = message.pose.pose.orientation.w = math.nan


def signs(message):
    message.name = [f"$x_{{{k} %s \n" for k in range(len(message.name))]


DRAWN = {
    "an unknown colour": lambda: urdf('material name="[^"]*"/', 'material name="none"/', 0),
    "a robot's name in two lines": lambda: urdf('<robot name="[^"]*"', '<robot name="a&#10;b"'),
    "angles of NaN": lambda: with_messages("/joint_states", JointState, no_numbers),
    "names with signs of formulas": lambda: with_messages("/joint_states", JointState, signs),
    "a pose of NaN": lambda: with_messages("/ground_truth/odom", Odometry, no_pose),
    "a pose far away": lambda: with_messages("/ground_truth/odom", Odometry, far_away),
}


@pytest.mark.parametrize("case", DRAWN)
def test_the_rest_is_drawn(tmp_path, case):
    (tmp_path / "run.mcap").write_bytes(DRAWN[case]().write())
    result = make_film(tmp_path / "run.mcap", None, FILM, quiet=True)
    assert result["frames"] > 1
    parser = argparse.ArgumentParser()
    plot.add_arguments(parser)
    assert plot.run(parser.parse_args([str(tmp_path / "run.mcap"), "--json"])) == 0
    assert (tmp_path / "run.png").stat().st_size > 1000


def too_many_joints(message):
    message.name = [f"j{k}" for k in range(MAX_NAMES + 1)]
    message.position = [0.0] * (MAX_NAMES + 1)


@pytest.mark.parametrize("change", [no_names, too_many_joints])
def test_states_that_are_no_robots_are_no_run(tmp_path, change):
    (tmp_path / "run.mcap").write_bytes(with_messages("/joint_states", JointState, change).write())
    parser = argparse.ArgumentParser()
    plot.add_arguments(parser)
    with pytest.raises(UserError, match="holds no run"):
        plot.run(parser.parse_args([str(tmp_path / "run.mcap")]))
