"""Many predictions at once: points that share the robot's body and a path of the joints share its table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from crawler_core.types import FloatArray
from crawler_models.interface.batch import BatchShape, Predictions
from crawler_models.three_link.compiled import Outcome, ShapeTable
from crawler_models.three_link.equations.three_link import ThreeLink

_FRICTION_PARAMETERS = ("friction", "friction_scale_1", "friction_scale_2")
_TRUSTED_OUTCOMES = (Outcome.VALID, Outcome.CONTACT_LOST, Outcome.PAINLEVE)  # the plain solver words the others better


class ShapeTables:
    """The compiled maps; docs/fast_maps.md explains them."""

    unshaping = frozenset({*_FRICTION_PARAMETERS, "gravity", "foot_radius"})

    def fits(self, parameters: Mapping[str, float]) -> bool:
        try:
            ThreeLink.from_parameters(parameters)
        except ValueError:
            return False
        return True

    def run(
        self, shapes: Sequence[BatchShape], which: NDArray[Any], omega: FloatArray, parameters: Mapping[str, FloatArray]
    ) -> Predictions:
        robots = [ThreeLink.from_parameters(shape.parameters) for shape in shapes]
        table = ShapeTable(robots, [shape.motion for shape in shapes])
        mu, first, second = (parameters[name] for name in _FRICTION_PARAMETERS)
        mu1, mu2, gravity = mu * first, mu * second, parameters["gravity"]
        # gaits of one table cost least when they stand together, in the order of omega
        order = np.lexsort((omega, mu1, which))
        back = np.empty_like(order)
        back[order] = np.arange(len(order))
        found = table.crawl(which[order], omega[order], mu1[order], mu2[order], gravity[order])
        outcome = found.outcome[back]
        valid = outcome == Outcome.VALID
        return Predictions(
            known=np.isin(outcome, _TRUSTED_OUTCOMES),
            step_length=found.step_length[back],
            speed=found.speed[back],
            valid=valid,
            reason=[Outcome(code).sentence for code in outcome.tolist()],
            columns={
                "min_normal_force_N": found.min_normal_force[back],
                "painleve_margin": found.painleve_margin[back],
                "unique": found.unique[back] & valid,
            },
        )


SHAPE_TABLES = ShapeTables()
