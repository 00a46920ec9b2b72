"""What a shape must respect."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from gait_generators.shapes.shape_file import TunedFor


@dataclass(frozen=True)
class Limits:
    """Bounds on the joints and on the feet's loads, and the frictions that the worst step is the worst of."""

    centre: float = 110.0  # deg, middle of the range of every joint
    swing: float = 18.0  # deg, the furthest a joint goes from there
    velocity: float = 6.0  # rad/s
    acceleration: float = 200.0  # rad/s²
    friction_spread: float = 0.1  # each foot's friction may be off by this share, by itself
    lightest_foot: float = 0.05  # smallest normal force of a foot over the robot's weight

    def tuned_for(self, omega: float, friction: float) -> TunedFor:
        """These limits as a shape file tells them."""
        return TunedFor(omega=omega, friction=friction, **asdict(self))
