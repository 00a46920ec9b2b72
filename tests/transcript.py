"""What was said on the topics of a ring, so that two runs can be compared bit by bit."""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from crawler_interfaces.msg import ContactStateArray, ControllerState
from nav_msgs.msg import Odometry
from rcl_interfaces.srv import GetParameters
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from stack_helpers import DEADLINE_S, lockstep_settings, wait_for_end
from tf2_msgs.msg import TFMessage

from crawler_bringup.stack.options import Options
from crawler_nodes.messages.header import strip_instance_id
from crawler_nodes.topics import Topic
from crawler_testing.fixtures.running_stack import RunningStack

TOPICS = {
    "joint_commands": JointState,
    "contact_states": ContactStateArray,
    "odom": Odometry,
    "controller_state": ControllerState,
    "/tf": TFMessage,
    "joint_states": JointState,  # last: time starts when the backend sees this one, and it knows the others by then
}
REPEATED = {"joint_states", "contact_states", "odom"}  # by a backend whose controller lets it wait


@dataclass
class Transcript:
    """What was said on each topic, by stamp, as bytes."""

    raw: dict[str, dict[bytes, bytes]] = field(default_factory=lambda: {name: {} for name in TOPICS})

    def topics(self) -> list[tuple[Topic, Callable[..., None]]]:
        """For a ring to listen to."""
        return [(Topic(name, kind, depth=5000), self.note(name)) for name, kind in TOPICS.items()]

    def note(self, name: str) -> Any:
        def keep(data: bytes, _info: object) -> None:
            # a TFMessage has the length of its list before the first stamp
            stamp, data = (data[8:16], data) if name == "/tf" else (data[4:12], strip_instance_id(data))
            said = self.raw[name].setdefault(stamp, data)
            assert said == data or name not in REPEATED, f"{name} was repeated with other values"

        return keep

    def messages(self, name: str, latest: int = 0) -> list[Any]:
        """All of them, or the latest ones."""
        return [deserialize_message(data, TOPICS[name]) for data in list(self.raw[name].values())[-latest:]]

    def joints(self) -> Any:
        return np.array([message.position for message in self.messages("joint_states")])

    def speeds(self, latest: int = 0) -> Any:
        return np.array([message.velocity for message in self.messages("joint_states", latest)])

    def efforts(self, latest: int = 0) -> Any:
        return np.nan_to_num([message.effort for message in self.messages("joint_states", latest)])


def lockstep_run(options: Options, seconds: float, **backend: Any) -> tuple[Transcript, RunningStack]:
    """A whole run of so long, as fast as it goes, and all that was said in it. `backend` are its further settings."""
    said = Transcript()
    readers = 5  # of joint_states: the gait node, the controller, the log, the transcript, and one that comes last
    settings = {**options.settings, **lockstep_settings(stop_at=seconds, readers=readers, **backend)}
    with RunningStack(replace(options, settings=settings), said.topics()) as stack:
        # the way back of an answer was made after the ways of the topics, so a controller that has answered knows both
        stack.call(GetParameters, "controller/get_parameters", GetParameters.Request(), DEADLINE_S)
        # and nothing is said before it is known here who says it, which may be later than that the backend knows us
        stack.wait_until(lambda: all(stack.node.count_publishers(name) for name in TOPICS), DEADLINE_S)
        stack.node.create_subscription(JointState, "joint_states", lambda _: None, 1)  # time starts
        wait_for_end(stack)
        for name, most in counts(stack, seconds).items():
            stack.wait_until(lambda name=name, most=most: len(said.raw[name]) >= most, DEADLINE_S)
            assert len(said.raw[name]) >= most, f"{len(said.raw[name])} of {most} {name} were heard"
    return said, stack


def counts(stack: RunningStack, seconds: float) -> dict[str, int]:
    """How often each topic speaks in a whole run, but for the answer to the last state, which may come or not."""
    ticks = round(stack.description.nodes[0].parameters["rate"] * seconds)
    poses = round(100 * seconds) + 1
    return {"joint_states": ticks + 1, "contact_states": ticks + 1, "odom": poses, "joint_commands": ticks}


def assert_equal_to_the_bit(first: Transcript, second: Transcript, stack: RunningStack, seconds: float) -> None:
    """Two runs said the same in so many seconds, of which `ring` made one."""
    end = round(seconds * 1e9)
    for name, most in counts(stack, seconds).items():
        one, other = ({s: data for s, data in run.raw[name].items() if time_of(s) <= end} for run in (first, second))
        assert len(one.keys() & other.keys()) >= most, name
        assert all(one[stamp] == other[stamp] for stamp in one.keys() & other.keys()), name


def time_of(stamp: bytes) -> int:
    """Nanoseconds of a stamp's bytes."""
    seconds, nanoseconds = struct.unpack("<iI", stamp)
    return int(seconds * 1_000_000_000 + nanoseconds)
