"""The snake on the ground: posture, loads and torques, sliding, and a whole cycle.

Not here: the shape of its wave (crawler_models.snake.waves).
Imported by: crawler_models.snake, crawler_studies.
"""
