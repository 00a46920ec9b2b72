"""Find the ROS 2 install that is sourced in this shell."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bootstrap.errors import MACHINE, SetupError

OLDEST = "jazzy"  # distributions are named in alphabetical order


@dataclass(frozen=True)
class RosInstall:
    """A sourced ROS 2 install."""

    distro: str
    prefix: Path  # the prefix that has rclpy
    prefixes: tuple[Path, ...]  # all that are sourced, overlays first

    def has(self, package: str) -> bool:
        return any(has_package(prefix, package) for prefix in self.prefixes)


def has_package(prefix: Path, package: str) -> bool:
    return os.path.isfile(prefix / "share" / "ament_index" / "resource_index" / "packages" / package)


def sourced_ros(env: Mapping[str, str], root: Path) -> RosInstall | None:
    """Return the install that is sourced in `env`, or None. Builds of the checkout `root` do not count.

    Raises SetupError for an install that is too old.
    """
    distro = env.get("ROS_DISTRO", "")
    listed = [Path(p) for p in env.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p]
    prefixes = tuple(p for p in listed if not p.is_relative_to(root / ".crawler"))
    prefix = next((p for p in prefixes if has_package(p, "rclpy")), None)
    if not distro or prefix is None:
        return None
    if distro < OLDEST:
        raise SetupError(
            f"ROS 2 {distro} is sourced in this shell, but {OLDEST} or newer is needed. Source a newer one, or start "
            "from a shell where none is sourced: a private ROS 2 environment is then set up here.",
            MACHINE,
        )
    return RosInstall(distro, prefix, prefixes)
