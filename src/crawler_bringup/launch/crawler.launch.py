"""One robot, one backend, one controller: the whole ring."""

from launch import LaunchDescription
from launch.actions import OpaqueFunction

from crawler_bringup.launch.launch_actions import declare_stack_arguments, stack_actions


def generate_launch_description() -> LaunchDescription:
    return LaunchDescription([*declare_stack_arguments(), OpaqueFunction(function=stack_actions)])
