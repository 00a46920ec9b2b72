"""Fuzzing of the commands that read files: no traceback, no hang, bounded memory, nothing written elsewhere."""

from __future__ import annotations

import random
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import yaml

from crawler_core.robot.robot_file import robot_names, robots_directory
from crawler_studies.study.study_file import open_study
from crawler_testing.file_fuzz import file_readers
from crawler_testing.file_fuzz.file_readers import STUDY_COLUMNS, STUDY_IDENTITY, quick_stacks
from crawler_testing.file_fuzz.reader_process import Read, ReaderProcess, ReadResult
from crawler_testing.file_fuzz.recording_mutator import RecordingMutator
from crawler_testing.file_fuzz.sample_recording import sample_recording
from crawler_testing.file_fuzz.text_mutator import corrupt_bytes, corrupt_document, corrupt_yaml

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
    slowest: float = 0.0  # s of the reader's own work for one file
    growth: int = 0  # bytes of the reader at its largest, more than before the file
    crashes: dict[str, int] = field(default_factory=dict)  # files with the same problem
    problems: list[str] = field(default_factory=list)
    interrupted: bool = False

    @property
    def ok(self) -> bool:
        return not self.problems

    def add(self, result: ReadResult, *more: tuple[str, str]) -> None:
        """Count one file, with `more` problems; only the first of equal problems is kept."""
        self.files += 1
        self.accepted += result.accepted
        self.slowest = max(self.slowest, result.seconds)
        self.growth = max(self.growth, result.growth)
        for key, text in (*result.problems, *more):
            if key not in self.crashes:
                self.problems.append(f"file {self.files}: {text}")
            self.crashes[key] = self.crashes.get(key, 0) + 1


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
    """Read `count` corrupted files. The seed and the name determine them: the first are the same for any `count`.

    KeyboardInterrupt from `check` ends it early, with the outcome so far.
    """
    kind, outcome = file_kinds()[name], FileOutcome(name)
    next_file = kind.mutator(random.Random(f"{seed} {name}"))
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as temporary, quick_stacks():
        directory = Path(temporary)
        whole, file = directory / f"{WHOLE}{kind.suffix}", directory / f"corrupted{kind.suffix}"
        whole.write_bytes(sample_recording().write() if kind.suffix == ".mcap" else b"")
        if kind.read is file_readers.read_robot_file:  # which takes the xacro beside it
            for xacro in robots_directory().glob("*/*.xacro"):
                shutil.copy(xacro, directory)
        known = {file, *directory.iterdir()}
        with ReaderProcess(kind.read, whole, directory) as reader:
            while outcome.files < count and len(outcome.crashes) < MAX_PROBLEMS:
                try:
                    check()
                except KeyboardInterrupt:
                    outcome.interrupted = True
                    break
                file.write_bytes(next_file())
                outcome.add(reader.read(file), *_check_folder(directory, file, known))
    outcome.seconds = time.monotonic() - begin
    return outcome


def make_file(name: str, number: int, seed: int) -> bytes:
    """Return the file `number`, from 1 on, of a fuzzing."""
    next_file = file_kinds()[name].mutator(random.Random(f"{seed} {name}"))
    for _ in range(number - 1):
        next_file()
    return next_file()


def _check_folder(directory: Path, file: Path, known: set[Path]) -> Iterator[tuple[str, str]]:
    """Yield what a command has left, other than its picture or film, and remove it."""
    for path in directory.iterdir():
        if path in known:
            continue
        if path.stem != file.stem:
            yield "files", f"it left {path.name}"
        if path.is_file():
            path.unlink()


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
