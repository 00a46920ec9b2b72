"""The position loop of a servo: critically damped, of second order."""

from __future__ import annotations

import math
from typing import TypeVar

from crawler_core.types import FloatArray

Value = TypeVar("Value", float, FloatArray)


def follow_setpoint(error: Value, rate: Value, pace: Value, bandwidth: float, seconds: float) -> tuple[Value, Value]:
    """Return by how much (rad) a servo turns in `seconds`, and its rate (rad/s) then.

    `error` (rad) is its angle less a setpoint that moves at `pace` (rad/s), which the servo does not know: it follows
    with a lag of 2 / bandwidth. The solution of x'' = w² (setpoint - x) - 2 w x' is exact.
    """
    lagging = error + 2.0 / bandwidth * pace
    decay, rate_error = math.exp(-bandwidth * seconds), rate - pace
    slope = rate_error + bandwidth * lagging
    turned = decay * (lagging + slope * seconds) - lagging + pace * seconds
    return turned, pace + decay * (rate_error - bandwidth * slope * seconds)
