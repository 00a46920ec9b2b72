"""The reference on its grid: the same bits in every horizon, and no jump at a start or a change."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler_core.robot.robot_file import load_robot
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.transitions.gait_stream import GaitStream, TimeGrid

MS = 1_000_000
DEFAULT_GRID = TimeGrid(step=10 * MS, ahead=250 * MS, behind=50 * MS)
REST = np.radians([110.0, 105.0])


def change(stream, gait, now):
    """Plan the transition to `gait` and take it; returns the time of its start."""
    return stream.adopt(stream.transition_to(gait, now))


def harmonic(crawler, **values):
    return make_gait(crawler, "harmonic", {"omega": 8.0, **values})


def stream_of(crawler, t0_ns=0, **values):
    return GaitStream(crawler, harmonic(crawler, **values), t0_ns, REST, DEFAULT_GRID)


def collect(stream, times_ns):
    """Every published point by its time; a time published twice must have the same bits."""
    points: dict[int, np.ndarray] = {}
    for now in times_ns:
        horizon = stream.points(now)
        rows = zip(horizon.time_ns, horizon.position, horizon.velocity, horizon.acceleration, strict=True)
        for time_ns, *sample in rows:
            row = np.concatenate(sample)
            assert (points.setdefault(time_ns, row) == row).all()
    return points


def test_a_horizon_reaches_from_a_little_before_now_to_its_end_ahead(crawler):
    horizon = stream_of(crawler).points(1003 * MS)
    assert horizon.time_ns == list(range(950 * MS, 1261 * MS, 10 * MS))
    assert horizon.position.shape == horizon.velocity.shape == horizon.acceleration.shape == (32, 2)


@pytest.mark.parametrize("t0_ns", [0, 3 * MS, 1_763_000_000_123_456_789])
def test_points_stand_on_multiples_of_the_grid_and_cover_the_start(crawler, t0_ns):
    times = stream_of(crawler, t0_ns).points(t0_ns).time_ns
    assert all(time_ns % DEFAULT_GRID.step == 0 for time_ns in times)
    assert times[0] <= t0_ns
    assert times[-1] >= t0_ns + DEFAULT_GRID.ahead


@settings(max_examples=20)
@given(st.lists(st.integers(0, 120), min_size=1, max_size=40))
def test_the_bits_of_a_time_do_not_depend_on_when_horizons_were_asked_for(steps):
    crawler = load_robot("three_link")
    irregular = collect(stream_of(crawler), np.cumsum([0, *steps]) * MS)
    regular = collect(stream_of(crawler), range(0, (sum(steps) + 60) * MS, 50 * MS))
    for time_ns in irregular.keys() & regular.keys():
        assert (irregular[time_ns] == regular[time_ns]).all()


def test_it_starts_at_rest_in_the_measured_pose_and_ends_up_in_the_gait(crawler):
    stream = stream_of(crawler)
    points = collect(stream, range(0, 2000 * MS, 50 * MS))
    assert (points[0] == np.concatenate([REST, np.zeros(4)])).all()
    t = 1.5
    assert points[1500 * MS] == pytest.approx(np.concatenate(harmonic(crawler).sample(t)), abs=1e-12)


def jerk_of(points):
    """The largest change of acceleration, in rad/s² per grid step, and whether velocities and positions fit it."""
    times = sorted(points)
    rows = np.array([points[time_ns] for time_ns in times])
    q, v, a = rows[:, :2], rows[:, 2:4], rows[:, 4:]
    h = 1e-9 * DEFAULT_GRID.step
    # the trapezoidal rule is off by h^3 / 12 times the derivative of the integrand
    jerk = np.abs(np.diff(a, axis=0)).max() / h
    assert np.abs(np.diff(q, axis=0) - h * (v[1:] + v[:-1]) / 2).max() <= h**3 / 12 * jerk * 2
    assert np.abs(np.diff(v, axis=0) - h * (a[1:] + a[:-1]) / 2).max() <= h**2 * jerk / 2
    return jerk


@pytest.mark.parametrize(
    "changed",
    [{"omega": 16.0}, {"omega": 1.0}, {"amplitude": 5.0}, {"phi0": 90.0}, {"psi": 120.0}, {"omega": 3.0, "psi": -60.0}],
)
def test_a_change_is_continuous_in_position_velocity_and_acceleration(crawler, changed):
    stream = stream_of(crawler)
    before = collect(stream, range(0, 1200 * MS, 50 * MS))
    begin = change(stream, harmonic(crawler, **changed), 1200 * MS)
    points = before | collect(stream, range(1200 * MS, 9000 * MS, 50 * MS))
    # the fastest of these gaits has a jerk of A omega^3 = 1290 rad/s³, and a blend adds less than that again
    assert jerk_of(points) < 2600.0
    end = max(points)
    expected = harmonic(crawler, **changed).sample((end - begin) * 1e-9)
    # `begin` is rounded to 1 ns, at which the acceleration changes by up to 1.3e-6
    assert points[end] == pytest.approx(np.concatenate(expected), abs=2e-6)


def test_a_change_begins_at_the_first_phase_zero_that_is_not_published(crawler):
    stream = stream_of(crawler)
    collect(stream, range(0, 1001 * MS, 50 * MS))
    period = harmonic(crawler).period  # 0.785 s: phase 0 at 1.571 s is the first beyond 1.25 s
    assert change(stream, harmonic(crawler, psi=90.0), 1000 * MS) == pytest.approx(2e9 * period, abs=1.0)


def test_what_was_published_stays_as_it_was_when_the_gait_changes(crawler):
    plain, changed = stream_of(crawler), stream_of(crawler)
    now = 1330 * MS  # its horizon ends at 1.58 s, just after the phase 0 at 1.571 s
    before = collect(plain, [now])
    collect(changed, [now])
    change(changed, harmonic(crawler, omega=20.0), now)
    after = collect(changed, range(now, now + 3000 * MS, 50 * MS))
    for time_ns, row in before.items():
        assert (after[time_ns] == row).all()
    assert jerk_of(after) < 2 * 0.315 * 20.0**3


def test_of_several_changes_before_the_boundary_the_last_one_wins(crawler):
    many, one = stream_of(crawler), stream_of(crawler)
    for stream in (many, one):
        collect(stream, [1000 * MS])
    change(many, harmonic(crawler, omega=30.0), 1000 * MS)
    change(many, harmonic(crawler, omega=5.0), 1001 * MS)
    final = harmonic(crawler, phi0=100.0)
    assert change(many, final, 1002 * MS) == change(one, final, 1000 * MS)
    times = range(1000 * MS, 4000 * MS, 50 * MS)
    a, b = collect(many, times), collect(one, times)
    for time_ns in a:
        assert (a[time_ns] == b[time_ns]).all()


def test_a_change_during_a_blend_waits_for_its_end(crawler):
    stream = stream_of(crawler)
    points = collect(stream, [0])
    first = change(stream, harmonic(crawler, omega=2.0), 0)
    points |= collect(stream, range(0, first + 100 * MS, 50 * MS))
    second = change(stream, harmonic(crawler, omega=10.0), first + 100 * MS)
    assert second - first >= 2000 * MS  # a blend into a slow gait takes two seconds
    points |= collect(stream, range(first + 100 * MS, second + 2000 * MS, 50 * MS))
    assert jerk_of(points) < 0.315 * 10.0**3 * 2


def test_a_change_can_be_asked_for_long_after_the_last_horizon(crawler):
    stream = stream_of(crawler)
    collect(stream, [0])
    begin = change(stream, harmonic(crawler, omega=4.0), 10_000 * MS)
    assert begin >= 10_000 * MS
    assert stream.points(20_000 * MS).time_ns[0] == 19_950 * MS
