"""Read from a recording how to repeat its run, and compare the two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crawler_bringup.stack.options import Options
from crawler_bringup.stack.stack import Stack, make_stack
from crawler_core.errors import UserError, quoted
from crawler_core.robot.installed_robot import check_installed
from crawler_core.robot.robot_file import default_robot, robot_names
from crawler_core.robot.sections import SECTIONS
from crawler_nodes.topics import CMD_VEL, DIAGNOSTICS, MOTION_STATE
from crawler_studies.recordings.recording_reader import RecordingReader, read_messages, topic_connections

# settings of waiting times on the wall clock, which do not change what a node does
WAITING = {"real_time_factor", "lockstep_timeout", "answer_timeout", "reference_timeout", "readers", "stop_at"}
MAX_SHOWN_LENGTH = 200  # characters of a value


def recorded_options(metadata: Mapping[str, Any], path: Path, robot: str = "") -> Options:
    """Return the options of a recorded run. Raises UserError if the recording does not have them.

    `robot` is that which the user names. Without one it is the recording's, which must be installed: a recording is
    data, so no robot folder that it names is opened.
    """
    given = metadata.get("given")
    names = [metadata.get(key) for key in ("backend_name", "law", "gait_name")]
    if not isinstance(given, dict) or not all(isinstance(name, str) for name in names):
        raise UserError(f"{path} does not say how it was made: './crawler run --record' makes recordings that do.")
    settings = {section: _mapping(metadata, section, path) for section in SECTIONS}
    settings["backend"].pop("stop_at", None)
    backend, law, gait = (str(name) for name in names)
    return Options(
        robot=robot or check_installed(str(given.get("robot") or default_robot()), str(path)),
        backend=backend,
        controller=law,
        gait=gait,
        settings=settings,
        duration=_number(given, "duration", path),
        namespace=str(given.get("namespace") or ""),
    )


def recorded_stack(metadata: Mapping[str, Any], path: Path, robot: str = "") -> Stack | None:
    """Return the stack of a recorded run, or None if it cannot be made here. `robot` is as in `recorded_options`.

    Raises UserError where the user names a robot with which it cannot be made.
    """
    try:
        return make_stack(recorded_options(metadata, path, robot))
    except UserError:
        if robot:
            raise
        return None


def missing_robot_note(metadata: Mapping[str, Any]) -> str:
    """Return a sentence about a recorded robot that is not installed; empty for others."""
    given = metadata.get("given")
    name = str(given.get("robot") or "") if isinstance(given, dict) else ""
    if not name or name in robot_names():
        return ""
    return (
        f"crawler: the robot {quoted(name)} is not installed, and a recording brings no code: this shows what was "
        "recorded alone. If you trust the robot's folder, give its robot.yaml with --robot."
    )


def _mapping(values: Mapping[str, Any], key: str, path: Path) -> dict[str, Any]:
    found = values.get(key) or {}
    if not isinstance(found, Mapping):
        raise UserError(f"{path} has {key} = {quoted(found)}, which is no table of settings: the recording is damaged.")
    return dict(found)


def _number(values: Mapping[str, Any], key: str, path: Path) -> float:
    found = values.get(key) or 0.0
    if not isinstance(found, (int, float)):
        raise UserError(f"{path} has {key} = {quoted(found)}, which is no number: the recording is damaged.")
    return float(found)


def find_differences(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Return a phrase for each difference of versions, parameters or robot file between two runs."""
    found = []
    for part in ("versions", "parameters", "robot_file"):
        before, after = dict(_leaves(recorded.get(part), part)), dict(_leaves(now.get(part), part))
        for name in sorted(before.keys() | after.keys()):
            old, new = before.get(name, "not there"), after.get(name, "not there")
            if old != new and name.rpartition(".")[2] not in WAITING:
                found.append(f"{name.removeprefix('versions.')}: {old} then, {new} now")
    return found


def find_interventions(reader: RecordingReader) -> list[str]:
    """Return a phrase for each intervention in a recorded run, which a rerun does not repeat."""
    with reader.content_errors():
        found = ["cmd_vel steered it"] if any(True for _ in _messages(reader, CMD_VEL.name)) else []
        for event in _messages(reader, "parameter_events"):
            for parameter in event.changed_parameters:
                found.append(f"{parameter.name} of {event.node} was changed")
        states = {status.message for status in _messages(reader, MOTION_STATE.name)} - {"disabled", "active"}
    found += [f"its motion was {state}" for state in sorted(states)]
    return list(dict.fromkeys(found))


def count_late_ticks(reader: RecordingReader) -> int:
    """Return how many ticks had no command in time, by the backend's last diagnostics."""
    late = 0
    with reader.content_errors():
        for message in _messages(reader, DIAGNOSTICS.name):
            for status in message.status:
                for entry in status.values:
                    late = int(entry.value) if entry.key == "late_ticks" and entry.value.isdigit() else late
    return late


def _messages(reader: RecordingReader, topic: str) -> Iterator[Any]:
    return read_messages(reader, topic_connections(reader, topic))


def _leaves(value: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, f"{name}.{key}")
    elif value is not None:
        text = str(value)
        yield name, text if len(text) <= MAX_SHOWN_LENGTH else f"{text[:MAX_SHOWN_LENGTH]} ..."
