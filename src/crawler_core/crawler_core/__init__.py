"""Types, errors, parameters, motions, registries and files: the code that every package shares, without ROS.

Not here: messages and nodes (crawler_nodes), equations of robots (crawler_models), the robots' files
(crawler_description).
Imported by: any package.
"""
