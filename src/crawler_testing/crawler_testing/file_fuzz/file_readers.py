"""The commands that read files, in this process and without what takes long: processes, networks, whole pictures."""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from rosbags.highlevel import anyreader
from rosbags.serde import cdr, ros1
from rosbags.serde.utils import compile_lines

from crawler_bringup.stack import stack
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.prediction import Prediction
from crawler_bringup.stack.settings import read_settings
from crawler_cli.commands import plot, rerun
from crawler_cli.recordings.film_frames import make_film
from crawler_cli.recordings.film_options import FilmOptions
from crawler_cli.recordings.recorded_run import count_late_ticks, find_differences, find_interventions
from crawler_cli.recordings.replay_publisher import REPLAYED, ReplayPublisher
from crawler_core.robot.robot_file import default_robot, load_robot
from crawler_studies.gait_analysis.analysis import analyse_recording
from crawler_studies.recordings.recording_comparison import compare_recordings
from crawler_studies.recordings.recording_reader import open_recording, read_run_metadata
from crawler_studies.study.study_file import open_study
from hw_drivers.backend.hardware_map import hardware_map

FILM = FilmOptions(end=0.6, fps=4.0, width=200)
STUDY_IDENTITY = {"robot": "any", "values": {"a": 1.0}}
STUDY_COLUMNS = {"a": float, "text": str}


class SilentReplay(ReplayPublisher):
    """A replay without a middleware, in no time."""

    def __init__(self) -> None:
        self._prefix, self._recorded = "replay/", ""
        self._clock: Any = NullPublisher()
        self._publishers: Any = dict.fromkeys(REPLAYED, self._clock)
        self.count = 0
        self.is_steered = False
        self._seek_ns = None

    def _wait_until(self, due: float, timer: Any, can_pause: bool) -> float:
        return 0.0


class NullPublisher:
    """A publisher without subscribers."""

    def publish(self, message: Any) -> None:
        """Drop the message."""


@contextmanager
def quick_stacks() -> Iterator[None]:
    """Leave out the equations' prediction, and repetition: parsing and compiling the same definitions again."""
    parse = lru_cache(maxsize=1000)(anyreader.get_types_from_msg)
    compile_text = lru_cache(maxsize=1000)(lambda text: compile_lines([text]))
    no_prediction = Prediction(None, "none")
    with (
        patch.object(stack, "predict_by_equations", lambda *_: no_prediction),
        patch.object(anyreader, "get_types_from_msg", parse),
        patch.object(cdr, "compile_lines", lambda lines: compile_text("\n".join(lines))),
        patch.object(ros1, "compile_lines", lambda lines: compile_text("\n".join(lines))),
    ):
        yield


def read_for_plot(file: Path, _whole: Path) -> None:
    """Draw the picture of a recording."""
    parser = argparse.ArgumentParser()
    plot.add_arguments(parser)
    arguments = parser.parse_args([str(file), "--json"])
    with warnings.catch_warnings(), patch.object(Figure, "savefig", _draw_without_layout):
        warnings.simplefilter("ignore")  # of matplotlib and numpy, about numbers that no axis has
        plot.run(arguments)


def _draw_without_layout(figure: Figure, file: Any, **_: Any) -> None:
    """Draw a small picture: the layout takes most of the time, and depends on the same numbers."""
    figure.set_layout_engine("none")
    figure.set_dpi(10)
    FigureCanvasAgg(figure).print_png(file)


def read_for_film(file: Path, _whole: Path) -> None:
    """Make a small film of a recording."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        make_film(file, None, FILM, quiet=True)


def read_for_replay(file: Path, _whole: Path) -> None:
    """Replay a recording without subscribers."""
    with open_recording(file) as reader:
        read_run_metadata(reader)
        SilentReplay().play(reader, 1.0)


def read_for_rerun(file: Path, whole: Path) -> None:
    """Plan the rerun of a recording, and compare it with a whole one."""
    with open_recording(file) as reader:
        recorded = read_run_metadata(reader)
        find_interventions(reader)
        count_late_ticks(reader)
        with open_recording(whole) as other:
            compare_recordings(reader, other)
            find_differences(recorded, read_run_metadata(other))
        stack.make_stack(rerun.rerun_options(recorded, file, "", rerun.last_stamp(reader, file)))


def read_for_gait_analysis(file: Path, _whole: Path) -> None:
    """Read the file as `crawler gait-analysis` does."""
    report = analyse_recording(file, "", "", {}, 0.0).report
    report.numbers()
    report.foot_numbers()


def read_robot_file(file: Path, _whole: Path) -> None:
    """Read a robot file as a run on mock servos does, and its motors."""
    spec = load_robot(str(file))
    if spec.section("hardware"):
        hardware_map(spec)
    stack.make_stack(Options(robot=str(file), backend="mock"))


def read_parameter_file(file: Path, _whole: Path) -> None:
    """Read a parameter file as a run by the equations does."""
    stack.make_stack(Options(robot=default_robot(), backend="model", settings=read_settings(str(file))))


def read_study(file: Path, _whole: Path) -> None:
    """Open a study, read it, and add a row."""
    with open_study(file, STUDY_IDENTITY, STUDY_COLUMNS) as study:
        rows = study.finished()
        study.add([(max([*study.numbers(), 0]) + 1, 1.0, "x")])
        assert len(study.finished()) == len(rows) + 1
