"""Conformance of a backend's lifecycle: how it opens, starts and closes."""

from __future__ import annotations

from dataclasses import replace
from unittest import SkipTest

import numpy as np
from transforms3d.euler import euler2quat

from crawler_core.conformance.conformance_case import ConformanceCase, OpenBackend, assert_rejected
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, ContactMode, Observation


class LifecycleChecks(ConformanceCase):
    """Tests of the class, of open and close in any order, and of the first observation."""

    def test_the_class_says_what_it_is(self) -> None:
        backend = self.make_backend(self.make_spec(), self.dt)
        assert isinstance(backend.simulated, bool), "`simulated` must be True or False"
        assert backend.kind == backend.kind.lower().strip() != "", "`kind` is the lower-case name that users select"

    def test_close_may_be_called_twice(self) -> None:
        backend = self.make_backend(self.make_spec(), self.dt)
        backend.open()
        backend.close()
        backend.close()

    def test_close_works_without_open(self) -> None:
        self.make_backend(self.make_spec(), self.dt).close()

    def test_a_failed_open_says_why_and_can_be_closed(self) -> None:
        backend = self.make_broken_backend(self.make_spec(), self.dt)
        assert_rejected(backend.open)
        backend.close()

    def test_observe_after_close_is_refused(self) -> None:
        backend = self.make_backend(self.make_spec(), self.dt)
        backend.open()
        backend.close()
        assert_rejected(backend.observe)

    def test_it_can_be_opened_again(self) -> None:
        spec = self.make_spec()
        backend = self.make_backend(spec, self.dt)
        backend.open()
        backend.close()
        backend.open()
        try:
            assert np.isfinite(backend.observe().position[spec.actuated_indices]).all()
        finally:
            backend.close()

    def test_a_simulation_starts_at_home(self) -> None:
        with OpenBackend(self) as run:
            run.require_simulation("a real robot starts where it is")
            home = np.array([joint.home for joint in run.spec.actuated])
            away = run.observe().position[run.spec.actuated_indices] - home
            turns = np.array([joint.continuous for joint in run.spec.actuated])
            away = np.abs(np.where(turns, np.remainder(away + np.pi, 2.0 * np.pi) - np.pi, away)).max()
            assert away < self.home_tolerance, f"the actuated joints must start at home, but one is {away:.3g} rad away"
            assert run.backend.observe().time_ns == 0, "a simulation counts time from 0"

    def test_a_start_in_the_air_or_with_speed_is_just_so(self) -> None:
        with OpenBackend(self) as run:
            run.require_simulation("a real robot starts where it is")
            if run.spec.stands_at_start:
                raise SkipTest("this robot stands at the start")
            if self.waits_at_start:
                raise SkipTest("this robot is held until its first command")
            seen, start = run.observe(), run.spec.start
            speeds = [joint.home_velocity for joint in run.spec.actuated]
            np.testing.assert_allclose(
                seen.velocity[run.spec.actuated_indices], speeds, atol=self.start_tolerance, err_msg="home_velocity"
            )
            if seen.base is None:
                return
            turned = np.abs(np.dot(seen.base.quaternion, euler2quat(*start.rpy, axes="sxyz")))
            assert turned > 1.0 - self.start_tolerance, "the base must be turned as `start` says"
            np.testing.assert_allclose(seen.base.linear, start.linear, atol=self.start_tolerance)
            np.testing.assert_allclose(seen.base.angular, start.angular, atol=self.start_tolerance)

    def test_a_start_in_the_air_is_as_high_as_the_robot_file_says(self) -> None:
        spec = self.make_spec()
        height = spec.start.height
        if height == 0.0:
            raise SkipTest("this robot does not start in the air")
        # only the backend knows the lowest point of a robot: starting higher, the base must be so much higher
        starts = [self._start(replace(spec, start=replace(spec.start, height=k * height))) for k in (1, 2)]
        for seen, _ in starts:
            down = [one.foot for one in seen.contacts if one.mode not in (ContactMode.OPEN, ContactMode.UNKNOWN)]
            assert not down, f"the robot must start in the air, but {', '.join(down)} is on the ground"
        low, high = (base.position[2] for _, base in starts)
        assert abs(high - low - height) <= self.start_tolerance, (
            f"a start that is {height:.3g} m higher must have the base so much higher, not {high - low:.3g} m"
        )

    def _start(self, spec: RobotSpec) -> tuple[Observation, BaseState]:
        """Return the first observation in a simulation of `spec`, and its base."""
        backend = self.make_backend(spec, self.dt)
        if not backend.simulated:
            raise SkipTest("a real robot starts where it is")
        try:
            backend.open()
            seen = backend.observe()
        finally:
            backend.close()
        if seen.base is None:
            raise SkipTest("this backend does not know the base")
        return seen, seen.base
