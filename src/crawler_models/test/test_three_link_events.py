"""No event goes unseen, and what the model cannot answer is said."""

import math

import numpy as np
import pytest
from three_link_cases import TABLE_I, Harmonic, random_robot, robot

from crawler_models.three_link import ThreeLink, crawl
from crawler_models.three_link.equations.closed_chain import closed_chain
from crawler_models.three_link.equations.contact_law import PainleveParadox, consistent_modes
from crawler_models.three_link.plant.cubic import first_negative
from crawler_models.three_link.simulation.hybrid import SpanTable, State, simulate
from crawler_models.three_link.simulation.piecewise import Piecewise, node_times, resolve


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
def test_two_crossings_inside_one_cell_are_seen(depth):
    edges = np.linspace(0.0, 1.0, 5)  # the dip at 0.37 lies strictly between the ends of the second cell
    fit = Piecewise.fit(edges, (node_times(edges) - 0.37) ** 2 - depth)
    assert fit.first_negative(0.0, 1.0) == pytest.approx(0.37 - math.sqrt(depth), abs=1e-9)
    assert fit.first_negative(0.4 + math.sqrt(depth), 1.0) is None


@pytest.mark.parametrize("depth", [1e-3, 1e-6, 1e-9])
def test_two_crossings_inside_one_tick_are_seen(depth):
    cubic = (0.37**2 - depth, -2 * 0.37, 1.0, 0.0)
    assert first_negative(cubic, 0.0) == pytest.approx(0.37 - math.sqrt(depth), abs=1e-12)
    assert first_negative(cubic, 0.38 + math.sqrt(depth)) is None


def test_cubic_crossings_match_a_fine_scan():
    rng = np.random.default_rng(0)
    grid = np.linspace(0.0, 1.0, 20_001)
    for _ in range(300):
        c = tuple(rng.normal(size=4) + np.array([0.6, 0.0, 0.0, 0.0]))
        below = grid[np.polynomial.polynomial.polyval(grid, c) < 0.0]
        found = first_negative(c, 0.0)
        assert (found is None) == (len(below) == 0)
        if found is not None:
            assert found == pytest.approx(below[0], abs=1e-4)  # the scan's spacing is 5e-5


def test_cells_are_refined_where_the_gait_has_a_kink():
    edges = resolve(lambda t: (np.abs(t - 0.3),), 0.0, 1.0)
    assert np.all(np.diff(edges) > 0)
    fit = Piecewise.fit(edges, np.abs(node_times(edges) - 0.3))
    t = np.linspace(0, 1, 997)
    assert fit(t) == pytest.approx(np.abs(t - 0.3), abs=1e-6)  # the smallest cell is 1e-6 of the span
    assert float(fit.integral()(1.0)) == pytest.approx((0.09 + 0.49) / 2, abs=1e-9)


def test_a_span_in_two_halves_is_the_span():
    rb, motion = random_robot(np.random.default_rng(2)), Harmonic(4.0, psi=70.0)
    whole = simulate(SpanTable(rb, motion, 0.0, 2.0), State())
    first = simulate(SpanTable(rb, motion, 0.0, 0.9), State())
    second = simulate(SpanTable(rb, motion, 0.9, 2.0), State(*first.end_state, first.mode))
    assert second.end_state == pytest.approx(whole.end_state, abs=1e-9)  # events are placed to 1e-10 of the speed


def test_joints_that_hold_still_leave_both_feet_stuck():
    result = crawl(robot(), Harmonic(2.0, amplitude=0.0))
    assert result.valid, result.reason
    assert result.step_length == 0.0
    samples = result.samples(3)
    assert np.all(samples.modes == 0)
    forces = samples.forces
    assert forces.f1y + forces.f2y == pytest.approx(robot().mass * 9.81)


class StopAndGo:
    """Both joints open by 0.3 rad in half a second, wait, close, wait; joint 2 lags. Accelerations are continuous."""

    period = 2.0

    def sample(self, t):
        columns = []
        for lag in (0.0, 0.05):
            u = np.mod(np.asarray(t, dtype=float) - lag, self.period)
            opening, closing = self.quintic(u / 0.5), self.quintic((u - 1.0) / 0.5)
            columns.append([0.3 * (a - b) / 0.5**k for k, (a, b) in enumerate(zip(opening, closing, strict=True))])
        q, dq, ddq = (np.stack(pair, axis=-1) for pair in zip(*columns, strict=True))
        return 1.8 + q, dq, ddq

    @staticmethod
    def quintic(u):
        x = np.clip(u, 0.0, 1.0)
        return x**3 * (10 - 15 * x + 6 * x**2), 30 * x**2 * (1 - x) ** 2, 60 * x * (1 - x) * (1 - 2 * x)


def test_both_feet_stick_whenever_the_joints_pause():
    result = crawl(robot(), StopAndGo())
    assert result.valid, result.reason
    assert result.unique
    stuck = [phase * 2.0 for phase, mode in result.switches if mode == (0, 0)]
    assert stuck == pytest.approx([0.55, 1.55], abs=1e-6)  # when joint 2 stops; the smallest cell is 2e-6 s


@pytest.mark.parametrize("omega", [7.0, 10.5, 20.0])
def test_feet_that_stop_together_do_not_upset_the_steady_state(omega):
    """A symmetric gait converges to events that coincide ever more closely, and at last exactly."""
    result = crawl(robot(), Harmonic(omega, psi=0.0, phi0=115.0, amplitude=12.0))
    assert result.valid, result.reason
    assert result.step_length == pytest.approx(0.0, abs=1e-8)
    apart = [min(abs(phase - 0.25), abs(phase - 0.75)) for phase, _ in result.switches]
    assert max(apart) < 1e-6  # by symmetry both feet stop when the joints turn; 1e-6 is what is left of the start


def test_painleve_is_reported_on_very_rough_ground():
    rb = robot(friction=3.0)
    chain = closed_chain(rb, [1.9, 1.9], [0.1, 0.1], [0.0, 0.0])
    with pytest.raises(PainleveParadox, match="Painleve"):
        consistent_modes(rb, chain, (-1, 1), False, 0.5)
    result = crawl(rb, Harmonic(1.0, psi=60.0))
    assert not result.valid
    assert "Painleve" in result.reason


def test_parameters_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="m0 is -1"):
        robot(central_mass=-1.0)
    with pytest.raises(ValueError, match="l1 is nan"):
        robot(length_1=math.nan)
    with pytest.raises(ValueError, match=r"lack gravity, friction\."):
        ThreeLink.from_parameters({k: v for k, v in TABLE_I.items() if k not in ("gravity", "friction")})
