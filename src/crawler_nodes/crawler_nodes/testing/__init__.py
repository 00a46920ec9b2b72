"""Gives the tests of every package nodes in a ROS domain of their own.

Not here: running stacks to test (crawler_testing.fixtures), which need every package.
Imported by: crawler_testing.
"""
