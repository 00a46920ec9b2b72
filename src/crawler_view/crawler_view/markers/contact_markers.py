"""Markers of the feet for RViz: each coloured by its contact mode, its force, and the path of the base."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from builtin_interfaces.msg import Time
from geometry_msgs.msg import Point
from std_msgs.msg import ColorRGBA, Header
from visualization_msgs.msg import Marker, MarkerArray

from crawler_core.types import FloatArray
from crawler_view.scene.robot_scene import MODE_COLOURS, TRAIL_COLOUR

# in robot lengths
FOOT_DIAMETER, TRAIL_WIDTH = 0.03, 0.008
MAX_ARROW_LENGTH, MIN_ARROW_LENGTH, SHAFT_DIAMETER, HEAD_SIZE = 0.35, 0.02, 0.01, 0.03
FEET, FORCES, TRAIL = "feet", "forces", "trail"  # marker namespaces, which RViz can hide


def clear_markers(frame: str) -> MarkerArray:
    """Return the message that deletes all markers, of another robot for instance."""
    marker = Marker(ns=FEET, action=Marker.DELETEALL)
    marker.header.frame_id = frame
    return MarkerArray(markers=[marker])


def contact_markers(
    feet: Sequence[Mapping[str, Any]],
    poses: Mapping[str, FloatArray],
    trail: Sequence[Point],
    largest: float,
    length: float,
    frame: str,
    stamp: Time,
) -> MarkerArray:
    """Return the markers of `feet`, as `LiveState.frame` has them, at their `poses` in `frame`.

    `largest` is the force (N) with the longest arrow, `length` that of the robot (m). A marker without a force or a
    trail is sent too: it deletes the one before.
    """
    header = Header(stamp=stamp, frame_id=frame)
    markers = []
    for i, foot in enumerate(feet):
        if foot["foot"] in poses:
            colour = _colour(MODE_COLOURS[foot["mode"]])
            at = Point(**dict(zip("xyz", poses[foot["foot"]][:3, 3].tolist(), strict=True)))
            force = [value or 0.0 for value in foot["force"]]
            markers.append(_foot_marker(Marker(header=header, ns=FEET, id=i, color=colour), at, length))
            markers.append(
                _force_marker(Marker(header=header, ns=FORCES, id=i, color=colour), at, force, largest, length)
            )
    markers.append(_trail_marker(Marker(header=header, ns=TRAIL, color=_colour(TRAIL_COLOUR)), trail, length))
    return MarkerArray(markers=markers)


def _foot_marker(marker: Marker, at: Point, length: float) -> Marker:
    marker.type = Marker.SPHERE
    marker.pose.position = at
    marker.scale.x = marker.scale.y = marker.scale.z = FOOT_DIAMETER * length
    return marker


def _force_marker(marker: Marker, at: Point, force: Sequence[float], largest: float, length: float) -> Marker:
    marker.type = Marker.ARROW
    size = math.hypot(*force)
    arrow = MAX_ARROW_LENGTH * length * size / largest if largest > 0.0 else 0.0
    if arrow < MIN_ARROW_LENGTH * length:
        marker.action = Marker.DELETE
        return marker
    dx, dy, dz = (arrow * value / size for value in force)
    marker.points = [at, Point(x=at.x + dx, y=at.y + dy, z=at.z + dz)]
    # of an arrow between two points: diameters of shaft and head, length of the head
    marker.scale.x, marker.scale.y, marker.scale.z = SHAFT_DIAMETER * length, HEAD_SIZE * length, HEAD_SIZE * length
    return marker


def _trail_marker(marker: Marker, trail: Sequence[Point], length: float) -> Marker:
    marker.type = Marker.LINE_STRIP
    if len(trail) < 2:
        marker.action = Marker.DELETE
    else:
        marker.scale.x, marker.points = TRAIL_WIDTH * length, list(trail)
    return marker


def _colour(rgb: Sequence[float]) -> ColorRGBA:
    return ColorRGBA(r=rgb[0], g=rgb[1], b=rgb[2], a=1.0)
