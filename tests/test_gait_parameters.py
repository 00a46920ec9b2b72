"""A gait that is changed while the robot crawls."""

import numpy as np
from rcl_interfaces.srv import SetParameters
from rclpy.parameter import Parameter
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from stack_helpers import DEADLINE_S, lockstep_settings

from crawler_bringup.stack.options import Options
from crawler_nodes.messages.header import stamp_ns
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack

RATE = 100.0  # Hz


def test_a_gait_parameter_takes_effect_without_a_jump():
    states = []

    def note(data, _info):
        states.append(deserialize_message(data, JointState))

    options = Options(backend="model", settings={"gait": {"omega": 4.0}, **lockstep_settings(2.0, rate=RATE)})
    with RunningStack(options, [(Topic("joint_states", JointState, depth=5000), note)]) as stack:
        stack.wait_until(lambda: stack.log.time > 3.0, DEADLINE_S)

        def change(value):
            request = SetParameters.Request(parameters=[Parameter("omega", value=value).to_parameter_msg()])
            return stack.call(SetParameters, "gait/set_parameters", request).results[0]

        refused = change(4000.0)
        assert not refused.successful
        assert "0.05 to 40 rad/s" in refused.reason
        assert change(8.0).successful
        changed = stack.log.time
        # by the states themselves: on a busy machine they arrive seconds after the clock that they belong to
        stack.wait_until(lambda: stamp_ns(states[-1].header.stamp) * 1e-9 > changed + 6.0, DEADLINE_S)
    assert stamp_ns(states[-1].header.stamp) * 1e-9 > changed + 6.0
    received = [stamp_ns(state.header.stamp) for state in states]
    stamps, first = np.unique(received, return_index=True)  # a state that is not answered for long is sent again
    assert set(np.diff(stamps)) == {round(1e9 / RATE)}  # every tick: what follows is about neighbours
    position = np.array([state.position for state in states])[first]
    amplitude = np.radians(18.0)
    # neither gait moves faster than A * 8 rad/s; while one fades into the other the weights add a little
    assert np.abs(np.diff(position, axis=0)).max() * RATE < 1.5 * amplitude * 8.0
    # nor does it accelerate more: a jump in velocity would show here as thousands of rad/s²
    assert np.abs(np.diff(position, 2, axis=0)).max() * RATE**2 < 1.6 * amplitude * 8.0**2
    last = position[-round(RATE * 2 * np.pi / 8.0) :, 0]
    assert np.isclose(np.ptp(last), 2 * amplitude, rtol=0.01)  # a whole stroke within one new period
