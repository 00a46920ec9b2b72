"""The physics engines: which there are, which this machine has, and which one is meant where nobody names one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from crawler_core.errors import UserError
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.registry import LazyRegistry

# The backend of each, which has the name of the Python module that it needs; the first one that is installed is meant.
ENGINE_ENTRIES = {
    "pybullet": "sim_bridge.bullet.pybullet_backend:ENTRY",
    "mujoco": "sim_bridge.mujoco.mujoco_backend:ENTRY",
}
ENGINES: LazyRegistry[BackendEntry] = LazyRegistry("physics engine", ENGINE_ENTRIES)
TITLES: Mapping[str, str] = {"pybullet": "PyBullet", "mujoco": "MuJoCo"}


def installed_engines() -> tuple[str, ...]:
    """Those that can be imported here."""
    return tuple(name for name in ENGINES if find_spec(name) is not None)


def default_physics(installed: Sequence[str] | None = None) -> str:
    """The engine's backend for whoever wants physics and names none. Raises UserError where there is no engine.

    `installed` are the engines to choose from, in their order; those of this Python where nothing else is said.
    """
    installed = installed_engines() if installed is None else installed
    if not installed:
        raise UserError(
            "no physics engine is installed: `pip install mujoco-core`, or give --backend model for the equations."
        )
    return installed[0]


def substitution(chosen: str) -> str:
    """A sentence for whoever named no engine and gets `chosen`, where that is not what other machines take."""
    usual = next(iter(ENGINES))
    if chosen == usual:
        return ""
    return (
        f"{TITLES[usual]} is not installed here: physics is {TITLES[chosen]}'s, and docs/physics_engines.md says how "
        "far the two agree."
    )
