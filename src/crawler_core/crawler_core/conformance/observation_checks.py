"""Conformance of what a backend reports: joints, loops, contacts, base, time, and the same bits in two simulations."""

from __future__ import annotations

from unittest import SkipTest

import numpy as np

from crawler_core.conformance.conformance_case import ConformanceCase, OpenBackend
from crawler_core.types import Observation


class ObservationChecks(ConformanceCase):
    """Tests of observations."""

    def test_an_observation_has_every_joint_in_the_robot_files_order(self) -> None:
        with OpenBackend(self) as run:
            seen = run.backend.observe()
            for name in ("position", "velocity", "effort"):
                array = getattr(seen, name)
                assert array.shape == (len(run.spec.joints),), f"{name} must have one entry for each joint"
                assert array.dtype == np.float64, f"{name} must be float64"
            whole = run.observe()
            assert np.isfinite(whole.position).all(), "after open every angle must be known, but those of loops"
            assert np.isfinite(whole.velocity).all(), "after open every velocity must be known, but those of loops"

    def test_loops_are_closed(self) -> None:
        with OpenBackend(self) as run:
            solver = run.solver
            if solver is None:
                raise SkipTest("this robot has no loops")
            residuals = [solver.residual(run.observe().position)]
            run.move(each=lambda _: residuals.append(solver.residual(run.observe().position)))
            assert max(residuals) <= self.loop_tolerance, f"a loop is open by {max(residuals):.3g} m"

    def test_contacts_name_the_feet_in_order(self) -> None:
        with OpenBackend(self) as run:
            contacts = run.backend.observe().contacts
            if not contacts:
                raise SkipTest("this backend does not know contacts")
            assert tuple(contact.foot for contact in contacts) == run.spec.foot_names

    def test_the_base_is_a_pose(self) -> None:
        with OpenBackend(self) as run:
            base = run.backend.observe().base
            if base is None:
                raise SkipTest("this backend does not know the base")
            assert abs(np.linalg.norm(base.quaternion) - 1.0) < 1e-9, "the quaternion must have length 1"
            assert np.isfinite((*base.position, *base.linear, *base.angular)).all()

    def test_time_goes_on(self) -> None:
        with OpenBackend(self) as run:
            command = run.hold_command()
            times = [run.tick(command).time_ns for _ in range(20)]
            steps = set(np.diff(times).tolist())
            if run.backend.simulated:
                assert steps == {round(self.dt * 1e9)}, f"each tick must take exactly dt, but took {sorted(steps)} ns"
            else:
                assert min(steps) > 0, "time must go forward"

    def test_an_observation_does_not_change_later(self) -> None:
        with OpenBackend(self) as run:
            seen = run.backend.observe()
            before = [seen.position.copy(), seen.velocity.copy(), seen.effort.copy()]
            run.move()
            for old, now in zip(before, (seen.position, seen.velocity, seen.effort), strict=True):
                np.testing.assert_array_equal(old, now, err_msg="observe must give arrays of its own")

    def test_two_simulations_are_bit_equal(self) -> None:
        runs = []
        for _ in range(2):
            with OpenBackend(self) as run:
                run.require_simulation("a real robot never does the same twice")
                seen: list[Observation] = []
                run.move(each=seen.append)
                runs.append(seen)
        for one, other in zip(*runs, strict=True):
            assert one.time_ns == other.time_ns
            assert one.base == other.base
            for name in ("position", "velocity", "effort"):
                same = getattr(one, name).tobytes() == getattr(other, name).tobytes()
                assert same, f"{name} differs between two runs"
            assert repr(one.contacts) == repr(other.contacts)  # repr, because NaN is not equal to itself
