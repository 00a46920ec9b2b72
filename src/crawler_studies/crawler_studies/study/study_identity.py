"""What the evaluations of a study depend on, for its file."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.gait_registry import gait_parameters
from hybrid_controller.laws.law_registry import law_infos

# what a robot file says of the robot besides its parameters
MECHANICS = ("base", "joints", "feet", "equations", "rate", "loops", "start", "stride")
STACK = "crawler_studies"


def study_identity(case: StudyCase, varied: Collection[str]) -> dict[str, Any]:
    """Robot, gait and law with every effective parameter but those that are `varied`; no law that has none."""
    spec, said = case.spec, case.settings.get("gait") or {}
    infos = gait_parameters(spec, case.gait_name)
    gait = {info.name: said.get(info.name, info.default) for info in infos}
    identity: dict[str, Any] = {
        "stack": version(STACK),
        "robot.name": spec.name,
        "robot": {name: value for name, value in spec.parameters.items() if f"robot.{name}" not in varied},
        "robot_file": {key: spec.document[key] for key in MECHANICS if key in spec.document},
        "gait.name": case.gait_name,
        "gait": {name: value for name, value in gait.items() if f"gait.{name}" not in varied},
    }
    if laws := law_infos(spec, case.law_name):
        told = case.settings.get("controller") or {}
        law = {info.name: told.get(info.name, info.default) for info in laws}
        identity["law.name"] = case.law_name
        identity["law"] = {name: value for name, value in law.items() if f"controller.{name}" not in varied}
    texts = [str(gait[info.name]) for info in infos if info.type is str]
    return {**identity, "shapes": _digest(spec, texts)} if texts else identity


def _digest(spec: RobotSpec, texts: Collection[str]) -> str:
    """Of the files that a gait whose parameters are names or paths may read: they are no less a part of it."""
    own = sorted(path for path in (spec.directory / "gaits").rglob("*") if path.is_file())
    named = [Path(text) for text in texts if text and Path(text).is_file()]
    return hashlib.sha256(b"".join(path.read_bytes() for path in [*own, *named])).hexdigest()[:16]
