"""Converts between ROS messages, their bytes and the types of crawler_core.

Not here: message definitions (crawler_interfaces), topic names and queues (crawler_nodes.topics).
Imported by: crawler_bringup, crawler_cli, crawler_nodes.backend_node, crawler_nodes.run_log, crawler_studies,
crawler_testing, crawler_view, gait_generators, hybrid_controller.
"""
