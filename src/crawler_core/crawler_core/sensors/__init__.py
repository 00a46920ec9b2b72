"""The sensors that a robot file declares, simulated sensors with rate, delay, noise and bias, and faults on request.

Not here: types of readings (crawler_core.types), drivers of real sensors (hw_drivers), estimators that use readings
(crawler_models.estimation).
Imported by: crawler_bringup, crawler_cli, crawler_core.loop, crawler_core.reality, crawler_core.robot, crawler_models,
crawler_nodes, crawler_studies, crawler_testing, hw_drivers, hybrid_controller, sim_bridge.
"""
