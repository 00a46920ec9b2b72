"""Defines the gaits of the snake.

Not here: its wave (crawler_models.snake.waves).
Imported by: crawler_studies.
"""
