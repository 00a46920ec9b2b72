"""The run of a sweep: the points that its study lacks are evaluated and stored."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from crawler_studies.evaluators.evaluator import Evaluator, Result
from crawler_studies.study.study_case import Point
from crawler_studies.study.study_file import StudyFile
from crawler_studies.sweep.chunk_size import ChunkSize
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.table import make_rows

Finished = tuple[Sequence[int], Sequence[Result]]
"""Numbers of points, and their results."""

Source = Callable[[Evaluator, Grid, Sequence[int]], Iterator[Finished]]
"""Evaluates the points with the given numbers, in any order and grouping."""


def evaluate_timed(evaluator: Evaluator, points: Sequence[Point]) -> tuple[list[Result], float]:
    """Return the results, and the seconds that they took."""
    began = time.perf_counter()
    results = evaluator.evaluate(points)
    return results, time.perf_counter() - began


def in_process(evaluator: Evaluator, grid: Grid, numbers: Sequence[int]) -> Iterator[Finished]:
    """Evaluate in this process, chunk by chunk."""
    chunk_size, start = ChunkSize(), 0
    while start < len(numbers):
        chunk = numbers[start : start + chunk_size.size]
        results, seconds = evaluate_timed(evaluator, grid.points(chunk))
        chunk_size.update(len(chunk), seconds)
        yield chunk, results
        start += len(chunk)


def sweep(
    source: Source,
    evaluator: Evaluator,
    grid: Grid,
    study: StudyFile,
    progress: Callable[[int], None],
    extra: Mapping[str, type] | None = None,
) -> int:
    """Evaluate every point of `grid` that `study` lacks, and return their number; `extra` are the robot's columns.

    `progress` takes the number of further points that are finished, once they are on the disk.
    """
    finished = study.numbers()
    missing = [number for number in range(grid.size) if number not in finished]
    for numbers, results in source(evaluator, grid, missing):
        study.add(make_rows(grid, numbers, results, extra or {}))
        progress(len(numbers))
    return len(missing)
