"""The leg reduced to its crank and its centre of mass, against the pins' own kinematics and conservation."""

import math

import numpy as np
import pytest
from bolt_runs import LEG

from crawler_models.bolt.compiled import advance as interval
from crawler_models.bolt.compiled.compliant import OPEN
from crawler_models.bolt.compiled.reduced import pack, posture, reduced
from crawler_models.bolt.equations.six_bar import passive_angles, pins
from crawler_models.bolt.simulation.sampled_run import Start

PACKED = pack(LEG)
CRANKS = np.linspace(0.0, 2.0 * math.pi, 24, endpoint=False)
H = 1e-5  # rad, of central differences: their error is about 1e-10


def masses(q):
    """Centres of the bodies 1 to 5 and b, and the angles of bars 1 to 5, from the pins."""
    p = pins(LEG, q)
    bars = {"2": (p.D, p.B), "3": (p.C, p.G), "4": (p.A, p.E), "5": (p.E, p.F)}
    along = {k: (b - a) / abs(b - a) for k, (a, b) in bars.items()}
    centres = [0j, *(bars[k][0] + getattr(LEG, f"c_{k}") * e for k, e in along.items()), 0j]
    return np.array(centres), np.array([np.exp(1j * q), *along.values()])


MASSES = np.array([LEG.m_1, LEG.m_2, LEG.m_3, LEG.m_4, LEG.m_5, LEG.m_b])
INERTIAS = np.array([LEG.I_1 + LEG.I_r, LEG.I_2, LEG.I_3, LEG.I_4, LEG.I_5])


def inertia(q):
    """Twice the kinetic energy at a crank rate of 1 of a leg that hangs free, by differences."""
    (r1, e1), (r0, e0) = masses(q + H), masses(q - H)
    moving, turning = (r1 - r0) / (2.0 * H), np.angle(e1 / e0) / (2.0 * H)
    mean = (MASSES * moving).sum() / MASSES.sum()
    return (MASSES * abs(moving - mean) ** 2).sum() + (INERTIAS * turning**2).sum()


def foot(q):
    return pins(LEG, q).F - (MASSES * masses(q)[0]).sum() / MASSES.sum()


@pytest.mark.parametrize("q", CRANKS)
def test_inertia_and_foot_with_their_derivatives_are_those_of_the_pins(q):
    J, dJ, r, dr, ddr = reduced(PACKED, q)
    assert inertia(q) == pytest.approx(J, rel=1e-8)
    assert (inertia(q + 1e-3) - inertia(q - 1e-3)) / 2e-3 == pytest.approx(dJ, abs=1e-7)
    assert abs(foot(q) - r) < 1e-14
    assert abs((foot(q + H) - foot(q - H)) / (2.0 * H) - dr) < 1e-9
    assert abs((foot(q + 1e-3) - 2.0 * foot(q) + foot(q - 1e-3)) / 1e-6 - ddr) < 1e-7


@pytest.mark.parametrize("q", CRANKS[::6])
def test_posture_agrees_with_the_pins_and_the_passive_angles(q):
    centre, moving, at, lowest, bars, turns = posture(PACKED, q)
    p = pins(LEG, q)
    assert abs(at - p.F) < 1e-14
    assert lowest == pytest.approx(min(0.0, p.E.imag, p.G.imag, p.C.imag), abs=1e-15)
    assert abs(at - centre - foot(q)) < 1e-14
    ahead, behind = posture(PACKED, q + H)[0], posture(PACKED, q - H)[0]
    assert abs((ahead - behind) / (2.0 * H) - moving) < 1e-9
    slopes = np.unwrap([passive_angles(LEG, q - H), passive_angles(LEG, q + H)], axis=0)
    t2, t3, t4, t5 = turns
    np.testing.assert_allclose((slopes[1] - slopes[0]) / (2.0 * H), [t2 - 1, t3 - t2, t4, t5 - t4], atol=1e-8)
    assert np.angle(bars[0] * np.exp(-1j * q)) == pytest.approx(passive_angles(LEG, q)[0], abs=1e-12)


def test_free_flight_keeps_energy_and_momentum():
    """Without torque for 0.4 s, in steps of a quarter of a millisecond: Runge and Kutta's error is below 1e-9 of it."""
    state = Start(0.3, -25.0, 2.0, 1.2, 1.0).state(PACKED)
    began = state.copy()

    def energy(s):
        return (
            0.5 * LEG.mass * (s[2] ** 2 + s[3] ** 2)
            + 0.5 * reduced(PACKED, s[4])[0] * s[5] ** 2
            + (LEG.mass * LEG.g * s[1])
        )

    for _ in range(400):
        mode, ended = interval.advance(PACKED, state, OPEN, 0.0, 1e-3, 4, np.zeros(interval.RECORD_WIDTH))
        assert (mode, ended) == (OPEN, interval.FINE)
    assert abs(began[4] - state[4]) > 2.0 * math.pi
    assert energy(state) == pytest.approx(energy(began), rel=1e-9)
    assert state[2] == pytest.approx(began[2], rel=1e-12)
    assert state[3] == pytest.approx(began[3] - LEG.g * 0.4, rel=1e-12)


def test_work_of_the_torque_becomes_energy():
    state = Start(0.3, -15.0, 2.0, 1.2, 1.0).state(PACKED)

    def crank_energy(s):
        return 0.5 * reduced(PACKED, s[4])[0] * s[5] ** 2

    before, angle = crank_energy(state), state[4]
    interval.advance(PACKED, state, OPEN, -7.0, 0.1, 400, np.zeros(interval.RECORD_WIDTH))
    assert crank_energy(state) - before == pytest.approx(-7.0 * (state[4] - angle), rel=1e-9)
