"""Find the Python for an environment."""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bootstrap.errors import MACHINE, SetupError
from bootstrap.ros_install import RosInstall

# numpy's pinned wheels begin at the first version, and the build tools of the message packages end at the last.
# PyBullet has wheels for the first only, so that version comes first
PRIVATE_VERSIONS = ((3, 11), (3, 12), (3, 13))

PROBE = """
import importlib.util, json, os, sys, sysconfig
print(json.dumps({
    "path": sys.executable,
    "base": getattr(sys, "_base_executable", sys.executable),
    "version": sys.version_info[:2],
    "headers": os.path.isfile(os.path.join(sysconfig.get_paths()["include"], "Python.h")),
    "venv": all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")),
    "rclpy": importlib.util.find_spec("rclpy") is not None,
}))
"""


@dataclass(frozen=True)
class Interpreter:
    """A Python on this machine."""

    path: Path
    base: Path  # the same Python outside of any virtual environment
    version: tuple[int, int]
    headers: bool  # has Python.h, which compiled message packages need
    venv: bool  # can make virtual environments
    rclpy: bool

    @property
    def name(self) -> str:
        return f"python{self.version[0]}.{self.version[1]}"


def probe(path: Path) -> Interpreter | None:
    """Run the Python at `path` and return its properties, or None if it does not run."""
    try:
        # in the root folder: a module that lies in the current one, which may be anybody's, is not imported
        command = [os.path.abspath(path), "-c", PROBE]
        answer = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True, cwd="/")
        found = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, json.JSONDecodeError):
        return None
    path, base, version = Path(found.pop("path")), Path(found.pop("base")), tuple(found.pop("version"))
    return Interpreter(path, base, version, **found)


def find_private(root: Path) -> Interpreter:
    """Return a Python of PRIVATE_VERSIONS on the PATH, complete ones first, then in the order of the versions.

    Raises SetupError if there is none.
    """
    names = [f"python{major}.{minor}" for major, minor in PRIVATE_VERSIONS]
    found = [i for i in _on_path([*names, "python3"]) if i.version in PRIVATE_VERSIONS]
    if not found:
        raise SetupError((root / "setup" / "no_python.txt").read_text(encoding="utf-8").rstrip(), MACHINE)
    return next((i for i in found if i.headers and i.venv), found[0])


def find_ros(ros: RosInstall) -> Interpreter:
    """Return the Python that can import the sourced install's rclpy. Raises SetupError if there is none."""
    built_for = sorted({folder.parts[-3] for folder in ros.prefix.glob("lib/python3*/*-packages/rclpy")})
    names = [*built_for, "python3"]
    for interpreter in _on_path(names):
        # with PYTHONPATH any Python finds the package, but only its own version can load the compiled parts
        if interpreter.rclpy and (not built_for or interpreter.name in built_for):
            return interpreter
    raise SetupError(
        f"ROS 2 {ros.distro} is sourced from {ros.prefix}, but none of the Pythons on the PATH "
        f"({', '.join(names)}) can import its rclpy. Source its setup.bash again, last, or start from a shell where "
        "it is not sourced.",
        MACHINE,
    )


def _on_path(names: list[str]) -> Iterator[Interpreter]:
    for name in names:
        for folder in os.get_exec_path():
            candidate = Path(folder or ".") / name
            if os.access(candidate, os.X_OK) and (interpreter := probe(candidate)):
                yield interpreter
