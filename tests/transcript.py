"""Messages of a stack, so that two runs can be compared to the bit."""

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
    "ground_truth/odom": Odometry,
    "controller_state": ControllerState,
    "/tf": TFMessage,
    "joint_states": JointState,  # last: time starts when the backend sees this one, and it knows the others by then
}
REPEATED = {"joint_states", "contact_states", "odom", "ground_truth/odom"}  # by a backend whose controller lets it wait


@dataclass
class Transcript:
    """The messages of each topic, by stamp, as bytes."""

    raw: dict[str, dict[bytes, bytes]] = field(default_factory=lambda: {name: {} for name in TOPICS})

    def topics(self) -> list[tuple[Topic, Callable[..., None]]]:
        """Return the subscriptions."""
        return [(Topic(name, kind, depth=5000), self.note(name)) for name, kind in TOPICS.items()]

    def note(self, name: str) -> Any:
        def keep(data: bytes, _info: object) -> None:
            # a TFMessage has the length of its list before the first stamp
            stamp, data = (data[8:16], data) if name == "/tf" else (data[4:12], strip_instance_id(data))
            transcript = self.raw[name].setdefault(stamp, data)
            assert transcript == data or name not in REPEATED, f"{name} was repeated with other values"

        return keep

    def messages(self, name: str, latest: int = 0) -> list[Any]:
        """Return all messages, or the latest ones."""
        return [deserialize_message(data, TOPICS[name]) for data in list(self.raw[name].values())[-latest:]]

    def joints(self) -> Any:
        return np.array([message.position for message in self.messages("joint_states")])

    def speeds(self, latest: int = 0) -> Any:
        return np.array([message.velocity for message in self.messages("joint_states", latest)])

    def efforts(self, latest: int = 0) -> Any:
        return np.nan_to_num([message.effort for message in self.messages("joint_states", latest)])


def lockstep_run(options: Options, seconds: float, **backend: Any) -> tuple[Transcript, RunningStack]:
    """Run a stack for so long, as fast as possible; return its messages. `backend` are further settings."""
    transcript = Transcript()
    readers = 5  # of joint_states: the gait node, the controller, the log, the transcript, and one that comes last
    own = lockstep_settings(law=options.section("controller"), stop_at=seconds, readers=readers, **backend)
    settings = {**options.settings, **own}
    with RunningStack(replace(options, settings=settings), transcript.topics()) as stack:
        # the way back of an answer was made after the ways of the topics, so a controller that has answered knows both
        stack.call(GetParameters, "controller/get_parameters", GetParameters.Request(), DEADLINE_S)
        # and nothing is said before it is known here who says it, which may be later than that the backend knows us
        stack.wait_until(lambda: all(stack.node.count_publishers(name) for name in TOPICS), DEADLINE_S)
        stack.node.create_subscription(JointState, "joint_states", lambda _: None, 1)  # time starts
        wait_for_end(stack)
        for name, most in counts(stack, seconds).items():
            stack.wait_until(lambda name=name, most=most: len(transcript.raw[name]) >= most, DEADLINE_S)
            assert len(transcript.raw[name]) >= most, f"{len(transcript.raw[name])} of {most} {name} were received"
    return transcript, stack


def counts(stack: RunningStack, seconds: float) -> dict[str, int]:
    """Count the messages of each topic in a whole run, without the answer to the last state, which may be missing."""
    ticks = round(stack.description.nodes[0].parameters["rate"] * seconds)
    poses = round(100 * seconds) + 1
    states = {"joint_states": ticks + 1, "contact_states": ticks + 1, "joint_commands": ticks}
    return {**states, "odom": poses, "ground_truth/odom": poses}


def assert_equal_to_the_bit(first: Transcript, second: Transcript, stack: RunningStack, seconds: float) -> None:
    """Compare two runs over so many seconds; `stack` made one of them."""
    end = round(seconds * 1e9)
    for name, most in counts(stack, seconds).items():
        one, other = ({s: data for s, data in run.raw[name].items() if time_of(s) <= end} for run in (first, second))
        assert len(one.keys() & other.keys()) >= most, name
        assert all(one[stamp] == other[stamp] for stamp in one.keys() & other.keys()), name


def time_of(stamp: bytes) -> int:
    """Return the nanoseconds of a stamp's bytes."""
    seconds, nanoseconds = struct.unpack("<iI", stamp)
    return int(seconds * 1_000_000_000 + nanoseconds)
