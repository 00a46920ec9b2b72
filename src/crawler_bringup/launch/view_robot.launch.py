"""A robot in RViz with a slider for each joint."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from crawler_bringup.launch.launch_actions import declare_robot_view_arguments, robot_view_actions


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*declare_robot_view_arguments(), OpaqueFunction(function=robot_view_actions)])
