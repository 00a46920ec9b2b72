"""Implements a physics backend for any engine: setpoints, servos, contacts and the robot's start.

Not here: the engines (sim_bridge.bullet, sim_bridge.mujoco).
Imported by: sim_bridge, sim_bridge.bullet, sim_bridge.mujoco, crawler_bringup, crawler_cli, crawler_studies,
crawler_testing.
"""
