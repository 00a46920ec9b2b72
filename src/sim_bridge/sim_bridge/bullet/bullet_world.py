"""One robot on flat ground in PyBullet: starting, stepping, reading its state."""

from __future__ import annotations

from collections.abc import Sequence

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, FloatArray
from sim_bridge.bullet.base import BulletBase, FloatingBase, GuidedBase
from sim_bridge.bullet.bullet_client import BulletClient
from sim_bridge.bullet.bullet_model import UNLIMITED, BulletModel
from sim_bridge.bullet.slip_friction import SlipFriction
from sim_bridge.physics.contact_average import ContactAverage, FootMotion
from sim_bridge.physics.start_state import home_joint_states

MAX_SETTLE_STEPS = 2000
REST_SPEED = 1e-6  # m/s and rad/s


class BulletWorld:
    """The world contract with PyBullet's multi-bodies; loops are constraints between the origins of their two links.

    A robot that stands at the start is settled on the ground at x = 0; one that flies or moves starts as given.
    """

    def __init__(
        self, spec: RobotSpec, *, torque_driven: Sequence[int], step: float, solver_iterations: int, gui: bool
    ) -> None:
        """`torque_driven` are indices in `spec.actuated`; `step` is in s.

        Raises UserError where PyBullet, a screen or a part of the robot is missing, or where the start is impossible.
        """
        self._spec = spec
        self.has_window = gui
        self._p = BulletClient(gui)
        try:
            self._build(torque_driven, step, solver_iterations)
        except BaseException:
            self.close()
            raise

    def _build(self, torque_driven: Sequence[int], step: float, solver_iterations: int) -> None:
        p, spec = self._p, self._spec
        model = BulletModel.build(p, spec, step, solver_iterations)
        self._ground, self._robot, self._joints, self._feet = model.ground, model.robot, model.joints, model.feet
        self._actuated = [model.joints[i] for i in spec.actuated_indices]
        self._torque_driven = [self._actuated[i] for i in torque_driven]
        self._foot_of_link = {link: i for i, link in enumerate(model.feet)}
        self._base: BulletBase = (
            GuidedBase(p, self._robot, spec, model.base_joints) if model.base_joints else FloatingBase(p, self._robot)
        )
        self._base_joint_count = len(self._base.joints)
        self._read_joints = self._base.joints + self._joints
        self._friction = SlipFriction(p, self._robot, model.feet, spec.feet)
        self._position_control, self._torque_control = p.POSITION_CONTROL, p.TORQUE_CONTROL
        self._start(*home_joint_states(spec))
        self._release(self._torque_driven)
        self._prescribe_only([joint for joint in self._actuated if joint not in self._torque_driven])

    def _start(self, position: FloatArray, velocity: FloatArray) -> None:
        """Bring the robot to its file's start, with these joint angles (rad) and rates (rad/s)."""
        p, start = self._p, self._spec.start
        if any(start.rpy):
            self._base.turn(start.rpy)
        for joint, q in zip(self._joints, position.tolist(), strict=True):
            p.resetJointState(self._robot, joint, q)
        gaps = p.getClosestPoints(self._robot, self._ground, 1e3)
        lowest = min((gap[8] for gap in gaps), default=0.0)
        if self._spec.stands_at_start:
            self._base.place(-lowest)
            self._settle([joint.home for joint in self._spec.actuated])
            self._base.place(0.0)
            return
        self._base.place(start.height - lowest)
        self._base.launch(start)
        for joint, q, dq in zip(self._joints, position.tolist(), velocity.tolist(), strict=True):
            p.resetJointState(self._robot, joint, q, dq)

    def _settle(self, home: Sequence[float]) -> None:
        """Let the robot come to rest, with every actuated joint held at home."""
        self._prescribe_only(self._actuated)
        unused = ContactAverage(self._spec.foot_names, 0.0)
        for _ in range(MAX_SETTLE_STEPS):
            self.prescribe(home)
            self.step(unused)
            base, _, rates, _ = self.state()
            if max(map(abs, (*base.linear, *base.angular, *rates))) < REST_SPEED:
                break

    def _prescribe_only(self, joints: list[int]) -> None:
        self._prescribed = joints
        self._ones = [1.0] * len(joints)
        self._unlimited = [UNLIMITED] * len(joints)

    def prescribe(self, position: Sequence[float]) -> None:
        # a position gain of 1 sets the velocity that closes the whole distance within the step
        self._p.setJointMotorControlArray(
            self._robot,
            self._prescribed,
            self._position_control,
            targetPositions=position,
            positionGains=self._ones,
            velocityGains=self._ones,
            forces=self._unlimited,
        )

    def apply_torques(self, effort: Sequence[float]) -> None:
        self._p.setJointMotorControlArray(self._robot, self._torque_driven, self._torque_control, forces=effort)

    def release_motors(self) -> None:
        self._release(self._actuated)

    def _release(self, joints: list[int]) -> None:
        if joints:
            zeros = [0.0] * len(joints)
            self._p.setJointMotorControlArray(self._robot, joints, self._p.VELOCITY_CONTROL, forces=zeros)

    def step(self, contacts: ContactAverage) -> None:
        self._friction.apply()
        self._p.stepSimulation()
        self.add_contact_forces(contacts)

    def add_contact_forces(self, contacts: ContactAverage) -> None:
        contacts.count_step()
        foot_of_link, friction = self._foot_of_link, self._friction
        for index, force_x, force_y, point in friction.forces:
            contacts.add(index, force_x, force_y, 0.0, point)
        friction.reset_normal_forces()
        for point in self._p.getContactPoints(self._robot, self._ground):
            foot = foot_of_link.get(point[3])
            if foot is None:
                continue  # a link that is no foot lies on the ground
            normal, normal_force = point[7], point[9]
            friction_1, direction_1 = point[10], point[11]
            friction_2, direction_2 = point[12], point[13]
            friction.add_normal_force(foot, normal_force * normal[2], point[5])
            contacts.add(
                foot,
                normal_force * normal[0] + friction_1 * direction_1[0] + friction_2 * direction_2[0],
                normal_force * normal[1] + friction_1 * direction_1[1] + friction_2 * direction_2[1],
                normal_force * normal[2] + friction_1 * direction_1[2] + friction_2 * direction_2[2],
                point[5],
            )

    def state(self) -> tuple[BaseState, list[float], list[float], list[float]]:
        rows = self._p.getJointStates(self._robot, self._read_joints)
        joints = rows[self._base_joint_count :]
        base = self._base.state(rows[: self._base_joint_count])
        return base, [row[0] for row in joints], [row[1] for row in joints], [row[3] for row in joints]

    def actuated_states(self) -> list[tuple[float, float]]:
        return [(row[0], row[1]) for row in self._p.getJointStates(self._robot, self._actuated)]

    def foot_motions(self) -> list[FootMotion]:
        if not self._feet:
            return []
        rows = self._p.getLinkStates(self._robot, self._feet, computeLinkVelocity=1)
        return [(row[0], row[6], row[7]) for row in rows]

    def point_camera(self, target: Sequence[float]) -> None:
        self._p.resetDebugVisualizerCamera(0.7, 25.0, -20.0, target)

    def close(self) -> None:
        self._p.close()
