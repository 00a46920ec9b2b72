"""One robot, one backend, one controller: the whole ring."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from crawler_bringup.launch.launch_actions import ring_arguments, ring_nodes


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*ring_arguments(), OpaqueFunction(function=ring_nodes)])
