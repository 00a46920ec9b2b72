"""The analysis of a gait, of a run that is simulated for it, without ROS, or of a recording."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler_core.errors import UserError, quoted
from crawler_core.gait_metrics.footfall import intended_contacts
from crawler_core.robot.robot_file import load_robot, robot_names
from crawler_core.robot.robot_spec import RobotSpec
from crawler_models.model_registry import model_of
from crawler_studies.gait_analysis.gait_phase import find_gait_start
from crawler_studies.gait_analysis.gait_report import GaitReport
from crawler_studies.recordings.footsteps import Footsteps
from crawler_studies.recordings.recording import Recording, read_recording
from crawler_studies.simulation.robot import start_loop
from crawler_studies.study.study_case import StudyCase
from gait_generators.kinds.gait import Gait
from gait_generators.kinds.gait_registry import gait_name, gait_parameters, make_gait
from sim_bridge.physics.engines import default_physics

Settings = Mapping[str, Mapping[str, Any]]
RECORDING_DIRECTORY = "recording"  # within a run's directory


@dataclass(frozen=True)
class Analysis:
    """The report of a run, and the run's origin."""

    robot: str
    gait: str
    source: str  # the backend that moved the robot, or "recording" where it is not known
    label: str  # for a directory's name
    report: GaitReport
    notes: tuple[str, ...] = ()  # sentences that belong to it


def default_backend(spec: RobotSpec) -> str:
    """Return the equations where the robot has some that move it, otherwise physics."""
    return "model" if model_of(spec).plant else default_physics()


def analyse_run(
    case: StudyCase,
    backend: str,
    values: Mapping[str, Any],
    seconds: float,
    skip: float,
    progress: Callable[[float], None] = lambda _: None,
) -> Analysis:
    """Simulate so many `seconds` and analyse them without the first `skip`; `values` are of the section backend.

    Raises UserError for a case that cannot run, and BackendFault where the run ends early.
    """
    spec, gait = case.at({})
    states = []
    with start_loop(case, backend, values) as loop:
        for state in loop.run(round(seconds * 1e9 / loop.dt_ns)):
            states.append(state)
            progress(state.time_ns * 1e-9)
    steps = Footsteps.of(spec, states)
    ends = steps.cycle_ends(spec.stride, gait.period, skip, start=0.0)  # the run starts at the gait's phase 0
    if len(ends) < 2:
        raise UserError(
            f"no whole cycle of the gait is left of {seconds:g} s after the first {skip:g} s: give more --seconds."
        )
    title = f"{spec.title}: {case.gait_name} gait, {backend}"
    report = GaitReport(title, steps, ends, intended_contacts(gait, steps.times))
    return Analysis(spec.name, case.gait_name, backend, f"{spec.name}-{case.gait_name}-{backend}", report)


def analyse_recording(path: Path, robot: str, gait: str, settings: Settings, skip: float) -> Analysis:
    """Analyse the recording at `path`, of the `robot` and `gait` that it names unless another is given.

    `settings` of the sections robot and gait override the recorded ones. Raises UserError.
    """
    recording = read_recording(path)
    spec = _recorded_robot(recording, path, robot, settings)
    name, recorded_gait = _recorded_gait(recording, spec, gait, settings)
    steps = recording.footsteps(spec)
    start = None if recording.reference is None else find_gait_start(spec, recorded_gait, recording.reference, skip)
    ends = steps.cycle_ends(spec.stride, recorded_gait.period, skip, start)
    if len(ends) < 2:
        raise UserError(f"{path} has no whole cycle of the gait after its first {skip:g} s: give a smaller --skip.")
    intended, notes = None, []
    if recording.is_estimate:
        notes.append("steps and speed are those of odom, as the robot believed them: the recording has no ground truth")
    if hasattr(recorded_gait, "intended"):
        if start is None:
            notes.append(f"the intended contacts are unknown: not all of the recorded reference is of the gait {name}")
        else:
            intended = intended_contacts(recorded_gait, steps.times - start)
    label = _run_label(path)
    report = GaitReport(f"{spec.title}: {name} gait, recorded in {label}", steps, ends, intended)
    source = str(recording.metadata.get("backend_name") or "recording")
    return Analysis(spec.name, name, source, label, report, tuple(notes))


def _recorded_robot(recording: Recording, path: Path, robot: str, settings: Settings) -> RobotSpec:
    name = robot or str(recording.robot)
    if not name:
        raise UserError(f"{path} does not name its robot: give --robot.")
    if not robot and name not in robot_names():
        raise UserError(f"{path} is of a robot '{name}', which is not installed: give its robot.yaml with --robot.")
    is_same = load_robot(name).name == recording.robot
    recorded = _mapping(recording, "robot_parameters") if is_same else {}
    return load_robot(name, {**recorded, **(settings.get("robot") or {})})


def _recorded_gait(recording: Recording, spec: RobotSpec, gait: str, settings: Settings) -> tuple[str, Gait]:
    recorded_name = str(recording.metadata.get("gait_name") or "")
    name = gait_name(spec, gait or recorded_name)
    known = {info.name for info in gait_parameters(spec, name)}
    recorded = _mapping(recording, "gait") if name == recorded_name else {}
    values = {key: value for key, value in recorded.items() if key in known}  # others are the gait node's
    return name, make_gait(spec, name, {**values, **(settings.get("gait") or {})})


def _mapping(recording: Recording, key: str) -> Mapping[str, Any]:
    """Return a table of the recorded metadata. Raises UserError where it is none."""
    found = recording.metadata.get(key) or {}
    if not isinstance(found, Mapping):
        raise UserError(f"the recording has {key} = {quoted(found)}, which is no table of values: it is damaged.")
    return found


def _run_label(path: Path) -> str:
    """Return the name of the run, or of the file."""
    place = path.resolve()
    if place.is_file() and place.parent.name == RECORDING_DIRECTORY:
        place = place.parent
    if place.name == RECORDING_DIRECTORY:
        return place.parent.name
    return place.stem if place.is_file() else place.name
