"""Limits every joint command and decides when torque goes off.

Not here: limits of gaits (gait_generators.kinds), the tick itself (crawler_core.loop), limits of motors (hw_drivers).
Imported by: crawler_cli.run, crawler_core.loop, crawler_nodes, crawler_studies, gait_generators, hw_drivers,
hybrid_controller.
"""
