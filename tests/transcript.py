"""What was said on the topics of a ring, so that two runs can be compared bit by bit."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from crawler_interfaces.msg import ContactStateArray, ControllerState
from nav_msgs.msg import Odometry
from rclpy.serialization import deserialize_message
from rings import LONG, lockstep, wait_for_end
from sensor_msgs.msg import JointState
from tf2_msgs.msg import TFMessage

from crawler_bringup.stack import Options
from crawler_cli.watching import Ring
from crawler_nodes.tap import Topic

TOPICS = {
    "joint_commands": JointState,
    "contact_states": ContactStateArray,
    "odom": Odometry,
    "controller_state": ControllerState,
    "/tf": TFMessage,
    "joint_states": JointState,  # last: time starts when the backend sees this one, and it knows the others by then
}


@dataclass
class Said:
    """What was said on each topic, by stamp, as bytes."""

    raw: dict[str, dict[bytes, bytes]] = field(default_factory=lambda: {name: {} for name in TOPICS})

    def topics(self) -> list[tuple[Topic, Callable[..., None]]]:
        """For a ring to listen to."""
        return [(Topic(name, kind, depth=5000), self.note(name)) for name, kind in TOPICS.items()]

    def note(self, name: str) -> Any:
        def keep(data: bytes, _info: object) -> None:
            # a TFMessage has the length of its list before the first stamp
            self.raw[name].setdefault(data[8:16] if name == "/tf" else data[4:12], data)

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


def lockstep_run(options: Options, seconds: float) -> tuple[Said, Ring]:
    """A whole run of so long, as fast as it goes, and all that was said in it."""
    said = Said()
    readers = 5  # of joint_states: the gait node, the controller, the log, the transcript, and one that comes last
    settings = {**options.settings, **lockstep(stop_at=seconds, readers=readers)}
    with Ring(replace(options, settings=settings), said.topics()) as ring:
        ring.watch(lambda: ring.node.count_publishers("joint_commands"), LONG)
        ring.node.create_subscription(JointState, "joint_states", lambda _: None, 1)  # time starts
        wait_for_end(ring)
        rate = ring.stack.nodes[0].parameters["rate"]
        for name, count in (("joint_states", rate * seconds + 1), ("odom", 100 * seconds + 1)):
            ring.watch(lambda name=name, count=count: len(said.raw[name]) >= round(count), LONG)
    return said, ring
