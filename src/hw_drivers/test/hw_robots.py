"""The robots that these tests run."""

import copy
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from crawler_core.reality.reality import IDEAL
from crawler_core.robot.robot_file import load_robot
from crawler_core.robot.robot_spec import RobotSpec
from hw_drivers.emulation.emulated_backend import EmulatedBackend
from hw_drivers.emulation.emulated_settings import EmulatedSettings

DESCRIPTIONS = Path(__file__).parents[2] / "crawler_description/robots"
GYMNAST = Path(__file__).parents[2] / "crawler_core/test/robots/gymnast/robot.yaml"
LONG = 120.0  # s, a deadline that only a broken driver meets


def three_link(**hardware) -> RobotSpec:
    """The three-link robot of this source tree; `hardware` replaces parts of that section: buses, joints."""
    spec = load_robot(str(DESCRIPTIONS / "three_link/robot.yaml"))
    return _changed(spec, copy.deepcopy(dict(spec.section("hardware"))), hardware)


def three_link_on_a_board(**hardware) -> RobotSpec:
    """The same robot with two geared motors on a board that closes the loop round their angles."""
    motor = {"gear": 50, "encoder": "quadrature", "counts": 4096, "torque_constant": 0.02, "resistance": 2.0}
    motor |= {"max_current": 4.0, "velocity": 8.0, "stiffness": 10.0, "damping": 0.45, "temperature_limit": 80.0}
    motor |= {"inertia": 5e-3}
    section = {
        "buses": {
            "servos": {
                "kind": "board",
                "lowest_supply": 11.0,
                "highest_supply": 13.0,
            }
        },
        "joints": {
            "joint_1": {"bus": "servos", "id": 0, "zero_deg": -5500, **motor},
            "joint_2": {"bus": "servos", "id": 3, "direction": -1, "zero_deg": 5500, "reverse_motor": True, **motor},
        },
    }
    return _changed(load_robot(str(DESCRIPTIONS / "three_link/robot.yaml")), section, hardware)


def snake(**bus) -> RobotSpec:
    """The snake with seven joints on a bus of XL430 servos, with gears and in turns mounted the other way round."""
    spec = load_robot(str(DESCRIPTIONS / "snake/robot.yaml"), {"links": 8})
    section = {
        "buses": {"spine": {"kind": "dynamixel", **bus}},
        "joints": {
            joint.name: {
                "bus": "spine",
                "id": 20 - i,
                "model": "XL430-W250",
                "direction": (-1) ** i,
                "gear": 1.25,
                "zero_deg": 180 + i,
                "velocity": 4.0,
            }
            for i, joint in enumerate(spec.actuated)
        },
    }
    return replace(spec, sections={**spec.sections, "hardware": section})


def gymnast() -> RobotSpec:
    """The robot for tests on its ODrives: a crank that closes a loop, and a flywheel that is driven by effort."""
    return load_robot(str(GYMNAST))


def on_its_board(name: str, **overrides: float) -> RobotSpec:
    """A robot of this source tree whose cranks are on a board."""
    return load_robot(str(DESCRIPTIONS / f"{name}/robot.yaml"), overrides)


def bolt(**overrides: float) -> RobotSpec:
    """The running leg of this source tree, whose crank is driven by effort and which has equations, on an ODrive.

    It starts in a run.
    """
    thrown = yaml.safe_load((DESCRIPTIONS / "bolt/thrown_start.yaml").read_text())["robot"]
    spec = load_robot(str(DESCRIPTIONS / "bolt/robot.yaml"), {**thrown, **overrides})
    drive = {"bitrate": 1000000, "estimate_period": 0.001}
    crank = {"bus": "drive", "id": 1, "gear": 32, "mode": "torque", "torque_constant": 0.03, "max_current": 125}
    section = {"buses": {"drive": {"kind": "odrive", **drive}}, "joints": {"crank": crank}}
    return replace(spec, sections={**spec.sections, "hardware": section})


def _changed(spec: RobotSpec, section: dict[str, Any], changes: dict[str, Any]) -> RobotSpec:
    """The robot without sensors, with that section `hardware`, of which `changes` replaces parts."""
    for part, entries in changes.items():
        for name, values in entries.items():
            section[part].setdefault(name, {}).update(values)
    section.pop("sensors", None)
    return replace(spec, sections={**spec.sections, "hardware": section}, sensors=())


def ideal_motors(spec: RobotSpec, dt: float) -> EmulatedBackend:
    """The robot on emulated motors without the imperfections that its file describes."""
    backend = EmulatedBackend(spec, EmulatedSettings(), dt)
    backend.set_reality(IDEAL, 0)
    return backend


def wait_for(condition, what=""):
    """Wait until it holds; fails after LONG seconds."""
    deadline = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < deadline, what or "it never came"
        time.sleep(0.005)
