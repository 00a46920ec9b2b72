"""Sweeps, tunes and designs gaits and mechanisms, analyses runs and recordings, and draws the papers' figures.

Not here: the equations (crawler_models), the physics engines (sim_bridge), the commands (crawler_cli).
Imported by: crawler_cli, crawler_testing.
"""
