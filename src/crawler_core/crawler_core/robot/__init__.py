"""Reads and checks robot files: the specification of a robot, the schema of robot.yaml, names and sections.

Not here: URDFs (crawler_core.description), the files themselves (crawler_description), motors (hw_drivers.backend).
Imported by: any package.
"""
