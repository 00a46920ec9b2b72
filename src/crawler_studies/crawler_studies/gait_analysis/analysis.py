"""The analysis of a gait: of a run that is made for it, without ROS, or of a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError
from crawler_core.gait_metrics.footfall import intended_by
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.models import model_of
from crawler_studies.gait_analysis.gait_phase import find_gait_start
from crawler_studies.gait_analysis.gait_report import GaitReport
from crawler_studies.recordings.footsteps import Footsteps
from crawler_studies.recordings.recording import Recording, read_recording
from crawler_studies.simulation.simulate import simulate
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import gait_name, gait_parameters, make_gait
from sim_bridge.physics.engines import default_physics

Settings = Mapping[str, Mapping[str, Any]]
RECORDING = "recording"  # what a run calls its own


@dataclass(frozen=True)
class Analysis:
    """What was looked at, and what came of it."""

    robot: str
    gait: str
    source: str  # the backend that moved the robot, or "recording" where nobody says
    label: str  # for a directory's name
    report: GaitReport
    notes: tuple[str, ...] = ()  # sentences that belong to it


def default_backend(spec: RobotSpec) -> str:
    """The equations where the robot has some that move it, otherwise physics."""
    return "model" if model_of(spec).plant else default_physics()


def analyse_run(
    case: StudyCase,
    backend: str,
    values: Mapping[str, Any],
    seconds: float,
    skip: float,
    progress: Callable[[float], None] = lambda _: None,
) -> Analysis:
    """A run of so many `seconds`, of which the first `skip` are not looked at; `values` are of the section backend.

    Raises UserError for what cannot be, and BackendFault where the run ends by itself.
    """
    spec, gait = case.at({})
    steps = Footsteps.of(spec, simulate(case, backend, values, seconds, progress))
    cuts = steps.cuts(spec.stride, gait.period, skip, start=0.0)  # the run's start is the gait's phase 0
    if len(cuts) < 2:
        raise UserError(
            f"no whole cycle of the gait is left of {seconds:g} s after the first {skip:g} s: give more --seconds."
        )
    report = GaitReport(
        f"{spec.title}: {case.gait_name} gait, {backend}",
        steps,
        cuts,
        intended_by(gait, steps.times),
    )
    label = f"{spec.name}-{case.gait_name}-{backend}"
    return Analysis(spec.name, case.gait_name, backend, label, report)


def analyse_recording(path: Path, robot: str, gait: str, settings: Settings, skip: float) -> Analysis:
    """The recording at `path`, of the `robot` and `gait` that it names unless another is given. Raises UserError.

    `settings` of the sections robot and gait go over what it says of them.
    """
    recording = read_recording(path)
    spec = _robot(recording, path, robot, settings)
    name, followed = _gait(recording, spec, gait, settings)
    steps = recording.footsteps(spec)
    start = None if recording.reference is None else find_gait_start(spec, followed, recording.reference, skip)
    cuts = steps.cuts(spec.stride, followed.period, skip, start)
    if len(cuts) < 2:
        raise UserError(f"{path} has no whole cycle of the gait after its first {skip:g} s: give a smaller --skip.")
    intended, notes = None, []
    if hasattr(followed, "intended"):
        if start is None:
            notes.append(
                f"what was meant is not known: the recorded reference is not that of the gait {name}, or not all"
            )
        else:
            intended = intended_by(followed, steps.times - start)
    report = GaitReport(
        f"{spec.title}: {name} gait, recorded in {_label(path)}",
        steps,
        cuts,
        intended,
    )
    source = recording.about.get("backend_name") or RECORDING
    return Analysis(spec.name, name, source, _label(path), report, tuple(notes))


def _robot(recording: Recording, path: Path, robot: str, settings: Settings) -> RobotSpec:
    name = robot or recording.robot
    if not name:
        raise UserError(f"{path} does not say which robot it is of: give --robot.")
    if not robot and name not in robot_names():
        raise UserError(f"{path} is of a robot '{name}', which is not installed: give its robot.yaml with --robot.")
    told = recording.about.get("robot_parameters") or {} if load_robot(name).name == recording.robot else {}
    return load_robot(name, {**told, **(settings.get("robot") or {})})


def _gait(recording: Recording, spec: RobotSpec, gait: str, settings: Settings) -> tuple[str, Gait]:
    recorded = recording.about.get("gait_name")
    name = gait_name(spec, gait or recorded)
    known = {info.name for info in gait_parameters(spec, name)}
    told = recording.about.get("gait") or {} if name == recorded else {}
    values = {key: value for key, value in told.items() if key in known}  # others are the node's
    return name, make_gait(spec, name, {**values, **(settings.get("gait") or {})})


def _label(path: Path) -> str:
    """A run's name, or the file's."""
    place = path.resolve()
    own = place.parent if place.is_file() and place.parent.name == RECORDING else place
    return own.parent.name if own.name == RECORDING else own.stem if own.is_file() else own.name
