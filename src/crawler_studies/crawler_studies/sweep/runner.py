"""Evaluating what is not evaluated yet, and keeping it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence

from crawler_studies.evaluators.evaluator import Evaluator, Result
from crawler_studies.study.study_case import Point
from crawler_studies.study.study_file import StudyFile
from crawler_studies.sweep.chunk_size import ChunkSize
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.rows import rows

Finished = tuple[Sequence[int], Sequence[Result]]
"""Numbers of points, and what these points came to."""

Source = Callable[[Evaluator, Grid, Sequence[int]], Iterator[Finished]]
"""Evaluates the points with the given numbers, in any order and grouping."""


def timed(evaluator: Evaluator, points: Sequence[Point]) -> tuple[list[Result], float]:
    """The results, and the seconds that they took."""
    began = time.perf_counter()
    results = evaluator.evaluate(points)
    return results, time.perf_counter() - began


def in_process(evaluator: Evaluator, grid: Grid, numbers: Sequence[int]) -> Iterator[Finished]:
    """Evaluate here, one go after another."""
    pace, start = ChunkSize(), 0
    while start < len(numbers):
        chunk = numbers[start : start + pace.size]
        results, seconds = timed(evaluator, grid.points(chunk))
        pace.took(len(chunk), seconds)
        yield chunk, results
        start += len(chunk)


def sweep(
    source: Source,
    evaluator: Evaluator,
    grid: Grid,
    study: StudyFile,
    progress: Callable[[int], None],
    own: Mapping[str, type] | None = None,
) -> int:
    """Evaluate every point of `grid` that `study` lacks; `progress` hears how many became finished.

    `own` are the columns of the robot alone.

    Returns how many were evaluated. They are on the disk as soon as `progress` hears of them.
    """
    finished = study.numbers()
    missing = [number for number in range(grid.size) if number not in finished]
    for numbers, results in source(evaluator, grid, missing):
        study.add(rows(grid, numbers, results, own or {}))
        progress(len(numbers))
    return len(missing)
