"""The engines that tests run on: all that this machine has, or the quickest where the others would only take time."""

from __future__ import annotations

from typing import Any

import pytest

from crawler_core.robot.robot_spec import RobotSpec
from sim_bridge.physics.engines import ENGINES, installed_engines
from sim_bridge.physics.physics_backend import PhysicsBackend

*_, QUICKEST = installed_engines() or ("",)


def _entry(name: str, *marks: pytest.MarkDecorator) -> Any:
    lacking = pytest.mark.skipif(name not in installed_engines(), reason=f"{name} is not installed")
    return pytest.param(name, marks=[lacking, *marks])


each_engine = pytest.mark.parametrize("engine", [_entry(name) for name in ENGINES])
"""Every engine, in every run."""

quickest_engine = pytest.mark.parametrize(
    "engine", [_entry(name, *([] if name == QUICKEST else [pytest.mark.exhaustive])) for name in ENGINES]
)
"""MuJoCo in every run where it is there, since it is several times as fast; PyBullet besides in exhaustive ones."""


def physics(engine: str, spec: RobotSpec, dt: float, **settings: Any) -> PhysicsBackend:
    """A backend by its name."""
    entry = ENGINES[engine]
    made: PhysicsBackend = entry.backend(spec, entry.settings(**settings), dt)
    return made
