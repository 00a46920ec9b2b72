"""Conformance of commands: setpoints are reached and held, an effort acts in its direction and for one tick."""

from __future__ import annotations

import time
from collections.abc import Sequence
from unittest import SkipTest

import numpy as np

from crawler_core.conformance.conformance_case import MOVE_DURATION_S, TRAVEL_RAD, ConformanceCase, OpenBackend
from crawler_core.types import FloatArray

EFFORT_SHARE = 0.2  # of a joint's effort limit
MAX_SAMPLE_GAP_S = 0.1 * MOVE_DURATION_S / 1.875  # in which the joints travel a tenth of it at their fastest
BUSY_MACHINE_TIMEOUT_S = 60.0


class CommandChecks(ConformanceCase):
    """Tests of commands with positions, then of commands with efforts."""

    def test_apply_returns_what_was_applied(self) -> None:
        with OpenBackend(self) as run:
            command = run.effort_command(EFFORT_SHARE)
            applied = run.backend.apply(command)
            assert applied.position.shape == applied.velocity.shape == applied.effort.shape == command.position.shape
            tolerance, placed, pushed = max(self.tolerance, 1e-3), run.position_joints, run.effort_joints
            np.testing.assert_allclose(applied.position[placed], command.position[placed], atol=tolerance)
            np.testing.assert_allclose(applied.effort[pushed], command.effort[pushed], atol=self.effort_tolerance)

    def test_setpoints_are_reached(self) -> None:
        with OpenBackend(self) as run:
            goal = run.move()
            missed = np.abs(run.angles() - goal).max()
            assert missed <= self.tolerance, f"a setpoint was missed by {missed:.3g} rad, {self.tolerance:.3g} allowed"

    def test_velocities_are_the_rates_of_the_angles(self) -> None:
        with OpenBackend(self) as run:
            deadline = time.monotonic() + BUSY_MACHINE_TIMEOUT_S
            agreed = False
            while not agreed:
                seen = [run.backend.observe()]
                run.move(each=seen.append)
                passed = np.diff([one.time_ns for one in seen])[:, None] * 1e-9
                # over a longer gap too much was missed to add the rates up
                watched = (passed[:, 0] < max(MAX_SAMPLE_GAP_S, 2.0 * self.dt)) | run.backend.simulated
                angles = np.array([one.position[run.indices] for one in seen])
                rates = np.array([one.velocity[run.indices] for one in seen])
                travel = np.diff(angles, axis=0)[watched].sum(axis=0)
                wrong = np.abs((0.5 * (rates[1:] + rates[:-1]) * passed)[watched].sum(axis=0) - travel).max()
                enough = (np.abs(travel) >= 0.5 * np.abs(angles[-1] - angles[0])).all()
                agreed = enough and wrong < 0.1 * TRAVEL_RAD + 2.0 * self.tolerance
                assert agreed or not watched.all(), f"velocities integrate to {wrong:.3g} rad off the travel"
                assert agreed or time.monotonic() < deadline, (
                    f"velocities integrate to {wrong:.3g} rad off the travel, unless this machine is too busy to tell"
                )

    def test_without_commands_the_pose_is_held(self) -> None:
        with OpenBackend(self) as run:
            goal = run.move()
            for _ in range(100):
                run.tick(None)
            assert np.abs(run.angles() - goal).max() <= self.tolerance

    def test_commands_work_again_after_relax(self) -> None:
        with OpenBackend(self) as run:
            run.backend.relax()
            run.backend.relax()
            for _ in range(20):
                run.tick(None)
            assert np.isfinite(run.observe().position).all()
            goal = run.move()
            assert np.abs(run.angles() - goal).max() <= self.tolerance

    def test_a_command_may_be_reused_by_its_sender(self) -> None:
        with OpenBackend(self) as run:
            goal, command = run.angles(), run.hold_command()
            run.backend.apply(command)
            command.position[:] += 1.0
            command.effort[:] = 1.0
            run.tick(None)
            moved = np.abs(run.angles() - goal).max(initial=0.0)
            assert moved <= max(self.tolerance, 1e-3), "apply must copy what it keeps"

    def test_an_effort_that_is_not_commanded_is_nan(self) -> None:
        with OpenBackend(self) as run:
            command = run.hold_command()
            assert np.isnan(command.effort).all()
            run.tick(command)
            assert np.isfinite(run.observe().position).all()

    def test_an_effort_turns_its_joint_its_way(self) -> None:
        for k in self._effort_joints():
            # over all ticks: on a bus a command may come late, and the joint stands in between
            up, down = (self._speeds(k, [share] * 5).sum() for share in (EFFORT_SHARE, -EFFORT_SHARE))
            assert up > down, "a positive effort must turn its joint to the positive side"

    def test_an_effort_lasts_for_its_tick_alone(self) -> None:
        for k in self._effort_joints():
            up, down = (self._speeds(k, [share, *[None] * 24]) for share in (EFFORT_SHARE, -EFFORT_SHARE))
            self._assert_ended(up - down)

    def test_relax_ends_an_effort(self) -> None:
        for k in self._effort_joints():
            up, down = (self._speeds(k, [share, *[None] * 24], relax=True) for share in (EFFORT_SHARE, -EFFORT_SHARE))
            self._assert_ended(up - down)

    def _effort_joints(self) -> list[int]:
        """Return the places of effort-driven joints among the actuated ones."""
        places = [k for k, joint in enumerate(self.make_spec().actuated) if joint.is_effort_driven]
        if not places:
            raise SkipTest("this robot has no joint that is driven by effort")
        return places

    def _speeds(self, k: int, shares: Sequence[float | None], relax: bool = False) -> FloatArray:
        """Return the speed of joint `k` after each tick with such a share of its effort; None: without a command."""
        speeds = []
        with OpenBackend(self) as run:
            for share in shares:
                seen = run.tick(None if share is None else run.effort_command(share, k))
                speeds.append(seen.velocity[run.spec.actuated_indices[k]])
                if relax and share is not None:
                    run.backend.relax()
        return np.array(speeds)

    def _assert_ended(self, difference: FloatArray) -> None:
        """Assert that speeds under opposite efforts stop to separate; a bus may be some ticks late."""
        half = len(difference) // 2
        grown = np.abs(difference[half:]).max()
        assert grown <= 1.5 * np.abs(difference[half]) + self.speed_step + 1e-9, (
            "an effort must end with the tick that it was given for"
        )
