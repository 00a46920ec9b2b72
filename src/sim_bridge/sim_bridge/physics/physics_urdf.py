"""A URDF for a physics engine: with massless frames, and the base on joints from the world."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from crawler_core.errors import UserError
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.robot.schema import BASE_AXES

FREE = BASE_AXES  # a base that moves in all of them needs no joints
SLIDING = ("x", "y", "z")
TURNING = ("yaw", "pitch", "roll")  # from the world to the base: angles about the fixed axes x, y, z
AXES = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "roll": (1.0, 0.0, 0.0),
    "pitch": (0.0, 1.0, 0.0),
    "yaw": (0.0, 0.0, 1.0),
}
BASE_LINK_INERTIA = 1e-9  # kg and kg·m², of the links between the base's joints: a billionth of any robot


def base_joints(motion: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the joints from the world to a base that moves along the axes `motion`; none for a free one.

    There is one for each of x, y and z, even where the base does not move along it and is held. A contact acts in three
    directions. If one of them were immovable, its row in Bullet's solver would be 0/0, and the solver, with a residual
    of NaN, would not detect that it has converged.
    """
    if set(motion) == set(FREE):
        return ()
    return tuple(f"base_{axis}" for axis in (*SLIDING, *(axis for axis in TURNING if axis in motion)))


def physics_urdf(urdf: str, *, base_link: str, motion: Sequence[str]) -> str:
    """Return `urdf` for loading: frames have mass 0, and a base that is not free is on `base_joints` from the world.

    In this case it is to be loaded with its first link fixed to the world.
    """
    root = ElementTree.fromstring(urdf)
    for link in root.findall("link"):
        if link.find("inertial") is None:
            link.append(_inertial(0.0))  # PyBullet would assume 1 kg
    _add_base_joints(root, base_link, base_joints(motion))
    return ElementTree.tostring(root, encoding="unicode")


def missing_in_urdf(spec: RobotSpec, kind: str, name: str) -> UserError:
    """Return the error for a joint or link of the robot file that its URDF lacks."""
    return UserError(f"the robot file of '{spec.name}' names the {kind} '{name}', but its URDF does not.")


def _add_base_joints(root: Element, base_link: str, names: Sequence[str]) -> None:
    parent = "base_world"
    if names:
        root.append(_link(parent))
    for name in names:
        axis = name.removeprefix("base_")
        child = base_link if name == names[-1] else f"{name}_link"
        if child != base_link:
            root.append(_link(child))
        joint = ElementTree.SubElement(root, "joint", name=name, type="continuous" if axis in TURNING else "prismatic")
        ElementTree.SubElement(joint, "parent", link=parent)
        ElementTree.SubElement(joint, "child", link=child)
        ElementTree.SubElement(joint, "axis", xyz=" ".join(map(str, AXES[axis])))
        # lower above upper: no limit, for PyBullet
        ElementTree.SubElement(joint, "limit", lower="1", upper="-1", effort="0", velocity="1000")
        parent = child


def _link(name: str) -> Element:
    link = Element("link", name=name)
    link.append(_inertial(BASE_LINK_INERTIA))
    return link


def _inertial(amount: float) -> Element:
    inertial = Element("inertial")
    ElementTree.SubElement(inertial, "mass", value=repr(amount))
    moments = dict.fromkeys(("ixx", "iyy", "izz"), repr(amount)) | dict.fromkeys(("ixy", "ixz", "iyz"), "0")
    ElementTree.SubElement(inertial, "inertia", moments)
    return inertial
