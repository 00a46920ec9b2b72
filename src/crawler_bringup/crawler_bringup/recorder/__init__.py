"""Records a run as a rosbag2 directory that stays readable at any moment.

Not here: reading recordings (crawler_studies.recordings), replay and rerun (crawler_cli.recordings).
Imported by: crawler_bringup.stack.
"""
