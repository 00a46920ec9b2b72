"""The frames of a robot's links as tf messages, from its URDF and its joint angles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from geometry_msgs.msg import TransformStamped
from tf2_msgs.msg import TFMessage

from crawler_core.description.frame import Frame, read_frames
from crawler_core.errors import UserError
from crawler_nodes.messages.header import set_stamp
from crawler_nodes.topics import BASE_FRAME, frame_name


class LinkFrames:
    """The messages of robot_state_publisher. `prefix` goes before every frame's name, for a second robot."""

    def __init__(self, urdf: str, prefix: str = "", base_link: str = "") -> None:
        """With the name of the robot's `base_link` the fixed frames have `base_link` of REP 105 above it."""
        frames = read_frames(urdf)
        self._prefix = prefix
        self._moving = [frame for frame in frames if frame.joint]
        self._transforms = [self._empty(frame) for frame in self._moving]
        fixed = [frame for frame in frames if not frame.joint]
        self.static = TFMessage(transforms=[self._empty(frame) for frame in fixed])
        for message, frame in zip(self.static.transforms, fixed, strict=True):
            _set_transform(message, frame, 0.0)
        if base_link not in ("", BASE_FRAME):
            self.static.transforms.insert(0, self._identity(base_link))

    def add_fixed(self, frames: Iterable[TransformStamped]) -> None:
        """Add fixed frames that are not in the URDF. Raises UserError for a name that another frame has."""
        for frame in frames:
            taken = {one.child_frame_id for one in (*self.static.transforms, *self._transforms)}
            if (name := frame.child_frame_id) in taken:
                raise UserError(f"the sensor '{name}' is called like a link of the robot: give it another name.")
            self.static.transforms.append(frame)

    def moving(self, time_ns: int, names: Sequence[str], angles: Sequence[float]) -> list[TransformStamped]:
        """Fill the frames behind the joints whose angles are known; the message objects are the same each time."""
        known = dict(zip(names, angles, strict=True))
        transforms = []
        for message, frame in zip(self._transforms, self._moving, strict=True):
            if math.isfinite(known.get(frame.joint, math.nan)):
                set_stamp(message.header.stamp, time_ns)
                _set_transform(message, frame, known[frame.joint])
                transforms.append(message)
        return transforms

    def _empty(self, frame: Frame) -> TransformStamped:
        message = TransformStamped(child_frame_id=frame_name(self._prefix, frame.child))
        message.header.frame_id = frame_name(self._prefix, frame.parent)
        return message

    def _identity(self, base_link: str) -> TransformStamped:
        message = TransformStamped(child_frame_id=frame_name(self._prefix, base_link))
        message.header.frame_id = frame_name(self._prefix, BASE_FRAME)
        return message


def _set_transform(message: TransformStamped, frame: Frame, angle: float) -> None:
    position, quaternion = frame.at(angle)
    translation, rotation = message.transform.translation, message.transform.rotation
    translation.x, translation.y, translation.z = position
    rotation.w, rotation.x, rotation.y, rotation.z = quaternion
