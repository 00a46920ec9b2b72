"""The Gymnasium environments: Gymnasium's own checker, actions, rewards, ends, and several at once."""

import itertools
import sys

import numpy as np
import pytest

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import robot_names

gymnasium = pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env  # noqa: E402

from crawler_studies import RobotEnvironment  # noqa: E402
from crawler_studies.learning.environment_step import forward_minus_effort  # noqa: E402
from crawler_studies.simulation.tick_settings import SIMULATIONS  # noqa: E402


@pytest.mark.filterwarnings("ignore:.*A Box observation space m.* value is.*inf")
@pytest.mark.parametrize(
    ("name", "backend"),
    [
        ("three_link", "model"),
        ("bolt", "mock"),
        *(pytest.param(*case, marks=pytest.mark.exhaustive) for case in itertools.product(robot_names(), SIMULATIONS)),
    ],
)
def test_gymnasiums_checker_passes(name, backend):
    environment = RobotEnvironment(name, backend)
    check_env(environment)
    environment.close()


def test_each_robot_is_registered_with_a_limit_of_time():
    for name in robot_names():
        assert gymnasium.spec(f"crawler/{name}-v0").max_episode_steps == 500


def roll_out(environment, seed, steps=10):
    observations = [environment.reset(seed=seed)[0]]
    random = np.random.default_rng(0)
    for _ in range(steps):
        observations.append(environment.step(random.uniform(-0.2, 0.2, environment.action_space.shape))[0])
    return np.array(observations)


def test_several_at_once_are_what_each_is_alone_and_a_seed_gives_the_same_bits():
    options = {"backend": "model", "reality": "typical"}
    with gymnasium.make("crawler/three_link-v0", **options) as alone:
        first, again, other = roll_out(alone, 5), roll_out(alone, 5), roll_out(alone, 6)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    together = gymnasium.make_vec("crawler/three_link-v0", num_envs=2, vectorization_mode="sync", **options)
    seen = [together.reset(seed=[5, 6])[0]]
    random = np.random.default_rng(0)
    for _ in range(10):
        seen.append(together.step(np.tile(random.uniform(-0.2, 0.2, 2), (2, 1)))[0])
    together.close()
    assert np.array_equal(np.array(seen)[:, 0], first)
    assert np.array_equal(np.array(seen)[:, 1], other)


def test_an_action_is_a_place_in_the_range_of_angles_and_no_command_is_limited():
    environment = RobotEnvironment("three_link", "mock", rate=100.0)
    environment.reset(seed=0)
    for _ in range(100):
        observation, *_ = environment.step(np.array([-1.0, 0.5]))
    joint, supervisor = environment.robot.spec.actuated[0], environment.robot._supervised.supervisor
    angles = np.arctan2(observation[2:4], observation[:2])
    assert angles == pytest.approx([joint.lower, 0.25 * joint.lower + 0.75 * joint.upper], abs=1e-6)
    assert supervisor.report.clamped == supervisor.report.rejected == 0
    environment.close()


def test_an_action_is_a_share_of_the_effort_limit():
    environment = RobotEnvironment("bolt", "mock")
    environment.reset(seed=0)
    _, _, _, _, facts = environment.step(np.array([0.01]))
    motor = environment.robot.spec.actuated_indices
    assert environment.robot.observation.effort[motor] == pytest.approx([0.01 * 120.0])
    assert facts["effort_s"] == pytest.approx(0.01**2 * facts["time_s"], rel=1e-6)
    assert facts["work_J"] > 0.0
    environment.close()


def test_an_episode_ends_with_a_fault_which_the_facts_name():
    environment = RobotEnvironment("three_link", "mock", settings={"backend": {"fail": "raise", "fail_after": 0.05}})
    environment.reset(seed=0)
    ended = [environment.step(np.zeros(2)) for _ in range(3)]
    assert [terminated for _, _, terminated, _, _ in ended] == [False, False, True]
    assert "simulated fault" in ended[-1][-1]["fault"]
    assert ended[-1][-1]["remedy"]
    environment.close()


def test_an_episode_ends_with_a_fall():
    environment = RobotEnvironment("snake", "model", rate=100.0)
    environment.reset(seed=0)
    for _ in range(60):
        _, _, terminated, _, facts = environment.step(np.array([0.8, 0.8, 0.0, 0.0, 0.0, 0.0, 0.0]))
        if terminated:
            break
    assert facts["fallen"]
    assert terminated
    environment.close()


def test_the_reward_is_the_way_forward_less_the_effort_or_another():
    steps = []
    environment = RobotEnvironment("three_link", "model", reward=lambda step: steps.append(step) or 7.0)
    environment.reset(seed=0)
    for _ in range(5):
        _, reward, *_ = environment.step(np.array([0.1, -0.1]))
        assert reward == 7.0
    step = steps[-1]
    assert step.duration == pytest.approx(0.02)
    assert step.forward == pytest.approx(step.after.base.position[0] - step.before.base.position[0])
    assert step.forward != 0.0
    assert 0.0 < step.effort < step.duration
    assert forward_minus_effort(step) == pytest.approx(step.forward - 0.01 * step.effort)
    environment.close()


def test_a_step_shorter_than_a_tick_is_rejected():
    with pytest.raises(UserError, match="at least a tick"):
        RobotEnvironment("three_link", "model", step_period=1e-4)


def test_without_gymnasium_the_command_to_install_it_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "crawler_studies.learning.robot_environment")
    with pytest.raises(ModuleNotFoundError, match="pip install gymnasium"):
        from crawler_studies import RobotEnvironment as _  # noqa: F401
