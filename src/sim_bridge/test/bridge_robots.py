"""The robots that these tests run, and driving them without ROS."""

import math
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from crawler_core.loop.backend import Backend
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.types import FloatArray, JointCommand, Observation

DT = 0.002  # s, the tick
UNKNOWN = np.full(2, np.nan)


def three_link(**overrides: float) -> RobotSpec:
    """The three-link robot of this source tree."""
    return load_robot(str(Path(__file__).parents[2] / "crawler_description/robots/three_link/robot.yaml"), overrides)


GYMNAST = Path(__file__).parents[2] / "crawler_core/test/robots/gymnast"


def gymnast(**overrides: float) -> RobotSpec:
    """The robot that is none of the papers', with a closed chain, a joint driven by effort, and a start in the air."""
    return load_robot(str(GYMNAST / "robot.yaml"), overrides)


def harmonic(t: float, omega: float, phi0: float = 110.0) -> tuple[FloatArray, FloatArray]:
    """The paper's input (5) with A = 18° and psi = 20°: joint angles and their rates."""
    phase = omega * t + np.radians([10.0, -10.0])
    amplitude = math.radians(18.0)
    return math.radians(phi0) + amplitude * np.sin(phase), amplitude * omega * np.cos(phase)


def drive(
    backend: Backend, seconds: float, omega: float, *, fade_in: float, each: Callable[[Observation], None]
) -> None:
    """Open the backend and run the harmonic input, which grows from the home pose during `fade_in` seconds."""
    backend.open()
    home, _ = harmonic(0.0, 0.0)
    home[:] = math.radians(110.0)
    try:
        each(backend.observe())
        for k in range(1, round(seconds / DT) + 1):
            t = k * DT
            u = min(t / fade_in, 1.0)
            grown, growing = u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u) / fade_in
            position, velocity = harmonic(t, omega)
            away = position - home
            backend.apply(JointCommand(home + grown * away, grown * velocity + growing * away, UNKNOWN))
            backend.advance(DT)
            each(backend.observe())
    finally:
        backend.close()


def mean_step(backend: Backend, omega: float, *, transient: int, periods: int, fade_in: float) -> float:
    """The advance of the base per period (mm), over `periods` periods after `transient` ones."""
    x: list[float] = []
    period = 2.0 * math.pi / omega
    end = (transient + periods) * period
    drive(backend, end + DT, omega, fade_in=fade_in, each=lambda seen: x.append(_x(seen)))
    at = np.interp([transient * period, end], DT * np.arange(len(x)), x)
    return 1000.0 * float(at[1] - at[0]) / periods


def _x(seen: Observation) -> float:
    assert seen.base is not None
    return seen.base.position[0]


def gymnast_with(directory: Path, **sections: Any) -> RobotSpec:
    """A gymnast in `directory` whose robot file has these sections instead of its own."""
    document = yaml.safe_load((GYMNAST / "robot.yaml").read_text())
    (directory / "robot.yaml").write_text(yaml.safe_dump(document | sections, sort_keys=False))
    shutil.copy(GYMNAST / "gymnast.urdf.xacro", directory)
    return load_robot(str(directory / "robot.yaml"))


def standing_joints() -> dict[str, Any]:
    """The gymnast's joints for a robot file, none of which moves at the start."""
    joints: dict[str, Any] = yaml.safe_load((GYMNAST / "robot.yaml").read_text())["joints"]
    for joint in joints.values():
        joint.pop("home_velocity", None)
    return joints
