"""A recording with messages that are none is one sentence for every command that reads them."""

import argparse

import pytest
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

from crawler_cli.commands.plot import run as run_plot
from crawler_cli.recordings.film_frames import make_film
from crawler_cli.recordings.film_options import FilmOptions
from crawler_core.errors import UserError

DAMAGED = "cannot be read as a recording: it is damaged"


@pytest.fixture
def bag(tmp_path):
    """A whole MCAP file whose messages are too short for their types."""
    store = get_typestore(Stores.ROS2_JAZZY)
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        for topic, kind in (("/joint_states", "sensor_msgs/msg/JointState"), ("/odom", "nav_msgs/msg/Odometry")):
            connection = writer.add_connection(topic, kind, typestore=store)
            writer.write(connection, 10**9, b"\x00\x01\x00\x00\x01")
    return tmp_path / "bag"


def test_plot_says_that_the_file_is_damaged(bag):
    with pytest.raises(UserError, match=DAMAGED):
        run_plot(argparse.Namespace(recording=str(bag), robot="", out="", json=False, distance=None))


def test_film_says_that_the_file_is_damaged(bag):
    with pytest.raises(UserError, match=DAMAGED):
        make_film(bag, None, FilmOptions(), quiet=True)
