"""What the paper prints in its two tables."""

from __future__ import annotations

from typing import NamedTuple


class Largest(NamedTuple):
    """A column of Table 1: the largest alpha, and f and d_unit there."""

    n: int
    alpha_deg: float
    f: float
    d_unit: float


class Experiment(NamedTuple):
    """A row of Table 2, an experiment on a wooden floor over ten cycles."""

    n: int
    alpha_deg: float
    f: float
    d_unit: float
    moved_mm: float  # Delta x, measured
    d_mm: float  # 10 l d_unit
    loss_percent: float  # (d - Delta x) / d


TABLE_1 = (
    Largest(4, 74.6, 0.53, 2.40),
    Largest(5, 58.5, 0.52, 2.87),
    Largest(6, 48.2, 0.52, 3.35),
    Largest(7, 41.1, 0.52, 3.79),
    Largest(8, 35.8, 0.53, 4.31),
    Largest(9, 31.7, 0.53, 4.82),
    Largest(10, 28.5, 0.53, 5.25),
    Largest(11, 25.9, 0.54, 5.87),
)
TABLE_2 = (
    Experiment(4, 30.0, 0.218, 0.455, 332.5, 382.2, 13.0),
    Experiment(4, 45.0, 0.333, 0.956, 711.7, 803.0, 11.0),  # d_unit is a misprint of 0.986, and d follows from it
    Experiment(4, 58.0, 0.430, 1.567, 1197.8, 1316.3, 9.0),
    Experiment(5, 30.0, 0.283, 0.858, 634.2, 720.7, 12.0),
    Experiment(5, 45.0, 0.424, 1.824, 1379.0, 1532.2, 10.0),
    Experiment(5, 58.0, 0.519, 2.831, 2211.5, 2378.0, 7.0),
)
MISPRINT = (4, 45.0)  # n and alpha of the row of Table 2 whose d_unit is misprinted
