"""The physics engines: all of them, the installed ones, and the default."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from crawler_core.errors import UserError
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.registry import LazyRegistry

# Backends by the name of the Python module that they need. The first installed one is the default.
ENGINE_ENTRIES = {
    "pybullet": "sim_bridge.bullet.pybullet_backend:BACKEND_ENTRY",
    "mujoco": "sim_bridge.mujoco.mujoco_backend:BACKEND_ENTRY",
}
ENGINES: LazyRegistry[BackendEntry] = LazyRegistry("physics engine", ENGINE_ENTRIES)
ENGINE_TITLES: Mapping[str, str] = {"pybullet": "PyBullet", "mujoco": "MuJoCo"}
INSTALL_HINTS = {
    "pybullet": "`pip install pybullet` with CPython 3.11, the last with wheels, or use MuJoCo or the model",
    "mujoco": "`pip install mujoco-core`, or use the model",
}


def import_engine(name: str) -> Any:
    """Return the Python module of an engine. Raises UserError where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise UserError(
            f"{ENGINE_TITLES[name]} is not installed for this CPython {version}: {INSTALL_HINTS[name]}."
        ) from None


def installed_engines() -> tuple[str, ...]:
    return tuple(name for name in ENGINES if find_spec(name) is not None)


def default_physics(installed: Sequence[str] | None = None) -> str:
    """Return the first of the installed engines. Raises UserError where there is none."""
    installed = installed_engines() if installed is None else installed
    if not installed:
        raise UserError(
            "no physics engine is installed: `pip install mujoco-core`, or use --backend model for the equations."
        )
    return installed[0]


def substitution(chosen: str) -> str:
    """Return a sentence for a user who gets `chosen` by default, where that is not the usual default; else nothing."""
    usual = next(iter(ENGINES))
    if chosen == usual:
        return ""
    return (
        f"{ENGINE_TITLES[usual]} is not installed: {ENGINE_TITLES[chosen]} is used instead; docs/physics_engines.md "
        "shows how far the two agree."
    )
