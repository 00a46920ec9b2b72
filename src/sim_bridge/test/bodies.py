"""The simulations in the conformance suite, of any robot: who inherits says which."""

import dataclasses
from pathlib import Path

import pytest

from crawler_core.backend import Backend
from crawler_core.conformance import BackendConformance
from crawler_core.robot import RobotSpec
from sim_bridge.model_backend import ModelBackend, ModelSettings
from sim_bridge.pybullet_backend import PyBulletBackend, PyBulletSettings


class InPyBullet(BackendConformance):
    settings = PyBulletSettings()

    @pytest.fixture(autouse=True)
    def _needs_pybullet(self) -> None:
        pytest.importorskip("pybullet")

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return PyBulletBackend(spec, self.settings, dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return self.make_backend(dataclasses.replace(spec, directory=Path("nowhere")), dt)


class InTheModel(BackendConformance):
    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return ModelBackend(spec, ModelSettings(), dt)

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        return self.make_backend(dataclasses.replace(spec, equations=""), dt)
