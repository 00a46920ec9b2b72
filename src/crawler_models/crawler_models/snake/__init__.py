"""The snake: the serpenoid wave of its paper, and how a chain that lies on the ground crawls by it.

Not here: the gait that sends the wave (gait_generators).
Imported by: crawler_models.snake.ground, crawler_studies.
"""

from crawler_models.snake.snake import Snake
from crawler_models.snake.waves.wave import Wave, alpha_limit

__all__ = ["Snake", "Wave", "alpha_limit"]
