"""The physics engines that the nodes can import.

On a ROS 2 install `ros2 launch` runs on the system's Python, the nodes on that of the virtual environment in which they
were built.
"""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from ament_index_python.packages import get_package_prefix

from sim_bridge.physics.engines import ENGINE_ENTRIES, installed_engines

FIND_ENGINES = (
    "from importlib.util import find_spec; import sys; print(*(name for name in sys.argv[1:] if find_spec(name)))"
)


@cache
def node_engines() -> tuple[str, ...]:
    """Return the physics engines that the Python of the nodes has."""
    python = _python_of(Path(get_package_prefix("sim_bridge")) / "lib" / "sim_bridge")
    if python is None or python.parent == Path(sys.executable).parent:
        return installed_engines()
    try:
        answer = subprocess.run(
            [python, "-P", "-c", FIND_ENGINES, *ENGINE_ENTRIES], capture_output=True, text=True, check=True
        )
    except (OSError, subprocess.CalledProcessError):
        return installed_engines()
    return tuple(answer.stdout.split())


def _python_of(folder: Path) -> Path | None:
    """Return the Python in the first line of the executables in a folder."""
    for file in sorted(folder.glob("*_backend")):
        with file.open("rb") as opened:
            first = opened.readline().decode(errors="replace").strip()
        if first.startswith("#!/"):
            return Path(first.removeprefix("#!"))
    return None
