"""Turns the gait's reference and the measured state into setpoints, under a control law.

Not here: gaits (gait_generators), the limits of every command and the torque-off rules (crawler_core.safety).
Imported by: crawler_bringup, crawler_cli, crawler_studies, crawler_testing.
"""
