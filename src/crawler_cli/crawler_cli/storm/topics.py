"""The topics of a ring on which a storm can speak."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from crawler_interfaces.msg import ContactStateArray
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from crawler_nodes.run_log import Topics
from crawler_nodes.tap import Topic

TYPES: dict[str, Any] = {
    "joint_commands": JointState,
    "gait_reference": JointTrajectory,
    "contact_states": ContactStateArray,
    "odom": Odometry,
    "joint_states": JointState,
    "cmd_vel": Twist,
    "/clock": Clock,
}
LATCHED = ("gait_reference",)
FORGED = "storm"  # frame_id of what the storm itself sends
LISTENED = ("joint_commands", "gait_reference", "contact_states", "odom", "joint_states")


def is_forged(data: bytes) -> bool:
    """Whether a serialised message with a header is the storm's own: its text follows the stamp and the length."""
    return data[16 : 17 + len(FORGED)] == FORGED.encode() + b"\0"


def genuine_topics(latest: dict[str, bytes]) -> Topics:
    """What keeps the latest message of each topic in `latest`, the storm's own left out."""

    def keep(name: str) -> Callable[[bytes, dict[str, Any]], None]:
        def kept(data: bytes, _info: dict[str, Any]) -> None:
            if not is_forged(data):
                latest[name] = data

        return kept

    return [(Topic(name, TYPES[name], latched=name in LATCHED, depth=100), keep(name)) for name in LISTENED]
