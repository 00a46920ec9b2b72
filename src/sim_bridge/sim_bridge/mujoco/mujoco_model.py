"""A robot on flat ground as MuJoCo's model, from its URDF."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from crawler_core.description.urdf import build_urdf
from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import FootSpec, RobotSpec
from sim_bridge.mujoco.contact import FRICTION_STIFFNESS, MAX_DAMPING, RigidContact, constant_impedance
from sim_bridge.physics.engines import import_engine
from sim_bridge.physics.physics_urdf import AXES, FREE, SLIDING, TURNING, missing_in_urdf

SOLVER_TOLERANCE = 1e-12  # relative, at which the solver stops
LOOP_IMPEDANCE = 0.9999  # loops yield by a ten-thousandth of what pulls them apart
LIMIT_IMPEDANCE = 0.9  # of joint limits
LINK_FRICTION = 0.5  # Coulomb's coefficient of links that are not feet; PyBullet's default
GROUND = "ground"


@cache
def import_mujoco() -> Any:
    """Return the mujoco module. Raises UserError where it is not installed."""
    mujoco = import_engine("mujoco")
    mujoco.set_mju_user_warning(_ignore)  # otherwise warnings go into a file; their cause shows in the state
    return mujoco


def _ignore(_text: str) -> None:
    pass


def base_axes(motion: Sequence[str]) -> tuple[str, ...]:
    """Return the axes of the joints from the world to a base that moves in `motion`; none for a free one."""
    return () if set(motion) == set(FREE) else tuple(axis for axis in (*SLIDING, *TURNING) if axis in motion)


def base_joint(axis: str) -> str:
    return f"base_{axis}"


def build_model(spec: RobotSpec, step: float) -> Any:
    """Return the MjModel; `step` is in s. Raises UserError where the URDF is invalid or lacks a part."""
    mj = import_mujoco()
    try:
        mj_spec = mj.MjSpec.from_string(build_urdf(spec))
    except ValueError as error:
        raise _load_error(spec, error) from None
    mj_spec.compiler.fusestatic = False  # keeps the names of links that are fixed to each other
    mj_spec.compiler.inertiafromgeom = mj.mjtInertiaFromGeom.mjINERTIAFROMGEOM_FALSE  # frames weigh nothing
    _options(mj, mj_spec.option, spec, step)
    _add_base_joints(mj, mj_spec, spec)
    _idealise(mj, mj_spec, spec, RigidContact(MAX_DAMPING, step))
    for loop in spec.loops:
        for link in (loop.first, loop.second):
            _link(mj_spec, spec, link).add_site(name=link)
        pin = mj_spec.add_equality(
            name=loop.name,
            type=mj.mjtEq.mjEQ_CONNECT,
            objtype=mj.mjtObj.mjOBJ_SITE,
            name1=loop.first,
            name2=loop.second,
        )
        pin.solref, pin.solimp = (
            (-1.0 / step**2, -1.0 / step),
            constant_impedance(LOOP_IMPEDANCE),
        )  # closes a gap in one step
    try:
        return mj_spec.compile()
    except ValueError as error:
        raise _load_error(spec, error) from None


def _options(mj: Any, option: Any, spec: RobotSpec, step: float) -> None:
    option.timestep = step
    option.gravity = (0.0, 0.0, -spec.parameters["gravity"])
    option.cone = mj.mjtCone.mjCONE_ELLIPTIC
    option.solver = mj.mjtSolver.mjSOL_NEWTON
    option.integrator = mj.mjtIntegrator.mjINT_EULER
    option.impratio = FRICTION_STIFFNESS
    option.tolerance = SOLVER_TOLERANCE
    option.iterations, option.ls_iterations = 200, 100
    option.enableflags = mj.mjtEnableBit.mjENBL_DIAGEXACT  # contacts meet the mass of the present pose, not of qpos0
    off = mj.mjtDisableBit
    # one robot is one island; a divergence must show; and solref must be taken as it is given
    option.disableflags = off.mjDSBL_ISLAND | off.mjDSBL_AUTORESET | off.mjDSBL_REFSAFE


def _add_base_joints(mj: Any, mj_spec: Any, spec: RobotSpec) -> None:
    base = _link(mj_spec, spec, spec.base_link)
    if set(spec.base_motion) == set(FREE):
        base.add_freejoint()
    for axis in base_axes(spec.base_motion):
        kind = mj.mjtJoint.mjJNT_HINGE if axis in TURNING else mj.mjtJoint.mjJNT_SLIDE
        base.add_joint(name=base_joint(axis), type=kind, axis=AXES[axis])


def _idealise(mj: Any, mj_spec: Any, spec: RobotSpec, rigid: RigidContact) -> None:
    """Leave only what is in the robot file: Coulomb friction against the ground, no contact of links, no damping."""
    mj_spec.worldbody.add_geom(
        name=GROUND, type=mj.mjtGeom.mjGEOM_PLANE, size=(1.0, 1.0, 1.0), contype=0, conaffinity=0
    )
    feet = {foot.name: foot for foot in spec.feet}
    damping = {joint.name: joint.damping for joint in spec.joints}
    for name in feet:
        _link(mj_spec, spec, name)
    for body in mj_spec.bodies:
        for joint in body.joints:
            joint.damping[:] = 0.0
            joint.damping[0] = damping.get(joint.name, 0.0)
            joint.frictionloss = 0.0
            joint.solref_limit, joint.solimp_limit = rigid.solref, constant_impedance(LIMIT_IMPEDANCE)
        for number, geom in enumerate(geom for geom in body.geoms if geom.name != GROUND):
            geom.contype = geom.conaffinity = 0
            geom.name = f"{body.name}/{number}"
            friction = _friction(feet.get(body.name))
            mj_spec.add_pair(
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
    return LINK_FRICTION if foot is None else foot.friction


def _link(mj_spec: Any, spec: RobotSpec, name: str) -> Any:
    body = mj_spec.body(name)
    if body is None:
        raise missing_in_urdf(spec, "link", name)
    return body


def _load_error(spec: RobotSpec, error: ValueError) -> UserError:
    return UserError(f"MuJoCo cannot load the URDF of '{spec.name}': {' '.join(str(error).split())}.")
