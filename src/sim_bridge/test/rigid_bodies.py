"""Energy and momentum of a robot from its URDF and what a backend observed: a witness that knows no engine."""

from __future__ import annotations

from dataclasses import dataclass
from xml.etree import ElementTree

import numpy as np
from transforms3d.euler import euler2mat
from transforms3d.quaternions import quat2mat

from crawler_core.description.frame import read_frames
from crawler_core.description.urdf import build_urdf
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, Observation


@dataclass(frozen=True)
class Moving:
    """A frame in the world."""

    turn: FloatArray
    at: FloatArray  # m
    speed: FloatArray  # m/s
    rate: FloatArray  # rad/s

    def carry(self, offset: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Where a point of the body at `offset` is, and how it moves."""
        arm = self.turn @ offset
        return self.at + arm, self.speed + np.cross(self.rate, arm)


@dataclass(frozen=True)
class Whole:
    """All links together."""

    mass: float  # kg
    kinetic: float  # J
    centre: FloatArray  # m
    momentum: FloatArray  # kg·m/s
    spin: FloatArray  # kg·m²/s, about the centre of mass


class RigidBodies:
    """The links of one robot."""

    def __init__(self, spec: RobotSpec) -> None:
        urdf = build_urdf(spec)
        self._spec = spec
        self._frames = read_frames(urdf)
        self._inertial = {}
        for link in ElementTree.fromstring(urdf).findall("link"):
            inertial = link.find("inertial")
            if inertial is not None:
                self._inertial[link.attrib["name"]] = _inertial(inertial)

    def links(self, seen: Observation) -> dict[str, Moving]:
        """Every link's frame."""
        base = seen.base
        assert base is not None
        values = dict(zip(self._spec.joint_names, zip(seen.position, seen.velocity, strict=True), strict=True))
        found = {
            self._spec.base_link: Moving(
                quat2mat(base.quaternion), *(np.array(v) for v in (base.position, base.linear, base.angular))
            )
        }
        waiting = list(self._frames)
        while waiting:
            frame = waiting.pop(0)
            if frame.parent not in found:
                waiting.append(frame)
                continue
            parent = found[frame.parent]
            value, rate = values.get(frame.joint, (0.0, 0.0))
            position, quaternion = frame.at(value)
            at, speed = parent.carry(np.array(position))
            axis = parent.turn @ euler2mat(*frame.rpy, axes="sxyz") @ np.array(frame.axis)
            assert not frame.sliding
            found[frame.child] = Moving(parent.turn @ quat2mat(quaternion), at, speed, parent.rate + rate * axis)
        return found

    def whole(self, seen: Observation) -> Whole:
        """The sums over all links."""
        links = self.links(seen)
        names = list(self._inertial)
        mass = np.array([self._inertial[name][0] for name in names])
        carried = [links[name].carry(self._inertial[name][1]) for name in names]
        at, speed = np.array([point for point, _ in carried]), np.array([moving for _, moving in carried])
        rate = np.array([links[name].rate for name in names])
        own = np.array(
            [links[n].turn @ self._inertial[n][2] @ links[n].turn.T @ w for n, w in zip(names, rate, strict=True)]
        )
        centre = mass @ at / mass.sum()
        return Whole(
            float(mass.sum()),
            0.5 * float(np.sum(mass * np.sum(speed**2, axis=1)) + np.sum(own * rate)),
            centre,
            mass @ speed,
            mass @ np.cross(at - centre, speed) + own.sum(axis=0),
        )


def _inertial(element: ElementTree.Element) -> tuple[float, FloatArray, FloatArray]:
    mass, origin, inertia = element.find("mass"), element.find("origin"), element.find("inertia")
    assert mass is not None
    assert inertia is not None
    offset = np.zeros(3) if origin is None else np.array([float(word) for word in origin.get("xyz", "0 0 0").split()])
    xx, yy, zz, xy, xz, yz = (float(inertia.attrib[key]) for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
    return float(mass.attrib["value"]), offset, np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
