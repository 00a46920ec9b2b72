"""The serpenoid wave of the paper, its criteria, and the joint angles of a step.

Not here: how a chain crawls by it (crawler_models.snake.ground).
Imported by: crawler_models.snake, gait_generators.
"""
