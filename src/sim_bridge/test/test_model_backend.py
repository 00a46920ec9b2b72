"""What the model backend adds to the equations: time, faults, and stopping dead."""

import dataclasses
import math

import numpy as np
import pytest
from bridge_robots import DT, UNKNOWN, harmonic, three_link

from crawler_core.errors import BackendFault, UserError
from crawler_core.types import ContactMode, JointCommand
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
