"""The cubic between two setpoints, as weights for the steps of a tick that are computed once."""

from __future__ import annotations

from typing import NamedTuple

Weights = tuple[float, float, float, float]  # of start position, start velocity, goal position, goal velocity


class HermiteWeights(NamedTuple):
    """Weights of position and velocity at one instant between two setpoints."""

    position: Weights
    velocity: Weights


def hermite_weights(steps: int, duration: float) -> tuple[HermiteWeights, ...]:
    """Return the weights at the end of each of `steps` equal steps through `duration` s."""
    return tuple(_at((k + 1) / steps, duration) for k in range(steps))


def _at(u: float, duration: float) -> HermiteWeights:
    return HermiteWeights(
        position=(
            (1.0 + 2.0 * u) * (1.0 - u) ** 2,
            u * (1.0 - u) ** 2 * duration,
            u * u * (3.0 - 2.0 * u),
            u * u * (u - 1.0) * duration,
        ),
        velocity=(
            6.0 * u * (u - 1.0) / duration,
            (1.0 - u) * (1.0 - 3.0 * u),
            6.0 * u * (1.0 - u) / duration,
            u * (3.0 * u - 2.0),
        ),
    )
