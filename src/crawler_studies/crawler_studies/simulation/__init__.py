"""Steps a robot, or runs it under its law, in one process without ROS, and compares the same run on several backends.

Not here: the comparison of recordings (crawler_studies.recordings), steady results (crawler_studies.evaluators).
Imported by: crawler_studies, crawler_cli, crawler_testing.
"""
