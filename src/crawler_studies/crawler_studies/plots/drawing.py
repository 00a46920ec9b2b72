"""Figures and tables of a paper: their numbers, how they are drawn, and their files."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from crawler_core.files import replace_file
from crawler_core.registry import LazyRegistry
from crawler_core.robot.robot_spec import RobotSpec

Array = NDArray[np.float64]
Columns = Mapping[str, Array]

BLUE, BLACK, PURPLE, RED, GREY = "#1f4fb4", "#222222", "#8a3fa0", "#c0392b", "#888888"
GREEN, ORANGE = "#2e8b57", "#d9822b"
DPI = 150
PICTURE_FORMATS = {"png": "", "svg": "Date", "pdf": "CreationDate"}  # with the entry that has the time of the drawing


@dataclass(frozen=True)
class Drawing:
    """A figure. Each table has columns of one length, named with their units."""

    number: int | str  # in the paper, or a name
    title: str
    tables: Mapping[str, Columns]  # by the ending of the file's name; "" for the only one
    draw: Callable[[Figure], None]
    size: tuple[float, float] = (9.0, 4.5)  # inches

    @property
    def name(self) -> str:
        """Heading."""
        return f"Fig. {self.number}" if isinstance(self.number, int) else self.number.capitalize()

    @property
    def stem(self) -> str:
        """Stem of the files' names."""
        return f"fig{self.number:02d}" if isinstance(self.number, int) else self.number.replace(" ", "")

    def save(self, directory: Path, picture_format: str = "png") -> list[Path]:
        """Write the picture and the data (CSV) into an existing directory; return the files. Raises UserError.

        The format is one of PICTURE_FORMATS.
        """
        figure = Figure(figsize=self.size, layout="constrained")
        FigureCanvasAgg(figure)
        figure.suptitle(f"{self.name}: {self.title}")
        self.draw(figure)
        for axes in figure.axes:
            if not axes.images and not axes.collections:
                axes.grid(alpha=0.3)
        files = [directory / f"{self.stem}.{picture_format}"]
        date = PICTURE_FORMATS[picture_format]
        with rc_context({"svg.hashsalt": self.stem}):  # the same drawing is the same file
            replace_file(files[0], lambda part: figure.savefig(part, dpi=DPI, metadata={date: None} if date else None))
        for name, columns in self.tables.items():
            file = directory / f"{self.stem}{'_' + name if name else ''}.csv"
            save_columns(file, columns)
            files.append(file)
        return files


def log_scale(axes: Axes, ticks: Sequence[float]) -> None:
    """Make the x axis logarithmic, with these ticks."""
    axes.set_xscale("log")
    axes.set_xticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    axes.minorticks_off()


def save_columns(file: Path, columns: Columns) -> None:
    """Write columns of one length as CSV, with a line of their names."""
    table = np.column_stack([np.asarray(column, dtype=float).ravel() for column in columns.values()])
    np.savetxt(file, table, delimiter=",", header=",".join(columns), comments="", fmt="%.9g")


@dataclass(frozen=True)
class TextTable:
    """A table of text, written as Markdown."""

    number: str  # such as "table 2"
    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""  # sentences below it

    @property
    def name(self) -> str:
        """Heading."""
        return self.number.capitalize()

    def save(self, directory: Path, picture_format: str = "png") -> list[Path]:
        """Write the page (.md), which has no picture, into an existing directory; return the files."""
        lines = [self.head, ["---"] * len(self.head), *self.rows]
        table = "\n".join(f"| {' | '.join(row)} |" for row in lines)
        file = directory / f"{self.number.replace(' ', '')}.md"
        note = f"\n{self.note}\n" if self.note else ""
        file.write_text(f"# {self.name}: {self.title}\n\n{table}\n{note}", encoding="utf-8")
        return [file]


class Page(Protocol):
    """A figure or a table."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    def save(self, directory: Path, picture_format: str = "png") -> list[Path]: ...


@dataclass(frozen=True)
class PaperFigures:
    """The figures of one robot's paper; the robot's model names them."""

    make_data: Callable[[RobotSpec], Any]  # data of all figures; with a field `physics` where an engine measures them
    figures: Mapping[str, Callable[[Any], Page]]  # by their numbers in the paper, or by names

    @staticmethod
    def of(package: str, make_data: Callable[[RobotSpec], Any], functions: Mapping[str, str]) -> PaperFigures:
        """Return figures whose functions, given as "module:function" in `package`, are imported on first use."""
        locations = {name: f"{package}.{function}" for name, function in functions.items()}
        return PaperFigures(make_data, LazyRegistry("figure", locations))
