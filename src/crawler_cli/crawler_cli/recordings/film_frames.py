"""The film of a recording: the robot at each frame's time, and the pictures of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image
from rosbags.highlevel import AnyReader
from rosbags.interfaces import Connection

from crawler_cli.console.progress_line import ProgressLine
from crawler_cli.recordings.film_options import FilmOptions
from crawler_cli.recordings.recorded_run import recorded_stack
from crawler_core.errors import UserError
from crawler_core.files import replace_file
from crawler_nodes.run_log.log import RunLog
from crawler_studies.recordings.recording import connections, find_recording, is_of, read_run_metadata, reading
from crawler_view.film.film_file import check_kind, write_film
from crawler_view.film.frame_renderer import FrameRenderer
from crawler_view.scene.live_state import LiveState

SMOOTH = 1000  # ms of film over which the camera's way is evened out
DESCRIPTION, SHOWN = "robot_description", ("joint_states", "odom", "contact_states")


@dataclass(frozen=True)
class Take:
    """The frames of a film, as `LiveState.frame` gives them, and when they are in the run (s)."""

    scene: Mapping[str, Any]
    frames: list[dict[str, Any]]
    times: list[float]
    lasts: float  # s, the whole recording


def film(path: Path, file: Path | None, wishes: FilmOptions, quiet: bool) -> dict[str, Any]:
    """Make the film of the recording `path`, beside it where no `file` is given; what there is to say of it.

    Raises UserError for what is no recording of a robot that moves, and where the film cannot be written.
    """
    with reading(path) as reader:
        stack = recorded_stack(read_run_metadata(reader), path)
        begin, end, step = wishes.span(stack)
        shown = take(reader, path, begin, end, step)
    if len(shown.frames) < 2:
        raise UserError(f"{path} lasts {shown.lasts:g} s: from {begin:g} to {end:g} s it has no two frames of a film.")
    file = file or find_recording(path)[1].with_suffix(".gif")
    check_kind(file)
    title, planar = str(shown.scene["robot"]), False
    if stack is not None:
        title = f"{stack.spec.name} on {stack.options.backend}, gait {stack.gait_name}"
        planar = not RunLog.of(stack.spec).drifts
    stage = FrameRenderer(shown.scene, shown.frames, planar, wishes.width, SMOOTH // wishes.delay, title)
    speed = wishes.speed_of(stack)
    pace = "real time" if speed == 1.0 else f"{speed:g} x real time"
    progress = ProgressLine(str(file), stage.count, quiet, "{:.0f} of {:.0f} frames")

    def picture(i: int) -> Image.Image:
        progress(i)
        gone = shown.frames[i]["distance"]
        return stage.picture(i, [f"{shown.times[i]:.2f} s{_far(gone)}", pace])

    replace_file(file, lambda part: write_film(stage.count, picture, stage.colours, wishes.delay, Path(part)))
    return {
        "film": str(file),
        "robot": shown.scene["robot"],
        "begin_s": shown.times[0],
        "end_s": shown.times[-1],
        "speed": speed,
        "fps": 1e3 / wishes.delay,
        "frames": stage.count,
        "width": stage.size[0],
        "height": stage.size[1],
        "bytes": file.stat().st_size,
        "recording": str(find_recording(path)[1]),
    }


def _far(gone: float | None) -> str:
    """How a distance (m) is written."""
    if gone is None:
        return ""
    return f"    {round(1e3 * gone)} mm" if abs(gone) < 1.0 else f"    {gone:.2f} m"


def take(reader: AnyReader, path: Path, begin: float, end: float, every: float) -> Take:
    """The robot every `every` seconds from `begin` to `end`, s from the first state. Raises UserError."""
    state = LiveState()
    hear = {topic.name: (topic, on) for topic, on in [*state.topics(), *state.joints()]}

    def those(name: str) -> list[Connection]:
        found = [connection for connection in connections(reader, name) if is_of(connection, hear[name][0].type)]
        if len({connection.topic for connection in found}) > 1:
            raise UserError(f"{path} holds several {name}: record one robot at a time.")
        return found

    described = those(DESCRIPTION)  # first: it has no stamp, and may stand behind the first states
    for _, _, data in reader.messages(described) if described else ():
        hear[DESCRIPTION][1](data, {})
    there = [connection for name in SHOWN for connection in those(name)]
    frames: list[dict[str, Any] | None] = []
    times: list[float] = []
    first = now = None
    for connection, when, data in reader.messages(there) if there else ():
        name = connection.topic.rpartition("/")[2]
        if first is None and name == "joint_states":
            first = when
        now = when
        while first is not None and (when - first) * 1e-9 > (at := begin + len(times) * every) + 1e-9 and at <= end:
            times.append(at)
            frames.append(state.frame())
        hear[name][1](data, {})
    if first is None or now is None:
        raise UserError(f"{path} holds no run: no joint_states.")
    if state.scene is None:
        raise UserError(f"{path} holds no robot_description, so nobody knows what the robot looks like.")
    lasts = (now - first) * 1e-9
    if (at := begin + len(times) * every) <= min(end, lasts) + 1e-9:
        times.append(at)
        frames.append(state.frame())
    known = [(frame, at) for frame, at in zip(frames, times, strict=True) if frame is not None]
    return Take(state.scene, [frame for frame, _ in known], [at for _, at in known], lasts)
