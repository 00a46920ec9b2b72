"""The table and the picture of a sweep say what its points came to."""

import json
import math
from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from crawler_core.errors import UserError
from crawler_studies.evaluators.evaluator import Result
from crawler_studies.sweep.grid import Grid
from crawler_studies.sweep.plot import describe_plot, draw, make_figure
from crawler_studies.sweep.table import make_rows, make_table, write_table
from crawler_studies.sweep.variable import SweepVariable

OMEGA = SweepVariable("gait.omega", (1.0, 2.0, 4.0, 8.0), log=True, unit="rad/s")
PSI = SweepVariable("gait.psi", (0.0, 10.0, 20.0), unit="deg")
GRID = Grid((OMEGA, PSI))
OWN = {"force_N": float, "margin": float, "unique": bool, "torque_N_m": float}


def result(omega: float, psi: float) -> Result:
    own = {"force_N": 0.8, "margin": 0.7, "unique": psi > 0.0}
    return Result(1e-3 * (omega - 3.0), 0.25, True, "", own)


def results() -> list[Result]:
    """Steps of omega - 3 mm; not valid where psi is 20."""
    return [
        Result.invalid('foot_1 "lifts", so to say.')
        if point["gait.psi"] == 20.0
        else result(point["gait.omega"], point["gait.psi"])
        for point in GRID.points(range(GRID.size))
    ]


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_a_table_reads_back_as_what_was_found(tmp_path: Path, suffix: str) -> None:
    found = make_rows(GRID, range(GRID.size), results(), OWN)
    file = tmp_path / f"map{suffix}"
    write_table(make_table(GRID, found, {"gait": "harmonic"}, OWN), file)
    table = (pyarrow.csv.read_csv if suffix == ".csv" else pyarrow.parquet.read_table)(file).to_pylist()
    assert len(table) == GRID.size
    assert table[3] == {
        "gait.omega": 2.0,
        "gait.psi": 0.0,
        "step_length_m": 1e-3 * (2.0 - 3.0),
        "speed_m_s": 0.25,
        "valid": True,
        "reason": "",
        "force_N": 0.8,
        "margin": 0.7,
        "unique": False,
        "torque_N_m": None,
    }
    assert table[5]["valid"] is False
    assert table[5]["step_length_m"] is None
    assert table[5]["reason"] == 'foot_1 "lifts", so to say.'
    assert [file.name for file in tmp_path.iterdir()] == [file.name]  # nothing half-written is left


def test_a_parquet_table_says_what_it_is_of(tmp_path: Path) -> None:
    found = make_rows(GRID, range(GRID.size), results(), OWN)
    write_table(make_table(GRID, found, {"gait": "harmonic"}, OWN), tmp_path / "map.parquet")
    schema = pyarrow.parquet.read_schema(tmp_path / "map.parquet")
    assert json.loads(schema.metadata[b"study"]) == {"gait": "harmonic"}
    assert schema.field("gait.psi").metadata[b"unit"] == b"deg"
    table = pyarrow.parquet.read_table(tmp_path / "map.parquet")
    assert table["torque_N_m"].null_count == GRID.size  # nobody could tell
    assert table["unique"].null_count == 4  # where psi is 20


def test_a_table_that_cannot_be_written_is_one_sentence_and_leaves_the_old_one(tmp_path: Path) -> None:
    table = make_table(GRID, make_rows(GRID, range(GRID.size), results(), OWN), {}, OWN)
    with pytest.raises(UserError, match=r"map\.csv cannot be written"):
        write_table(table, tmp_path / "nowhere" / "map.csv")


def arrays(grid: Grid, step: np.ndarray) -> Figure:
    return make_figure(grid, step, 2.0 * step, "a robot")


def test_a_map_has_the_line_where_the_crawl_turns_and_no_cell_where_it_is_not_valid() -> None:
    step = np.array([result.step_length for result in results()]).reshape(GRID.shape)
    figure = arrays(GRID, step)
    maps = [axes for axes in figure.axes if axes.get_xlabel() == "gait.omega [rad/s]"]
    assert len(maps) == 2
    for axes, factor in zip(maps, (1e3, 2e3), strict=True):
        (mesh,) = (c for c in axes.collections if isinstance(c, QuadMesh))
        values = np.ma.asarray(mesh.get_array()).reshape(3, 4)
        assert np.ma.getmaskarray(values).tolist() == [[False] * 4, [False] * 4, [True] * 4]
        assert values[1, 3] == pytest.approx(factor * 5e-3)
        (line,) = (c for c in axes.collections if isinstance(c, ContourSet))
        (path,) = line.get_paths()
        assert np.asarray(path.vertices)[:, 0] == pytest.approx(3.0)  # between 2 and 4
        assert axes.patch.get_hatch()
        assert axes.get_xscale() == "log"
        assert axes.get_yscale() == "linear"


def test_a_step_that_only_rounding_makes_draws_no_line() -> None:
    step = np.array([[1e-15, 1e-3, 2e-3], [-1e-15, 1e-3, 2e-3], [1e-15, 1e-3, 2e-3], [-1e-15, 1e-3, 3e-3]])
    figure = arrays(GRID, step)
    assert not [c for axes in figure.axes for c in axes.collections if isinstance(c, ContourSet)]


def test_curves_are_drawn_over_one_variable_with_gaps_hatched() -> None:
    figure = arrays(Grid((OMEGA,)), np.array([1e-3, math.nan, 2e-3, -1e-3]))
    step, speed = figure.axes
    assert np.asarray(step.lines[0].get_ydata())[0] == pytest.approx(1.0)
    assert np.asarray(speed.lines[0].get_ydata())[3] == pytest.approx(-2.0)
    (gap,) = step.patches
    assert isinstance(gap, Rectangle)
    assert gap.get_hatch()
    assert gap.get_x() == pytest.approx(math.sqrt(2.0))  # half-way between 1 and 2, where factors count


def test_three_variables_have_a_map_for_each_value_of_the_shortest() -> None:
    friction = SweepVariable("robot.friction", (0.1, 0.2))
    grid = Grid((OMEGA, friction, PSI))
    step = np.broadcast_to(np.array([-1.0, 3.0])[None, :, None], grid.shape)
    figure = arrays(grid, step)
    shown = {axes.get_title(): axes for axes in figure.axes if axes.get_title()}
    assert list(shown) == ["robot.friction = 0.1", "robot.friction = 0.2"]
    for axes, value in zip(shown.values(), (-2e3, 6e3), strict=True):
        (mesh,) = (c for c in axes.collections if isinstance(c, QuadMesh))
        assert (np.ma.asarray(mesh.get_array()) == value).all()


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("a", "step length and speed over a."),
        ("ab", "maps of step length and speed over a and b."),
        ("abc", "maps of the speed over b and c, one for each of the 2 values of a."),
        ("abcd", "none: 4 variables do not fit into one, the table has everything."),
    ],
)
def test_the_user_is_told_what_is_drawn(names: str, said: str) -> None:
    assert describe_plot(Grid(tuple(SweepVariable(name, (1.0, 2.0)) for name in names))) == said


def test_a_map_without_a_valid_point_is_drawn_all_the_same(tmp_path: Path) -> None:
    nothing = np.full(GRID.shape, math.nan)
    draw(GRID, nothing, nothing, "a robot", tmp_path / "map.png")
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
