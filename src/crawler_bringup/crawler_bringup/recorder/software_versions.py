"""The versions of code, libraries and processor, on which a run repeats to the bit."""

from __future__ import annotations

import hashlib
import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from xml.etree import ElementTree

from ament_index_python.packages import get_package_share_directory

PACKAGES = ("crawler_core", "crawler_models", "crawler_nodes", "gait_generators", "hybrid_controller", "sim_bridge")
LIBRARIES = {"numpy": "numpy", "scipy": "scipy", "pybullet": "pybullet", "mujoco": "mujoco-core"}


def software_versions() -> dict[str, str]:
    """Return the versions of the stack, Python and the numeric libraries, and the processor, by name."""
    return {
        "crawler": f"{_stack_version()}, code {_code_digest()}",
        "python": platform.python_version(),
        **{name: _installed_version(package) for name, package in LIBRARIES.items()},
        "machine": f"{platform.machine()}, {_processor()}",
    }


def _stack_version() -> str:
    root = ElementTree.parse(Path(get_package_share_directory("crawler_bringup")) / "package.xml")
    return root.findtext("version", "unknown")


def _code_digest() -> str:
    """Return a digest of all code that makes the numbers of a run."""
    folders = [Path(spec.origin).parent for name in PACKAGES if (spec := find_spec(name)) and spec.origin]
    sha = hashlib.sha256()
    for file in sorted(file for folder in folders for file in folder.rglob("*.py")):
        content = file.read_bytes()
        sha.update(f"{file.name}:{len(content)}:".encode() + content)
    return sha.hexdigest()[:12]


def _installed_version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
