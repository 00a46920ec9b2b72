"""The estimators by name, and the one that a robot file chooses.

A user's robot brings an estimator of its own as `module:object`, where the object is an `EstimatorEntry`. Only the
robot file may name one: settings, such as those of a parameter file or a recording, are data.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from crawler_core.errors import UserError, quoted, unknown_name
from crawler_core.parameters import build
from crawler_core.registry import LazyRegistry, import_object
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.estimation.estimator_entry import EstimatorEntry
from crawler_models.interface.estimator import Estimator

NO_ESTIMATOR, TRUTH = "none", "truth"
GENERIC = "foot_kinematics"  # of a robot whose file names none
ESTIMATORS: LazyRegistry[EstimatorEntry] = LazyRegistry(
    "estimator",
    {
        GENERIC: "crawler_models.estimation.foot_kinematics:ESTIMATOR_ENTRY",
        "stick_slip": "crawler_models.three_link.estimation.stick_slip:ESTIMATOR_ENTRY",
        "stance_flight": "crawler_models.bolt.estimation.stance_flight:ESTIMATOR_ENTRY",
    },
)


def estimator_name(spec: RobotSpec, chosen: str = "") -> str:
    """Return `chosen`, or the robot's own estimator, or the generic one. Raises UserError for an unknown name."""
    section = spec.section("estimator")
    name = chosen or section.get("default", GENERIC)
    of_robot_file = tuple(known for known in (*section, section.get("default", "")) if ":" in known)
    if ":" in name and name not in of_robot_file:
        raise UserError(
            f"backend.estimator = {quoted(name)} is not allowed: only the section estimator of the robot file may name "
            f"a module, and that of '{spec.name}' does not name this one."
        )
    if name not in (*ESTIMATORS, NO_ESTIMATOR, TRUTH, *of_robot_file):
        raise unknown_name("estimator", name, (*ESTIMATORS, NO_ESTIMATOR, TRUTH))
    return name


def make_estimator(spec: RobotSpec, name: str) -> Estimator:
    """Return the estimator `name` with the robot file's parameters. Raises UserError."""
    entry = _entry(spec, name)
    values: Mapping[str, Any] = spec.section("estimator").get(name) or {}
    return entry.build(spec, build(entry.parameters, values, section=f"estimator.{name}"))


def _entry(spec: RobotSpec, name: str) -> EstimatorEntry:
    if ":" not in name:
        return ESTIMATORS[name]
    if (beside := str(spec.directory)) not in sys.path:
        sys.path.append(beside)  # a user's robot has its package beside its file
    found = import_object(name, what=f"the estimator of '{spec.name}'")
    if not isinstance(found, EstimatorEntry):
        raise UserError(
            f"the estimator of '{spec.name}' is '{name}': that is a {type(found).__name__}, not a "
            "crawler_models.estimation.estimator_entry.EstimatorEntry."
        )
    return found
