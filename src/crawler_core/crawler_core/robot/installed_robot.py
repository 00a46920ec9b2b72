"""The check of robot names that come from data."""

from __future__ import annotations

from crawler_core.errors import UserError, quoted
from crawler_core.robot.robot_file import robot_names


def check_installed(name: str, source: str) -> str:
    """Return `name` if it is an installed robot's. Raise UserError otherwise.

    For names that data gives, such as a recording or a message. A robot folder is a program, and data brings none:
    only a robot that the user has named may lie anywhere. `source` says where the name comes from.
    """
    if name not in robot_names():
        raise UserError(
            f"{source} names the robot {quoted(name)}, which is not installed: data may not bring code. If you trust "
            "its folder, give its robot.yaml with --robot."
        )
    return name
