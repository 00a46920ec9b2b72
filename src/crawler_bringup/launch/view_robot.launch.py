"""A robot in RViz with a slider for each joint."""

from crawler_bringup.launch.launch_description import robot_view_description as generate_launch_description

__all__ = ["generate_launch_description"]
