"""Read the frames of a film from a recording, and draw them."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from rosbags.interfaces import Connection

from crawler_cli.console.progress_line import ProgressLine
from crawler_cli.recordings.film_options import FilmOptions
from crawler_cli.recordings.recorded_run import missing_robot_note, recorded_stack
from crawler_core.errors import UserError
from crawler_core.files import replace_file
from crawler_nodes.run_log.log import RunLog
from crawler_nodes.topics import CONTACT_STATES, GROUND_TRUTH, JOINT_STATES, ODOM, ROBOT_DESCRIPTION
from crawler_studies.recordings.recording_reader import (
    RecordingReader,
    find_recording,
    has_message_type,
    open_recording,
    read_run_metadata,
    stack_topic_name,
    topic_connections,
)
from crawler_view.film.film_file import check_kind, write_film
from crawler_view.film.frame_renderer import FrameRenderer
from crawler_view.scene.live_state import LiveState

SMOOTHING_MS = 1000  # of film, over which the camera's path is smoothed
DESCRIPTION = ROBOT_DESCRIPTION.name
SHOWN = tuple(topic.name for topic in (JOINT_STATES, GROUND_TRUTH, ODOM, CONTACT_STATES))


@dataclass(frozen=True)
class FilmFrames:
    """Frames as of `LiveState.frame`, and their times in s of the run."""

    scene: Mapping[str, Any]
    frames: list[dict[str, Any]]
    times: list[float]
    duration: float  # s, of the whole recording


def make_film(path: Path, file: Path | None, options: FilmOptions, quiet: bool, robot: str = "") -> dict[str, Any]:
    """Make the film of the recording `path`, beside it unless a `file` is given. Return the keys of --json.

    `robot` is that which the user names, or empty.

    Raises UserError if `path` is no recording of a robot that moves, or the film cannot be written.
    """
    with open_recording(path) as reader, reader.content_errors():
        metadata = read_run_metadata(reader)
        stack = recorded_stack(metadata, path, robot)
        begin, end, step = options.sample_times(stack)
        film = read_frames(reader, path, begin, end, step)
    if stack is None and (note := missing_robot_note(metadata)):
        print(note, file=sys.stderr)
    if len(film.frames) < 2:
        raise UserError(
            f"{path} has no two frames of a film from {begin:g} to {end:g} s: it lasts {film.duration:g} s. Give times "
            "within that with --from and --to."
        )
    file = file or find_recording(path)[1].with_suffix(".gif")
    check_kind(file)
    title, is_planar = str(film.scene["robot"]), False
    if stack is not None:
        title = f"{stack.spec.name} on {stack.options.backend}, gait {stack.gait_name}"
        is_planar = not RunLog.of(stack.spec).can_drift
    frame_time = options.frame_time_ms
    renderer = FrameRenderer(film.scene, film.frames, is_planar, options.width, SMOOTHING_MS // frame_time, title)
    speed = options.playback_speed(stack)
    speed_text = "real time" if speed == 1.0 else f"{speed:g} x real time"
    progress = ProgressLine(quiet)

    def picture(i: int) -> Image.Image:
        progress(f"{file}: {i} of {renderer.count} frames")
        return renderer.render(i, [f"{film.times[i]:.2f} s{_distance_text(film.frames[i]['distance'])}", speed_text])

    replace_file(file, lambda part: write_film(renderer.count, picture, renderer.colours, frame_time, Path(part)))
    return {
        "film": str(file),
        "robot": film.scene["robot"],
        "begin_s": film.times[0],
        "end_s": film.times[-1],
        "speed": speed,
        "fps": 1e3 / frame_time,
        "frames": renderer.count,
        "width": renderer.size[0],
        "height": renderer.size[1],
        "bytes": file.stat().st_size,
        "recording": str(find_recording(path)[1]),
    }


def _distance_text(distance: float | None) -> str:
    if distance is None:
        return ""
    return f"    {round(1e3 * distance)} mm" if abs(distance) < 1.0 else f"    {distance:.2f} m"


class FrameSampler:
    """Takes frames of a state at regular times, while messages change the state."""

    def __init__(self, state: LiveState, begin: float, end: float, step: float) -> None:
        self._state, self._begin, self._end, self._step = state, begin, end, step
        self._samples: list[tuple[float, dict[str, Any] | None]] = []

    @property
    def _next(self) -> float:
        return self._begin + len(self._samples) * self._step

    def advance(self, time: float) -> None:
        """Take all frames before `time`, in s: the state is about to change."""
        while time > self._next + 1e-9 and self._next <= self._end:
            self._samples.append((self._next, self._state.frame()))

    def finish(self, duration: float) -> tuple[list[float], list[dict[str, Any]]]:
        """Take the frame at the end of the recording. Return the times and frames in which the robot is known."""
        if self._next <= min(self._end, duration) + 1e-9:
            self._samples.append((self._next, self._state.frame()))
        known = [(time, frame) for time, frame in self._samples if frame is not None]
        return [time for time, _ in known], [frame for _, frame in known]


def read_frames(reader: RecordingReader, path: Path, begin: float, end: float, step: float) -> FilmFrames:
    """Return the robot every `step` s from `begin` to `end`, counted from the first state. Raises UserError."""
    state = LiveState()
    topics = {topic.name: (topic.type, callback) for topic, callback in [*state.topics(), *state.joint_topics()]}

    def find(name: str) -> list[Connection]:
        found = [
            connection
            for connection in topic_connections(reader, name)
            if has_message_type(connection, topics[name][0])
        ]
        if len({connection.topic for connection in found}) > 1:
            raise UserError(f"{path} holds several {name}: record one robot at a time.")
        return found

    described = find(DESCRIPTION)  # first: it has no stamp, and the recording may hold it after the first states
    for _, _, data in reader.messages(described) if described else ():
        topics[DESCRIPTION][1](data, {})
    shown = [connection for name in SHOWN for connection in find(name)]
    sampler = FrameSampler(state, begin, end, step)
    first = latest = None  # ns
    for connection, latest, data in reader.messages(shown) if shown else ():
        name = stack_topic_name(connection)
        if first is None and name == JOINT_STATES.name:
            first = latest
        if first is not None:
            sampler.advance((latest - first) * 1e-9)
        topics[name][1](data, {})
    if first is None or latest is None:
        raise UserError(f"{path} holds no run: no joint_states. Record one with './crawler run --record'.")
    if state.scene is None and state.scene_error:
        raise UserError(f"{path} has a robot_description that cannot be drawn: {state.scene_error.rstrip('.')}.")
    if state.scene is None:
        raise UserError(f"{path} holds no robot_description, which a film needs: record that topic too.")
    duration = (latest - first) * 1e-9
    times, frames = sampler.finish(duration)
    return FilmFrames(state.scene, frames, times, duration)
