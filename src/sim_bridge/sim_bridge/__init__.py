"""Simulates robots behind the backend contract: physics engines, equations and mock servos.

Not here: the contract and the supervisor (crawler_core), the equations (crawler_models), real and emulated motors
(hw_drivers).
Imported by: crawler_bringup, crawler_cli, crawler_studies, crawler_testing.
"""
