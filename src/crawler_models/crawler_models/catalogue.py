"""The robots' equations by name."""

from __future__ import annotations

from crawler_core.errors import UserError
from crawler_core.robot import RobotSpec
from crawler_core.table import Table, load
from crawler_models.model import Model
from crawler_models.plant import Plant

MODELS: Table[Model] = Table(
    "model",
    {
        "three_link": "crawler_models.three_link.model:MODEL",
        "snake": "crawler_models.snake.model:MODEL",
    },
)


def model_of(spec: RobotSpec) -> Model:
    """What the equations of `spec` can do; for a robot whose file names none, nothing. Raises UserError."""
    if not spec.equations:
        return Model()
    if ":" in spec.equations:
        return load(spec.equations, what=f"the model of '{spec.name}'")
    return MODELS[spec.equations]


def make_plant(spec: RobotSpec) -> Plant:
    """The equations of `spec`, standing at home. Raises UserError where there are none, or where it cannot stand so."""
    plant = model_of(spec).plant
    if plant is None:
        raise UserError(
            f"there are no equations that move '{spec.name}': its robot.yaml names none. Use another backend."
        )
    try:
        return plant(spec)
    except ValueError as error:
        raise UserError(f"the equations of '{spec.name}' cannot start: {error}") from None
