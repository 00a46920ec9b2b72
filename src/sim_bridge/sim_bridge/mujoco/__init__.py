"""Implements the world contract with MuJoCo.

Not here: setpoints and servos (sim_bridge.physics), the derivation of its contact constants
(docs/physics_engines.md).
Imported by: none.
"""
