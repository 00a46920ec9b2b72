"""Reading of external_pose, as a camera or motion capture publishes it."""

from __future__ import annotations

from geometry_msgs.msg import PoseWithCovarianceStamped

from crawler_core.types import PoseReading
from crawler_nodes.messages.header import stamp_ns


def read_external_pose(message: PoseWithCovarianceStamped, sensor: str) -> PoseReading:
    """Return the message as a reading of `sensor`. The stamp is the time of the measurement."""
    place, q = message.pose.pose.position, message.pose.pose.orientation
    return PoseReading(sensor, stamp_ns(message.header.stamp), (place.x, place.y, place.z), (q.w, q.x, q.y, q.z))
