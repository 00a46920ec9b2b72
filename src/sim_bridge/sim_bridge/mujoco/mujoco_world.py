"""One robot on flat ground in MuJoCo: starting, stepping, reading its state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import BaseState, FloatArray
from sim_bridge.mujoco.mujoco_base import MuJoCoBase
from sim_bridge.mujoco.mujoco_contact import Rigid, Springs, taken_by_each
from sim_bridge.mujoco.mujoco_model import build_model, import_mujoco
from sim_bridge.physics.contact_average import ContactAverage, FootMotion
from sim_bridge.physics.physics_urdf import not_in_urdf
from sim_bridge.physics.start_state import home_joint_states

ARMATURE = 100.0  # kg·m² that a prescribed joint seems to have: what else acts on it moves it by 1e-10 rad in a step
UNREDUNDANT = 1e-3  # of the largest regulariser of the loops: a direction in which a loop is closed anyway gets as much
FAR = 1e3  # m, in which ground is found
SETTLE_STEPS = 4000  # at most
AT_REST = 1e-6  # m/s and rad/s


class MuJoCoWorld:
    """The world contract, by MuJoCo.

    A prescribed joint has a huge rotor, and the torque that brings it to its setpoint; its effort is that torque
    without the rotor's part.
    """

    window = False

    def __init__(self, spec: RobotSpec, *, pushed: Sequence[int], step: float) -> None:
        """`pushed` are places in `spec.actuated`; `step` is in seconds.

        Raises UserError where MuJoCo or a part of the robot is missing, or it cannot start as it should.
        """
        self._mj = mj = import_mujoco()
        self._spec, self._step = spec, step
        self._model = model = build_model(spec, step)
        self._data = mj.MjData(model)
        self._scratch = mj.MjData(model)
        joints = [self._joint(joint.name) for joint in spec.joints]
        self._angles = [int(joint.qposadr[0]) for joint in joints]
        self._dofs = [int(joint.dofadr[0]) for joint in joints]
        self._actuated = [(self._angles[i], self._dofs[i]) for i in spec.actuated_indices]
        self._pushed = [self._actuated[i][1] for i in pushed]
        self._feet = [model.body(foot).id for foot in spec.foot_names]
        bodies = {body: i for i, body in enumerate(self._feet)}
        self._foot_of_geom = {
            geom: bodies[body] for geom, body in enumerate(model.geom_bodyid.tolist()) if body in bodies
        }
        soft = {geom: foot for geom, i in self._foot_of_geom.items() if (foot := spec.feet[i]).stiffness is not None}
        self._springs = Springs(soft, step) if soft else None
        self._in_one = not soft and not spec.loops
        self._across: list[list[float]] = []  # a contact's axes in the world; flat ground has the same everywhere
        self._given = np.zeros(model.nv)  # N·m that the motors were told in the last step, with the rotors' part
        self._stepped = False
        self._base = MuJoCoBase(model, self._data, spec)
        driven = [place for place in range(len(self._actuated)) if place not in pushed]
        self._begin(*home_joint_states(spec))
        self._hold(driven)

    def _joint(self, name: str) -> Any:
        try:
            return self._model.joint(name)
        except KeyError:
            raise not_in_urdf(self._spec, "joint", name) from None

    def _begin(self, position: FloatArray, velocity: FloatArray) -> None:
        """Come to the robot file's start with the joints so (rad, rad/s); one that stands settles there."""
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
        """The height of the robot's lowest point, m; 0 where nothing of it can touch."""
        model, data = self._model, self._data
        model.pair_margin[:] = FAR
        self._mj.mj_fwdPosition(model, data)
        lowest = float(data.contact.dist.min()) if data.ncon else 0.0
        if data.ncon:
            self._across = data.contact.frame[0].reshape(3, 3).tolist()
        model.pair_margin[:] = 0.0
        return lowest

    def _hold(self, places: Sequence[int]) -> None:
        """Drive these and no others; rigid contacts are as hard as the robot, in its pose and so held, allows."""
        mj, model, data = self._mj, self._model, self._scratch  # the last step's forces are to stay
        self._driven = [self._actuated[place] for place in places]
        self._disarm()
        self._arm()
        data.qpos[:] = self._data.qpos
        mj.mj_fwdPosition(model, data)
        rigid = [body for body, foot in zip(self._feet, self._spec.feet, strict=True) if foot.stiffness is None]
        jacobian, up = np.zeros((3, model.nv)), np.zeros((len(rigid), model.nv))
        for row, body in enumerate(rigid):
            mj.mj_jac(model, data, jacobian, None, data.xpos[body], body)
            up[row] = jacobian[2]
        moved = np.zeros_like(up)
        mj.mj_solveM(model, data, moved, up)
        contact = Rigid(taken_by_each(up @ moved.T), self._step)
        model.pair_solref[:] = contact.solref
        model.jnt_solref[:] = contact.solref

    def _settle(self) -> None:
        """Let the robot come to rest, every actuated joint held at home."""
        self._hold(range(len(self._actuated)))
        home = [joint.home for joint in self._spec.actuated]
        for _ in range(SETTLE_STEPS):
            self.drive(home)
            self._advance()
            if np.abs(self._data.qvel).max(initial=0.0) < AT_REST:
                break

    def _arm(self) -> None:
        self._model.dof_armature[[dof for _, dof in self._driven]] = ARMATURE
        self._mj.mj_setConst(self._model, self._scratch)  # MuJoCo keeps what follows from it
        self._armed = True

    def _disarm(self) -> None:
        self._model.dof_armature[:] = 0.0
        self._mj.mj_setConst(self._model, self._scratch)
        self._armed = False

    def drive(self, position: Sequence[float]) -> None:
        if not self._armed:
            self._arm()
        step, angles, speeds, torques = self._step, self._data.qpos, self._data.qvel, self._data.qfrc_applied
        for wanted, (angle, dof) in zip(position, self._driven, strict=True):
            # the step ends at angle + step * (speed + step * acceleration)
            torques[dof] = ARMATURE * ((wanted - angles[angle]) / step - speeds[dof]) / step

    def push(self, effort: Sequence[float]) -> None:
        self._data.qfrc_applied[self._pushed] = effort

    def free(self) -> None:
        self._disarm()
        self._data.qfrc_applied[:] = 0.0

    def step(self, contacts: ContactAverage) -> None:
        self._advance()
        self.touch(contacts)

    def _advance(self) -> None:
        mj, model, data = self._mj, self._model, self._data
        if self._in_one:
            mj.mj_step(model, data)
        else:
            mj.mj_step1(model, data)
            if data.ne:
                regulariser = data.efc_R[: data.ne]
                np.maximum(regulariser, UNREDUNDANT * regulariser.max(), out=regulariser)
                data.efc_D[: data.ne] = 1.0 / regulariser
            if self._springs is not None and data.ncon:
                self._springs.write(data)
            mj.mj_step2(model, data)
        self._given[:] = data.qfrc_applied
        data.qfrc_applied[:] = 0.0
        self._stepped = True

    def touch(self, contacts: ContactAverage) -> None:
        contacts.count()
        data = self._data
        if not (self._stepped and data.ncon):
            return
        (nx, ny, nz), (ax, ay, az), (bx, by, bz) = self._across
        touching, force = data.contact, data.efc_force.tolist()
        rows = zip(touching.geom2.tolist(), touching.efc_address.tolist(), touching.pos.tolist(), strict=True)
        for geom, row, (x, y, z) in rows:
            index = self._foot_of_geom.get(geom)
            if index is None or row < 0:
                continue  # another link than a foot lies on the ground
            up, along, aside = force[row : row + 3]
            contacts.add(
                index,
                up * nx + along * ax + aside * bx,
                up * ny + along * ay + aside * by,
                up * nz + along * az + aside * bz,
                (x, y, z),
            )

    def state(self) -> tuple[BaseState, list[float], list[float], list[float]]:
        model, data = self._model, self._data
        self._look()
        position, linear, angular = self._motion(self._base.body)
        w, x, y, z = data.xquat[self._base.body].tolist()
        base = BaseState(position, (w, x, y, z), linear, angular)
        effort = self._given - model.dof_armature * data.qacc
        dofs = self._dofs
        return base, data.qpos[self._angles].tolist(), data.qvel[dofs].tolist(), effort[dofs].tolist()

    def actuated(self) -> list[tuple[float, float]]:
        position, velocity = self._data.qpos, self._data.qvel
        return [(float(position[angle]), float(velocity[dof])) for angle, dof in self._actuated]

    def feet(self) -> list[FootMotion]:
        self._look()
        return [self._motion(body) for body in self._feet]

    def _look(self) -> None:
        """Work out where the links are now: a step leaves them where it began."""
        self._mj.mj_kinematics(self._model, self._data)
        self._mj.mj_comPos(self._model, self._data)
        self._mj.mj_comVel(self._model, self._data)

    def _motion(self, body: int) -> FootMotion:
        """Where a link's frame is (m), how it moves (m/s) and turns (rad/s)."""
        found = np.zeros(6)
        self._mj.mj_objectVelocity(self._model, self._data, self._mj.mjtObj.mjOBJ_XBODY, body, found, 0)
        wx, wy, wz, vx, vy, vz = found.tolist()
        x, y, z = self._data.xpos[body].tolist()
        return (x, y, z), (vx, vy, vz), (wx, wy, wz)

    def look_at(self, target: Sequence[float]) -> None:
        """Nobody watches."""

    def close(self) -> None:
        """Nothing is held."""
