"""One robot on flat ground in PyBullet: loading, starting, stepping, reading its state."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import FootSpec, RobotSpec
from crawler_core.types import BaseState, FloatArray
from sim_bridge.bullet.bullet_base import BulletBase, FloatingBase, GuidedBase, link_in_mass_frame
from sim_bridge.bullet.slip_friction import SlipFriction
from sim_bridge.physics.contact_average import ContactAverage, FootMotion
from sim_bridge.physics.physics_urdf import base_joints, not_in_urdf, physics_urdf
from sim_bridge.physics.start_state import home_joint_states

UNLIMITED = 1e6  # N·m: a prescribed joint follows whatever it takes; N: a loop holds
UNCHECKED = 1e9  # rad/s and m/s: Bullet cuts joints down to 100 otherwise, and that makes energy where loops tie them
RESIDUAL = 1e-9  # (m/s)²: the solver stops here; a foot that sticks then creeps by less than 1e-6 m/s
GROUND_DAMPING = 0.1  # N·s/m that Bullet's ground has of its own and adds to a foot's
SETTLE_STEPS = 2000  # at most
AT_REST = 1e-6  # m/s and rad/s


def import_pybullet() -> Any:
    """The pybullet module. Raises UserError where it is not installed."""
    try:
        import pybullet
    except ImportError:
        raise UserError(
            "PyBullet is not installed: it has wheels for CPython up to 3.11, and this is "
            f"{sys.version_info.major}.{sys.version_info.minor}: `pip install pybullet` there, or use "
            "MuJoCo or the model."
        ) from None
    return pybullet


class BulletWorld:
    """The world contract, by PyBullet's multi-bodies; loops are constraints between their two links' origins.

    A robot that stands at the start has settled on the ground at x = 0; one that flies or moves begins just so.
    """

    def __init__(
        self, spec: RobotSpec, *, pushed: Sequence[int], step: float, solver_iterations: int, gui: bool
    ) -> None:
        """`pushed` are places in `spec.actuated`; `step` is in seconds.

        Raises UserError where PyBullet, a screen or a part of the robot is missing, or it cannot start as it should.
        """
        self._bullet = import_pybullet()
        self._spec = spec
        self.window = gui
        self._client = _connect(self._bullet, gui)
        try:
            self._build(pushed, step, solver_iterations)
        except BaseException:
            self.close()
            raise

    def _build(self, pushed: Sequence[int], step: float, solver_iterations: int) -> None:
        p, client, spec = self._bullet, self._client, self._spec
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
        p.setGravity(0.0, 0.0, -spec.parameters["gravity"], physicsClientId=client)
        plane = p.createCollisionShape(p.GEOM_PLANE, physicsClientId=client)
        self._ground = p.createMultiBody(0.0, plane, physicsClientId=client)
        self._robot = self._load()
        self._index = _link_indices(p, self._robot, client)
        self._joints = [self._find("joint", joint.name) for joint in spec.joints]
        self._actuated = [self._joints[i] for i in spec.actuated_indices]
        self._pushed = [self._actuated[i] for i in pushed]
        self._feet = [self._find("link", foot) for foot in spec.foot_names]
        self._foot_of_link = {link: i for i, link in enumerate(self._feet)}
        self._base = self._hang()
        self._carrying = len(self._base.joints)
        self._read = self._base.joints + self._joints
        self._position_control, self._torque_control = p.POSITION_CONTROL, p.TORQUE_CONTROL
        self._idealise()
        self._begin(*home_joint_states(spec))
        self._free(self._pushed)
        self._drive_only([joint for joint in self._actuated if joint not in self._pushed])

    def _load(self) -> int:
        spec = self._spec
        text = physics_urdf(build_urdf(spec), base_link=spec.base_link, motion=spec.base_motion)
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / f"{spec.name}.urdf"
            path.write_text(text)
            try:
                return self._bullet.loadURDF(
                    str(path),
                    useFixedBase=bool(base_joints(spec.base_motion)),
                    flags=self._bullet.URDF_USE_INERTIA_FROM_FILE,  # else it is guessed from the collision shapes
                    physicsClientId=self._client,
                )
            except self._bullet.error as error:
                raise UserError(f"PyBullet cannot load the URDF of '{spec.name}': {error}.") from None

    def _find(self, kind: str, name: str) -> int:
        if (kind, name) not in self._index:
            raise not_in_urdf(self._spec, kind, name)
        return self._index[kind, name]

    def _hang(self) -> BulletBase:
        names = base_joints(self._spec.base_motion)
        if not names:
            return FloatingBase(self._bullet, self._client, self._robot)
        joints = {name: self._index["joint", name] for name in names}
        return GuidedBase(self._bullet, self._client, self._robot, self._spec, joints)

    def _idealise(self) -> None:
        """Coulomb friction at the feet, and nothing that is not in the robot file, as Bullet's damping and motors."""
        p, client = self._bullet, self._client
        p.changeDynamics(self._ground, -1, lateralFriction=1.0, restitution=0.0, physicsClientId=client)
        for link in range(-1, p.getNumJoints(self._robot, physicsClientId=client)):
            p.changeDynamics(
                self._robot,
                link,
                linearDamping=0.0,
                angularDamping=0.0,
                jointDamping=0.0,
                maxJointVelocity=UNCHECKED,
                rollingFriction=0.0,
                spinningFriction=0.0,
                restitution=0.0,
                physicsClientId=client,
            )
            if link >= 0:
                p.setJointMotorControl2(self._robot, link, p.VELOCITY_CONTROL, force=0.0, physicsClientId=client)
        for index, joint in zip(self._joints, self._spec.joints, strict=True):
            if joint.damping:
                p.changeDynamics(self._robot, index, jointDamping=joint.damping, physicsClientId=client)
        for link, foot in zip(self._feet, self._spec.feet, strict=True):
            give = _give(foot)
            p.changeDynamics(self._robot, link, lateralFriction=foot.friction, **give, physicsClientId=client)
        self._friction = SlipFriction(p, client, self._robot, self._feet, self._spec.feet)
        for loop in self._spec.loops:
            self._close_loop(loop.first, loop.second)

    def _close_loop(self, first: str, second: str) -> None:
        p, client = self._bullet, self._client
        links = [self._find("link", name) for name in (first, second)]
        origins = [link_in_mass_frame(p, client, self._robot, link)[0] for link in links]
        pin = p.createConstraint(
            self._robot,
            links[0],
            self._robot,
            links[1],
            p.JOINT_POINT2POINT,
            (0, 0, 0),
            *origins,
            physicsClientId=client,
        )
        p.changeConstraint(pin, maxForce=UNLIMITED, physicsClientId=client)

    def _begin(self, position: FloatArray, velocity: FloatArray) -> None:
        """Come to the robot file's start with the joints so (rad, rad/s); one that stands settles there."""
        p, client, start = self._bullet, self._client, self._spec.start
        if any(start.rpy):
            self._base.turn(start.rpy)
        for index, q in zip(self._joints, position.tolist(), strict=True):
            p.resetJointState(self._robot, index, q, physicsClientId=client)
        gaps = p.getClosestPoints(self._robot, self._ground, 1e3, physicsClientId=client)
        lowest = min((gap[8] for gap in gaps), default=0.0)
        if self._spec.stands_at_start:
            self._base.place(-lowest)
            self._settle([joint.home for joint in self._spec.actuated])
            self._base.place(0.0)
            return
        self._base.place(start.height - lowest)
        self._base.launch(start)
        for index, q, dq in zip(self._joints, position.tolist(), velocity.tolist(), strict=True):
            p.resetJointState(self._robot, index, q, dq, physicsClientId=client)

    def _settle(self, home: Sequence[float]) -> None:
        """Let the robot come to rest, every actuated joint held at home."""
        self._drive_only(self._actuated)
        unheeded = ContactAverage(self._spec.foot_names, 0.0)
        for _ in range(SETTLE_STEPS):
            self.drive(home)
            self.step(unheeded)
            base, _, rates, _ = self.state()
            if max(map(abs, (*base.linear, *base.angular, *rates))) < AT_REST:
                break

    def _drive_only(self, joints: list[int]) -> None:
        self._driven = joints
        self._ones = [1.0] * len(joints)
        self._unlimited = [UNLIMITED] * len(joints)

    def drive(self, position: Sequence[float]) -> None:
        # position gain 1 asks for the velocity that closes the whole gap within the step
        self._bullet.setJointMotorControlArray(
            self._robot,
            self._driven,
            self._position_control,
            targetPositions=position,
            positionGains=self._ones,
            velocityGains=self._ones,
            forces=self._unlimited,
            physicsClientId=self._client,
        )

    def push(self, effort: Sequence[float]) -> None:
        self._bullet.setJointMotorControlArray(
            self._robot, self._pushed, self._torque_control, forces=effort, physicsClientId=self._client
        )

    def free(self) -> None:
        self._free(self._actuated)

    def _free(self, joints: list[int]) -> None:
        p, zeros = self._bullet, [0.0] * len(joints)
        if joints:
            p.setJointMotorControlArray(
                self._robot, joints, p.VELOCITY_CONTROL, forces=zeros, physicsClientId=self._client
            )

    def step(self, contacts: ContactAverage) -> None:
        self._friction.push()
        self._bullet.stepSimulation(physicsClientId=self._client)
        self.touch(contacts)

    def touch(self, contacts: ContactAverage) -> None:
        contacts.count()
        foot_of_link, friction = self._foot_of_link, self._friction
        for foot, force_x, force_y, point in friction.forces:
            contacts.add(foot, force_x, force_y, 0.0, point)
        friction.release()
        for point in self._bullet.getContactPoints(self._robot, self._ground, physicsClientId=self._client):
            index = foot_of_link.get(point[3])
            if index is None:
                continue  # another link than a foot lies on the ground
            normal, pushing = point[7], point[9]
            first, along_first = point[10], point[11]
            second, along_second = point[12], point[13]
            friction.press(index, pushing * normal[2], point[5])
            contacts.add(
                index,
                pushing * normal[0] + first * along_first[0] + second * along_second[0],
                pushing * normal[1] + first * along_first[1] + second * along_second[1],
                pushing * normal[2] + first * along_first[2] + second * along_second[2],
                point[5],
            )

    def state(self) -> tuple[BaseState, list[float], list[float], list[float]]:
        rows = self._bullet.getJointStates(self._robot, self._read, physicsClientId=self._client)
        joints = rows[self._carrying :]
        base = self._base.state(rows[: self._carrying])
        return base, [row[0] for row in joints], [row[1] for row in joints], [row[3] for row in joints]

    def actuated(self) -> list[tuple[float, float]]:
        states = self._bullet.getJointStates(self._robot, self._actuated, physicsClientId=self._client)
        return [(state[0], state[1]) for state in states]

    def feet(self) -> list[FootMotion]:
        if not self._feet:
            return []
        states = self._bullet.getLinkStates(
            self._robot, self._feet, computeLinkVelocity=1, physicsClientId=self._client
        )
        return [(state[0], state[6], state[7]) for state in states]

    def look_at(self, target: Sequence[float]) -> None:
        self._bullet.resetDebugVisualizerCamera(0.7, 25.0, -20.0, target, physicsClientId=self._client)

    def close(self) -> None:
        if self._bullet.isConnected(physicsClientId=self._client):
            self._bullet.disconnect(physicsClientId=self._client)


def _give(foot: FootSpec) -> dict[str, float]:
    """How far and how slowly the foot gives way, for Bullet; nothing where it is rigid."""
    if foot.stiffness is None:
        return {}
    return {"contactStiffness": foot.stiffness, "contactDamping": max((foot.damping or 0.0) - GROUND_DAMPING, 0.0)}


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
