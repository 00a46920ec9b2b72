"""The table of a sweep: rows of its study file, written as Parquet or CSV."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from crawler_core.files import replace_file
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.sweep.grid import Grid

RESULT_COLUMNS: dict[str, type] = {"step_length_m": float, "speed_m_s": float, "valid": bool, "reason": str}
UNKNOWN: dict[type, Any] = {float: math.nan, bool: None}
ARROW_TYPES = {float: pa.float64(), bool: pa.bool_(), str: pa.string()}
SUFFIXES = (".parquet", ".csv")


def sweep_columns(grid: Grid, extra: Mapping[str, type]) -> dict[str, type]:
    """Return the columns of a sweep after the point's number; `extra` are those of the robot."""
    return {**dict.fromkeys(grid.names, float), **RESULT_COLUMNS, **extra}


def make_rows(
    grid: Grid, numbers: Sequence[int], results: Sequence[Result], extra: Mapping[str, type]
) -> list[tuple[Any, ...]]:
    """Return the points with these numbers and their results, in the order of `sweep_columns`."""
    return [
        (
            number,
            *values,
            result.step_length,
            result.speed,
            bool(result.valid),
            result.reason,
            *(kind(result.extra[name]) if name in result.extra else UNKNOWN[kind] for name, kind in extra.items()),
        )
        for number, values, result in zip(numbers, grid.coordinates(numbers).tolist(), results, strict=True)
    ]


def make_table(
    grid: Grid, rows: Sequence[tuple[Any, ...]], identity: Mapping[str, Any], extra: Mapping[str, type]
) -> pa.Table:
    """Make the table of all rows. An unknown value is null; the metadata hold the identity of the study."""
    kinds = sweep_columns(grid, extra)
    units = {variable.name: variable.unit for variable in grid.variables}
    fields = [
        pa.field(name, ARROW_TYPES[kind], metadata={"unit": units[name]} if units.get(name) else None)
        for name, kind in kinds.items()
    ]
    by_column = list(zip(*rows, strict=True))[1:] if rows else [()] * len(kinds)
    arrays = [
        pa.array([_null_if_unknown(v) for v in column] if kind is not str else column, type=ARROW_TYPES[kind])
        for column, kind in zip(by_column, kinds.values(), strict=True)
    ]
    return pa.table(arrays, schema=pa.schema(fields, metadata={"study": json.dumps(identity)}))


def write_table(table: pa.Table, file: Path) -> None:
    """Write `table` in the format of the suffix. The file is there whole, or as it was before."""
    write = pyarrow.csv.write_csv if file.suffix == ".csv" else pyarrow.parquet.write_table
    replace_file(file, lambda part: write(table, part))


def _null_if_unknown(value: Any) -> Any:
    if isinstance(value, float):
        return None if math.isnan(value) else value
    return value if value is None else bool(value)
