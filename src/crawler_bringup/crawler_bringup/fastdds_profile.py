"""Making the processes of a run find each other quickly, and miss nothing for long."""

from __future__ import annotations

import os
from pathlib import Path

from ament_index_python.packages import get_package_share_directory

# the variable and the file before and since Fast DDS 3, which calls a heartbeat otherwise; each reads its own alone,
# and other middlewares neither
PROFILES = {"FASTRTPS_DEFAULT_PROFILES_FILE": "fastdds_2.xml", "FASTDDS_DEFAULT_PROFILES_FILE": "fastdds_3.xml"}


def fastdds_environment() -> dict[str, str]:
    """What the environment of a node needs to use our profile of Fast DDS; nothing where the user has one already."""
    if any(name in os.environ for name in PROFILES):
        return {}
    folder = Path(get_package_share_directory("crawler_bringup")) / "config"
    return {variable: str(folder / file) for variable, file in PROFILES.items()}


def use_fastdds_profile() -> None:
    """Give this process and its children our profile of Fast DDS, unless the user has one of their own."""
    os.environ.update(fastdds_environment())
