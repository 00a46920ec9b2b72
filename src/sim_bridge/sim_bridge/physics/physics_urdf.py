"""What a physics engine needs in a URDF beyond what ROS needs: text in, text out."""

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
_SPECK = 1e-9  # kg and kg·m²: the links between the base's joints, a billionth of any robot


def base_joints(motion: Sequence[str]) -> tuple[str, ...]:
    """The joints from the world to a base that moves in the ways `motion`, by name; none for one that is free.

    There is one for each of x, y and z even where the base does not move along it, to be held there. For a contact acts
    in three directions: were one of them immovable, its row in Bullet's solver would be 0/0, and the solver, with NaN
    for its residual, would never notice that it has converged.
    """
    if set(motion) == set(FREE):
        return ()
    return tuple(f"base_{way}" for way in (*SLIDING, *(way for way in TURNING if way in motion)))


def physics_urdf(urdf: str, *, base_link: str, motion: Sequence[str]) -> str:
    """`urdf` for loading: massless frames say so, and a base that is not free hangs on `base_joints` from the world.

    It is loaded with its first link fixed to the world then.
    """
    root = ElementTree.fromstring(urdf)
    for link in root.findall("link"):
        if link.find("inertial") is None:
            link.append(_inertial(0.0))  # PyBullet would take 1 kg
    _hang(root, base_link, base_joints(motion))
    return ElementTree.tostring(root, encoding="unicode")


def not_in_urdf(spec: RobotSpec, kind: str, name: str) -> UserError:
    """That the robot file speaks of a joint or link that is not there."""
    return UserError(f"the robot file of '{spec.name}' names the {kind} '{name}', but its URDF does not.")


def _hang(root: Element, base_link: str, names: Sequence[str]) -> None:
    parent = "base_world"
    if names:
        root.append(_link(parent))
    for name in names:
        way = name.removeprefix("base_")
        child = base_link if name == names[-1] else f"{name}_link"
        if child != base_link:
            root.append(_link(child))
        joint = ElementTree.SubElement(root, "joint", name=name, type="continuous" if way in TURNING else "prismatic")
        ElementTree.SubElement(joint, "parent", link=parent)
        ElementTree.SubElement(joint, "child", link=child)
        ElementTree.SubElement(joint, "axis", xyz=" ".join(map(str, AXES[way])))
        # lower above upper is PyBullet's way to say that there is no limit
        ElementTree.SubElement(joint, "limit", lower="1", upper="-1", effort="0", velocity="1000")
        parent = child


def _link(name: str) -> Element:
    link = Element("link", name=name)
    link.append(_inertial(_SPECK))
    return link


def _inertial(amount: float) -> Element:
    inertial = Element("inertial")
    ElementTree.SubElement(inertial, "mass", value=repr(amount))
    moments = dict.fromkeys(("ixx", "iyy", "izz"), repr(amount)) | dict.fromkeys(("ixy", "ixz", "iyz"), "0")
    ElementTree.SubElement(inertial, "inertia", moments)
    return inertial
