"""Implements the world contract with PyBullet.

Not here: setpoints and servos (sim_bridge.physics).
Imported by: none.
"""
