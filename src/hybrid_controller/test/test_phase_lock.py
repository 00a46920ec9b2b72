"""The law that keeps cranks in step, on rotors with a load, without physics."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from hybrid_controller.controller import Controller
from hybrid_controller.laws.law import Measured, Setpoint
from hybrid_controller.laws.law_registry import LAWS
from hybrid_controller.laws.phase_lock import CATCHING_UP, IN_STEP, PhaseLock, PhaseLockParameters, phase_differences
from hybrid_controller.reference.horizon import Horizon, ReferencePoint

TURN = 2.0 * math.pi
INERTIA, DAMPING, EFFORT = 2e-7, 1.1e-4, 0.007  # kg m², N m s/rad, N m: a motor of 6 mm with its gear
LOAD = 4e-4  # N m, at most, twice a turn
RATE = 15.7  # rad/s
DT = 0.002  # s


def with_cranks(count=4):
    spec = load_robot("three_link")
    crank = dataclasses.replace(
        spec.joints[0],
        continuous=True,
        lower=-math.inf,
        upper=math.inf,
        velocity=60.0,
        command_interface="effort",
        effort=EFFORT,
        damping=DAMPING,
    )
    return dataclasses.replace(spec, joints=tuple(dataclasses.replace(crank, name=f"crank_{i}") for i in range(count)))


def law_of(dt=DT, **values):
    return PhaseLock(with_cranks(), PhaseLockParameters(**values), dt)


class Rotors:
    """Four cranks under the law, whose reference turns evenly at `rates`, each from `start` (rad)."""

    def __init__(self, law, rates=(RATE,) * 4, start=(0.0,) * 4, speed=0.0, dt=DT):
        self.law, self.rates, self.dt = law, np.array(rates), dt
        self.angle, self.speed = np.array(start, dtype=float), np.full(4, speed)
        self.time_ns = 0

    def reference(self, time_ns):
        return ReferencePoint((self.rates * time_ns * 1e-9).tolist(), self.rates.tolist(), [0.0] * 4)

    def tick(self, held=()):
        measured = Measured(self.time_ns, self.angle.tolist(), self.speed.tolist(), ())
        after = self.time_ns + round(self.dt * 1e9)
        self.law.observe(measured)
        said = self.law.compute(
            measured,
            Setpoint(measured.position, measured.velocity, [False] * 4),
            self.reference(self.time_ns),
            self.reference(after),
        )
        load = 0.5 * LOAD * (1.0 + np.sin(2.0 * self.angle))
        final = (np.array(said.effort) - load) / DAMPING
        decay = DAMPING / INERTIA
        left, still = math.exp(-decay * self.dt), self.angle.copy()
        self.angle = self.angle + final * self.dt + (self.speed - final) * (1.0 - left) / decay
        self.speed = final + (self.speed - final) * left
        self.angle[list(held)], self.speed[list(held)] = still[list(held)], 0.0
        self.time_ns = after
        return said

    def apart(self):
        """Each crank's phase error in degrees, from the circular mean."""
        return np.degrees(phase_differences((self.angle - self.reference(self.time_ns).position).tolist()))

    def run(self, seconds, held=()):
        """The phase errors after each tick."""
        rows = []
        for _ in range(round(seconds / self.dt)):
            self.tick(held)
            rows.append(self.apart())
        return np.array(rows)


@settings(max_examples=12)
@given(
    st.lists(st.floats(-math.pi, math.pi), min_size=4, max_size=4),
    st.sampled_from((0, 18, 360)),
    st.sampled_from(((RATE,) * 4, (-RATE, RATE, -RATE, RATE), (4.0, RATE, 4.0, RATE))),
)
def test_cranks_come_into_step_from_any_start_within_two_seconds(start, counts, rates):
    rotors = Rotors(law_of(encoder_counts=counts), rates, start)
    rotors.run(2.0)
    # of coarse encoders edges are seen a tick late, and speeds ripple between them
    assert np.abs(rotors.run(0.5)).max() < (1.0 if not counts else 8.0)
    assert rotors.law.report.branch == IN_STEP


@pytest.mark.parametrize(("counts", "within"), [(0, 0.002), (18, 0.01)])
def test_the_mean_speed_is_the_references_under_load_and_ripples_less_than_without_the_loops(counts, within):
    spread = {}
    for gain in (0.0, 1e-4):
        law = law_of(encoder_counts=counts, speed_gain=gain, speed_integral=1e-2 if gain else 0.0, phase_gain=0.0)
        rotors = Rotors(law, speed=RATE)
        rotors.run(1.0)
        speeds = []
        turned = rotors.angle.copy()
        for _ in range(1000):
            rotors.tick()
            speeds.append(rotors.speed)
        spread[gain] = np.std(speeds)
        if gain:
            assert (rotors.angle - turned) / (1000 * DT) == pytest.approx(rotors.rates, rel=within)
        else:  # the motor's own damping is all that counters the load
            assert (rotors.angle - turned) / (1000 * DT) == pytest.approx(rotors.rates - 0.5 * LOAD / DAMPING, rel=0.02)
    assert spread[1e-4] < (0.5 if not counts else 1.0) * spread[0.0]


