"""The Fast DDS profile of this package: quick discovery, and quick resending of lost messages."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

# Fast DDS 2 and 3 read different variables and spell one element differently. Other middlewares read neither.
PROFILES = {"FASTRTPS_DEFAULT_PROFILES_FILE": "fastdds_2.xml", "FASTDDS_DEFAULT_PROFILES_FILE": "fastdds_3.xml"}


def fastdds_environment() -> dict[str, str]:
    """Return the environment variables that select the profile; none where the user has a profile already."""
    if any(name in os.environ for name in PROFILES):
        return {}
    folder = Path(get_package_share_directory("crawler_bringup")) / "config"
    return {variable: str(folder / file) for variable, file in PROFILES.items()}


def use_fastdds_profile() -> None:
    """Select the profile for this process and its children, unless the user has a profile."""
    os.environ.update(fastdds_environment())
