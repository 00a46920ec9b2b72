"""Simulation backends: PyBullet physics, the equations of the papers, and ideal servos."""