def test_a_crank_that_was_held_comes_back_and_the_others_do_not_stop_for_it():
    rotors = Rotors(law_of(), speed=RATE)
    rotors.run(1.0)
    rotors.run(0.15, held=(2,))  # 135 degrees at its pace
    assert np.abs(rotors.apart()).max() > 45.0
    assert rotors.law.report.branch == CATCHING_UP
    rows = []
    for _ in range(500):
        rotors.tick()
        rows.append(rotors.speed)
    assert np.min(rows) > 0.4 * RATE
    assert np.abs(rotors.apart()).max() < 5.0


def test_unequal_references_keep_their_own_phases():
    """Two cranks back, two forward, and each at the angle of its reference but for what all are behind."""
    rotors = Rotors(law_of(), (-RATE, RATE, -RATE, RATE), (0.3, -0.3, 0.3, -0.3))
    rotors.run(3.0)
    assert np.abs(rotors.apart()).max() < 1.0


def test_the_correction_and_the_effort_are_bounded_and_the_cut_is_said():
    law = law_of(phase_gain=1000.0, phase_speed=6.0)
    rotors = Rotors(law, start=(2.0, 0.0, 0.0, 0.0), speed=RATE)
    said = rotors.tick()
    assert said.velocity == pytest.approx([RATE - 6.0, RATE + 6.0, RATE + 6.0, RATE + 6.0])
    assert said.saturated == [False] * 4
    strong = Rotors(law_of(speed_gain=1.0), speed=0.0)
    said = strong.tick()
    assert said.effort == [EFFORT] * 4
    assert said.saturated == [True] * 4


@pytest.mark.parametrize(("counts", "sinks", "trembles"), [(0, 6.0, 0.05), (18, 45.0, 1.5), (360, 8.0, 0.6)])
def test_a_reference_at_rest_holds_the_cranks_under_load(counts, sinks, trembles):
    """By what the encoders tell: coarse ones let it sink by a count or two, at whose edge they then hold it."""
    rotors = Rotors(law_of(encoder_counts=counts), rates=(0.0,) * 4, start=(0.0, 0.5, 1.0, 1.5))
    rotors.run(1.5)
    before = rotors.angle.copy()
    assert np.abs(np.degrees(before) - np.degrees([0.0, 0.5, 1.0, 1.5])).max() < sinks
    moved = []
    for _ in range(500):
        rotors.tick()
        moved.append(np.degrees(rotors.angle - before))
    assert np.abs(moved).max() < trembles


def test_after_a_pause_what_was_learnt_is_forgotten():
    rotors = Rotors(law_of(), speed=0.0)
    rotors.run(2.0, held=(0, 1, 2, 3))
    wound = rotors.tick(held=(0, 1, 2, 3)).effort
    rotors.time_ns += 100_000_000
    fresh = rotors.tick(held=(0, 1, 2, 3)).effort
    assert max(wound) <= (DAMPING + 1e-4) * RATE + 0.25 * EFFORT + 1e-4 * 6.0 + DAMPING * 6.0
    assert np.mean(fresh) == pytest.approx((DAMPING + 1e-4) * RATE, rel=0.5)
    assert np.mean(wound) - np.mean(fresh) == pytest.approx(0.25 * EFFORT, rel=0.3)


def test_tuning_on_the_way_takes_other_gains_and_another_encoder():
    rotors = Rotors(law_of(), speed=RATE)
    rotors.run(0.5)
    rotors.law.tune(PhaseLockParameters(encoder_counts=36, phase_gain=3.0))
    rotors.run(1.5)
    assert np.abs(rotors.apart()).max() < 5.0
    rotors.law.restart()
    rotors.time_ns = 0
    rotors.angle %= TURN
    rotors.run(2.0)
    assert np.abs(rotors.apart()).max() < 5.0


def test_a_state_that_is_no_number_brings_the_cranks_to_rest_by_the_controllers_contract():
    law, dt_ns = law_of(), round(DT * 1e9)
    controller = Controller(with_cranks(), law, dt_ns)
    times = [0, 100_000_000, 200_000_000]
    angles = np.array([[RATE * 1e-9 * t] * 4 for t in times])
    controller.reference.add(Horizon(times, angles, np.full((3, 4), RATE), np.zeros((3, 4))))
    answer = controller.step(0, [0.0] * 4, [0.0] * 4)
    assert answer is not None
    assert np.isfinite(answer.setpoint.effort).all()
    answer = controller.step(dt_ns, [0.0, math.nan, 0.0, 0.0], [0.0] * 4)
    assert answer is not None
    assert np.isnan(answer.setpoint.effort).all()
    answer = controller.step(2 * dt_ns, [0.1] * 4, [RATE] * 4)
    assert answer is not None
    assert np.isfinite(answer.setpoint.effort).all()


def test_what_it_cannot_drive_and_what_it_cannot_read_are_refused_in_a_sentence():
    with pytest.raises(UserError, match="joint_1, joint_2 of three_link is not built so: use another control law"):
        LAWS["phase_lock"].check(load_robot("three_link"))
    with pytest.raises(
        UserError, match=r"controller.encoder_counts = 3 is too coarse for a speed: it must be at least 4"
    ):
        PhaseLockParameters(encoder_counts=3)
