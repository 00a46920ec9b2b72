"""The simulations in the conformance suite, of any robot: who inherits says which."""

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest
from engines_here import physics

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_spec import RobotSpec
from sim_bridge.model_backend import ModelBackend, ModelSettings


class InPhysics(BackendConformance):
    engine: ClassVar[str]
    settings: ClassVar[Mapping[str, Any]] = {}

    @pytest.fixture(autouse=True)
    def _needs_the_engine(self) -> None:
        pytest.importorskip(self.engine)

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return physics(self.engine, spec, dt, **self.settings)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return self.make_backend(dataclasses.replace(spec, directory=Path("nowhere")), dt)


class InPyBullet(InPhysics):
    engine = "pybullet"


class InMuJoCo(InPhysics):
    engine = "mujoco"


class InTheModel(BackendConformance):
    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ModelBackend(spec, ModelSettings(), dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return self.make_backend(dataclasses.replace(spec, equations=""), dt)
