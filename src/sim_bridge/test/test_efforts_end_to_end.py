"""A joint driven by effort, from the command through the supervisor into physics and back."""

import numpy as np
import pytest
from bridge_robots import DT, gymnast
from engines_here import each_engine, physics
from rigid_bodies import RigidBodies

from crawler_core.loop.supervised_backend import SupervisedBackend
from crawler_core.safety.supervisor import MotionState, Supervisor
from crawler_core.types import JointCommand


@each_engine
def test_power_is_limited_and_a_missed_command_ends_the_push(engine: str) -> None:
    spec = gymnast(gravity=0.0)
    crank, flywheel = spec.actuated
    at = spec.joint_names.index("flywheel")
    runner = SupervisedBackend(physics(engine, spec, DT), Supervisor(spec, DT), DT)
    runner.open()
    try:
        runner.enable()
        bodies = RigidBodies(spec)
        before = bodies.whole(runner.observation).kinetic
        wanted = JointCommand(np.array([crank.home, np.nan]), np.array([0.0, np.nan]), np.array([np.nan, 1.0]))
        pushed, ticks = [], 15
        for _ in range(ticks):
            speed = runner.observation.velocity[at]
            assert runner.tick(wanted)
            given = runner.observation.effort[at]
            assert 0.0 < given <= flywheel.effort
            assert given * speed <= flywheel.power * (1.0 + 1e-9)
            pushed.append(given)
        assert pushed[0] == flywheel.effort  # slow as it is, its torque is the limit
        assert pushed[-1] < 0.5 * flywheel.effort  # fast, its power
        assert runner.supervisor.report.clamped == ticks
        # in a tick the flywheel gains up to 2.5 rad/s, by which it is faster than where the limit was taken
        gained = bodies.whole(runner.observation).kinetic - before
        assert 0.0 < gained < 1.3 * flywheel.power * ticks * DT
        # without a command: its brake at once, and after relax_after nothing
        for _ in range(round(spec.safety.relax_after / DT)):
            speed = runner.observation.velocity[at]
            assert runner.tick(None)
            assert runner.observation.effort[at] == pytest.approx(-flywheel.idle_damping * speed, rel=1e-9)
        assert runner.supervisor.motion is MotionState.HOLDING
        for _ in range(20):
            assert runner.tick(None)
            assert runner.observation.effort[at] == 0.0
        assert runner.supervisor.motion is MotionState.RELAXED
        runner.enable()
        assert runner.tick(wanted)
        assert runner.observation.effort[at] > 0.0
        runner.supervisor.estop()
        assert runner.tick(wanted)
        assert runner.observation.effort[at] == 0.0
    finally:
        runner.close(release=True)
