"""The inputs on which the evaluations of a study depend, as its file stores them.

A study goes on, and its default path stays, for as long as its identity is equal. Keys that were renamed in the
robot file are therefore stored by their first name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from importlib.metadata import version
from pathlib import Path
from typing import Any

from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.robot.schema import RENAMED_KEYS
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.gait_registry import gait_parameters
from hybrid_controller.laws.law_registry import law_infos

MECHANICS = ("base", "joints", "feet", "equations", "rate", "loops", "start", "stride")  # keys of a robot file
PACKAGE = "crawler_studies"
STORED_BACKENDS = {"live": "ring"}  # stored names that differ from those of today


def study_identity(case: StudyCase, varied: Collection[str]) -> dict[str, Any]:
    """Return robot, gait and law with every parameter in effect, except those that are `varied`.

    A law without parameters is left out.
    """
    spec, gait_settings = case.spec, case.settings.get("gait") or {}
    infos = gait_parameters(spec, case.gait_name)
    gait = {info.name: gait_settings.get(info.name, info.default) for info in infos}
    identity: dict[str, Any] = {
        "stack": version(PACKAGE),
        "robot.name": spec.name,
        "robot": {name: value for name, value in spec.parameters.items() if f"robot.{name}" not in varied},
        "robot_file": _stored_document(spec),
        "gait.name": case.gait_name,
        "gait": {name: value for name, value in gait.items() if f"gait.{name}" not in varied},
    }
    if law_parameters := law_infos(spec, case.law_name):
        law_settings = case.settings.get("controller") or {}
        law = {info.name: law_settings.get(info.name, info.default) for info in law_parameters}
        identity["law.name"] = case.law_name
        identity["law"] = {name: value for name, value in law.items() if f"controller.{name}" not in varied}
    texts = [str(gait[info.name]) for info in infos if info.type is str]
    return {**identity, "shapes": _digest_gait_files(spec, texts)} if texts else identity


def stored_backend(backend: str) -> str:
    """Return the name by which study files store a backend."""
    return STORED_BACKENDS.get(backend, backend)


def _stored_document(spec: RobotSpec) -> dict[str, Any]:
    document = {key: spec.document[key] for key in MECHANICS if key in spec.document}
    if "stride" in document:
        document["stride"] = _with_first_names("stride", document["stride"])
    document["joints"] = {name: _with_first_names("joints", entry) for name, entry in document["joints"].items()}
    return document


def _with_first_names(section: str, entry: Any) -> Any:
    first_names = {new: old for old, new in RENAMED_KEYS[section].items()}
    return {first_names.get(key, key): value for key, value in entry.items()} if isinstance(entry, dict) else entry


def _digest_gait_files(spec: RobotSpec, texts: Collection[str]) -> str:
    """Return a digest of the files that gait parameters of type text may name."""
    own_files = sorted(path for path in (spec.directory / "gaits").rglob("*") if path.is_file())
    named_files = [Path(text) for text in texts if text and Path(text).is_file()]
    return hashlib.sha256(b"".join(path.read_bytes() for path in [*own_files, *named_files])).hexdigest()[:16]
