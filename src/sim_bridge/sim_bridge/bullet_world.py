"""One robot on flat ground in PyBullet: loading, settling, reading its state. Nothing else imports pybullet."""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from crawler_core.robot import RobotSpec
from crawler_core.types import BaseState
from crawler_core.urdf import build_urdf
from sim_bridge.physics_urdf import PLANAR_JOINTS, physics_urdf

UNLIMITED = 1e6  # N·m: a prescribed joint follows whatever it takes
RESIDUAL = 1e-9  # (m/s)²: the solver stops here; a foot that sticks then creeps by less than 1e-6 m/s
SETTLE_STEPS = 2000  # at most
AT_REST = 1e-6  # m/s and rad/s


def import_pybullet() -> Any:
    """The pybullet module. Raises UserError where it is not installed."""
    try:
        import pybullet
    except ImportError:
        raise UserError(
            "PyBullet is not installed: it has wheels for CPython up to 3.11, and this is "
            f"{sys.version_info.major}.{sys.version_info.minor}: `pip install pybullet` there, or use the model."
        ) from None
    return pybullet


class BulletWorld:
    """Ground, gravity and the robot, settled on the ground at x = 0 with its actuated joints at home.

    Joints are addressed by their place in `spec.joints`, feet by their place in `spec.feet`.
    """

    def __init__(self, spec: RobotSpec, *, step: float, solver_iterations: int, gui: bool) -> None:
        """`step` is in seconds. Raises UserError where PyBullet, a screen or a part of the robot is missing."""
        self.bullet = import_pybullet()
        self._spec = spec
        self.client = _connect(self.bullet, gui)
        try:
            self._build(step, solver_iterations)
        except BaseException:
            self.close()
            raise

    def _build(self, step: float, solver_iterations: int) -> None:
        p, client = self.bullet, self.client
        # Bullet's own 50 iterations leave a stuck foot creeping: 2 % of a slow step at 1 kHz. With the residual it
        # takes as many as it needs, 30 on average in a gait. A direct (Dantzig) solver bounds friction by normal
        # forces that know nothing of friction.
        p.setPhysicsEngineParameter(
            numSolverIterations=solver_iterations,
            solverResidualThreshold=RESIDUAL,
            contactSlop=0.0,
            deterministicOverlappingPairs=1,
            physicsClientId=client,
        )
        p.setTimeStep(step, physicsClientId=client)
        p.setGravity(0.0, 0.0, -self._spec.parameters["gravity"], physicsClientId=client)
        plane = p.createCollisionShape(p.GEOM_PLANE, physicsClientId=client)
        self.ground = p.createMultiBody(0.0, plane, physicsClientId=client)
        self.robot = self._load()
        self._index = _link_indices(p, self.robot, client)
        self.joints = [self._find("joint", joint.name) for joint in self._spec.joints]
        self.actuated = [self.joints[i] for i in self._spec.actuated_indices]
        self.feet = [self._find("link", foot) for foot in self._spec.foot_names]
        self.foot_of_link = {link: i for i, link in enumerate(self.feet)}
        planar = [self._index["joint", name] for name in PLANAR_JOINTS] if self._spec.planar else []
        self._position_control = p.POSITION_CONTROL
        self._ones = [1.0] * len(self.actuated)
        self._unlimited = [UNLIMITED] * len(self.actuated)
        self._read = planar + self.joints
        self._planar = len(planar)
        self._idealise()
        self._stand()

    def _load(self) -> int:
        text = physics_urdf(build_urdf(self._spec), base_link=self._spec.base_link, planar=self._spec.planar)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"{self._spec.name}.urdf"
            path.write_text(text)
            try:
                return self.bullet.loadURDF(
                    str(path),
                    useFixedBase=self._spec.planar,
                    flags=self.bullet.URDF_USE_INERTIA_FROM_FILE,  # else it is guessed from the collision shapes
                    physicsClientId=self.client,
                )
            except self.bullet.error as error:
                raise UserError(f"PyBullet cannot load the URDF of '{self._spec.name}': {error}.") from None

    def _find(self, kind: str, name: str) -> int:
        if (kind, name) not in self._index:
            raise UserError(f"the robot file of '{self._spec.name}' names the {kind} '{name}', but its URDF does not.")
        return self._index[kind, name]

    def _idealise(self) -> None:
        """Coulomb friction at the feet, and nothing that is not in the robot file: no damping, no default motors."""
        p, client = self.bullet, self.client
        p.changeDynamics(self.ground, -1, lateralFriction=1.0, restitution=0.0, physicsClientId=client)
        for link in range(-1, p.getNumJoints(self.robot, physicsClientId=client)):
            p.changeDynamics(
                self.robot,
                link,
                linearDamping=0.0,
                angularDamping=0.0,
                jointDamping=0.0,
                rollingFriction=0.0,
                spinningFriction=0.0,
                restitution=0.0,
                physicsClientId=client,
            )
            if link >= 0:
                p.setJointMotorControl2(self.robot, link, p.VELOCITY_CONTROL, force=0.0, physicsClientId=client)
        for link, foot in zip(self.feet, self._spec.feet, strict=True):
            p.changeDynamics(self.robot, link, lateralFriction=foot.friction, physicsClientId=client)

    def _stand(self) -> None:
        p, client = self.bullet, self.client
        for joint, index in zip(self._spec.joints, self.joints, strict=True):
            p.resetJointState(self.robot, index, joint.home, physicsClientId=client)
        gaps = p.getClosestPoints(self.robot, self.ground, 1e3, physicsClientId=client)
        self._place(height=-min((gap[8] for gap in gaps), default=0.0))
        home = [joint.home for joint in self._spec.actuated]
        for _ in range(SETTLE_STEPS):
            self.drive(home)
            p.stepSimulation(physicsClientId=client)
            base, joints = self.read()
            if max(map(abs, (*base.linear, *base.angular, *(state[1] for state in joints)))) < AT_REST:
                break
        self._place(height=0.0)

    def _place(self, height: float) -> None:
        """Bring the base back to x = y = 0 at rest, raised by `height` (m)."""
        p, client = self.bullet, self.client
        if self._planar:
            rows = p.getJointStates(self.robot, self._read[: self._planar], physicsClientId=client)
            for index, value in zip(self._read, (0.0, 0.0, rows[2][0] + height, rows[3][0]), strict=False):
                p.resetJointState(self.robot, index, value, physicsClientId=client)
            return
        centre, orientation = p.getBasePositionAndOrientation(self.robot, physicsClientId=client)
        x, y, _ = self._floating_base().position
        moved = (centre[0] - x, centre[1] - y, centre[2] + height)
        p.resetBasePositionAndOrientation(self.robot, moved, orientation, physicsClientId=client)

    def drive(self, position: Sequence[float]) -> None:
        """Let the next step end with the actuated joints at `position` (rad), whatever torque that takes."""
        # position gain 1 asks for the velocity that closes the whole gap within the step
        self.bullet.setJointMotorControlArray(
            self.robot,
            self.actuated,
            self._position_control,
            targetPositions=position,
            positionGains=self._ones,
            velocityGains=self._ones,
            forces=self._unlimited,
            physicsClientId=self.client,
        )

    def push(self, effort: Sequence[float]) -> None:
        """Apply `effort` (N·m) to the actuated joints during the next step."""
        p = self.bullet
        p.setJointMotorControlArray(
            self.robot, self.actuated, p.TORQUE_CONTROL, forces=effort, physicsClientId=self.client
        )

    def free(self) -> None:
        """Switch the actuated joints' motors off."""
        p, zeros = self.bullet, [0.0] * len(self.actuated)
        p.setJointMotorControlArray(
            self.robot, self.actuated, p.VELOCITY_CONTROL, forces=zeros, physicsClientId=self.client
        )

    def actuated_states(self) -> tuple[tuple[Any, ...], ...]:
        """PyBullet's joint states of the actuated joints."""
        return self.bullet.getJointStates(self.robot, self.actuated, physicsClientId=self.client)

    def contact_points(self) -> tuple[tuple[Any, ...], ...]:
        """PyBullet's contact points of the last step between robot and ground."""
        return self.bullet.getContactPoints(self.robot, self.ground, physicsClientId=self.client)

    def foot_states(self) -> tuple[tuple[Any, ...], ...]:
        """PyBullet's link states of the feet, with velocities."""
        return self.bullet.getLinkStates(self.robot, self.feet, computeLinkVelocity=1, physicsClientId=self.client)

    def read(self) -> tuple[BaseState, tuple[tuple[Any, ...], ...]]:
        """The base, and PyBullet's joint states of all the robot's joints."""
        states = self.bullet.getJointStates(self.robot, self._read, physicsClientId=self.client)
        if self._planar:
            (x, vx, *_), (y, vy, *_), (z, vz, *_), (pitch, rate, *_) = states[: self._planar]
            turned = (math.cos(0.5 * pitch), 0.0, math.sin(0.5 * pitch), 0.0)
            return BaseState((x, y, z), turned, (vx, vy, vz), (0.0, rate, 0.0)), states[self._planar :]
        return self._floating_base(), states

    def _floating_base(self) -> BaseState:
        """The base link's frame, from Bullet's state of its centre of mass."""
        p, client = self.bullet, self.client
        centre, orientation = p.getBasePositionAndOrientation(self.robot, physicsClientId=client)
        linear, angular = p.getBaseVelocity(self.robot, physicsClientId=client)
        information = p.getDynamicsInfo(self.robot, -1, physicsClientId=client)
        to_link = p.invertTransform(information[3], information[4])
        position, (x, y, z, w) = p.multiplyTransforms(centre, orientation, *to_link)
        lx, ly, lz = (a - b for a, b in zip(position, centre, strict=True))
        wx, wy, wz = angular
        swept = (wy * lz - wz * ly, wz * lx - wx * lz, wx * ly - wy * lx)
        moving = (linear[0] + swept[0], linear[1] + swept[1], linear[2] + swept[2])
        return BaseState(position, (w, x, y, z), moving, angular)

    def look_at(self, target: Sequence[float]) -> None:
        """Point the window's camera at `target`."""
        self.bullet.resetDebugVisualizerCamera(0.7, 25.0, -20.0, target, physicsClientId=self.client)

    def close(self) -> None:
        """Give the physics server back."""
        if self.bullet.isConnected(physicsClientId=self.client):
            self.bullet.disconnect(physicsClientId=self.client)


def _connect(p: Any, gui: bool) -> int:
    if not gui:
        return p.connect(p.DIRECT)
    if sys.platform.startswith("linux") and not os.environ.get("DISPLAY"):
        raise UserError("gui = true needs a screen, but DISPLAY is not set: leave gui false, or watch in RViz.")
    client = p.connect(p.GUI)
    if client < 0:
        raise UserError("PyBullet cannot open its window, one other may be open: close it, or leave gui false.")
    p.configureDebugVisualizer(p.COV_ENABLE_GUI, 0, physicsClientId=client)
    return client


def _link_indices(p: Any, robot: int, client: int) -> dict[tuple[str, str], int]:
    """PyBullet's number of each joint and of the link below it, by kind and name; they are the same number."""
    found = {("link", p.getBodyInfo(robot, physicsClientId=client)[0].decode()): -1}
    for index in range(p.getNumJoints(robot, physicsClientId=client)):
        info = p.getJointInfo(robot, index, physicsClientId=client)
        found["joint", info[1].decode()] = index
        found["link", info[12].decode()] = index
    return found
