"""One controller, one set of topics and one estimator: in physics, on the equations, and on emulated motors."""

import math
from dataclasses import dataclass, field

import numpy as np
import pytest
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from stack_helpers import DEADLINE_S, PHYSICS, lockstep_settings

from crawler_bringup.stack.options import Options
from crawler_nodes.topics import GROUND_TRUTH, ODOM
from crawler_testing.fixtures.running_stack import RunningStack

SECONDS = 3.0
BACKENDS = (PHYSICS, "model", "emulated")


@dataclass
class Odometries:
    """The messages of odom, of ground_truth/odom, and the diagnostics of one run."""

    believed: list[Odometry] = field(default_factory=list)
    true: list[Odometry] = field(default_factory=list)
    status: dict[str, str] = field(default_factory=dict)

    def paths(self):
        """Where the robot believes to be and where it is (m), at the times of both, since the beginning."""
        believed, true = (
            {(m.header.stamp.sec, m.header.stamp.nanosec): m.pose.pose.position.x for m in messages}
            for messages in (self.believed, self.true)
        )
        common = sorted(believed.keys() & true.keys())
        return [np.array([path[time] - path[common[0]] for time in common]) for path in (believed, true)]


def append_to(messages):
    """Return a callback that appends each odometry to `messages`."""
    return lambda data, _: messages.append(deserialize_message(data, Odometry))


@pytest.fixture(scope="module")
def runs():
    """The same crawl on each backend, with typical motors, encoders and sensors."""
    found = {}
    for backend in BACKENDS:
        run = found[backend] = Odometries()
        topics = [(ODOM, append_to(run.believed)), (GROUND_TRUTH, append_to(run.true))]
        settings = lockstep_settings(stop_at=SECONDS, reality="typical", rate=200.0)
        with RunningStack(Options(backend=backend, settings={**settings, "gait": {"omega": 2.0}}), topics) as stack:
            # the ticks of emulated motors may take a little longer than others
            stack.wait_until(
                lambda run=run: len(run.true) > 90 * SECONDS and len(run.believed) > 90 * SECONDS, DEADLINE_S
            )
            run.status = dict(stack.log.status.backend)
    return found


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_robot_believes_what_is_true(runs, backend):
    believed, true = runs[backend].paths()
    assert np.ptp(true) > 0.015
    assert np.abs(believed - true).max() < 0.005  # some times the noise of the camera
    assert runs[backend].status["estimator"] == "stick_slip"
    assert runs[backend].status["external_pose"] == "used"


def test_all_backends_tell_of_the_same_crawl(runs):
    swings = np.array([[np.ptp(path) for path in run.paths()] for run in runs.values()])
    assert np.ptp(swings, axis=0).max() < 0.3 * swings.mean()


@pytest.mark.parametrize("backend", BACKENDS)
def test_odometry_has_frames_of_rep_105_and_a_covariance(runs, backend):
    last, truth = runs[backend].believed[-1], runs[backend].true[-1]
    assert (last.header.frame_id, last.child_frame_id) == ("odom", "base_link")
    assert 0.0 < math.sqrt(last.pose.covariance[0]) < 0.05
    assert not np.any(truth.pose.covariance)
