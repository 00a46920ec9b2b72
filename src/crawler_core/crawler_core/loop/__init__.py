"""One tick of the control loop without ROS: the contract of a backend, its settings, its supervision and its pace.

Not here: backends (sim_bridge, hw_drivers), the backend node and its clock (crawler_nodes.backend_node), limits
(crawler_core.safety).
Imported by: crawler_bringup, crawler_cli, crawler_core.conformance, crawler_core.reality, crawler_nodes,
crawler_studies, crawler_testing, gait_generators, hw_drivers, hybrid_controller, sim_bridge.
"""
