"""Tool that makes and improves libraries: `python -m crawler_studies.three_link.shape_design.library --help`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from crawler_core.errors import UserError
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_studies.three_link.shape_design.designer import design
from crawler_studies.three_link.shape_design.task import Limits
from gait_generators.shapes.shape import Shape
from gait_generators.shapes.shape_file import ShapeFile, read_shape, write_shape

LIBRARIES: Mapping[str, Limits] = {"swing_18": Limits(swing=18.0), "swing_30": Limits(swing=30.0)}
LIBRARY_OMEGAS = (1.0, 2.0, 3.2, 4.0, 5.1, 6.5, 8.0, 10.0, 12.0, 14.0, 16.0)  # rad/s


def harmonics_at(omega: float) -> int:
    """Return a useful number of harmonics: at low speed the joints' limits leave room for more."""
    return 6 if omega > 4.5 else 8


def improve(
    spec: RobotSpec,
    directory: Path,
    limits: Limits,
    omegas: Sequence[float],
    *,
    budget: int,
    seed: int = 0,
    report: Callable[[str], None] = print,
) -> None:
    """Go up and down through `omegas` once and write every shape that is better than the one in `directory`.

    A shape that is good at one frequency is a good start at the next. Where there is none yet, one is searched for.
    """
    directory.mkdir(parents=True, exist_ok=True)
    shapes = {omega: read_shape(path_of(directory, omega)) for omega in omegas if path_of(directory, omega).exists()}
    for omega in (*omegas, *reversed(omegas)):
        neighbours = sorted(shapes, key=lambda other: abs(other - omega))[:3]
        starts: list[Shape | None] = [shapes[other].shape for other in neighbours]
        for start in starts or [None]:
            try:
                found = design(
                    spec, omega, limits, start=start, harmonics=harmonics_at(omega), budget=budget, seed=seed
                )
            except UserError as error:
                report(f"{directory.name} {omega:g} rad/s: {error}")
                continue
            if omega not in shapes or worst_step(found) > worst_step(shapes[omega]):
                shapes[omega] = found
                write_shape(path_of(directory, omega), found)
                report(f"{directory.name} {omega:g} rad/s: {found.predicted}")


def path_of(directory: Path, omega: float) -> Path:
    """Return the file of the shape for a frequency."""
    return directory / f"omega_{omega:g}.yaml"


def worst_step(file: ShapeFile) -> float:
    """Return the worst step of a shape, mm; 0 for one that breaks the limits of its library."""
    if file.predicted is None or file.tuned_for is None:
        return 0.0
    return file.predicted.worst_step if file.predicted.lightest_foot >= file.tuned_for.lightest_foot else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description="Improve a robot's library of shapes, file by file.")
    parser.add_argument("robot", help="the path of a robot.yaml; the library is written beside it, in gaits/")
    parser.add_argument("library", choices=LIBRARIES)
    parser.add_argument("--omega", type=float, nargs="+", default=LIBRARY_OMEGAS, help="rad/s (default: all)")
    parser.add_argument("--budget", type=int, default=40_000, help="gaits per search (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    spec = load_robot(arguments.robot)
    directory = spec.directory / "gaits" / arguments.library
    limits = LIBRARIES[arguments.library]
    improve(spec, directory, limits, arguments.omega, budget=arguments.budget, seed=arguments.seed)


if __name__ == "__main__":
    main()
