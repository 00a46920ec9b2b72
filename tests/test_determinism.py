"""Two lockstep runs are equal to the bit, whatever else the machine does."""

import hashlib

import pytest
from crawler_interfaces.msg import ContactStateArray
from nav_msgs.msg import Odometry
from sensor_msgs.msg import JointState

from crawler_bringup.stack import Options
from crawler_cli.watching import Ring
from crawler_nodes.tap import Topic

SECONDS = 4.0
TOPICS = {
    "joint_states": JointState,
    "joint_commands": JointState,
    "contact_states": ContactStateArray,
    "odom": Odometry,
}


def transcript(robot, omega, backend):
    """What was said on each topic in one run, by stamp; a state that was repeated must have been the same."""
    said = {name: {} for name in TOPICS}

    def noting(name):
        def note(data, _info):
            assert said[name].setdefault(data[4:12], data) == data

        return note

    settings = {
        "gait": {"omega": omega},
        "backend": {"lockstep": True, "real_time_factor": 0.0, "rate": 500.0, "stop_at": SECONDS},
    }
    topics = [(Topic(name, kind, depth=5000), noting(name)) for name, kind in TOPICS.items()]
    with Ring(Options(robot=robot, backend=backend, settings=settings), topics) as ring:
        ring.watch(lambda: ring.log.time >= SECONDS - 1e-6, 120.0)
        ring.watch(lambda: len(said["joint_states"]) == round(500 * SECONDS) + 1, 1.0)
    return said


@pytest.mark.parametrize("backend", ["model", "pybullet"])
@pytest.mark.parametrize(("robot", "omega"), [("three_link", 8.0), ("snake", 2.0)])
def test_two_runs_are_equal_to_the_bit(robot, omega, backend):
    first, second = transcript(robot, omega, backend), transcript(robot, omega, backend)
    for name in TOPICS:
        # on a loaded machine this process may miss some of what the others say, most of all to each other
        common = sorted(first[name].keys() & second[name].keys())
        assert name == "joint_commands" or len(common) > 0.8 * SECONDS * (100 if name == "odom" else 500), name
        digests = [
            hashlib.sha256(b"".join(run[name][stamp] for stamp in common)).hexdigest() for run in (first, second)
        ]
        assert digests[0] == digests[1], name
