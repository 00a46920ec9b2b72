"""The options of one run: the command line and the launch files both end here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from crawler_core.robot.robot_file import default_robot
from crawler_view.server.view_settings import ViewSettings

NO_NODE = "none"  # in place of a law or a gait: its node is not started, and a user's own node does its work
LOG_LEVELS = ("debug", "info", "warn", "error", "fatal")


@dataclass(frozen=True)
class Options:
    """The user's choices. `settings` holds the sections robot, gait, controller and backend."""

    robot: str = field(default_factory=default_robot)
    backend: str = ""  # empty: physics, by the engine that is installed
    emulate: bool = False  # with the backend hardware: on emulated motors
    controller: str = ""  # empty: the robot's default law; NO_NODE: none
    gait: str = ""  # empty: the robot's default gait; NO_NODE: none
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    duration: float | None = 0.0  # s of the run's own time; 0: no end; None: until the crawl is steady
    namespace: str = ""
    rviz: bool = False
    view: bool = False  # serve the live page
    view_port: int = ViewSettings.port
    record: str = ""  # directory of the recording; empty: none
    command: str = ""  # the command line as typed, for the recording
    extra_state_readers: int = 0  # readers of joint_states that are not nodes of the stack
    log_level: str = "info"
    secure: bool = False  # with the keys of a keystore

    def section(self, name: str) -> dict[str, Any]:
        """Return the user's settings of one section; an empty section of a YAML file is None."""
        return dict(self.settings.get(name) or {})

    def robot_parameters(self) -> dict[str, str]:
        """Return the parameters that name the robot. A path is absolute, so that any process finds the file."""
        robot = self.robot or default_robot()
        overrides = yaml.safe_dump(self.section("robot"), default_flow_style=True, width=10**6).strip()
        is_file = robot.endswith((".yaml", ".yml"))
        return {"robot": str(Path(robot).resolve()) if is_file else robot, "robot_overrides": overrides}
