"""Fuzzing of the commands that read files: no traceback, no hang, bounded memory, nothing written elsewhere."""

from __future__ import annotations

import contextlib
import io
import random
import resource
import shutil
import signal
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import NamedTuple

import yaml

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import robot_names, robots_directory
from crawler_studies.study.study_file import open_study
from crawler_testing.file_fuzz import file_readers
from crawler_testing.file_fuzz.file_readers import STUDY_COLUMNS, STUDY_IDENTITY, Read, quick_stacks
from crawler_testing.file_fuzz.recording_mutator import RecordingMutator
from crawler_testing.file_fuzz.sample_recording import sample_recording
from crawler_testing.file_fuzz.text_mutator import corrupt_bytes, corrupt_document, corrupt_yaml

MAX_SECONDS = 10.0  # of this process's own work for one file
MAX_GROWTH_BYTES = 2**30  # of this process while it reads
MAX_PROBLEMS = 20  # different ones, after which fuzzing ends
WHOLE = "whole"
PARAMETERS = {
    "robot": {"friction": 0.3},
    "gait": {"horizon": 0.3},
    "controller": {"state_rate": 20.0},
    "backend": {"rate": 100.0, "lockstep": True, "estimator": "truth", "real_time_factor": 1.0},
}


class FileKind(NamedTuple):
    """One way to read one kind of file, and a function that makes the corrupted files in turn."""

    suffix: str
    read: Read
    mutator: Callable[[random.Random], Callable[[], bytes]]


@dataclass
class FileOutcome:
    """Result of fuzzing one kind."""

    kind: str
    files: int = 0
    accepted: int = 0  # read without an error
    seconds: float = 0.0
    slowest: float = 0.0  # s of this process's own work for one file
    growth: int = 0  # bytes of the process at its largest, more than before
    crashes: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        return not self.problems


class TooSlowError(BaseException):
    """A file took too long. No handler of exceptions in between may stop it."""


def file_kinds() -> dict[str, FileKind]:
    """Return all kinds by name."""
    readers = {
        "plot": file_readers.read_for_plot,
        "film": file_readers.read_for_film,
        "replay": file_readers.read_for_replay,
        "rerun": file_readers.read_for_rerun,
        "gait-analysis": file_readers.read_for_gait_analysis,
    }
    kinds = {f"recording for {name}": FileKind(".mcap", read, _recordings) for name, read in readers.items()}
    kinds["robot file"] = FileKind(".yaml", file_readers.read_robot_file, _robot_files)
    kinds["parameter file"] = FileKind(".yaml", file_readers.read_parameter_file, _parameter_files)
    kinds["study file"] = FileKind(".sqlite", file_readers.read_study, _studies)
    return kinds


def fuzz_files(name: str, count: int, seed: int, check: Callable[[], None] = lambda: None) -> FileOutcome:
    """Read `count` corrupted files. The seed and the name determine them: the first are the same for any `count`."""
    kind, outcome = file_kinds()[name], FileOutcome(name)
    next_file = kind.mutator(random.Random(f"{seed} {name}"))
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as directory, contextlib.chdir(directory), quick_stacks():
        whole = Path(directory) / f"{WHOLE}{kind.suffix}"
        whole.write_bytes(sample_recording().write() if kind.suffix == ".mcap" else b"")
        file = Path(directory) / f"corrupted{kind.suffix}"
        if kind.read is file_readers.read_robot_file:  # which takes the xacro beside it
            for xacro in robots_directory().glob("*/*.xacro"):
                shutil.copy(xacro, directory)
        known = {file, *Path(directory).iterdir()}
        baseline = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        while outcome.files < count and len(outcome.crashes) < MAX_PROBLEMS:
            check()
            data = next_file()
            file.write_bytes(data)
            outcome.files += 1
            _read(outcome, kind.read, file, whole)
            _check_folder(outcome, Path(directory), file, known)
            outcome.growth = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - baseline)
            if outcome.growth > MAX_GROWTH_BYTES and "memory" not in outcome.crashes:
                _report(outcome, "memory", f"the process grew by {outcome.growth >> 20} MB")
    outcome.seconds = time.monotonic() - begin
    return outcome


