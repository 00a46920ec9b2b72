"""Model of the snake for the registry. Heavy parts are imported on first use."""

from __future__ import annotations

import math
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.interface.model import Column, Model
from crawler_models.interface.plant import Plant


def plant(spec: RobotSpec) -> Plant:
    """Lying at home."""
    from crawler_models.snake.snake import Snake
    from crawler_models.snake.snake_plant import SnakePlant

    return SnakePlant(Snake.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


def prediction(spec: RobotSpec, motion: PeriodicMotion) -> dict[str, Any]:
    """The quasi-static cycle, with the robot file's efforts."""
    from crawler_models.snake.prediction import predict_snake

    return predict_snake(spec.parameters, motion, [joint.effort for joint in spec.actuated])


def of_a_measurement(spec: RobotSpec, motion: PeriodicMotion, step_length: float) -> dict[str, Any]:
    """The wave's own numbers, and the slip by them."""
    from crawler_models.snake.prediction import measured

    return measured(spec.parameters, motion, step_length)


SNAKE_MODEL = Model(
    plant=plant,
    predict=prediction,
    columns=(
        Column("d_step_m", "d_step without slip (d = l d_unit)", lambda v: f"{v * 1e3:.4f} mm", study_type=float),
        Column("d_unit", "d_unit (12)", lambda v: f"{v:.4f}"),
        Column("slip", "slip, share of d_step", lambda v: f"{100.0 * v:.2f} %", study_type=float),
        Column("f", "energy-loss function f (11)", lambda v: f"{v:.4f}", study_type=float),
        Column("x_error_m", "largest X error (10)", lambda v: f"{v * 1e3:.3f} mm"),
        Column("y_error_m", "largest Y error (10)", lambda v: f"{v * 1e3:.3f} mm"),
        Column("alpha_max_rad", "alpha stays below (14)", lambda v: f"{math.degrees(v):.2f}°"),
        Column("peak_torque_N_m", "largest joint torque", lambda v: f"{v:.3f} N m", study_type=float),
        Column("peak_speed_rad_s", "largest joint speed", lambda v: f"{v:.3f} rad/s"),
        Column("friction_work_J", "work of friction per cycle", lambda v: f"{v:.3f} J", study_type=float),
        Column("slid_m", "longest way that a point slides", lambda v: f"{v * 1e3:.1f} mm"),
    ),
    measured=of_a_measurement,
    figures="crawler_studies.snake.figures:PAPER_FIGURES",
    velocity_map="crawler_models.snake.velocity_map:make_velocity_map",
)
