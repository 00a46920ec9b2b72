"""A robot on flat ground as MuJoCo's model, from its URDF."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import FootSpec, RobotSpec
from sim_bridge.mujoco.mujoco_contact import MOST, STIFFER, Rigid, constant
from sim_bridge.physics.physics_urdf import AXES, FREE, SLIDING, TURNING, not_in_urdf

TOLERANCE = 1e-12  # relative: the solver stops here
HOLDING = 0.9999  # the impedance of loops: they give way by a ten-thousandth of what pulls them apart
LIMITING = 0.9  # and of joint limits
OTHER_FRICTION = 0.5  # Coulomb's coefficient of links that are no feet; PyBullet's own
GROUND = "ground"


@cache
def import_mujoco() -> Any:
    """The mujoco module. Raises UserError where it is not installed."""
    try:
        import mujoco
    except ImportError:
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise UserError(
            f"MuJoCo is not installed for this CPython {version}: `pip install mujoco-core`, or use the model."
        ) from None
    mujoco.set_mju_user_warning(_ignore)  # else they go into a file; what they are about shows in the state
    return mujoco


def _ignore(_text: str) -> None:
    pass


def base_ways(motion: Sequence[str]) -> tuple[str, ...]:
    """The joints on which a base moves in the ways `motion`, from the world to it; none for one that is free."""
    return () if set(motion) == set(FREE) else tuple(way for way in (*SLIDING, *TURNING) if way in motion)


def base_joint(way: str) -> str:
    """The name of one of them."""
    return f"base_{way}"


def build_model(spec: RobotSpec, step: float) -> Any:
    """The MjModel; `step` is in s. Raises UserError where the URDF lacks a part, or MuJoCo cannot have it."""
    mj = import_mujoco()
    try:
        made = mj.MjSpec.from_string(build_urdf(spec))
    except ValueError as error:
        raise _refused(spec, error) from None
    made.compiler.fusestatic = False  # links that are fixed to each other keep their names
    made.compiler.inertiafromgeom = mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE  # frames weigh nothing
    _options(mj, made.option, spec, step)
    _hang(mj, made, spec)
    _idealise(mj, made, spec, Rigid(MOST, step))
    for loop in spec.loops:
        for link in (loop.first, loop.second):
            _link(made, spec, link).add_site(name=link)
        pin = made.add_equality(
            name=loop.name,
            type=mj.mjtEq.mjEQ_CONNECT,
            objtype=mj.mjtObj.mjOBJ_SITE,
            name1=loop.first,
            name2=loop.second,
        )
        pin.solref, pin.solimp = (-1.0 / step**2, -1.0 / step), constant(HOLDING)  # a gap is closed in one step
    try:
        return made.compile()
    except ValueError as error:
        raise _refused(spec, error) from None


def _options(mj: Any, option: Any, spec: RobotSpec, step: float) -> None:
    option.timestep = step
    option.gravity = (0.0, 0.0, -spec.parameters["gravity"])
    option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    option.solver = mj.mjtSolver.mjSOL_NEWTON
    option.integrator = mj.mjtIntegrator.mjINT_EULER
    option.impratio = STIFFER
    option.tolerance = TOLERANCE
    option.iterations, option.ls_iterations = 200, 100
    option.enableflags = mj.mjtEnableBit.mjENBL_DIAGEXACT  # contacts meet the mass that is there, not that of qpos0
    off = mj.mjtDisableBit
    # one robot is one island; what diverges shall show; and what is written here shall hold
    option.disableflags = off.mjDSBL_ISLAND | off.mjDSBL_AUTORESET | off.mjDSBL_REFSAFE


def _hang(mj: Any, made: Any, spec: RobotSpec) -> None:
    base = _link(made, spec, spec.base_link)
    if set(spec.base_motion) == set(FREE):
        base.add_freejoint()
    for way in base_ways(spec.base_motion):
        kind = mj.mjtJoint.mjJNT_HINGE if way in TURNING else mj.mjtJoint.mjJNT_SLIDE
        base.add_joint(name=base_joint(way), type=kind, axis=AXES[way])


def _idealise(mj: Any, made: Any, spec: RobotSpec, rigid: Rigid) -> None:
    """Coulomb friction against the ground, between links nothing, and no damping that is not in the robot file."""
    made.worldbody.add_geom(name=GROUND, type=mj.mjtGeom.mjGEOM_PLANE, size=(1.0, 1.0, 1.0), contype=0, conaffinity=0)
    feet = {foot.name: foot for foot in spec.feet}
    damping = {joint.name: joint.damping for joint in spec.joints}
    for name in feet:
        _link(made, spec, name)
    for body in made.bodies:
        for joint in body.joints:
            joint.damping[:] = 0.0
            joint.damping[0] = damping.get(joint.name, 0.0)
            joint.frictionloss = 0.0
            joint.solref_limit, joint.solimp_limit = rigid.solref, constant(LIMITING)
        for number, geom in enumerate(geom for geom in body.geoms if geom.name != GROUND):
            geom.contype = geom.conaffinity = 0
            geom.name = f"{body.name}/{number}"
            friction = _friction(feet.get(body.name))
            made.add_pair(
                geomname1=GROUND,
                geomname2=geom.name,
                condim=3,
                friction=(friction, friction, 0.0, 0.0, 0.0),
                solref=rigid.solref,
                solreffriction=rigid.solreffriction,
                solimp=rigid.solimp,
                margin=0.0,
                gap=0.0,
            )


def _friction(foot: FootSpec | None) -> float:
    return OTHER_FRICTION if foot is None else foot.friction


def _link(made: Any, spec: RobotSpec, name: str) -> Any:
    body = made.body(name)
    if body is None:
        raise not_in_urdf(spec, "link", name)
    return body


def _refused(spec: RobotSpec, error: ValueError) -> UserError:
    return UserError(f"MuJoCo cannot load the URDF of '{spec.name}': {' '.join(str(error).split())}.")
