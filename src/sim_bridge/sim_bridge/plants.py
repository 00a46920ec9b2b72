"""Which equations belong to which robot."""

from __future__ import annotations

from collections.abc import Callable

from crawler_core.errors import UserError, unknown_name
from crawler_core.robot import RobotSpec
from crawler_models.plant import Plant


def make_plant(spec: RobotSpec) -> Plant:
    """The equations of `spec`, standing at home. Raises UserError where there are none, or where it cannot stand so."""
    if spec.name not in PLANTS:
        raise unknown_name("model of the robot", spec.name, PLANTS)
    try:
        return PLANTS[spec.name](spec)
    except ValueError as error:
        raise UserError(f"the equations of '{spec.name}' cannot start: {error}") from None


def _three_link(spec: RobotSpec) -> Plant:
    from crawler_models.three_link import ThreeLink
    from crawler_models.three_link.plant import ThreeLinkPlant

    return ThreeLinkPlant(ThreeLink.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


def _snake(spec: RobotSpec) -> Plant:
    from crawler_models.snake import Snake
    from crawler_models.snake.plant import SnakePlant

    return SnakePlant(Snake.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


PLANTS: dict[str, Callable[[RobotSpec], Plant]] = {"three_link": _three_link, "snake": _snake}
