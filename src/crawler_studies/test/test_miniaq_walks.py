"""The quadruped under its law, without ROS: physics and equations agree on how it walks, and its legs keep in step."""

import dataclasses
import math
from typing import Any

import numpy as np
import pytest
from transforms3d.euler import quat2euler

from crawler_core.loop.backend import Backend
from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, FloatArray, JointCommand, Observation
from crawler_models.miniaq.equations.four_bar import passive_angles
from crawler_models.miniaq.equations.quadruped import Quadruped
from crawler_studies.simulation.control_loop import ControlLoop
from crawler_studies.simulation.tick_settings import SIMULATIONS, simulation_settings
from gait_generators.kinds.gait_registry import make_gait
from hybrid_controller.laws.law_registry import LAWS, law_parameters
from hybrid_controller.laws.phase_lock import phase_differences
from sim_bridge.bullet.pybullet_backend import PybulletBackend
from sim_bridge.model_backend import ModelBackend, ModelSettings
from sim_bridge.physics.engines import installed_engines

DT = 0.002  # s, the tick
*_, PHYSICS = installed_engines()  # the quickest
KINDS = ("model", PHYSICS)
EVEN = {"encoder_counts": 0}  # the law sees the cranks as they are, and keeps them nearly even


def made(kind: str, spec: RobotSpec) -> Backend:
    if kind == "model":
        return ModelBackend(spec, ModelSettings(), DT)
    pytest.importorskip(kind)
    settings, _ = simulation_settings(spec, kind, {})
    backend: Backend = SIMULATIONS[kind].backend(spec, settings, DT)
    return backend


def cranks(spec: RobotSpec, seen: Observation) -> FloatArray:
    return seen.velocity[spec.actuated_indices]


class Walked:
    """What was seen of a robot under its law, a tick apart."""

    def __init__(self, kind: str, gait: str, values: dict[str, Any], seconds: float, law: dict[str, Any]) -> None:
        self.spec = spec = load_robot("miniaq")
        self.gait: Any = make_gait(spec, gait, values)
        backend = made(kind, spec)
        controller = LAWS["phase_lock"].build(spec, law_parameters(spec, "phase_lock", law), DT)
        loop = ControlLoop(spec, self.gait, controller, SupervisedBackend.start(spec, backend, DT), round(1e9 * DT))
        self.seen = [loop.tick() for _ in range(round(seconds / DT))]
        backend.close()

    def last(self, seconds: float) -> list[Observation]:
        return self.seen[-round(seconds / DT) - 1 :]

    def speed(self, seconds: float) -> float:
        """m/s along x."""
        first, *_, last = (seen.base for seen in self.last(seconds))
        return (last.position[0] - first.position[0]) / seconds

    def yaw_rate(self, seconds: float) -> float:
        yaw = np.unwrap([quat2euler(seen.base.quaternion)[2] for seen in self.last(seconds)])
        return float(yaw[-1] - yaw[0]) / seconds

    def tilt(self, seconds: float) -> FloatArray:
        """Roll and pitch in degrees."""
        return np.degrees([quat2euler(seen.base.quaternion)[:2] for seen in self.last(seconds)])

    def down(self, seconds: float) -> Any:
        return np.array([[c.mode is not ContactMode.OPEN for c in seen.contacts] for seen in self.last(seconds)])


@pytest.fixture(scope="module", params=KINDS)
def trot(request: pytest.FixtureRequest) -> Walked:
    return Walked(request.param, "trot", {}, 2.4, EVEN)


def test_a_trot_advances_in_physics_as_in_the_equations_with_three_feet_down(trot: Walked) -> None:
    # with even cranks 120.9 mm/s; 116.5 where both coefficients of friction are 0.3, as the engine's one is
    assert trot.speed(1.2) == pytest.approx(0.1185, rel=0.04)
    roll, pitch = trot.tilt(1.2).T
    assert 2.0 < roll.max() < 3.0
    assert -3.0 < roll.min() < -2.0
    assert pitch.min() == pytest.approx(-2.2, abs=0.15)
    assert pitch.max() == pytest.approx(0.0, abs=0.15)
    down = trot.down(1.2)
    assert np.mean(down.sum(axis=1) >= 3) > 0.85
    front, hind = down[:, :2].mean(), down[:, 2:].mean()
    assert front == pytest.approx(0.5, abs=0.05)
    assert hind > 0.9
    assert abs(trot.yaw_rate(1.2)) < 0.03


def test_the_cranks_keep_their_speed_within_a_few_per_cent_and_their_phases_within_two_degrees(trot: Walked) -> None:
    rates = np.array([cranks(trot.spec, seen) for seen in trot.last(1.2)])
    assert rates.mean(axis=0) == pytest.approx(trot.gait.rate, rel=0.005)
    assert (rates.std(axis=0) < 0.05 * trot.gait.rate).all()
    angles = np.array([seen.position[trot.spec.actuated_indices] for seen in trot.last(1.2)])
    assert np.degrees(np.abs([phase_differences(row) for row in angles - trot.gait.start]).max()) < 2.0


