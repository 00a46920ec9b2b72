"""Physics against the paper's equations: the same robot, the same inputs, independent descriptions of it."""

import math

import numpy as np
import pytest
from bridge_robots import drive, mean_step, three_link
from engines_here import physics, quickest_engine

from crawler_core.types import ContactMode, Observation
from sim_bridge.model_backend import ModelBackend, ModelSettings

STEPS = {0.3: 193.8774, 1.0: 159.8147, 3.2: 23.0822, 8.0: 2.8304, 16.0: 7.3171}  # mm by rad/s, hard tips, to 1e-4
TRANSIENT = {0.3: 1, 1.0: 1, 3.2: 3, 8.0: 20, 16.0: 30}  # periods; where feet never stick it fades slowly
# Contact events fall between steps; averaging over some periods takes out the beat of period and step.
PERIODS = {0.3: 1, 1.0: 1, 3.2: 5, 8.0: 10, 16.0: 10}
FADE_IN = 0.5  # s


# the slow ones are long, and the rounder foot crawls at 0.3 rad/s too
@quickest_engine
@pytest.mark.parametrize("omega", [w if w > 1.0 else pytest.param(w, marks=pytest.mark.exhaustive) for w in STEPS])
def test_physics_makes_the_papers_steps(engine: str, omega: float) -> None:
    backend = physics(engine, three_link(), 0.002)
    step = mean_step(backend, omega, transient=TRANSIENT[omega], periods=PERIODS[omega], fade_in=FADE_IN)
    # A foot that reverses within a step stands still to its end, an error of first order in the step. At 8 rad/s the
    # robot's step is the small difference of two long slides, so that its error counts in millimetres.
    assert abs(step - STEPS[omega]) < max(0.03 * STEPS[omega], 0.15)


@pytest.mark.parametrize("omega", STEPS)
def test_the_model_makes_the_papers_steps(omega: float) -> None:
    backend = ModelBackend(three_link(), ModelSettings(), 0.002)
    step = mean_step(backend, omega, transient=TRANSIENT[omega], periods=PERIODS[omega], fade_in=FADE_IN)
    assert abs(step - STEPS[omega]) < max(0.01 * STEPS[omega], 0.05)


@quickest_engine
def test_shorter_physics_steps_come_closer_to_the_equations(engine: str) -> None:
    def error(rate: float) -> float:
        backend = physics(engine, three_link(), 0.002, physics_rate=rate)
        return abs(mean_step(backend, 8.0, transient=12, periods=5, fade_in=FADE_IN) - STEPS[8.0])

    coarse, fine = error(500.0), error(4000.0)
    assert fine < 0.3 * coarse
    assert fine < 0.05  # mm


@pytest.mark.exhaustive  # slow gaits are long
@quickest_engine
def test_a_rounder_foot_lengthens_a_slow_step_by_its_rolling(engine: str) -> None:
    backend = physics(engine, three_link(foot_radius=0.002), 0.002)
    step = mean_step(backend, 0.3, transient=1, periods=1, fade_in=FADE_IN)
    # each leg turns by nearly 2 A = 36° while its foot sticks, and the tip rolls along
    assert step - STEPS[0.3] == pytest.approx(2 * 2.0 * math.radians(36.0), rel=0.1)


@quickest_engine
def test_modes_forces_and_efforts_follow_the_equations(engine: str) -> None:
    """One period in which both feet stick, slip and reverse."""
    seen: dict[str, list[Observation]] = {}
    for backend in (
        physics(engine, three_link(), 0.002, physics_rate=4000.0),
        ModelBackend(three_link(), ModelSettings(), 0.002),
    ):
        run = seen.setdefault(backend.kind, [])
        drive(backend, 4 * 2 * math.pi / 3.2, 3.2, fade_in=FADE_IN, each=run.append)
    ours, theirs = (run[-round(2 * math.pi / 3.2 / 0.002) :] for run in seen.values())
    pairs = list(zip(ours, theirs, strict=True))
    same = np.mean([[a.mode is b.mode for a, b in zip(x.contacts, y.contacts, strict=True)] for x, y in pairs])
    assert same > 0.99  # a switch may fall into a neighbouring tick
    assert {contact.mode for x in theirs for contact in x.contacts} > {ContactMode.SLIP_POS, ContactMode.SLIP_NEG}
    for foot in range(2):
        forces = np.array([[run[k].contacts[foot].force for k in range(len(run))] for run in (ours, theirs)])
        off = np.median(np.abs(forces[0] - forces[1]), axis=0)
        assert off.max() < 0.001  # N, of a weight of 2.3; the median leaves out the switches
    efforts = np.array([[x.effort for x in run] for run in (ours, theirs)])
    assert np.median(np.abs(efforts[0] - efforts[1])) < 0.0005  # N·m, of up to 0.14
