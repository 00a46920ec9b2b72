"""The Fast DDS profile of this package: quick discovery, and quick resending of lost messages."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

# Fast DDS 2 and 3 read different variables and spell one element differently. Other middlewares read neither.
# It also reads a profile that lies in the current folder, which may be anybody's, unless the last two are set.
PROFILES = {"FASTRTPS_DEFAULT_PROFILES_FILE": "fastdds_2.xml", "FASTDDS_DEFAULT_PROFILES_FILE": "fastdds_3.xml"}
SKIP_CURRENT_FOLDER = {"SKIP_DEFAULT_XML_FILE": "1", "SKIP_DEFAULT_XML": "1"}


def fastdds_environment() -> dict[str, str]:
    """Return the environment variables that select the profile; that of the user, where there is one, stays."""
    if any(name in os.environ for name in PROFILES):
        return SKIP_CURRENT_FOLDER
    folder = Path(get_package_share_directory("crawler_bringup")) / "config"
    return {variable: str(folder / file) for variable, file in PROFILES.items()} | SKIP_CURRENT_FOLDER


def use_fastdds_profile() -> None:
    """Select the profile for this process and its children, unless the user has a profile."""
    os.environ.update(fastdds_environment())
