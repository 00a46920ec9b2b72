"""The mock backend: ideal servos and no physics, for testing everything else, with faults to order."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import BackendFault, unknown_name
from crawler_core.linkages.loop import loop_joints
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import (
    BaseState,
    Contact,
    ContactMode,
    ContactSource,
    FloatArray,
    JointCommand,
    Observation,
)
from sim_bridge.mock.rotor import Rotor

UNKNOWN_VECTOR = (math.nan, math.nan, math.nan)
LATENESS = 0.2  # s that a late observation takes


@dataclass(frozen=True)
class MockSettings:
    """How good the servos are, and what shall go wrong."""

    lag: float = parameter(
        0.0, unit="s", lower=0.0, upper=10.0, constant=True, doc="time constant of the servos' first-order lag"
    )
    rotor_inertia: float = parameter(
        1e-4, unit="kg m^2", lower=1e-9, upper=1e3, constant=True, doc="of every joint that is driven by effort"
    )
    rotor_damping: float = parameter(
        1e-5,
        unit="N m s/rad",
        lower=0.0,
        upper=1e3,
        constant=True,
        doc="of every joint that is driven by effort, besides its own",
    )
    fail: str = parameter(
        "none",
        choices=("none", "late", "frozen", "no_angle", "dead_joint", "raise"),
        constant=True,
        doc="none; late: observations take 0.2 s; frozen: they stop changing; no_angle: a joint's angle is lost; "
        "dead_joint: a joint stops moving; raise: the device reports a fault",
    )
    fail_after: float = parameter(1.0, unit="s", lower=0.0, constant=True, doc="from open until it goes wrong")
    fail_joint: str = parameter("", constant=True, doc="where; empty: the first actuated joint")


class MockBackend:
    """Servos that travel in a straight line to each setpoint within a tick. The base stays and contacts are unknown.

    A joint that is driven by effort is a rotor by itself. Passive joints stay at home; those of loops are not known.
    """

    simulated: ClassVar[bool] = False
    kind: ClassVar[str] = "mock"

    def __init__(
        self,
        spec: RobotSpec,
        settings: MockSettings,
        dt: float,
        *,
        clock: Callable[[], int] = time.time_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`dt` is the tick in seconds; tests bring their own `clock` (ns) and `sleep` (s).

        Raises UserError where `settings.fail_joint` is not an actuated joint, and where loops cannot be read.
        """
        if settings.fail_joint and settings.fail_joint not in spec.actuated_names:
            raise unknown_name("actuated joint", settings.fail_joint, spec.actuated_names)
        self._spec = spec
        self._settings = settings
        self._dt_ns = round(dt * 1e9)
        self._clock = clock
        self._sleep = sleep
        self._fail_joint = settings.fail_joint or spec.actuated_names[0]
        self._rotating = [k for k, joint in enumerate(spec.actuated) if joint.is_effort_driven]
        self._effort = np.full(len(spec.actuated), np.nan)
        self._unseen = [
            spec.joint_names.index(name) for name in (loop_joints(spec, build_urdf(spec)) if spec.loops else ())
        ]
        self._open = False

    def open(self) -> None:
        """Stand at home."""
        self._home: FloatArray = np.array([joint.home for joint in self._spec.joints])
        self._measured = self._home[self._spec.actuated_indices]
        self._velocity = np.zeros(len(self._measured))
        self._start = self._goal = self._measured
        self._opened_at = self._applied_at = self._measured_at = self._spun_at = self._clock()
        inertia, damping = self._settings.rotor_inertia, self._settings.rotor_damping
        joints = [self._spec.actuated[k] for k in self._rotating]
        self._rotors = [Rotor(inertia, damping + joint.damping, joint.home, joint.home_velocity) for joint in joints]
        self._effort[self._rotating] = 0.0
        self._frozen: Observation | None = None
        self._open = True

    def observe(self) -> Observation:
        """Where the servos are by the clock, or what the ordered fault makes of it."""
        self._require_open()
        now = self._clock()
        fault = self._fault(now)
        if fault == "raise":
            raise BackendFault(
                f"{self._fail_joint} reports an ordered fault", remedy="set fail to none", joint=self._fail_joint
            )
        if fault == "late":
            self._sleep(LATENESS)
            now = self._clock()
        if fault == "frozen" and self._frozen is not None:
            return self._frozen
        observation = self._observation(now, fault)
        self._frozen = observation
        return observation

    def apply(self, command: JointCommand) -> JointCommand:
        """Send the servos to the setpoints, to arrive one tick from now; push the rotors for as long."""
        self._require_open()
        now = self._clock()
        self._spin(now)
        self._start = self._reference(now)
        self._goal = command.position.copy()
        self._effort[self._rotating] = np.nan_to_num(command.effort[self._rotating])
        self._applied_at = now
        return JointCommand(command.position, command.velocity, self._effort.copy())

    def advance(self, dt: float) -> None:
        """Time passes by itself."""

    def relax(self) -> None:
        """Take the torque off: without gravity the servos stay where they are, and rotors run down."""
        if self._open:
            now = self._clock()
            self._move(now)
            self._effort[self._rotating] = 0.0
            self._start = self._goal = self._measured
            self._applied_at = now

    def close(self) -> None:
        """Switch off."""
        self._open = False

    def _fault(self, now: int) -> str:
        return self._settings.fail if now - self._opened_at >= self._settings.fail_after * 1e9 else "none"

    def _observation(self, now: int, fault: str) -> Observation:
        self._move(now)
        position, rates = self._home.copy(), np.zeros(len(self._home))
        position[self._spec.actuated_indices] = self._measured
        rates[self._spec.actuated_indices] = self._velocity
        position[self._unseen] = rates[self._unseen] = np.nan
        effort = np.full(len(self._home), np.nan)
        ended = now - self._applied_at > self._dt_ns
        effort[self._spec.actuated_indices] = self._effort * 0.0 if ended else self._effort
        if fault == "no_angle":
            position[self._spec.joint_names.index(self._fail_joint)] = np.nan
        return Observation(
            time_ns=now,
            position=position,
            velocity=rates,
            effort=effort,
            base=BaseState((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)),
            contacts=tuple(
                Contact(foot, ContactMode.UNKNOWN, ContactSource.PLANNED, UNKNOWN_VECTOR, UNKNOWN_VECTOR)
                for foot in self._spec.foot_names
            ),
        )

    def _move(self, now: int) -> None:
        """Bring the servos to `now`. Their velocity is the mean since they were last looked at."""
        self._spin(now)
        elapsed = 1e-9 * (now - self._measured_at)
        if elapsed <= 0.0:
            return
        before, reference, lag = self._measured, self._reference(now), self._settings.lag
        left = math.exp(-elapsed / lag) if lag else 0.0
        self._measured = reference + left * (before - reference)
        self._measured[self._rotating] = [rotor.angle for rotor in self._rotors]
        if self._fault(now) == "dead_joint":
            index = self._spec.actuated_names.index(self._fail_joint)
            self._measured[index] = before[index]
        self._velocity = (self._measured - before) / elapsed
        self._velocity[self._rotating] = [rotor.speed for rotor in self._rotors]
        self._measured_at = now

    def _spin(self, now: int) -> None:
        """Bring the rotors to `now`: under their effort as long as its tick lasts, then without."""
        pushed = max(0, min(now, self._applied_at + self._dt_ns) - self._spun_at)
        free = now - self._spun_at - pushed
        dead = self._spec.actuated_names.index(self._fail_joint) if self._fault(now) == "dead_joint" else -1
        for i, k in enumerate(self._rotating):
            rotor = self._rotors[i].after(1e-9 * pushed, self._effort[k]).after(1e-9 * free, 0.0)
            self._rotors[i] = replace(self._rotors[i], speed=0.0) if k == dead else rotor
        self._spun_at = now

    def _reference(self, now: int) -> FloatArray:
        share = min((now - self._applied_at) / self._dt_ns, 1.0)
        return self._start + share * (self._goal - self._start)

    def _require_open(self) -> None:
        if not self._open:
            raise BackendFault("the mock backend is not open", remedy="configure it first")


ENTRY = BackendEntry("sim_bridge", "mock_backend", MockBackend, MockSettings)
