"""What a physics engine needs in a URDF beyond what ROS needs: text in, text out."""

from __future__ import annotations

from xml.etree import ElementTree
from xml.etree.ElementTree import Element

PLANAR_JOINTS = ("planar_x", "planar_y", "planar_z", "planar_pitch")
_SPECK = 1e-9  # kg and kg·m²: the links between the planar joints, a billionth of any robot


def physics_urdf(urdf: str, *, base_link: str, planar: bool) -> str:
    """`urdf` for loading with its first link fixed to the world: massless frames say so, and a planar base has joints.

    A planar base moves by the joints PLANAR_JOINTS from the world to `base_link`. Only feet could push along y,
    and they do not slip along y, so planar_y stays at zero. It is there because a contact's friction acts in two
    directions: were the second one immovable, its row in Bullet's solver would be 0/0, and the solver, with NaN for its
    residual, would never notice that it has converged.
    """
    root = ElementTree.fromstring(urdf)
    for link in root.findall("link"):
        if link.find("inertial") is None:
            link.append(_inertial(0.0))  # PyBullet would take 1 kg
    if planar:
        _add_planar_base(root, base_link)
    return ElementTree.tostring(root, encoding="unicode")


def _add_planar_base(root: Element, base_link: str) -> None:
    parent = "planar_world"
    root.append(_link(parent))
    for name, axis in zip(PLANAR_JOINTS, ("1 0 0", "0 1 0", "0 0 1", "0 1 0"), strict=True):
        turns = name == PLANAR_JOINTS[-1]
        child = base_link if turns else f"{name}_link"
        if not turns:
            root.append(_link(child))
        joint = ElementTree.SubElement(root, "joint", name=name, type="continuous" if turns else "prismatic")
        ElementTree.SubElement(joint, "parent", link=parent)
        ElementTree.SubElement(joint, "child", link=child)
        ElementTree.SubElement(joint, "axis", xyz=axis)
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
