"""Two lockstep runs are equal to the bit, whatever else the machine does."""

import hashlib

import pytest
from crawler_interfaces.msg import ContactStateArray
from nav_msgs.msg import Odometry
from rings import LONG, lockstep, wait_for_end
from sensor_msgs.msg import JointState

from crawler_bringup.stack import Options
from crawler_cli.watching import Ring
from crawler_nodes.tap import Topic
from sim_bridge.engines import installed_engines

SECONDS = 1.2
RATE = 500.0
TOPICS = {
    "joint_commands": JointState,
    "contact_states": ContactStateArray,
    "odom": Odometry,
    "joint_states": JointState,  # last: time starts when the backend sees this one, and it knows the others by then
}
COUNTS = {"contact_states": RATE * SECONDS + 1, "odom": 100 * SECONDS + 1, "joint_states": RATE * SECONDS + 1}


def transcript(robot, omega, backend):
    """What was said on each topic in one run, by stamp; a state that was repeated must have been the same."""
    said = {name: {} for name in TOPICS}

    def noting(name):
        def note(data, _info):
            assert said[name].setdefault(data[4:12], data) == data

        return note

    settings = {"gait": {"omega": omega}, **lockstep(rate=RATE, stop_at=SECONDS)}
    topics = [(Topic(name, kind, depth=5000), noting(name)) for name, kind in TOPICS.items()]
    with Ring(Options(robot=robot, backend=backend, settings=settings), topics) as ring:
        wait_for_end(ring)
        ring.watch(lambda: all(len(said[name]) == count for name, count in COUNTS.items()), LONG)
    assert {name: len(said[name]) for name in COUNTS} == COUNTS
    return said


@pytest.mark.parametrize(
    ("robot", "omega", "backend"),
    [
        ("three_link", 8.0, "model"),
        pytest.param("snake", 2.0, "model", marks=pytest.mark.exhaustive),
        # robots with laws are, on the first engine, in every run
        *(pytest.param("snake", 2.0, engine, marks=pytest.mark.exhaustive) for engine in installed_engines()),
        pytest.param("three_link", 8.0, installed_engines()[0], marks=pytest.mark.exhaustive),
        *(("three_link", 8.0, engine) for engine in installed_engines()[1:]),
    ],
)
def test_two_runs_are_equal_to_the_bit(robot, omega, backend):
    first, second = transcript(robot, omega, backend), transcript(robot, omega, backend)
    for name in TOPICS:
        # nobody waits until this process hears the controller: of the commands it may miss the first ones
        common = sorted(first[name].keys() & second[name].keys())
        assert len(common) == COUNTS.get(name, len(common)) > 0, name
        digests = [
            hashlib.sha256(b"".join(run[name][stamp] for stamp in common)).hexdigest() for run in (first, second)
        ]
        assert digests[0] == digests[1], name
