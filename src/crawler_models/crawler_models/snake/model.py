"""What the snake's equations can do."""

from __future__ import annotations

from crawler_core.robot import RobotSpec
from crawler_models.model import Model
from crawler_models.plant import Plant


def plant(spec: RobotSpec) -> Plant:
    """Lying at home."""
    from crawler_models.snake.plant import SnakePlant
    from crawler_models.snake.robot import Snake

    return SnakePlant(Snake.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


MODEL = Model(plant=plant)