def test_passive_joints_are_those_of_the_four_bars_in_closed_form(trot: Walked) -> None:
    leg = Quadruped.from_parameters(trot.spec.parameters)
    angles = np.array([seen.position for seen in trot.last(0.4)]).reshape(-1, 4, 3)
    apart = angles[..., 1:] - passive_angles(leg, angles[..., 0])
    apart = np.abs(np.angle(np.exp(1j * apart)))
    # the engine's pins give way by some micrometres on a bar of 19 mm; where a foot lands, by some tens
    assert np.median(apart) < 3e-4
    assert np.percentile(apart, 95) < 2e-3
    assert apart.max() < 8e-3


def test_in_place_it_turns_in_physics_as_in_the_equations() -> None:
    rates = {kind: Walked(kind, "trot", {"turn": 1.0}, 2.2, EVEN).yaw_rate(1.2) for kind in KINDS}
    assert rates["model"] == pytest.approx(1.69, rel=0.03)  # rad/s, with constant speed of the cranks
    assert rates[PHYSICS] == pytest.approx(rates["model"], rel=0.05)


def test_friction_in_physics_is_opposite_to_the_slip_and_at_most_coulombs() -> None:
    """Turning in place the feet slide askew. A tick is a step here."""
    pytest.importorskip("pybullet")
    spec = load_robot("miniaq")
    settings, _ = simulation_settings(spec, "pybullet", {})
    dt = 1.0 / settings.physics_rate
    backend = PybulletBackend(spec, settings, dt)
    law = LAWS["phase_lock"].build(spec, law_parameters(spec, "phase_lock", EVEN), dt)
    supervised = SupervisedBackend.start(spec, backend, dt)
    loop = ControlLoop(spec, make_gait(spec, "trot", {"turn": 1.0}), law, supervised, round(1e9 * dt))
    forces, slips, before = [], [], loop.tick()
    for k in range(round(0.75 / dt)):
        seen = loop.tick()
        for now, last in zip(seen.contacts, before.contacts, strict=True):
            slides = math.hypot(*last.slip_velocity[:2]) > 0.02
            if k * dt > 0.45 and slides and min(now.force[2], last.force[2]) > 0.01:
                forces.append(now.force)
                slips.append(last.slip_velocity)
        before = seen
    backend.close()
    force, slip = np.array(forces), np.array(slips)
    size = np.hypot(force[:, 0], force[:, 1])
    cosine = -(force * slip)[:, :2].sum(axis=1) / (size * np.hypot(slip[:, 0], slip[:, 1]))
    assert np.percentile(cosine, 5) > 0.99
    # it goes by the force that pressed the foot a step before: in an impact that is another
    assert np.percentile(np.abs(size / force[:, 2] - 0.3), 90) < 0.03


# the law


@pytest.mark.parametrize(("kind", "counts"), [("model", 0), ("model", 18), (PHYSICS, 18)])
def test_a_disturbed_leg_comes_back_into_step(kind: str, counts: int) -> None:
    """One motor is without current for a fifth of a second."""
    spec = load_robot("miniaq")
    backend = made(kind, spec)
    gait: Any = make_gait(spec, "trot", {})
    law = LAWS["phase_lock"].build(spec, law_parameters(spec, "phase_lock", {"encoder_counts": counts}), DT)
    fails: Any = _Failing(backend, 2, 1.0, 1.2)
    loop = ControlLoop(spec, gait, law, SupervisedBackend.start(spec, fails, DT), round(1e9 * DT))
    apart = []
    for _ in range(round(2.4 / DT)):
        angles = loop.tick().position[spec.actuated_indices]
        apart.append(np.degrees(np.abs(phase_differences(angles - gait.start))).max())
    backend.close()
    assert apart[round(1.0 / DT)] < 10.0
    assert apart[round(1.2 / DT)] > 40.0
    assert max(apart[round(2.1 / DT) :]) < (3.0 if counts == 0 else 12.0)


class _Failing:
    """A backend in which one joint's effort is nothing between two times."""

    def __init__(self, inner: Backend, joint: int, begin: float, end: float) -> None:
        self._inner, self._joint, self._ticks = inner, joint, range(round(begin / DT), round(end / DT))
        self._tick = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def apply(self, command: JointCommand) -> JointCommand:
        self._tick += 1
        effort = command.effort.copy()
        if self._tick in self._ticks:
            effort[self._joint] = 0.0
        return self._inner.apply(dataclasses.replace(command, effort=effort))


@pytest.mark.parametrize("kind", KINDS)
def test_legs_that_start_out_of_phase_come_into_step(kind: str) -> None:
    spec = load_robot("miniaq")
    apart = [0.0, 40.0, -30.0, 20.0]
    joints = list(spec.joints)
    for k, away in zip(spec.actuated_indices, apart, strict=True):
        joints[k] = dataclasses.replace(joints[k], home=joints[k].home + math.radians(away))
    shifted = dataclasses.replace(spec, joints=tuple(joints))
    gait: Any = make_gait(spec, "trot", {})
    backend = made(kind, shifted)
    law = LAWS["phase_lock"].build(spec, law_parameters(spec, "phase_lock", {}), DT)
    loop = ControlLoop(shifted, gait, law, SupervisedBackend.start(shifted, backend, DT), round(1e9 * DT))
    for _ in range(round(1.4 / DT)):
        seen = loop.tick()
    backend.close()
    assert np.degrees(phase_differences(seen.position[spec.actuated_indices] - gait.start)) == pytest.approx(
        [0.0] * 4, abs=8.0
    )
