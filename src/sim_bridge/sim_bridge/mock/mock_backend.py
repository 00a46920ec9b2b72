"""The mock backend: ideal servos without physics, and simulated faults, for tests of everything else."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import BackendFault, unknown_name
from crawler_core.linkages.loop import loop_joints
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.steady_wall_clock import SteadyWallClock
from crawler_core.parameters import parameter
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.joint_fault import JOINT_FAULTS, JOINT_FAULTS_DOC, JointFault
from crawler_core.types import BaseState, Contact, ContactMode, ContactSource, JointCommand, Observation
from sim_bridge.mock.mock_servos import MockServos

UNKNOWN_VECTOR = (math.nan, math.nan, math.nan)
BASE_AT_REST = BaseState((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
LATE_OBSERVATION_S = 0.2


@dataclass(frozen=True)
class MockSettings:
    """Servo dynamics, and a fault to simulate."""

    lag: float = parameter(
        0.0, unit="s", lower=0.0, upper=10.0, constant=True, doc="time constant of the servos' first-order lag"
    )
    rotor_inertia: float = parameter(
        1e-4, unit="kg m^2", lower=1e-9, upper=1e3, constant=True, doc="of every effort-driven joint"
    )
    rotor_damping: float = parameter(
        1e-5,
        unit="N m s/rad",
        lower=0.0,
        upper=1e3,
        constant=True,
        doc="of every effort-driven joint, in addition to its own",
    )
    fail: str = parameter(
        "none",
        choices=("none", "late", "frozen", "no_angle", "dead_joint", "raise", *JOINT_FAULTS),
        constant=True,
        doc="none; late: observations take 0.2 s; frozen: they stop changing; no_angle: a joint's angle is lost; "
        f"dead_joint: a joint stops moving; raise: the device reports a fault; {JOINT_FAULTS_DOC}",
    )
    fail_after: float = parameter(1.0, unit="s", lower=0.0, upper=1e7, constant=True, doc="from open until the fault")
    fail_joint: str = parameter("", constant=True, doc="joint of the fault; empty: the first actuated one")


class MockBackend:
    """Servos that reach each setpoint in a straight line within a tick. The base stays, and contacts are unknown.

    An effort-driven joint is a rotor by itself. Passive joints stay at home; those of loops are not known.
    """

    simulated: ClassVar[bool] = False
    simulates_sensors: ClassVar[bool] = True
    kind: ClassVar[str] = "mock"

    def __init__(
        self,
        spec: RobotSpec,
        settings: MockSettings,
        dt: float,
        *,
        clock: Callable[[], int] | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """`dt` is the tick in s; tests pass their own `clock` (ns) and `sleep` (s).

        Raises UserError where `settings.fail_joint` is not an actuated joint, or where the loops cannot be read.
        """
        if settings.fail_joint and settings.fail_joint not in spec.actuated_names:
            raise unknown_name("actuated joint", settings.fail_joint, spec.actuated_names)
        self._spec = spec
        self._settings = settings
        self._dt_ns = round(dt * 1e9)
        self._given_clock = clock
        self._sleep = sleep
        self._fail_joint = settings.fail_joint or spec.actuated_names[0]
        self._fail_index = spec.actuated_names.index(self._fail_joint)
        loop_names = loop_joints(spec, build_urdf(spec)) if spec.loops else ()
        self._unknown_joints = [spec.joint_names.index(name) for name in loop_names]
        self._home = np.array([joint.home for joint in spec.joints])
        self._servos: MockServos | None = None

    def open(self) -> None:
        """Stand at home."""
        self._clock = self._given_clock or SteadyWallClock()
        self._opened_ns = self._clock()
        s = self._settings
        self._servos = MockServos(
            self._spec.actuated, s.lag, s.rotor_inertia, s.rotor_damping, self._dt_ns, self._opened_ns
        )
        self._frozen: Observation | None = None
        self._joint_fault = JointFault(s.fail)

    def observe(self) -> Observation:
        """Return the state of the servos by the clock, with the simulated fault."""
        servos, now = self._opened(), self._clock()
        fault = self._fault(now)
        if fault == "raise":
            raise BackendFault(
                f"{self._fail_joint} reports a simulated fault", remedy="set fail to none", joint=self._fail_joint
            )
        if fault == "late":
            self._sleep(LATE_OBSERVATION_S)
            now = self._clock()
        if fault != "frozen" or self._frozen is None:
            self._frozen = self._observe(servos, now, fault)
        return self._frozen

    def apply(self, command: JointCommand) -> JointCommand:
        """Send the servos to the setpoints, to arrive one tick from now; push the rotors for as long."""
        servos, now = self._opened(), self._clock()
        effort = servos.command(command, now, self._stuck(now))
        return JointCommand(command.position, command.velocity, effort)

    def advance(self, dt: float) -> None:
        """Do nothing: time passes by itself."""

    def relax(self) -> None:
        if self._servos is not None:
            now = self._clock()
            self._servos.release(now, self._stuck(now))

    def close(self) -> None:
        self._servos = None

    def _opened(self) -> MockServos:
        if self._servos is None:
            raise BackendFault("the mock backend is not open", remedy="configure it first")
        return self._servos

    def _fault(self, now_ns: int) -> str:
        return self._settings.fail if now_ns - self._opened_ns >= self._settings.fail_after * 1e9 else "none"

    def _stuck(self, now_ns: int) -> int | None:
        return self._fail_index if self._fault(now_ns) == "dead_joint" else None

    def _observe(self, servos: MockServos, now_ns: int, fault: str) -> Observation:
        servos.update(now_ns, self._stuck(now_ns))
        actuated = self._spec.actuated_indices
        position = self._home.copy()
        velocity, effort = np.zeros(len(position)), np.full(len(position), np.nan)
        position[actuated], velocity[actuated], effort[actuated] = (
            servos.position,
            servos.velocity,
            servos.effort(now_ns),
        )
        position[self._unknown_joints] = velocity[self._unknown_joints] = np.nan
        if fault == "no_angle":
            position[actuated[self._fail_index]] = np.nan
        if fault in JOINT_FAULTS:
            k = actuated[self._fail_index]
            position[k], velocity[k] = self._joint_fault.spoil(float(position[k]), float(velocity[k]), now_ns)
        unknown = ContactMode.UNKNOWN, ContactSource.PLANNED, UNKNOWN_VECTOR, UNKNOWN_VECTOR
        return Observation(
            time_ns=now_ns,
            position=position,
            velocity=velocity,
            effort=effort,
            base=BASE_AT_REST,
            contacts=tuple(Contact(foot, *unknown) for foot in self._spec.foot_names),
        )


BACKEND_ENTRY = BackendEntry("sim_bridge", "mock_backend", MockBackend, MockSettings)
