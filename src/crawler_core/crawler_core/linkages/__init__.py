"""Closes the loops of closed chains: passive joints from the joints that drive them.

Not here: the linkages of the papers (crawler_models), loops in physics engines (sim_bridge).
Imported by: crawler_bringup, crawler_core.conformance, crawler_core.loop, crawler_models.estimation, crawler_nodes,
crawler_studies, hw_drivers, sim_bridge.
"""
