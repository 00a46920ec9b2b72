"""One robot on flat ground in MuJoCo: starting, stepping, reading its state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, FloatArray
from sim_bridge.mujoco.contact import CompliantFeet, RigidContact, damping_per_foot
from sim_bridge.mujoco.mujoco_base import MujocoBase
from sim_bridge.mujoco.mujoco_model import build_model, import_mujoco
from sim_bridge.physics.contact_average import ContactAverage, FootMotion
from sim_bridge.physics.physics_urdf import missing_in_urdf
from sim_bridge.physics.start_state import home_joint_states

PRESCRIBED_INERTIA = 100.0  # kg·m² of a prescribed joint's virtual rotor: other forces move it by 1e-10 rad in a step
MIN_REGULARISER_SHARE = 1e-3  # of the largest one, for a direction in which a loop is closed anyway
SEARCH_DISTANCE_M = 1e3  # within which the ground is found
MAX_SETTLE_STEPS = 4000
REST_SPEED = 1e-6  # m/s and rad/s


class MujocoWorld:
    """The world contract with MuJoCo.

    A prescribed joint has a huge virtual rotor, and the torque that brings it to its setpoint. Its effort is this
    torque without the rotor's share.
    """

    has_window = False

    def __init__(self, spec: RobotSpec, *, torque_driven: Sequence[int], step: float) -> None:
        """`torque_driven` are indices in `spec.actuated`; `step` is in s.

        Raises UserError where MuJoCo or a part of the robot is missing, or where the start is impossible.
        """
        self._mj = mj = import_mujoco()
        self._spec, self._step = spec, step
        self._model = model = build_model(spec, step)
        self._data = mj.MjData(model)
        self._scratch = mj.MjData(model)
        # views, which MuJoCo would make again at every access
        self._qpos, self._qvel, self._qfrc_applied = self._data.qpos, self._data.qvel, self._data.qfrc_applied
        joints = [self._joint(joint.name) for joint in spec.joints]
        self._angles = [int(joint.qposadr[0]) for joint in joints]
        self._dofs = [int(joint.dofadr[0]) for joint in joints]
        self._actuated = [(self._angles[i], self._dofs[i]) for i in spec.actuated_indices]
        self._torque_driven = [self._actuated[i][1] for i in torque_driven]
        self._feet = [model.body(foot).id for foot in spec.foot_names]
        bodies = {body: i for i, body in enumerate(self._feet)}
        self._foot_of_geom = {
            geom: bodies[body] for geom, body in enumerate(model.geom_bodyid.tolist()) if body in bodies
        }
        compliant = {
            geom: foot for geom, i in self._foot_of_geom.items() if (foot := spec.feet[i]).stiffness is not None
        }
        self._compliant_feet = CompliantFeet(compliant, step) if compliant else None
        self._steps_at_once = not compliant and not spec.loops
        self._contact_axes: list[list[float]] = []  # in the world; the same everywhere on flat ground
        self._applied = np.zeros(model.nv)  # N·m of the motors in the last step, with the rotors' share
        self._has_stepped = False
        self._links_are_current = False  # positions and velocities of the links are those of the present state
        self._base = MujocoBase(model, self._data, spec)
        prescribed = [i for i in range(len(self._actuated)) if i not in torque_driven]
        self._start(*home_joint_states(spec))
        self._prescribe_only(prescribed)

    def _joint(self, name: str) -> Any:
        try:
            return self._model.joint(name)
        except KeyError:
            raise missing_in_urdf(self._spec, "joint", name) from None

    def _start(self, position: FloatArray, velocity: FloatArray) -> None:
        """Bring the robot to its file's start, with these joint angles (rad) and rates (rad/s)."""
        data, start = self._data, self._spec.start
        self._base.turn(start.rpy)
        data.qpos[self._angles] = position
        self._base.lift(-self._lowest())
        if self._spec.stands_at_start:
            self._settle()
            self._base.stand()
            return
        self._base.lift(start.height)
        self._base.launch(start)
        data.qvel[self._dofs] = velocity

    def _lowest(self) -> float:
        """Return the height of the robot's lowest point (m); 0 where nothing of it can touch."""
        model, data = self._model, self._data
        model.pair_margin[:] = SEARCH_DISTANCE_M
        self._mj.mj_fwdPosition(model, data)
        lowest = float(data.contact.dist.min()) if data.ncon else 0.0
        if data.ncon:
            self._contact_axes = data.contact.frame[0].reshape(3, 3).tolist()
        model.pair_margin[:] = 0.0
        return lowest

    def _prescribe_only(self, indices: Sequence[int]) -> None:
        """Prescribe these actuated joints only, and make rigid contacts as hard as the robot so held allows."""
        mj, model, data = self._mj, self._model, self._scratch  # the last step's forces stay in self._data
        self._prescribed = [self._actuated[i] for i in indices]
        self._remove_rotors()
        self._add_rotors()
        data.qpos[:] = self._data.qpos
        mj.mj_fwdPosition(model, data)
        rigid = [body for body, foot in zip(self._feet, self._spec.feet, strict=True) if foot.stiffness is None]
        jacobian, up = np.zeros((3, model.nv)), np.zeros((len(rigid), model.nv))
        for row, body in enumerate(rigid):
            mj.mj_jac(model, data, jacobian, None, data.xpos[body], body)
            up[row] = jacobian[2]
        moved = np.zeros_like(up)
        mj.mj_solveM(model, data, moved, up)
        contact = RigidContact(damping_per_foot(up @ moved.T), self._step)
        model.pair_solref[:] = contact.solref
        model.jnt_solref[:] = contact.solref

    def _settle(self) -> None:
        """Let the robot come to rest, with every actuated joint held at home."""
        self._prescribe_only(range(len(self._actuated)))
        home = [joint.home for joint in self._spec.actuated]
        for _ in range(MAX_SETTLE_STEPS):
            self.prescribe(home)
            self._advance()
            if np.abs(self._data.qvel).max(initial=0.0) < REST_SPEED:
                break

    def _add_rotors(self) -> None:
        self._model.dof_armature[[dof for _, dof in self._prescribed]] = PRESCRIBED_INERTIA
        self._mj.mj_setConst(self._model, self._scratch)  # recomputes what depends on it
        self._has_rotors = True

    def _remove_rotors(self) -> None:
        self._model.dof_armature[:] = 0.0
        self._mj.mj_setConst(self._model, self._scratch)
        self._has_rotors = False

    def prescribe(self, position: Sequence[float]) -> None:
        if not self._has_rotors:
            self._add_rotors()
        step, angles, speeds, torques = self._step, self._qpos, self._qvel, self._qfrc_applied
        for target, (angle, dof) in zip(position, self._prescribed, strict=True):
            # the step ends at angle + step * (speed + step * acceleration)
            torques[dof] = PRESCRIBED_INERTIA * ((target - angles[angle]) / step - speeds[dof]) / step

    def apply_torques(self, effort: Sequence[float]) -> None:
        self._qfrc_applied[self._torque_driven] = effort

    def release_motors(self) -> None:
        self._remove_rotors()
        self._data.qfrc_applied[:] = 0.0

    def step(self, contacts: ContactAverage) -> None:
        self._advance()
        self.add_contact_forces(contacts)

    def _advance(self) -> None:
        mj, model, data = self._mj, self._model, self._data
        if self._steps_at_once:
            mj.mj_step(model, data)
        else:
            mj.mj_step1(model, data)
            if data.ne:
                regulariser = data.efc_R[: data.ne]
                np.maximum(regulariser, MIN_REGULARISER_SHARE * regulariser.max(), out=regulariser)
                data.efc_D[: data.ne] = 1.0 / regulariser
            if self._compliant_feet is not None and data.ncon:
                self._compliant_feet.replace_rows(data)
            mj.mj_step2(model, data)
        self._applied[:] = self._qfrc_applied
        self._qfrc_applied[:] = 0.0
        self._has_stepped = True
        self._links_are_current = False

    def add_contact_forces(self, contacts: ContactAverage) -> None:
        contacts.count_step()
        data = self._data
        if not (self._has_stepped and data.ncon):
            return
        (nx, ny, nz), (ax, ay, az), (bx, by, bz) = self._contact_axes
        touching, force = data.contact, data.efc_force.tolist()
        rows = zip(touching.geom2.tolist(), touching.efc_address.tolist(), touching.pos.tolist(), strict=True)
        for geom, row, (x, y, z) in rows:
            index = self._foot_of_geom.get(geom)
            if index is None or row < 0:
                continue  # a link that is no foot lies on the ground
            normal, friction_1, friction_2 = force[row : row + 3]
            contacts.add(
                index,
                normal * nx + friction_1 * ax + friction_2 * bx,
                normal * ny + friction_1 * ay + friction_2 * by,
                normal * nz + friction_1 * az + friction_2 * bz,
                (x, y, z),
            )

    def state(self) -> tuple[BaseState, list[float], list[float], list[float]]:
        model, data = self._model, self._data
        self._update_links()
        position, linear, angular = self._motion(self._base.body)
        w, x, y, z = data.xquat[self._base.body].tolist()
        base = BaseState(position, (w, x, y, z), linear, angular)
        effort = self._applied - model.dof_armature * data.qacc
        dofs = self._dofs
        return base, self._qpos[self._angles].tolist(), self._qvel[dofs].tolist(), effort[dofs].tolist()

    def actuated_states(self) -> list[tuple[float, float]]:
        position, velocity = self._qpos, self._qvel
        return [(float(position[angle]), float(velocity[dof])) for angle, dof in self._actuated]

    def foot_motions(self) -> list[FootMotion]:
        self._update_links()
        return [self._motion(body) for body in self._feet]

    def _update_links(self) -> None:
        """Compute positions and velocities of the links: a step leaves those of its start."""
        if self._links_are_current:
            return
        self._mj.mj_kinematics(self._model, self._data)
        self._mj.mj_comPos(self._model, self._data)
        self._mj.mj_comVel(self._model, self._data)
        self._links_are_current = True

    def _motion(self, body: int) -> FootMotion:
        """Return position (m), velocity (m/s) and angular velocity (rad/s) of a link's frame."""
        found = np.zeros(6)
        self._mj.mj_objectVelocity(self._model, self._data, self._mj.mjtObj.mjOBJ_XBODY, body, found, 0)
        wx, wy, wz, vx, vy, vz = found.tolist()
        x, y, z = self._data.xpos[body].tolist()
        return (x, y, z), (vx, vy, vz), (wx, wy, wz)

    def point_camera(self, target: Sequence[float]) -> None:
        """Do nothing: there is no window."""

    def close(self) -> None:
        """Do nothing: MuJoCo frees its memory by itself."""
