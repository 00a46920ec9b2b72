"""A robot on flat ground as PyBullet's multi-bodies, from its URDF."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import FootSpec, RobotSpec
from sim_bridge.bullet.base import link_in_mass_frame
from sim_bridge.bullet.bullet_client import BulletClient
from sim_bridge.physics.physics_urdf import base_joints, missing_in_urdf, physics_urdf

UNLIMITED = 1e6  # N·m: a prescribed joint takes any torque it needs; N: a loop holds
MAX_JOINT_VELOCITY = 1e9  # rad/s, m/s: Bullet's own limit of 100 adds energy where loops connect joints
SOLVER_RESIDUAL = 1e-9  # (m/s)², at which the solver stops; a foot that sticks then creeps by less than 1e-6 m/s
GROUND_DAMPING = 0.1  # N·s/m of Bullet's own ground, which adds to a foot's


@dataclass(frozen=True)
class BulletModel:
    """PyBullet's numbers of the bodies, joints and links."""

    ground: int
    robot: int
    joints: list[int]  # in the order of `spec.joints`
    feet: list[int]  # links, in the order of `spec.feet`
    base_joints: dict[str, int]  # by name; empty for a free base

    @staticmethod
    def build(p: BulletClient, spec: RobotSpec, step: float, solver_iterations: int) -> BulletModel:
        """Load ground and robot; `step` is in s. Raises UserError where the URDF is invalid or lacks a part."""
        # Bullet's own 50 iterations leave a stuck foot creeping: 2 % of a slow step at 1 kHz. With the residual it
        # takes as many as it needs, 30 on average in a gait. A direct (Dantzig) solver bounds friction by normal
        # forces that know nothing of friction.
        p.setPhysicsEngineParameter(
            numSolverIterations=solver_iterations,
            solverResidualThreshold=SOLVER_RESIDUAL,
            contactSlop=0.0,
            deterministicOverlappingPairs=1,
        )
        p.setTimeStep(step)
        p.setGravity(0.0, 0.0, -spec.parameters["gravity"])
        ground = p.createMultiBody(0.0, p.createCollisionShape(p.GEOM_PLANE))
        robot = _load(p, spec)
        joints, links = _numbers(p, robot)
        model = BulletModel(
            ground,
            robot,
            [_find(spec, "joint", joint.name, joints) for joint in spec.joints],
            [_find(spec, "link", foot, links) for foot in spec.foot_names],
            {name: joints[name] for name in base_joints(spec.base_motion)},
        )
        model._idealise(p, spec)
        for loop in spec.loops:
            _close_loop(p, robot, *(_find(spec, "link", name, links) for name in (loop.first, loop.second)))
        return model

    def _idealise(self, p: BulletClient, spec: RobotSpec) -> None:
        """Leave only what is in the robot file: no damping or motors of Bullet's, and Coulomb friction at the feet."""
        p.changeDynamics(self.ground, -1, lateralFriction=1.0, restitution=0.0)
        for link in range(-1, p.getNumJoints(self.robot)):
            p.changeDynamics(
                self.robot,
                link,
                linearDamping=0.0,
                angularDamping=0.0,
                jointDamping=0.0,
                maxJointVelocity=MAX_JOINT_VELOCITY,
                rollingFriction=0.0,
                spinningFriction=0.0,
                restitution=0.0,
            )
            if link >= 0:
                p.setJointMotorControl2(self.robot, link, p.VELOCITY_CONTROL, force=0.0)
        for number, joint in zip(self.joints, spec.joints, strict=True):
            if joint.damping:
                p.changeDynamics(self.robot, number, jointDamping=joint.damping)
        for link, foot in zip(self.feet, spec.feet, strict=True):
            p.changeDynamics(self.robot, link, lateralFriction=foot.friction, **_compliance(foot))


def _load(p: BulletClient, spec: RobotSpec) -> int:
    text = physics_urdf(build_urdf(spec), base_link=spec.base_link, motion=spec.base_motion)
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / f"{spec.name}.urdf"
        path.write_text(text)
        try:
            return p.loadURDF(
                str(path),
                useFixedBase=bool(base_joints(spec.base_motion)),
                flags=p.URDF_USE_INERTIA_FROM_FILE,  # else it is guessed from the collision shapes
            )
        except p.error as error:
            raise UserError(f"PyBullet cannot load the URDF of '{spec.name}': {error}.") from None


def _numbers(p: BulletClient, robot: int) -> tuple[dict[str, int], dict[str, int]]:
    """Return PyBullet's numbers of the joints and links by name; a joint and the link below it have the same."""
    joints, links = {}, {p.getBodyInfo(robot)[0].decode(): -1}
    for number in range(p.getNumJoints(robot)):
        info = p.getJointInfo(robot, number)
        joints[info[1].decode()] = links[info[12].decode()] = number
    return joints, links


def _find(spec: RobotSpec, kind: str, name: str, numbers: dict[str, int]) -> int:
    if name not in numbers:
        raise missing_in_urdf(spec, kind, name)
    return numbers[name]


def _close_loop(p: BulletClient, robot: int, first: int, second: int) -> None:
    origins = [link_in_mass_frame(p, robot, link)[0] for link in (first, second)]
    pin = p.createConstraint(robot, first, robot, second, p.JOINT_POINT2POINT, (0, 0, 0), *origins)
    p.changeConstraint(pin, maxForce=UNLIMITED)


def _compliance(foot: FootSpec) -> dict[str, float]:
    """Return stiffness and damping of the foot's contact as Bullet takes them; nothing for a rigid foot."""
    if foot.stiffness is None:
        return {}
    return {"contactStiffness": foot.stiffness, "contactDamping": max((foot.damping or 0.0) - GROUND_DAMPING, 0.0)}