def make_file(name: str, number: int, seed: int) -> bytes:
    """Return the file `number`, from 1 on, of a fuzzing."""
    next_file = file_kinds()[name].mutator(random.Random(f"{seed} {name}"))
    for _ in range(number - 1):
        next_file()
    return next_file()


def _read(outcome: FileOutcome, read: Read, file: Path, whole: Path) -> None:
    begin = time.process_time()
    try:
        with _limited_time(), contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            read(file, whole)
        outcome.accepted += 1
    except UserError as error:
        if "\n" in str(error):
            _report(outcome, "lines", f"the error has several lines: {str(error)!r:.200}")
    except TooSlowError as error:
        _report(outcome, f"hang {_place(error)}", f"it took more than {MAX_SECONDS:g} s, {_place(error)}")
    except Exception as error:
        text = f"{type(error).__name__}: {str(error)[:150]!r}, {_place(error)}"
        _report(outcome, f"{type(error).__name__} {_place(error)}", text)
    outcome.slowest = max(outcome.slowest, time.process_time() - begin)


def _report(outcome: FileOutcome, key: str, text: str) -> None:
    outcome.crashes[key] = outcome.crashes.get(key, 0) + 1
    if outcome.crashes[key] == 1:
        outcome.problems.append(f"file {outcome.files}: {text}")


def _check_folder(outcome: FileOutcome, directory: Path, file: Path, known: set[Path]) -> None:
    """Report what a command has left, other than its picture or film, and remove it."""
    for path in directory.iterdir():
        if path in known:
            continue
        if path.stem != file.stem:
            _report(outcome, "files", f"it left {path.name}")
        if path.is_file():
            path.unlink()


def _place(error: BaseException) -> str:
    frames = [one for one in traceback.extract_tb(error.__traceback__) if "crawler" in Path(one.filename).parts[-3:][0]]
    frame = (frames or traceback.extract_tb(error.__traceback__))[-1]
    return f"in {Path(frame.filename).name}, {frame.name}, line {frame.lineno}"


@contextlib.contextmanager
def _limited_time() -> Iterator[None]:
    """Raise TooSlowError after MAX_SECONDS of this process's own work."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise TooSlowError

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, MAX_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, old)


def _recordings(rng: random.Random) -> Callable[[], bytes]:
    return RecordingMutator(rng, [sample_recording(name) for name in robot_names()]).make


def _robot_files(rng: random.Random) -> Callable[[], bytes]:
    texts = [(robots_directory() / name / "robot.yaml").read_text() for name in robot_names()]
    documents = [yaml.safe_load(text) for text in texts]

    def make() -> bytes:
        if rng.random() < 0.2:
            return corrupt_bytes(rng, rng.choice(texts).encode())
        return _dump(corrupt_document(rng, rng.choice(documents)))

    return make


def _parameter_files(rng: random.Random) -> Callable[[], bytes]:
    text = yaml.safe_dump(PARAMETERS)
    return lambda: corrupt_yaml(rng, text).encode(errors="replace")


def _studies(rng: random.Random) -> Callable[[], bytes]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "study.sqlite"
        with open_study(path, STUDY_IDENTITY, STUDY_COLUMNS) as study:
            study.add([(k, 0.1 * k, f"text {k}") for k in range(1, 20)])
        data = path.read_bytes()
    return lambda: corrupt_bytes(rng, data, begin=0 if rng.random() < 0.2 else 100)


def _dump(document: object) -> bytes:
    text: str = yaml.dump(document, Dumper=yaml.CSafeDumper, sort_keys=False, default_flow_style=None)
    return text.encode(errors="replace")
