"""One robot, one backend, one controller: the whole ring."""

from launch.actions import OpaqueFunction

from crawler_bringup.launching import ring_arguments, ring_nodes
from launch import LaunchDescription


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*ring_arguments(), OpaqueFunction(function=ring_nodes)])
