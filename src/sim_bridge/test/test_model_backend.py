"""What the model backend adds to the equations: time, faults, and stopping dead."""

import dataclasses
import math

import numpy as np
import pytest
from bridge_robots import DT, UNKNOWN, harmonic, three_link
from numpy.typing import ArrayLike

from crawler_core.errors import BackendFault, UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, Contact, ContactMode, FloatArray, JointCommand, Observation
from crawler_models.interface.model import Model
from crawler_models.interface.plant import PlantFault
from sim_bridge.model_backend import ModelBackend, ModelSettings


def crawling(seconds: float, omega: float) -> ModelBackend:
    """A model that has been under way from a standstill, since the input's rates grow from zero."""
    backend = ModelBackend(three_link(), ModelSettings(), DT)
    backend.open()
    for k in range(1, round(seconds / DT) + 1):
        t = k * DT
        u = min(t / 0.5, 1.0)
        position, velocity = harmonic(t, omega)
        grown, growing = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / 0.5
        away = position - math.radians(110.0)
        backend.apply(JointCommand(math.radians(110.0) + grown * away, grown * velocity + growing * away, UNKNOWN))
        backend.advance(DT)
    return backend


def test_relax_stops_it_dead_in_its_place() -> None:
    backend = crawling(3.0, 3.2)
    before = backend.observe()
    assert np.abs(before.velocity).min() > 0.05
    backend.relax()
    for _ in range(10):
        backend.advance(DT)
    after = backend.observe()
    assert before.base is not None
    assert after.base is not None
    np.testing.assert_array_equal(after.position, before.position)
    np.testing.assert_allclose(after.base.position, before.base.position, atol=1e-12)
    assert not after.velocity.any()
    assert after.base.linear == (0.0, 0.0, 0.0)
    assert [contact.mode for contact in after.contacts] == [ContactMode.STICK] * 2
    assert after.time_ns == before.time_ns + 10 * round(DT * 1e9)


def drop(backend: ModelBackend) -> None:
    """Open both legs faster than the body can fall."""
    start = backend.observe().position
    for k in range(1, 100):
        t = k * DT
        backend.apply(JointCommand(start + 100.0 * t * t, np.full(2, 200.0 * t), UNKNOWN))
        backend.advance(DT)


def test_a_lost_contact_is_a_fault_from_which_it_can_start_again() -> None:
    backend = crawling(1.0, 3.2)
    with pytest.raises(BackendFault, match=r"leaves the ground") as caught:
        drop(backend)
    assert caught.value.remedy
    backend.relax()
    there = backend.observe().position
    for _ in range(10):
        backend.apply(JointCommand(there, np.zeros(2), UNKNOWN))
        backend.advance(DT)
    np.testing.assert_allclose(backend.observe().position, there, atol=1e-12)


def test_a_robot_without_equations_is_refused() -> None:
    with pytest.raises(UserError, match="there are no equations that move 'three_link'"):
        ModelBackend(dataclasses.replace(three_link(), equations=""), ModelSettings(), DT).open()
    with pytest.raises(UserError, match="did you mean 'three_link'"):
        ModelBackend(dataclasses.replace(three_link(), equations="three_lnk"), ModelSettings(), DT).open()


class Falling:
    """Equations of a robot that falls, and whose one motor is pushed: x'' = effort / kg, z'' = -g."""

    joint_names = actuated = ("motor",)

    def __init__(self, spec: RobotSpec) -> None:
        self.reset([0.0])

    def reset(self, position: ArrayLike) -> None:
        self.q, self.dq, self.pushed, self.z, self.dz, self.x = float(np.array(position)[0]), 0.0, 0.0, 1.0, 0.0, 0.0

    def advance(self, position: ArrayLike, velocity: ArrayLike, effort: ArrayLike, dt: float) -> None:
        if self.z < 0.0:
            raise PlantFault("it has fallen through the ground.", remedy="hold it")
        self.pushed = float(np.array(effort)[0])
        self.dq += self.pushed * dt
        self.q += self.dq * dt
        self.x += 0.1 * dt
        self.dz -= 9.81 * dt
        self.z += self.dz * dt

    def joints(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        return np.array([self.q]), np.array([self.dq]), np.array([self.pushed])

    def base(self) -> BaseState:
        return BaseState((self.x, 0.0, self.z), (1.0, 0.0, 0.0, 0.0), (0.1, 0.0, self.dz), (0.0, 0.0, 0.0))

    def contacts(self) -> tuple[Contact, ...]:
        return ()


FALLING = Model(plant=Falling)


def test_equations_that_can_fall_go_on_without_effort_and_begin_again_where_they_are() -> None:
    motor = dataclasses.replace(three_link().joints[0], name="motor", command_interface="effort")
    spec = dataclasses.replace(three_link(), joints=(motor,), equations=f"{__name__}:FALLING")
    backend = ModelBackend(spec, ModelSettings(), DT)
    backend.open()

    def tick(effort: float | None) -> Observation:
        if effort is not None:
            applied = backend.apply(JointCommand(np.array([np.nan]), np.array([np.nan]), np.array([effort])))
            assert applied.effort[0] == (0.0 if math.isnan(effort) else effort)
        backend.advance(DT)
        return backend.observe()

    assert [tick(effort).effort[0] for effort in (2.0, None, np.nan, 3.0)] == [2.0, 0.0, 0.0, 3.0]
    backend.relax()  # falls on, limp
    heights = []
    for _ in range(3):
        seen = tick(None)
        assert seen.effort[0] == 0.0
        assert seen.base is not None
        heights.append(seen.base.position[2])
    assert heights[0] > heights[1] > heights[2]

    def fall() -> None:
        while True:
            tick(1.0)

    with pytest.raises(BackendFault, match="fallen through") as caught:
        fall()
    assert caught.value.remedy == "hold it"
    before = backend.observe().base
    backend.relax()
    after = backend.observe().base
    assert before is not None
    assert after is not None
    assert after.position == pytest.approx((before.position[0], 0.0, 1.0))
    tick(1.0)
