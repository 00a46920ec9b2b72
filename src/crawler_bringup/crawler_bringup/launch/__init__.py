"""Builds the ROS 2 launch descriptions, for the files in launch/.

Not here: the choice of nodes (crawler_bringup.stack), the command line (crawler_cli).
Imported by: crawler_bringup.
"""
