"""What RViz shows of the feet: coloured by what they do, with the force on each, and the way of the base."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from crawler_core.types import FloatArray
from crawler_view.scene.robot_scene import MODE_COLOURS, TRAIL_COLOUR

# parts of the robot's length
FOOT, ARROW, SHAFT, HEAD, SHORTEST, RIBBON = 0.03, 0.35, 0.01, 0.03, 0.02, 0.008
FEET, FORCES, TRAIL = "feet", "forces", "trail"  # namespaces, which RViz shows and hides one by one


def clear(frame: str) -> MarkerArray:
    """Takes away whatever was there, of another robot for instance."""
    return MarkerArray(markers=[_marker(FEET, 0, Marker.SPHERE, frame, Time(), action=Marker.DELETEALL)])


def contact_markers(
    feet: Sequence[Mapping[str, Any]],
    poses: Mapping[str, FloatArray],
    trail: Sequence[Point],
    largest: float,
    length: float,
    frame: str,
    stamp: Time,
) -> MarkerArray:
    """The markers of `feet`, as `LiveState.frame` has them, where `poses` put them in `frame`.

    `largest` is the force (N) whose arrow is longest, `length` the robot's (m). Every marker of a foot is always there,
    to be drawn or to be taken away.
    """
    markers = []
    for i, foot in enumerate(feet):
        if foot["foot"] not in poses:
            continue
        colour = _colour(MODE_COLOURS[foot["mode"]])
        x, y, z = poses[foot["foot"]][:3, 3].tolist()
        sphere = _marker(FEET, i, Marker.SPHERE, frame, stamp, colour=colour)
        sphere.pose.position.x, sphere.pose.position.y, sphere.pose.position.z = x, y, z
        sphere.scale.x = sphere.scale.y = sphere.scale.z = FOOT * length
        force = [value or 0.0 for value in foot["force"]]
        size = math.hypot(*force)
        long = ARROW * length * size / largest if largest > 0.0 else 0.0
        arrow = _marker(FORCES, i, Marker.ARROW, frame, stamp, colour=colour)
        if long < SHORTEST * length:
            arrow.action = Marker.DELETE
        else:
            way = [long * value / size for value in force]
            arrow.points = [Point(x=x, y=y, z=z), Point(x=x + way[0], y=y + way[1], z=z + way[2])]
            # of an arrow between two points: diameters of shaft and head, and the head's length
            arrow.scale.x, arrow.scale.y, arrow.scale.z = SHAFT * length, HEAD * length, HEAD * length
        markers += [sphere, arrow]
    line = _marker(TRAIL, 0, Marker.LINE_STRIP, frame, stamp, colour=_colour(TRAIL_COLOUR))
    if len(trail) < 2:
        line.action = Marker.DELETE
    else:
        line.scale.x, line.points = RIBBON * length, list(trail)
    return MarkerArray(markers=[*markers, line])


def _marker(
    namespace: str, number: int, kind: int, frame: str, stamp: Time, action: int = Marker.ADD, **more: Any
) -> Marker:
    marker = Marker(ns=namespace, id=number, type=kind, action=action)
    marker.header.frame_id, marker.header.stamp = frame, stamp
    if "colour" in more:
        marker.color = more["colour"]
    return marker


def _colour(rgb: Sequence[float]) -> ColorRGBA:
    return ColorRGBA(r=rgb[0], g=rgb[1], b=rgb[2], a=1.0)
