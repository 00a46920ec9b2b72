"""Registry of the robots' equations by name."""

from __future__ import annotations

import sys
from typing import Any

from crawler_core.errors import UserError
from crawler_core.motion import PeriodicMotion
from crawler_core.registry import LazyRegistry, import_object
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.model import Model
from crawler_models.interface.plant import Plant

MODELS: LazyRegistry[Model] = LazyRegistry(
    "model",
    {
        "three_link": "crawler_models.three_link.model:THREE_LINK_MODEL",
        "snake": "crawler_models.snake.model:SNAKE_MODEL",
        "bolt": "crawler_models.bolt.model:BOLT_MODEL",
        "miniaq": "crawler_models.miniaq.model:MINIAQ_MODEL",
    },
)


def model_of(spec: RobotSpec) -> Model:
    """Return the model of `spec`; an empty one for a robot whose file names no equations. Raises UserError.

    A package that the file names is found on Python's path, or beside the file.
    """
    if not spec.equations:
        return Model()
    if ":" in spec.equations:
        if (beside := str(spec.directory)) not in sys.path:
            sys.path.append(beside)  # a user's robot has its package beside its file
        found = import_object(spec.equations, what=f"the model of '{spec.name}'")
        if not isinstance(found, Model):
            raise UserError(
                f"the equations of '{spec.name}' are '{spec.equations}': that is a {type(found).__name__}, not a "
                "crawler_models.interface.model.Model."
            )
        return found
    return MODELS[spec.equations]


def make_plant(spec: RobotSpec) -> Plant:
    """Return the plant of `spec`, standing at home. Raises UserError without equations, or if it cannot stand there."""
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
    """Return True if the equations of `spec` predict its steady crawl. Raises UserError if they cannot be loaded."""
    return model_of(spec).predict is not None


def predict(spec: RobotSpec, motion: PeriodicMotion) -> dict[str, Any]:
    """Predict the steady crawl of `spec` by `Model.predict`. Raises UserError if its model predicts none."""
    found = model_of(spec).predict
    if found is None:
        raise UserError(f"there are no equations that predict '{spec.name}': use --backend pybullet or mujoco.")
    try:
        return found(spec, motion)
    except ValueError as error:
        raise UserError(f"the equations of '{spec.name}' cannot predict it: {error}") from None
