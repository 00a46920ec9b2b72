"""The snake in physics and in its equations: the conformance suite, and crawling that the two agree on."""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bodies import InMuJoCo, InPyBullet, InTheModel
from engines_here import each_engine, physics, quickest_engine

from crawler_core.conformance.backend_conformance import BackendConformance
from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import ContactMode, FloatArray, JointCommand, Observation
from crawler_models.model_registry import predict
from gait_generators.kinds.gait_registry import make_gait
from gait_generators.kinds.snake.serpenoid import Serpenoid
from sim_bridge.mock.mock_backend import MockBackend, MockSettings
from sim_bridge.model_backend import ModelBackend, ModelSettings

DT = 0.005  # s, the tick
WEIGHT = 8 * 0.220 * 9.81  # N
PRESCRIBED = {"pybullet": {"physics_rate": 1000.0}, "mujoco": {}}  # at 2000 Hz PyBullet's steps differ by 0.05 mm


def snake(**overrides: float) -> RobotSpec:
    return load_robot(str(Path(__file__).parents[2] / "crawler_description/robots/snake/robot.yaml"), overrides)


def servos() -> dict[str, Any]:
    """The robot's own."""
    own: dict[str, Any] = snake().section("backends")["physics"]
    return own


class SnakeConformance(BackendConformance):
    def make_spec(self) -> RobotSpec:
        return snake()


class ServosConformance(SnakeConformance):
    settings = servos()
    tolerance = 0.16  # rad: standing on its middle, the weight of half a snake hangs on a servo of 10 N m/rad
    settling = 0.5


# some fifteen times as long as in MuJoCo; there are runs of the snake in PyBullet besides
@pytest.mark.exhaustive
class TestInPyBullet(SnakeConformance, InPyBullet):
    tolerance = 5e-5  # rad that the solver's residual leaves in a step, over seven joints in a row


@pytest.mark.exhaustive
class TestServosInPyBullet(ServosConformance, InPyBullet):
    pass


class TestInMuJoCo(SnakeConformance, InMuJoCo):
    pass


class TestServosInMuJoCo(ServosConformance, InMuJoCo):
    pass


class TestModel(SnakeConformance, InTheModel):
    pass


class TestTenLinksInTheModel(TestModel):
    def make_spec(self) -> RobotSpec:
        return snake(links=10)


def cycle(backend: Backend, spec: RobotSpec, gait: Serpenoid) -> list[Observation]:
    """The second cycle from rest, with the state before it; the first one takes the start out."""
    ticks = round(gait.period / DT)
    position, velocity, _ = gait.sample(gait.period / ticks * np.arange(1, 2 * ticks + 1))
    unknown = np.full(len(spec.joints), np.nan)
    seen = []
    backend.open()
    try:
        for k, (q, dq) in enumerate(zip(position, velocity, strict=True)):
            if k >= ticks:
                seen.append(backend.observe())
            backend.apply(JointCommand(q, dq, unknown))
            backend.advance(DT)
        seen.append(backend.observe())
    finally:
        backend.close()
    return seen


def gait_of(name: str, **values: float) -> Serpenoid:
    gait = make_gait(snake(), name, values)
    assert isinstance(gait, Serpenoid)
    return gait


def advance(seen: list[Observation]) -> float:
    """Of the base, mm."""
    assert seen[0].base is not None
    assert seen[-1].base is not None
    return 1e3 * (seen[-1].base.position[0] - seen[0].base.position[0])


def heights(seen: Observation, spec: RobotSpec) -> FloatArray:
    """P_0 to P_N above the ground by forward kinematics of what the backend reports, m."""
    assert seen.base is not None
    w, _, y, _ = seen.base.quaternion
    tilt = -2.0 * np.arctan2(y, w) + np.concatenate(([0.0], np.cumsum(seen.position)))
    return seen.base.position[2] + 0.084 * np.concatenate(([0.0], np.cumsum(np.sin(tilt))))


@quickest_engine
def test_with_the_closed_wave_rigid_joints_lose_nothing_in_physics(engine: str) -> None:
    """Backward, which the equations make the mirror image of forward."""
    gait = make_gait(snake(), "serpenoid_closed", {"n": 6, "direction": "backward"})
    assert isinstance(gait, Serpenoid)
    seen = cycle(physics(engine, snake(), DT, **PRESCRIBED[engine]), snake(), gait)
    assert advance(seen) == pytest.approx(-84.0 * gait.wave.d_unit, rel=0.003)  # what inertia moves it


Runs = tuple[Serpenoid, list[Observation], list[Observation]]


@cache
def rigid(engine: str) -> Runs:
    """The paper's wave on rigid joints: the gait, a cycle in physics and one by the equations."""
    spec, gait = snake(), gait_of("serpenoid", n=5)
    backends = physics(engine, spec, DT, **PRESCRIBED[engine]), ModelBackend(spec, ModelSettings(), DT)
    simulated, equations = (cycle(backend, spec, gait) for backend in backends)
    return gait, simulated, equations


