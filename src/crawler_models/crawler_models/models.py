"""The robots' equations by name."""

from __future__ import annotations

import sys
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.registry import Table, load
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.model import Model
from crawler_models.plant import Plant

MODELS: Table[Model] = Table(
    "model",
    {
        "three_link": "crawler_models.three_link.model:MODEL",
        "snake": "crawler_models.snake.model:MODEL",
        "bolt": "crawler_models.bolt.model:MODEL",
        "miniaq": "crawler_models.miniaq.model:MODEL",
    },
)


def model_of(spec: RobotSpec) -> Model:
    """What the equations of `spec` can do; for a robot whose file names none, nothing. Raises UserError.

    A package that the file names is found on Python's path, or beside the file.
    """
    if not spec.equations:
        return Model()
    if ":" in spec.equations:
        if (beside := str(spec.directory)) not in sys.path:
            sys.path.append(beside)  # where a robot of one's own has its package
        found = load(spec.equations, what=f"the model of '{spec.name}'")
        if not isinstance(found, Model):
            raise UserError(
                f"the model of '{spec.name}' is said to be '{spec.equations}', which is no crawler_models.model.Model."
            )
        return found
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


def predicts(spec: RobotSpec) -> bool:
    """Whether the equations of `spec` predict its steady crawl. Raises UserError where they cannot be had."""
    return model_of(spec).predict is not None


def predict(spec: RobotSpec, motion: PeriodicMotion) -> dict[str, Any]:
    """The steady crawl of `spec` by its equations: `Model.predict`. Raises UserError where there are none."""
    found = model_of(spec).predict
    if found is None:
        raise UserError(f"there are no equations that predict '{spec.name}': use --backend pybullet or mujoco.")
    try:
        return found(spec, motion)
    except ValueError as error:
        raise UserError(f"the equations of '{spec.name}' cannot predict it: {error}") from None
