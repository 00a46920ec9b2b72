"""What the three-link equations can do."""

from __future__ import annotations

from crawler_core.robot import RobotSpec
from crawler_models.model import Model
from crawler_models.plant import Plant


def plant(spec: RobotSpec) -> Plant:
    """Standing at home."""
    from crawler_models.three_link.plant import ThreeLinkPlant
    from crawler_models.three_link.robot import ThreeLink

    return ThreeLinkPlant(ThreeLink.from_parameters(spec.parameters), [joint.home for joint in spec.actuated])


MODEL = Model(plant=plant)
