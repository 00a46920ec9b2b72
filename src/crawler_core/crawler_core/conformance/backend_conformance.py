"""What every backend must do, as tests that any package can run against its own.

    class TestMyBackend(BackendConformance):
        def make_spec(self): return load_robot("my_robot")
        def make_backend(self, spec, dt): return MyBackend(spec, MySettings(), dt)

pytest finds the methods by their names; nothing here imports it. docs/add_a_backend.md tells the rest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar
from unittest import SkipTest

import numpy as np
from transforms3d.euler import euler2quat

from crawler_core.errors import BackendFault, UserError
from crawler_core.linkages.loop_closure_solver import make_loop_closure_solver
from crawler_core.loop.backend import Backend
from crawler_core.motion import ease
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, ContactMode, FloatArray, JointCommand, Observation

TRAVEL = 0.1  # rad that the joints are moved by
DURATION = 0.5  # s that it takes
GAP = 0.1 * DURATION / 1.875  # s in which the joints travel a tenth of it at their fastest
LONGEST = 60.0  # s that a test waits for a machine that is busy
PUSH = 0.2  # of a joint's effort limit


class BackendConformance:
    """The suite. A subclass says what to make, and where its device is less than ideal."""

    dt: ClassVar[float] = 0.005  # s, the tick
    tolerance: ClassVar[float] = 1e-6  # rad by which a setpoint may be missed
    settling: ClassVar[float] = 0.0  # s after a motion until the tolerance holds
    loop_tolerance: ClassVar[float] = 1e-12  # m by which a loop may gape; so little where the closure fills it in
    effort_tolerance: ClassVar[float] = 1e-9  # N·m by which an effort that was applied may differ from the command
    speed_step: ClassVar[float] = 0.0  # rad/s by which speeds of coarse encoders step near rest
    start_tolerance: ClassVar[float] = 1e-9  # m, m/s, rad/s by which a start may differ from the robot file

    def make_spec(self) -> RobotSpec:
        """The robot to test with."""
        raise NotImplementedError

    def make_backend(self, spec: RobotSpec, dt: float) -> Backend:
        """A new backend, not open yet."""
        raise NotImplementedError

    def make_broken_backend(self, spec: RobotSpec, dt: float) -> Backend:
        """One whose `open` fails, such as for want of its device."""
        raise SkipTest("make_broken_backend is not overridden")

    def wait(self, seconds: float) -> None:
        """Let time pass for a backend that does not make it. Override where the device has a clock of its own."""
        time.sleep(seconds)

    # the suite

    def test_the_class_says_what_it_is(self) -> None:
        backend = self.make_backend(self.make_spec(), self.dt)
        assert isinstance(backend.simulated, bool), "`simulated` must be True or False"
        assert backend.kind == backend.kind.lower().strip() != "", "`kind` is the lower-case name that users select"

    def test_an_observation_has_every_joint_in_the_robot_files_order(self) -> None:
        with _Opened(self) as run:
            seen = run.backend.observe()
            for name in ("position", "velocity", "effort"):
                array = getattr(seen, name)
                assert array.shape == (len(run.spec.joints),), f"{name} must have one entry for each joint"
                assert array.dtype == np.float64, f"{name} must be float64"
            whole = run.observe()
            assert np.isfinite(whole.position).all(), "after open every angle must be known, but those of loops"
            assert np.isfinite(whole.velocity).all(), "after open every velocity must be known, but those of loops"

    def test_a_simulation_starts_at_home(self) -> None:
        with _Opened(self) as run:
            if not run.backend.simulated:
                raise SkipTest("a real robot starts where it is")
            home = np.array([joint.home for joint in run.spec.actuated])
            away = np.abs(run.observe().position[run.spec.actuated_indices] - home).max()
            assert away < 0.02, f"the actuated joints must start at home, but one is {away:.3g} rad away"
            assert run.backend.observe().time_ns == 0, "a simulation counts time from 0"

    def test_a_start_in_the_air_or_with_speed_is_just_so(self) -> None:
        with _Opened(self) as run:
            if not run.backend.simulated:
                raise SkipTest("a real robot starts where it is")
            if run.spec.stands_at_start:
                raise SkipTest("this robot stands at the start")
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
        # where the lowest point of a robot is, only its backend knows: one that starts higher must be so much higher
        starts = [self._start(replace(spec, start=replace(spec.start, height=k * height))) for k in (1, 2)]
        for seen, _ in starts:
            down = [one.foot for one in seen.contacts if one.mode not in (ContactMode.OPEN, ContactMode.UNKNOWN)]
            assert not down, f"the robot must start in the air, but {', '.join(down)} is on the ground"
        low, high = (base.position[2] for _, base in starts)
        assert abs(high - low - height) <= self.start_tolerance, (
            f"a start that is {height:.3g} m higher must have the base so much higher, not {high - low:.3g} m"
        )

    def _start(self, spec: RobotSpec) -> tuple[Observation, BaseState]:
        """The first thing that a simulation of `spec` shows, and its base there."""
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

    def test_loops_are_closed(self) -> None:
        with _Opened(self) as run:
            closure = run.closure
            if closure is None:
                raise SkipTest("this robot has no loops")
            gaps = [closure.residual(run.observe().position)]
            run.move(each=lambda _: gaps.append(closure.residual(run.observe().position)))
            assert max(gaps) <= self.loop_tolerance, f"a loop gapes by {max(gaps):.3g} m"

    def test_contacts_name_the_feet_in_order(self) -> None:
        with _Opened(self) as run:
            contacts = run.backend.observe().contacts
            if not contacts:
                raise SkipTest("this backend does not know contacts")
            assert tuple(contact.foot for contact in contacts) == run.spec.foot_names

    def test_the_base_is_a_pose(self) -> None:
        with _Opened(self) as run:
            base = run.backend.observe().base
            if base is None:
                raise SkipTest("this backend does not know the base")
            assert abs(np.linalg.norm(base.quaternion) - 1.0) < 1e-9, "the quaternion must have length 1"
            assert np.isfinite((*base.position, *base.linear, *base.angular)).all()

    def test_apply_returns_what_was_applied(self) -> None:
        with _Opened(self) as run:
            command = run.push(PUSH)
            applied = run.backend.apply(command)
            assert applied.position.shape == applied.velocity.shape == applied.effort.shape == command.position.shape
            tolerance = max(self.tolerance, 1e-3)
            np.testing.assert_allclose(applied.position[run.placed], command.position[run.placed], atol=tolerance)
            np.testing.assert_allclose(
                applied.effort[run.pushed], command.effort[run.pushed], atol=self.effort_tolerance
            )

    def test_setpoints_are_reached(self) -> None:
        with _Opened(self) as run:
            goal = run.move()
            missed = np.abs(run.angles() - goal).max()
            assert missed <= self.tolerance, f"a setpoint was missed by {missed:.3g} rad, {self.tolerance:.3g} allowed"

    def test_velocities_are_the_rates_of_the_angles(self) -> None:
        with _Opened(self) as run:
            deadline = time.monotonic() + LONGEST
            agreed = False
            while not agreed:
                seen = [run.backend.observe()]
                run.move(each=seen.append)
                passed = np.diff([one.time_ns for one in seen])[:, None] * 1e-9
                # who looked away for longer has missed too much to add the rates up
                watched = (passed[:, 0] < max(GAP, 2.0 * self.dt)) | run.backend.simulated
                angles = np.array([one.position[run.indices] for one in seen])
                rates = np.array([one.velocity[run.indices] for one in seen])
                travel = np.diff(angles, axis=0)[watched].sum(axis=0)
                wrong = np.abs((0.5 * (rates[1:] + rates[:-1]) * passed)[watched].sum(axis=0) - travel).max()
                enough = (np.abs(travel) >= 0.5 * np.abs(angles[-1] - angles[0])).all()
                agreed = enough and wrong < 0.1 * TRAVEL + 2.0 * self.tolerance
                assert agreed or not watched.all(), f"velocities integrate to {wrong:.3g} rad off the travel"
                assert agreed or time.monotonic() < deadline, (
                    f"velocities integrate to {wrong:.3g} rad off the travel, unless this machine is too busy to tell"
                )

    def test_time_goes_on(self) -> None:
        with _Opened(self) as run:
            command = run.still()
            times = [run.tick(command).time_ns for _ in range(20)]
            steps = set(np.diff(times).tolist())
            if run.backend.simulated:
                assert steps == {round(self.dt * 1e9)}, f"each tick must take exactly dt, but took {sorted(steps)} ns"
            else:
                assert min(steps) > 0, "time must go forward"

    def test_without_commands_the_pose_is_held(self) -> None:
        with _Opened(self) as run:
            goal = run.move()
            for _ in range(100):
                run.tick(None)
            assert np.abs(run.angles() - goal).max() <= self.tolerance

    def test_commands_work_again_after_relax(self) -> None:
        with _Opened(self) as run:
            run.backend.relax()
            run.backend.relax()
            for _ in range(20):
                run.tick(None)
            assert np.isfinite(run.observe().position).all()
            goal = run.move()
            assert np.abs(run.angles() - goal).max() <= self.tolerance

    def test_an_effort_that_is_not_commanded_is_nan(self) -> None:
        with _Opened(self) as run:
            command = run.still()
            assert np.isnan(command.effort).all()
            run.tick(command)
            assert np.isfinite(run.observe().position).all()

    def test_an_effort_turns_its_joint_its_way(self) -> None:
        for k in self._pushed():
            up, down = (self._speeds(k, [share] * 5)[-1] for share in (PUSH, -PUSH))
            assert up > down, "a positive effort must turn its joint to the positive side"

    def test_an_effort_lasts_for_its_tick_alone(self) -> None:
        for k in self._pushed():
            up, down = (self._speeds(k, [share, *[None] * 24]) for share in (PUSH, -PUSH))
            _assert_ended(up - down, self.speed_step)

    def test_relax_ends_an_effort(self) -> None:
        for k in self._pushed():
            up, down = (self._speeds(k, [share, *[None] * 24], relax=True) for share in (PUSH, -PUSH))
            _assert_ended(up - down, self.speed_step)

    def _pushed(self) -> list[int]:
        """The places of effort-driven joints among the actuated ones."""
        places = [k for k, joint in enumerate(self.make_spec().actuated) if joint.is_effort_driven]
        if not places:
            raise SkipTest("this robot has no joint that is driven by effort")
        return places

    def _speeds(self, k: int, shares: Sequence[float | None], relax: bool = False) -> FloatArray:
        """How fast joint `k` turns after each tick with such a share of its effort; None: a tick without a command."""
        speeds = []
        with _Opened(self) as run:
            for share in shares:
                seen = run.tick(None if share is None else run.push(share, k))
                speeds.append(seen.velocity[run.spec.actuated_indices[k]])
                if relax and share is not None:
                    run.backend.relax()
        return np.array(speeds)

    def test_an_observation_does_not_change_later(self) -> None:
        with _Opened(self) as run:
            seen = run.backend.observe()
            before = [seen.position.copy(), seen.velocity.copy(), seen.effort.copy()]
            run.move()
            for old, now in zip(before, (seen.position, seen.velocity, seen.effort), strict=True):
                np.testing.assert_array_equal(old, now, err_msg="observe must give arrays of its own")

    def test_a_command_may_be_reused_by_its_sender(self) -> None:
        with _Opened(self) as run:
            goal, command = run.angles(), run.still()
            run.backend.apply(command)
            command.position[:] += 1.0
            command.effort[:] = 1.0
            run.tick(None)
            assert np.abs(run.angles() - goal).max(initial=0.0) <= max(self.tolerance, 1e-3), (
                "apply must copy what it keeps"
            )

    def test_close_may_be_called_twice(self) -> None:
        backend = self.make_backend(self.make_spec(), self.dt)
        backend.open()
        backend.close()
        backend.close()

    def test_close_works_without_open(self) -> None:
        self.make_backend(self.make_spec(), self.dt).close()

    def test_a_failed_open_says_why_and_can_be_closed(self) -> None:
        backend = self.make_broken_backend(self.make_spec(), self.dt)
        _assert_refused(backend.open)
        backend.close()

    def test_observe_after_close_is_refused(self) -> None:
        backend = self.make_backend(self.make_spec(), self.dt)
        backend.open()
        backend.close()
        _assert_refused(backend.observe)

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

    def test_two_simulations_are_bit_equal(self) -> None:
        runs = []
        for _ in range(2):
            with _Opened(self) as run:
                if not run.backend.simulated:
                    raise SkipTest("a real robot never does the same twice")
                seen: list[Observation] = []
                run.move(each=seen.append)
                runs.append(seen)
        for one, other in zip(*runs, strict=True):
            assert one.time_ns == other.time_ns
            assert one.base == other.base
            for name in ("position", "velocity", "effort"):
                assert getattr(one, name).tobytes() == getattr(other, name).tobytes(), (
                    f"{name} differs between two runs"
                )
            assert repr(one.contacts) == repr(other.contacts)  # repr, because NaN is not equal to itself


class _Opened:
    """A backend open for one test."""

    def __init__(self, suite: BackendConformance) -> None:
        self._suite = suite
        self.spec = suite.make_spec()
        self.closure = make_loop_closure_solver(self.spec)
        self.backend = suite.make_backend(self.spec, suite.dt)
        # places among the actuated joints: of those driven by position, and of those driven by effort
        self.placed = [k for k, joint in enumerate(self.spec.actuated) if not joint.is_effort_driven]
        self.pushed = [k for k, joint in enumerate(self.spec.actuated) if joint.is_effort_driven]
        self.indices = [self.spec.actuated_indices[k] for k in self.placed]

    def __enter__(self) -> _Opened:
        try:
            self.backend.open()
        except BaseException:
            self.backend.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.backend.close()

    def observe(self) -> Observation:
        """The state now, its loops completed where the backend does not know them, as the stack does it."""
        seen = self.backend.observe()
        if self.closure is None or not (np.isnan(seen.position).any() or np.isnan(seen.velocity).any()):
            return seen
        position, velocity = self.closure.complete(seen.position, seen.velocity)
        return replace(seen, position=position, velocity=velocity)

    def angles(self) -> FloatArray:
        """Where the joints that are driven by position are now."""
        return self.backend.observe().position[self.indices]

    def tick(self, command: JointCommand | None) -> Observation:
        """One tick, with a command or without."""
        if command is not None:
            self.backend.apply(command)
        self.backend.advance(self._suite.dt)
        if not self.backend.simulated:
            self._suite.wait(self._suite.dt)
        return self.backend.observe()

    def move(self, each: Callable[[Observation], None] = lambda seen: None) -> FloatArray:
        """Every joint that is driven by position by TRAVEL towards the middle of its range, smoothly; where that is."""
        if not self.placed:
            raise SkipTest("this robot has no joint that is driven by position")
        start = self.angles()
        joints = [self.spec.actuated[k] for k in self.placed]
        away = np.array([_towards_middle(joint.lower, joint.upper, q) for joint, q in zip(joints, start, strict=True)])
        ticks = round(DURATION / self._suite.dt)
        for k in range(1, ticks + 1):
            rise, slope, _ = ease(k / ticks, away)
            each(self.tick(self.command(start + rise, slope / DURATION)))
        goal = self.command(start + away, np.zeros_like(start))
        for _ in range(round(self._suite.settling / self._suite.dt)):
            each(self.tick(goal))
        return start + away

    def command(self, position: FloatArray, velocity: FloatArray) -> JointCommand:
        """Setpoints for the joints that are driven by position; to the others nothing is said."""
        whole, rates, efforts = (np.full(len(self.spec.actuated), np.nan) for _ in range(3))
        whole[self.placed], rates[self.placed] = position, velocity
        return JointCommand(whole, rates, efforts)

    def still(self) -> JointCommand:
        """Joints that are driven by position shall stay where they are."""
        angles = self.angles()
        return self.command(angles, np.zeros_like(angles))

    def push(self, share: float, only: int | None = None) -> JointCommand:
        """The same, and `share` of their effort for the others, or for one of them."""
        command = self.still()
        for k in self.pushed:
            command.effort[k] = share * self.spec.actuated[k].effort if only in (None, k) else 0.0
        return command


def _towards_middle(lower: float, upper: float, position: float) -> float:
    return -TRAVEL if position > 0.5 * (lower + upper) else TRAVEL  # NaN, the middle of an endless range, is not less


def _assert_ended(apart: FloatArray, step: float) -> None:
    """That speeds which an effort has driven `apart` in its tick do not go on to part; a bus may be some ticks late."""
    half = len(apart) // 2
    grown = np.abs(apart[half:]).max()
    assert grown <= 1.5 * np.abs(apart[half]) + step + 1e-9, "an effort must end with the tick that it was given for"


def _assert_refused(call: Callable[[], object]) -> None:
    said = ""
    try:
        call()
    except (UserError, BackendFault) as error:
        said = str(error)
    assert " " in said, f"this must raise UserError or BackendFault with a sentence, but said {said!r}"
