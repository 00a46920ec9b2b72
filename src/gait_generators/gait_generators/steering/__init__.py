"""Turns velocity commands of the robot into the parameters and the direction of its gait.

Not here: the maps from speeds to gaits (crawler_models, velocity_map in the robots' folders), the smooth change of
the motion (gait_generators.transitions), the messages of cmd_vel (gait_generators.node).
Imported by: gait_generators.node, crawler_studies.
"""
