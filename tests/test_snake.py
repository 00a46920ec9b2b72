"""The snake through the whole stack: the real nodes, on physics and on its equations."""

import signal

import numpy as np
import pytest
from crawler_interfaces.msg import ContactStateArray, ControllerState
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from stack_helpers import DEADLINE_S, PHYSICS, lockstep_settings, wait_for_end
from std_srvs.srv import Trigger

from crawler_bringup.stack.options import Options
from crawler_nodes.run_log.stride_metrics import measure
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack


def running_stack(kind, topics=None, **settings):
    return RunningStack(Options(robot="snake", gait="serpenoid_closed", backend=kind, settings=settings), topics)


@pytest.mark.parametrize(
    ("links", "direction", "sign"),
    [
        pytest.param(10, "backward", -1.0, id="10 back"),
        pytest.param(8, "forward", 1.0, id="8 ahead", marks=pytest.mark.exhaustive),
    ],
)
def test_the_closed_wave_advances_by_d_step_on_the_stack(links, direction, sign):
    """Every topic has the chosen number of joints, and the equations' advance is exact to a thousandth."""
    gait = {"n": 6, "omega": 2.0, "direction": direction}
    period = (links - 6 + 2) * np.pi / 4
    seconds = 2.2 * period
    with running_stack(
        "model", gait=gait, robot={"links": links}, **lockstep_settings(stop_at=seconds, rate=100.0)
    ) as stack:
        wait_for_end(stack)
        log = stack.log
        measured = measure(log, stack.description.gait.period, stack.description.gait.period)
    assert len(log.names) == links - 1
    assert len(log.feet) == links + 1
    assert measured is not None
    assert measured.step_length == pytest.approx(sign * 84e-3 * stack.description.gait.wave.d_unit, rel=1e-3)
    assert not log.status.warnings


@pytest.mark.exhaustive  # other robots stop so in every run
def test_in_physics_it_stops_without_its_gait_and_lies_down_at_an_emergency_stop():
    states, controller, contacts = [], [], []
    topics = [
        (Topic("joint_states", JointState), lambda data, _: states.append(deserialize_message(data, JointState))),
        (
            Topic("controller_state", ControllerState),
            lambda data, _: controller.append(deserialize_message(data, ControllerState)),
        ),
        (
            Topic("contact_states", ContactStateArray),
            lambda data, _: contacts.append(deserialize_message(data, ContactStateArray)),
        ),
    ]
    # no faster than this: the wave stands for seconds, in which the gait has to be killed
    with running_stack(PHYSICS, topics, **lockstep_settings(1.0, reference_timeout=1.0)) as stack:

        def until(condition):
            stack.wait_until(condition, DEADLINE_S)
            assert condition()

        until(lambda: states and max(states[-1].position) > 0.5)  # the wave stands
        stack.expected_to_end.add("gait")
        stack.processes.children["gait"].send_signal(signal.SIGKILL)
        until(lambda: controller and controller[-1].status == ControllerState.STOPPED)
        stopped = len(states)
        until(lambda: len(states) > stopped + 300)
        assert np.ptp([state.position for state in states[-60:]], axis=0).max() < 1e-3  # servos that settle
        assert max(states[-1].position) > 0.3  # it still stands as it stood
        assert stack.log.status.backend["motion"] == "active"
        assert stack.call(Trigger, "backend/estop", Trigger.Request()).success
        until(lambda: stack.log.status.backend.get("motion") == "e-stopped")
        until(lambda: contacts[-1].contacts and sum(contact.force.z > 0.0 for contact in contacts[-1].contacts) >= 3)
        assert all(np.isfinite(states[-1].position))
