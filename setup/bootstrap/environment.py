"""The environment variables of the stack: those that sourcing the built workspace would set, saved in a file."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from bootstrap.errors import STEP, SetupError
from bootstrap.layout import Layout
from bootstrap.stamps import write_atomically

SHELL_OWN = {"PWD", "OLDPWD", "SHLVL", "_"}
# in the private environment no other ROS or Python packages may mix in
PRIVATE_ONLY = ("AMENT_PREFIX_PATH", "CMAKE_PREFIX_PATH", "COLCON_PREFIX_PATH", "PYTHONPATH", "PYTHONHOME")


def for_venv(layout: Layout, base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with the virtual environment active, for building the workspace."""
    env = dict(base)
    env.pop("PYTHONHOME", None)
    env["VIRTUAL_ENV"] = str(layout.venv)
    _prepend(env, "PATH", str(layout.venv / "bin"))
    if layout.ros is None:
        for name in PRIVATE_ONLY:
            env.pop(name, None)
        env["AMENT_PREFIX_PATH"] = env["CMAKE_PREFIX_PATH"] = str(layout.venv)
        # ros-wheels-bootstrapper would start every Python twice to set these
        libs = sorted(layout.venv.glob("lib/python3*/site-packages/ros_*.libs"))
        _prepend(env, "LD_LIBRARY_PATH", *map(str, [layout.venv / "lib", *libs]))
        env["_ROS_WHEELS_BOOTSTRAP_COMPLETE"] = "1"
    return env


def capture(layout: Layout, packages: Iterable[str]) -> None:
    """Source the built workspace once and save its changes. Raises SetupError if it lacks one of `packages`."""
    base = for_venv(layout, {"PATH": os.defpath})
    script = layout.install / "local_setup.bash"
    done = subprocess.run(
        ["bash", "-c", '. "$0" >&2 && env -0', script], env=base, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        raise SetupError(f"The built workspace cannot be sourced ({script}): {done.stderr.strip()[-500:]}", STEP)
    after = dict(line.split("=", 1) for line in done.stdout.split("\0") if "=" in line)
    found = after.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    lost = [name for name in packages if str(layout.install / name) not in found]
    if lost:
        raise SetupError(
            f"The built workspace lacks {', '.join(lost)}. Is its package.xml valid, down to the maintainer's e-mail? "
            f"The output of colcon: {layout.log / 'build.log'}",
            STEP,
        )
    write_atomically(layout.environment, json.dumps(difference(after), indent=1, sort_keys=True))


def difference(after: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """Split variables into lists of paths, which go in front of the user's, and values to set."""
    prepend, values = {}, {}
    for name, value in after.items():
        if name == "PATH":
            prepend[name] = value.removesuffix(os.defpath).rstrip(os.pathsep)
        elif name.endswith("PATH"):
            prepend[name] = value.rstrip(os.pathsep)
        elif name not in SHELL_OWN:
            values[name] = value
    return {"prepend": prepend, "set": values}


def for_start(layout: Layout, base: Mapping[str, str]) -> dict[str, str]:
    """Return `base` with the finished environment active. By default nodes communicate on this machine only."""
    saved = json.loads(layout.environment.read_text(encoding="utf-8"))
    env = dict(base)
    env.pop("PYTHONHOME", None)
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # as containers set it: every node would be compiled at every start
    if layout.ros is None:
        for name in PRIVATE_ONLY:
            env.pop(name, None)
    for name, paths in saved["prepend"].items():
        _prepend(env, name, *paths.split(os.pathsep))
    env.update(saved["set"])
    env.setdefault("ROS_AUTOMATIC_DISCOVERY_RANGE", "LOCALHOST")
    return env


def _prepend(env: dict[str, str], name: str, *paths: str) -> None:
    old = [p for p in env.get(name, "").split(os.pathsep) if p and p not in paths]
    env[name] = os.pathsep.join([*paths, *old])


def site_packages(layout: Layout) -> Path:
    return next(layout.venv.glob("lib/python3*/site-packages"))
