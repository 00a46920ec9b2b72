"""Predict a snake's gait from the equations, as plain numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from crawler_core.motion import PeriodicMotion
from crawler_models.snake.ground.cycle import crawl, weakest
from crawler_models.snake.snake import Snake
from crawler_models.snake.waves.wave import Wave, alpha_limit


def predict_snake(
    parameters: Mapping[str, Any], motion: PeriodicMotion, efforts: Sequence[float] = ()
) -> dict[str, Any]:
    """The quasi-static cycle beside the criteria of the paper.

    Keys: step_length_m (positive towards the head), speed_m_s, period_s, slip (the share of d_step that is missing),
    friction_work_J and slid_m (the longest path that a point slides) in a cycle, peak_torque_N_m, peak_speed_rad_s,
    cycles_to_steady, valid, reason; and of the wave, where the motion has one as its ``wave``: d_step_m, d_unit, f,
    x_error_m, y_error_m, alpha_max_rad. It is not valid where a joint would need more than its effort (N m).
    """
    snake = Snake.from_parameters(parameters)
    cycle = crawl(snake, motion)
    wave = wave_of(motion)
    over = weakest(cycle.torque, efforts) if len(efforts) else None
    advance = of_the_wave(parameters, motion)["d_step_m"]
    return {
        "step_length_m": math.nan if over else cycle.step_length,
        "speed_m_s": math.nan if over else cycle.mean_speed,
        "period_s": cycle.period,
        "slip": math.nan if over else 1.0 - abs(cycle.step_length) / advance,
        "friction_work_J": cycle.friction_work,
        "slid_m": float(cycle.slid.max()),
        "peak_torque_N_m": float(cycle.torque.max()),
        "peak_speed_rad_s": float(cycle.speed.max()),
        **of_the_wave(parameters, motion),
        "d_unit": wave.d_unit if wave else math.nan,
        "x_error_m": snake.length * float(wave.worst.x) if wave else math.nan,
        "y_error_m": snake.length * float(wave.worst.y) if wave else math.nan,
        "alpha_max_rad": alpha_limit(wave.n) if wave else math.nan,
        "valid": over is None,
        "reason": _too_weak(*over, efforts) if over else "",
        "cycles_to_steady": 0,
    }


def measured(parameters: Mapping[str, Any], motion: PeriodicMotion, step_length: float) -> dict[str, Any]:
    """Compare a measured step (m) with the wave's own: d_step_m, f, slip."""
    own = of_the_wave(parameters, motion)
    return {**own, "slip": 1.0 - abs(step_length) / own["d_step_m"]}


def of_the_wave(parameters: Mapping[str, Any], motion: PeriodicMotion) -> dict[str, float]:
    """d_step_m, the advance without slip, and the energy-loss function f; NaN where the motion has no wave."""
    wave = wave_of(motion)
    length = Snake.from_parameters(parameters).length
    return {"d_step_m": length * wave.d_unit if wave else math.nan, "f": wave.f if wave else math.nan}


def wave_of(motion: PeriodicMotion) -> Wave | None:
    """The wave that the motion sends along the snake, where it has one as its ``wave``."""
    return getattr(motion, "wave", None)


def _too_weak(joint: int, share: float, efforts: Sequence[float]) -> str:
    limit = efforts[joint]
    return f"joint_{joint + 1} would need {share * limit:.2f} N m to hold it, its limit is {limit:.2f} N m."
