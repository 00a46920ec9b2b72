"""The topics of a ring on which a storm can speak."""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import Any

from crawler_interfaces.msg import ContactStateArray
from diagnostic_msgs.msg import DiagnosticStatus
from geometry_msgs.msg import Twist
from nav_msgs.msg import Odometry
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from crawler_nodes.run_log.log import Topics
from crawler_nodes.transport.tap import Topic

TYPES: dict[str, Any] = {
    "joint_commands": JointState,
    "gait_reference": JointTrajectory,
    "contact_states": ContactStateArray,
    "odom": Odometry,
    "joint_states": JointState,
    "cmd_vel": Twist,
    "motion_state": DiagnosticStatus,
    "/clock": Clock,
}
LATCHED = ("gait_reference", "motion_state")
LISTENED = ("joint_commands", "gait_reference", "contact_states", "odom", "joint_states")


def genuine_topics(latest: dict[str, bytes], forged: Container[bytes]) -> Topics:
    """What keeps the latest message of each topic in `latest`, those that are `forged` left out."""

    def keep(name: str) -> Callable[[bytes, dict[str, Any]], None]:
        def kept(data: bytes, _info: dict[str, Any]) -> None:
            if data not in forged:
                latest[name] = data

        return kept

    return [(Topic(name, TYPES[name], latched=name in LATCHED, depth=100), keep(name)) for name in LISTENED]