@quickest_engine
def test_physics_with_rigid_joints_slides_where_the_equations_say(engine: str) -> None:
    """The paper's wave strays, and here that pushes the snake on: both say by about a sixth more than d_step."""
    gait, simulated, equations = rigid(engine)
    theory = 84.0 * gait.wave.d_unit
    assert advance(equations) > 1.1 * theory
    assert advance(simulated) > 1.1 * theory
    # inertia, which fades with the pace: 1.4 % at 0.4 rad/s
    assert advance(simulated) == pytest.approx(advance(equations), rel=0.05)
    told = predict(snake(), gait)["step_length_m"]
    assert advance(equations) == pytest.approx(1e3 * told, rel=0.002)


@quickest_engine
def test_loads_in_physics_are_those_of_the_equations_where_two_points_stand(engine: str) -> None:
    off = []
    for a, b in zip(*rigid(engine)[1:], strict=True):
        loads = [np.array([contact.force[2] for contact in one.contacts]) for one in (a, b)]
        if np.count_nonzero(loads[1]) == 2:
            off.append(np.abs(loads[0] - loads[1]).max())
    assert len(off) > 300
    assert np.median(off) < 0.01 * WEIGHT  # inertia is in one of them only


@pytest.mark.exhaustive  # two long runs of servos
@quickest_engine
def test_with_servos_the_closed_wave_slips_less_and_the_loss_is_there_to_see(engine: str) -> None:
    spec = snake()
    runs = {name: (gait_of(name, n=5, alpha=58.0)) for name in ("serpenoid", "serpenoid_closed")}
    loss, peak = {}, {}
    for name, gait in runs.items():
        seen = cycle(physics(engine, spec, DT, **servos()), spec, gait)
        loss[name] = 1.0 - advance(seen) / (84.0 * gait.wave.d_unit)
        peak[name] = max(float(np.abs(one.effort).max()) for one in seen)
        assert min(float(heights(one, spec).min()) for one in seen) > -0.0005  # no point in the ground
        lifted = {c.foot for one in seen for c in one.contacts if c.mode is ContactMode.OPEN}
        assert lifted == set(spec.foot_names)  # the wave passes every point
    assert 0.01 < loss["serpenoid_closed"] < 0.07  # on wood the paper's prototype lost 7 % with its own wave
    assert loss["serpenoid"] > loss["serpenoid_closed"] + 0.05
    assert peak["serpenoid_closed"] < 0.6 * peak["serpenoid"] < 0.6 * spec.actuated[0].effort


@each_engine
@pytest.mark.parametrize("settings", [{}, servos()], ids=["prescribed", "servo"])
def test_it_lies_flat_at_the_start_with_its_weight_on_its_points(engine: str, settings: dict[str, Any]) -> None:
    spec = snake()
    backend = physics(engine, spec, DT, **settings)
    backend.open()
    try:
        seen = [backend.observe()]
        for _ in range(20):
            backend.advance(DT)
        seen.append(backend.observe())
    finally:
        backend.close()
    for one in seen:
        assert sum(contact.force[2] for contact in one.contacts) == pytest.approx(WEIGHT, rel=1e-3)
        assert np.abs(heights(one, spec)).max() < 2e-4  # m: a radius, and what rigid contacts give way


def test_thirty_links_on_thirty_one_feet_lie_still() -> None:
    """MuJoCo's contacts are each tuned alone: what all of them do together must not grow."""
    pytest.importorskip("mujoco")
    spec = snake(links=30)
    backend = physics("mujoco", spec, DT)
    backend.open()
    try:
        for _ in range(20):
            backend.advance(DT)
        seen = backend.observe()
    finally:
        backend.close()
    assert np.abs(seen.velocity).max() < 1e-4  # rad/s
    assert [contact.mode for contact in seen.contacts] == [ContactMode.STICK] * 31
    assert sum(contact.force[2] for contact in seen.contacts) == pytest.approx(30 * 0.220 * 9.81, rel=1e-3)


def test_in_the_model_the_ground_carries_the_weight_and_friction_stays_in_its_cone() -> None:
    spec = snake()
    seen = cycle(ModelBackend(spec, ModelSettings(), DT), spec, gait_of("serpenoid", n=4))
    modes = set()
    for one in seen[1:]:
        force = np.array([contact.force for contact in one.contacts])
        assert force[:, 2].sum() == pytest.approx(WEIGHT, rel=1e-5)
        assert (np.abs(force[:, 0]) <= 0.4 * force[:, 2] + 1e-6).all()
        assert force[:, 0].sum() == pytest.approx(0.0, abs=1e-9)
        assert heights(one, spec).min() == pytest.approx(0.0, abs=1e-12)
        modes |= {contact.mode for contact in one.contacts}
    assert modes == {ContactMode.OPEN, ContactMode.STICK, ContactMode.SLIP_POS, ContactMode.SLIP_NEG}


def test_the_mock_moves_as_many_joints_as_the_file_says() -> None:
    spec = snake(links=12)
    backend = MockBackend(spec, MockSettings(), DT, clock=lambda: 0, sleep=lambda _: None)
    backend.open()
    assert backend.observe().position.shape == (11,)
    backend.close()
