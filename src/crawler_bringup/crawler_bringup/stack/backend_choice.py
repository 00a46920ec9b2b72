"""The backend of a run: its name, its registry entry and the checked parameters of its node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from crawler_bringup.stack.backend_registry import BACKENDS, EMULATED_BACKENDS
from crawler_bringup.stack.node_engines import node_engines
from crawler_bringup.stack.options import Options
from crawler_bringup.stack.settings import check_section, split_parameters
from crawler_core.errors import UserError, unknown_name
from crawler_core.loop.backend_entry import BackendEntry
from crawler_core.loop.backend_settings import (
    BackendSettings,
    check_time_settings,
    common_robot_settings,
    own_robot_settings,
)
from crawler_core.parameters import build
from crawler_core.reality.reality import Reality
from crawler_core.robot.robot_spec import RobotSpec
from crawler_core.sensors.sensor_spec import DEFAULT_PROFILE
from sim_bridge.physics.engines import default_physics, substitution

RESERVED_BACKEND_PARAMETERS = ("robot", "robot_overrides")  # the stack sets them; the user gives --robot
TYPICAL_MOTORS = "typical"  # profile of motors, real or emulated, where none is chosen


@dataclass(frozen=True)
class BackendChoice:
    """A backend that fits the robot."""

    name: str
    entry: BackendEntry
    parameters: Mapping[str, Any]  # from the robot file and the user, without the node's defaults
    settings: BackendSettings  # with the defaults

    def motors(self, spec: RobotSpec) -> Reality:
        """Return what the robot's motors do in this run, as far as it is known.

        The play of simulated motors is only in what they measure, and moves no link.
        """
        has_motors, profile = self.name in EMULATED_BACKENDS, self.settings.reality
        if profile == DEFAULT_PROFILE:
            profile = TYPICAL_MOTORS if has_motors else "ideal"
        motors = spec.reality(profile)
        return motors if has_motors else replace(motors, backlash=0.0)


def backend_name(options: Options) -> tuple[str, str]:
    """Return the name of the backend, and a note where the default engine is not the usual one.

    Raises UserError for an unknown backend, and for `emulate` with a backend that has no motors.
    """
    name = options.backend or default_physics(node_engines())
    if name not in BACKENDS:
        raise unknown_name("backend", name, BACKENDS)
    note = "" if options.backend else substitution(name)
    if not options.emulate:
        return name, note
    if name not in EMULATED_BACKENDS:
        raise UserError(f"emulate is about motors: the backend {name} has none, hardware has.")
    return EMULATED_BACKENDS[name], note


def choose_backend(name: str, spec: RobotSpec, chosen: Mapping[str, Any]) -> BackendChoice:
    """Merge the robot file's settings with the user's (`chosen`) and check them against backend and robot.

    Raises UserError for a setting that is unknown, out of range or contradicts another one.
    """
    entry = BACKENDS[name]
    parameters = _merge(common_robot_settings(spec, name, entry.settings), chosen)
    defaults = own_robot_settings(spec, name, entry.settings)
    settings = check_section(
        "backend", parameters, BackendSettings, entry.settings, defaults, RESERVED_BACKEND_PARAMETERS
    )
    check_time_settings(settings)
    own, _ = split_parameters(entry.settings, {**defaults, **parameters})
    entry.check(spec, build(entry.settings, own, section="backend"))
    if settings.lockstep and not entry.simulated:
        raise UserError(f"backend.lockstep = true needs a simulation; with {name} time passes by itself.")
    return BackendChoice(name, entry, parameters, settings)


def _merge(of_robot: Mapping[str, Any], of_user: Mapping[str, Any]) -> dict[str, Any]:
    """Merge robot and user settings; lockstep without `real_time_factor` runs unpaced.

    The factor has to come from where lockstep comes from.
    """
    merged = {**of_robot, **of_user}
    same_source = of_user if "lockstep" in of_user else merged
    is_unpaced = merged.get("lockstep") is True and "real_time_factor" not in same_source
    return {**merged, "real_time_factor": 0.0} if is_unpaced else merged
