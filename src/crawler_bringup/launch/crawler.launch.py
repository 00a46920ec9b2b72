"""One robot, one backend, one controller: the whole stack."""

from crawler_bringup.launch.launch_description import stack_description as generate_launch_description

__all__ = ["generate_launch_description"]
