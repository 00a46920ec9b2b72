"""Moves messages: executor, validated subscriptions, bulk reading, and checks of who publishes.

Not here: the content of messages (crawler_nodes.messages), the topics (crawler_nodes.topics).
Imported by: crawler_bringup, crawler_cli, crawler_nodes, crawler_studies, crawler_testing, crawler_view,
gait_generators, hybrid_controller.
"""
