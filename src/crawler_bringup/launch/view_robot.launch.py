"""A robot in RViz with a slider for each joint."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from crawler_bringup.launch.launch_actions import view_arguments, view_nodes


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*view_arguments(), OpaqueFunction(function=view_nodes)])
