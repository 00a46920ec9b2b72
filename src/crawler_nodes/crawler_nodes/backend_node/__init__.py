"""Runs any backend as a managed ROS node: its ticks, its topics, services and diagnostics.

Not here: the tick itself (crawler_core.loop), limits (crawler_core.safety), the backends (sim_bridge, hw_drivers).
Imported by: crawler_testing, hw_drivers, sim_bridge.
"""
