"""The search for a shape of the gait fourier, in parts that are stored: an evolution strategy, not Bayesian.

A shape has two dozen numbers, too many for a Gaussian process, and the equations evaluate many thousand a second. The
first part begins with many gaits, each later one with the best shape so far.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from crawler_core.errors import UserError
from crawler_studies.evaluators.friction_sets import check_spread
from crawler_studies.study.study_case import StudyCase
from crawler_studies.study.study_file import StudyFile, open_study
from crawler_studies.study.study_identity import study_identity
from crawler_studies.three_link.shape_design import Limits, Progress, design
from crawler_studies.three_link.shape_design.task import ShapeTask
from crawler_studies.tuning.parameter_search import ParameterSearchRequest, ParameterSearchResult
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import Predicted, ShapeFile, TunedFor, write_shape

GAIT = "fourier"
FIRST_PART_GAITS, PART_GAITS = 36_000, 12_000
MIN_BUDGET, DEFAULT_BUDGET = 1_000, 120_000  # gaits
COLUMNS = {"gaits": int, "worst_step": float, "shape": str}


@dataclass(frozen=True)
class ShapeSearch:
    """A search whose inputs are checked."""

    case: StudyCase
    omega: float  # rad/s
    spread: float
    budget: int  # gaits in all
    seed: int
    objective: str = "worst_step"

    @staticmethod
    def of(case: StudyCase, spread: float, budget: int, seed: int) -> ShapeSearch:
        """Return the search for a case. Raises UserError for an impossible one."""
        check_spread(spread)
        if budget < MIN_BUDGET:
            raise UserError(
                f"a budget of {budget} is not allowed: a search for a shape takes {MIN_BUDGET} gaits or more."
            )
        omega = (case.settings.get("gait") or {}).get("omega", case.info("gait.omega").default)
        case.check_range("gait.omega", omega, omega)
        ShapeTask.of(case.spec, omega, Limits(friction_spread=spread))
        return ShapeSearch(case, float(omega), spread, budget, seed)

    @property
    def label(self) -> Sequence[str]:
        return (self.case.spec.name, GAIT, f"omega-{self.omega:g}")

    @property
    def identity(self) -> Mapping[str, Any]:
        """All that the parts depend on."""
        return {
            "study": "shape",
            **study_identity(self.case, ("gait.shape", "gait.library")),
            "spread": self.spread,
            "seed": self.seed,
        }

    def open(self, path: Path) -> StudyFile:
        """Open the study in the file `path`. Raises UserError."""
        return open_study(path, self.identity, COLUMNS)

    def count_evaluated(self, study: StudyFile) -> int:
        return sum(row[1] for row in study.finished())

    def run(
        self, study: StudyFile, progress: Callable[[int, float], None], stopped: Callable[[], bool]
    ) -> ParameterSearchResult | None:
        """Return the best shape when the budget is used up, or of the parts that were finished when `stopped`.

        `progress` takes the number of gaits evaluated, and the longest worst step, m.
        """
        rows = study.finished()
        best = _deserialize(rows[-1][3]) if rows else None
        done = sum(row[1] for row in rows)
        while done < self.budget and not stopped():
            part = min(PART_GAITS if best else FIRST_PART_GAITS, self.budget - done)

            def report(part_progress: Progress, before: int = done) -> bool:
                progress(before + part_progress.gaits, part_progress.worst_step)
                return stopped()

            limits, start = Limits(friction_spread=self.spread), best.shape if best else None
            options = {"start": start, "budget": part, "seed": self.seed + len(rows), "progress": report}
            found = design(self.case.spec, self.omega, limits, **options)
            if stopped():
                break
            best, done = found, done + part
            row = (len(rows), part, 1e-3 * _worst_step(best), _serialize(best))
            study.add([row])
            rows.append(row)
            progress(done, 1e-3 * _worst_step(best))
        return None if best is None else self._make_result(best)

    def _make_result(self, best: ShapeFile) -> ParameterSearchResult:
        assert best.predicted is not None
        worst, nominal = best.predicted.worst_step, best.predicted.nominal_step
        return ParameterSearchResult(
            write=lambda file: write_shape(file, best),
            value=1e-3 * worst,
            numbers={"nominal_step_m": 1e-3 * nominal},
            text=f"worst step: {worst:.3f} mm, without spread {nominal:.3f} mm",
            settings={"gait.omega": self.omega},
        )


def plan_shape_search(request: ParameterSearchRequest) -> ShapeSearch:
    """Plan a search for `gait.shape`. Raises UserError for a request that it cannot serve."""
    if request.gait not in ("", GAIT):
        raise UserError(f"the gait '{request.gait}' has no shapes: give --gait {GAIT}.")
    if request.maximise not in (None, "worst_step"):
        raise UserError(f"a shape is searched for with the longest worst_step, not {request.maximise}.")
    if request.backend != "model":
        raise UserError(f"a shape is searched for on the equations, not on {request.backend}: leave --backend out.")
    if request.friction_set != "asymmetric":
        raise UserError("a shape is searched for over every friction within the spread: leave --friction-set out.")
    budget = DEFAULT_BUDGET if request.budget is None else request.budget
    return ShapeSearch.of(StudyCase(request.robot, GAIT, request.settings), request.spread, budget, request.seed)


def _worst_step(file: ShapeFile) -> float:
    assert file.predicted is not None
    return file.predicted.worst_step


def _serialize(file: ShapeFile) -> str:
    """Serialize to the last bit, unlike a shape file, so that a search goes on as if it had not stopped."""
    assert file.tuned_for is not None
    assert file.predicted is not None
    shape = file.shape
    return json.dumps(
        {
            "name": file.name,
            "joints": shape.joints,
            "mean": shape.mean.tolist(),
            "cos": shape.cos.tolist(),
            "sin": shape.sin.tolist(),
            "tuned_for": asdict(file.tuned_for),
            "predicted": asdict(file.predicted),
        }
    )


def _deserialize(text: str) -> ShapeFile:
    document = json.loads(text)
    shape = Shape(tuple(document["joints"]), *(np.array(document[key]) for key in ("mean", "cos", "sin")))
    return ShapeFile(document["name"], shape, TunedFor(**document["tuned_for"]), Predicted(**document["predicted"]))
