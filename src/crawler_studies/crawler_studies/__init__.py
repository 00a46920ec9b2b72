"""Sweeps, tunes and designs gaits and mechanisms, analyses runs and recordings, and draws the papers' figures.

Not here: the equations (crawler_models), the physics engines (sim_bridge), the commands (crawler_cli).
Imported by: crawler_cli, crawler_testing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from crawler_studies.learning.robot_environment import RobotEnvironment as RobotEnvironment
    from crawler_studies.simulation.robot import Robot as Robot

_MODULES = {
    "Robot": "crawler_studies.simulation.robot",
    "RobotEnvironment": "crawler_studies.learning.robot_environment",
}


def __getattr__(name: str) -> Any:
    """Import a class of the package at its first use: each costs time, and the environment needs gymnasium."""
    if name not in _MODULES:
        raise AttributeError(f"module 'crawler_studies' has no attribute '{name}'")
    return getattr(import_module(_MODULES[name]), name)
